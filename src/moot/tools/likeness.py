"""A seat that measures how alike texts are, by an embedding model. This file owns how texts become its numbers.

It is told the texts in pairs: of each author the one before, then the newest. It sends them to the owner's embedding
model, whose calls stand on record and count against the limits. Where that gives no vectors there is no answer, and
whoever asked makes do with words.
"""

from itertools import combinations

from moot.agents.toolkit import Errand
from moot.core.agent import Say, Scene
from moot.core.ask import Ask, Reply
from moot.core.transcript import Turn, read_field
from moot.tools.embeddings import Embedder, Vector, likeness


class Likening:
    """The instrument that measures likeness.

    Args:
        embedder: the model that makes the vectors; its name stands with the numbers.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def answer(self, ask: Ask, scene: Scene, say: Say) -> Reply:
        """Measure; see ``core.agent.Seat``.

        Raises:
            ModelError: the model gives no vectors.
        """
        errand = Errand(scene=scene, say=say, name="tool-1")
        try:
            vectors = await self._embedder.embed([_text(turn) for turn in scene.about], errand)
        finally:
            await self._embedder.close()
        (own, between), name = measure(vectors), self._embedder.name
        fields = {"OWN": own, "BETWEEN": between, "METHOD": name}
        return Reply(text=f"own {own:.3f}, between {between:.3f}, by {name}", fields=fields, asked=name)


def measure(vectors: tuple[Vector, ...]) -> tuple[float, float]:
    """The least likeness of an author's two texts, and the mean likeness of two authors' newest ones, each 0 to 1.

    Args:
        vectors: of each author that of the text before, then that of the newest; of one author at least.
    """
    before, newest = vectors[::2], vectors[1::2]
    pairs = [_share(likeness(one, other)) for one, other in combinations(newest, 2)]
    own = min(_share(likeness(one, other)) for one, other in zip(before, newest, strict=True))
    return own, sum(pairs) / len(pairs) if pairs else 1.0


def _share(cosine: float) -> float:
    """A cosine as a number from 0 to 1: texts that point away from each other have nothing in common."""
    return min(1.0, max(0.0, cosine))


def _text(turn: Turn) -> str:
    """What of a proposal is compared: its ARGUMENT, else all its words."""
    return str(read_field(turn, "ARGUMENT") or turn.text)
