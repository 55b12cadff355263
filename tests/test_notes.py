"""What is said before a debate begins about settings that do little, or of which nobody knows how much they cost."""

import pytest

from moot.desk.choosing import Wishes
from moot.desk.desk import Desk
from moot.desk.intake import read_brief
from moot.desk.prepare import prepare
from moot.models.pool import Pool
from moot.testing.stores import MemoryStore

PEOPLE = "\n\n## Ada\nrole: x\n{ada}\n## Bo\nrole: y\n{bo}\n## Cy\nrole: z\n"


def write(header: str, ada: str = "", bo: str = "") -> str:
    return f"---\n{header}\n---\n# Tea?" + PEOPLE.replace("{ada}", ada).replace("{bo}", bo)


async def notes(text: str, wishes: Wishes | None = None) -> str:
    """All notes on a brief, a line each."""
    desk = Desk(MemoryStore(), pool=Pool(env={}))
    try:
        ready = await prepare(desk, read_brief(text), wishes or Wishes(models=("builtin:quotes",)))
    finally:
        await desk.close()
    return "\n".join(ready.notes)


# fmt: off
UNEVEN: list[tuple[str, str]] = [
    (write("protocol: arena", ada="hide: [revise]\n"), "Because turns are hidden from somebody"),
    (write("protocol: arena", bo="language: German\n"), "Because only what some say is translated"),
    (write("revision: yes\ncontext_scope: last_n_turns"), "Because somebody may no longer see an own turn to revise"),
    (write("protocol: arena\nlanguage: German"), ""),
    (write("context_scope: last_n_turns"), ""),
    (write("revision: yes", bo="weight: 2\n"), ""),
]
# fmt: on


@pytest.mark.parametrize(("text", "why"), UNEVEN)
async def test_where_the_estimate_is_no_bound_it_says_so(text: str, why: str) -> None:
    told = await notes(text)
    assert ("some more asks than the" in told) is bool(why)
    assert why in told
