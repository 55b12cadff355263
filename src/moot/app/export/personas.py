"""Participants and models over all debates, at the desk. This file owns how a host gets them."""

from dataclasses import dataclass

from moot.app.export.learned import remembered
from moot.app.run.workspace import Desk
from moot.learn.acquaintance import Pair, model_pairs, pairs
from moot.learn.acquaintance import relations as read_relations
from moot.learn.personas import Persona, models, performances
from moot.learn.personas import personas as of_participants


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How participants did, by name and role, and how models did."""

    participants: tuple[Persona, ...]
    models: tuple[Persona, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Who stood how to whom: participants by name, and models."""

    participants: tuple[Pair, ...]
    models: tuple[Pair, ...]


async def personas(desk: Desk) -> People:
    """How participants and models did in all debates that were learned.

    Raises:
        RecordError: memory cannot be read.
    """
    done = performances((await remembered(desk, "", ("performance",)))["performance"])
    return People(participants=of_participants(done), models=models(done))


async def relations(desk: Desk) -> Met:
    """Who agreed with whom, and who changed whose answer, in all debates that were learned.

    Raises:
        RecordError: memory cannot be read.
    """
    met = read_relations((await remembered(desk, "", ("relation",)))["relation"])
    return Met(participants=pairs(met), models=model_pairs(met))
