"""Who measures how alike proposals are. This file owns when an embedding model is asked for it, and its name."""

from collections.abc import Sequence
from dataclasses import replace

from moot.core.brief import LIKENESS, Brief, Participant
from moot.desk.config import Config, load_config
from moot.seats.embed import Embeddings

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
    model = (config or load_config()).embeddings if STALLED in until else ""
    if not model or (brief.limits.cost is not None and Embeddings(model).quote(()).cost is None):
        return brief
    taken = {each.name for each in brief.participants}
    name = NAME if NAME not in taken else f"{NAME} (measured)"
    aide = Participant(name=name, role="Measures how alike texts are", seat=f"{LIKENESS}{model}", duty="aide")
    return replace(brief, participants=(*brief.participants, aide))
