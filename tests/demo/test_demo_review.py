"""The built-in debater reviews: plain patterns with true quotations, and each claim says that it is a demonstration."""

from folkmoot.core.brief import Brief
from folkmoot.demo.debater import DemoDebater
from folkmoot.phases.base import Phase, Sequence
from folkmoot.protocols.known import build
from folkmoot.protocols.measured.findings import Arbitrate
from folkmoot.reviews.artefact import Artefact, whole_file
from folkmoot.reviews.reviewed import Review, review_of
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted
from tests.kits.reviewers import TWO, person, review_brief, verdict

CODE = """\
def read(names=[]):
    try:
        return run(names, shell=True)
    except Exception:
        return None
"""


async def review(brief: Brief, tree: Phase | None = None) -> Review:
    place = Harness(brief=brief, protocol=tree or build("findings", brief), name="findings")
    agent = DemoDebater()
    debate = await place.run({who.name: agent for who in brief.participants})
    return review_of(brief, debate.transcript)


async def test_it_shows_what_patterns_show() -> None:
    came = await review(review_brief(artefact=Artefact(files=(whole_file("a.py", CODE),), facts={})))
    assert came.missing == ()
    assert [(item.state, str(item.finding.cite), item.finding.claim) for item in came.findings] == [
        ("survived", "a.py:3", "Demonstration: text is run as a program."),
        ("survived", "a.py:1", "Demonstration: a default is shared by all calls."),
        ("survived", "a.py:4", "Demonstration: an error is swallowed."),
    ]
    assert came.findings[1].finding.found_by == ("R1", "R2")


async def test_a_long_file_is_looked_through_once() -> None:
    text = "".join(f"x{n} = {n}\n" for n in range(20_000)) + "eval(x)\n"
    came = await review(review_brief(artefact=Artefact(files=(whole_file("a.py", text),), facts={})))
    assert [str(item.finding.cite) for item in came.findings] == ["a.py:20001"]


async def test_words_of_any_language_and_unreadable_bytes_are_quoted_as_they_stand() -> None:
    for path, text in (
        ("Größe – 测试.py", "größe = eval('ü')\n"),
        ("a.py", b"eval('\xe9')\n".decode("utf-8", "replace")),
    ):
        came = await review(review_brief(artefact=Artefact(files=(whole_file(path, text),), facts={})))
        assert came.missing == ()
        assert [(item.state, item.finding.cite.path, item.finding.cite.quote) for item in came.findings] == [
            ("survived", path, text.strip())
        ]


async def test_without_a_pattern_it_shows_what_a_finding_is() -> None:
    brief = review_brief((*TWO, person("J", "three", "juror")))
    parts = build("findings", brief)
    assert isinstance(parts, Sequence)
    dispute = Arbitrate(finding=1, because="No.", cite="a.py:10", by="J")
    came = await review(brief, Sequence(parts=(*parts.parts[:-1], dispute, parts.parts[-1])))
    (item,) = came.findings
    assert (item.state, str(item.finding.cite)) == ("contested", "a.py:10")
    assert item.dispute
    assert item.dispute.ruling == "SPLIT"
    empty = await review(review_brief(artefact=Artefact(files=(whole_file("a.py", "\n"),), facts={})))
    assert (empty.findings, empty.missing) == ((), ())


async def test_a_finder_holds_what_another_reviewer_refuses() -> None:
    brief = review_brief(artefact=Artefact(files=(whole_file("a.py", CODE),), facts={}))
    refusing = verdict("DISAGREE_EVIDENCE", cite="a.py:2", quote="try:")
    other = Scripted(lambda ask, context: refusing if ask.act == "refute" else "NO FINDINGS")
    place = Harness(brief=brief, protocol=build("findings", brief), name="findings")
    debate = await place.run({"R1": DemoDebater(), "R2": other})
    assert {item.state for item in review_of(brief, debate.transcript).findings} == {"contested"}
