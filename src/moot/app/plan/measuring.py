"""Who measures how alike proposals are. This file owns when an embedding model is asked for it, and which one.

A record names an embedding model, never a place on this machine: where an installed one lies the owner's settings say.
"""

from collections.abc import Sequence
from dataclasses import replace

from moot.app.plan.settings import Config, load_config, own_file
from moot.core.brief import LIKENESS, Brief, Participant
from moot.core.errors import BriefError
from moot.tools.installed import KIND, embedder
from moot.tools.likeness import Likening

STALLED = "stalled"
"""The condition that needs to know how alike proposals are."""

NAME = "Likeness"


def with_instrument(brief: Brief, until: Sequence[str], config: Config | None) -> Brief:
    """The brief with an aide that measures likeness, where that is needed and the owner has set an embedding model.

    Without one likeness is measured by words; so it is where cost is limited and nobody knows the model's price.

    Args:
        brief: the brief, everybody seated.
        until: the conditions that end its rounds.
        config: the owner's settings; None to load them if they are needed.

    Raises:
        BriefError: the embedding model cannot be asked.
    """
    named = (config or load_config()).embeddings if STALLED in until else ""
    model = embedder(named) if named else None
    if model is None or (brief.limits.cost is not None and model.quote(()).cost is None):
        return brief
    taken = {each.name for each in brief.participants}
    name = NAME if NAME not in taken else f"{NAME} (measured)"
    aide = Participant(name=name, role="Measures how alike texts are", seat=f"{LIKENESS}{model.name}", duty="aide")
    return replace(brief, participants=(*brief.participants, aide))


def instrument(seat: str, config: Config | None) -> Likening:
    """The live seat of the aide that measures likeness.

    Args:
        seat: what a record calls it: ``likeness:ollama:nomic-embed-text``.
        config: the owner's settings; None to load them if they are needed.

    Raises:
        BriefError: the embedding model cannot be asked, or is an installed one that the settings do not name.
    """
    name = seat.removeprefix(LIKENESS)
    if not name.startswith(f"{KIND}:"):
        return Likening(embedder(name))
    named = (config or load_config()).embeddings
    model = embedder(named) if named else None
    if model is None or model.name != name:
        found = f'likeness is measured by {name}: set embeddings = "{KIND}:" and the full path of its folder'
        raise BriefError(f"{found} in {own_file()}", code="bad_model")
    return Likening(model)
