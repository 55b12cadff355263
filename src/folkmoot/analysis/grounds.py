"""What a decision rests on: its claims, with the turns and sources that support each.

A text is split into claims: each sentence and each list item is one. Headings, questions, lines that only introduce a
list, and text without a letter are none. A quotation stays together with its source.

Only typed fields and quotations count. The claim of a turn that gives the decided answer is its CLAIM, else its
ARGUMENT, else its words. A decision that nobody gave as an answer, such as a moderator's, is split into sentences. A
claim is supported if it cites a source, or if another participant supports or makes it too. A turn that is only
mentioned does not count: whether it says so, only a reader can tell.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.arguments.argument_map import AGAINST, SPOKEN, ArgumentMap, Judgement, Node, Standing
from folkmoot.arguments.positions import MARK, QUOTED, AnswerGiven, Citation, alike, bare, documents, quotations
from folkmoot.core.ask import shown
from folkmoot.core.text import sentences
from folkmoot.core.transcript import Transcript, Turn, read_field

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_NONE = re.compile(r"[?？:：][*_\"'”’»)]*$")
"""How a question or the lead-in of a list ends."""


def statements(text: str) -> tuple[str, ...]:
    """The claims in a text, in order, each once; the whole text if there are none."""
    texts = [sentence for paragraph in _paragraphs(text) for sentence in _sentences(paragraph)]
    claims = [text for text in texts if any(letter.isalpha() for letter in text) and not _NONE.search(text)]
    return tuple(dict.fromkeys(claims)) or (text,)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and items, each on one line, without the marks of lists."""
    rows: list[str] = []
    for row in [*text.splitlines(), ""]:
        item, heading = _ITEM.match(row), _HEADING.match(row)
        if rows and (item or heading or not row.strip()):
            yield " ".join(rows)
            rows = []
        words = row[item.end() :].strip() if item else row.strip()
        if words and not heading:
            rows.append(words)


def _sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph; sentences within one quotation with its source count as one."""
    quoted = list(QUOTED.finditer(paragraph))
    cuts = {at for at, _ in sentences(paragraph) if not any(match.start() < at < match.end() for match in quoted)}
    for match in quoted:
        blank, after = paragraph[match.end() : match.end() + 1], paragraph[match.end() :].lstrip()
        if match[1][-1] in ".!?" and blank.isspace() and not after[0].islower():
            cuts.add(len(paragraph) - len(after))
    for first, last in zip(sorted(cuts), [*sorted(cuts)[1:], len(paragraph)], strict=True):
        yield paragraph[first:last].strip()


_GIVES = ("CLAIM", "ARGUMENT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A claim of the decision, and its support.

    Attributes:
        claim: in its author's words.
        turns: the marks of the turns that make it.
        by: their speakers, each once.
        backed: the marks of turns of others that support it.
        attacked: the marks of turns that attack it.
        sources: what its turns cite, each once.
        unfound: documents that are quoted with words which they do not hold.
        named: the marks of turns that a decision in words of its own names for it.
        standing: whether it stands on the argument map; None if it is not on it.
        supported: whether a source, or another participant than its author, supports it.
    """

    claim: str
    turns: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    backed: tuple[str, ...] = ()
    attacked: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    unfound: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    standing: Standing | None = None
    supported: bool = False


def grounds(
    transcript: Transcript,
    ledger: Sequence[AnswerGiven],
    argument_map: ArgumentMap,
    judged: Judgement,
    cited: Sequence[Citation],
) -> tuple[Ground, ...]:
    """The claims of the decision, in order; none if there is no decision in words.

    Args:
        transcript: of the debate.
        ledger: the answers of its turns.
        argument_map: its argument map.
        judged: which claims stand.
        cited: its citations.
    """
    decision = transcript.decision
    if decision is None or not decision.text:
        return ()
    answers = {item.key: item.answer for item in ledger}
    decided = [bare(answer) for answer in (decision.text, decision.winner) if answer]
    turns_by_claim: dict[str, list[Turn]] = {}
    for turn in transcript.turns(*SPOKEN):
        if bare(answers.get(turn.key, turn.text)) in decided and (claim := _claim(turn)):
            turns_by_claim.setdefault(bare(claim) or claim, []).append(turn)
    nodes = {item.mark: node for node in argument_map.nodes for item in node.made}
    if turns_by_claim:
        return tuple(
            _ground(transcript, turns, nodes, argument_map, judged, cited) for turns in turns_by_claim.values()
        )
    turns_by_text: dict[str, list[Turn]] = {}
    for turn in transcript.turns(*SPOKEN):
        turns_by_text.setdefault(bare(_claim(turn)), []).append(turn)
    own: list[Ground] = []
    for claim in statements(decision.text):
        turns = turns_by_text.get(bare(claim), [])
        shared = _ground(transcript, turns, nodes, argument_map, judged, cited) if turns else Ground(claim=claim)
        own.append(_in_own_words(transcript, replace(shared, claim=claim), cited))
    return tuple(own)


def _claim(turn: Turn) -> str:
    answers = [shown(value) for name in _GIVES if (value := read_field(turn, name)) is not None]
    return next((text for text in answers if bare(text) not in ("", "none")), "" if answers else turn.text)


def _ground(
    transcript: Transcript,
    turns: Sequence[Turn],
    nodes: Mapping[str, Node],
    argument_map: ArgumentMap,
    judged: Judgement,
    cited: Sequence[Citation],
) -> Ground:
    claim, marks = _claim(turns[0]), tuple(turn.mark for turn in turns)
    by = tuple(dict.fromkeys(turn.by for turn in turns))
    # A turn stands on the map with what it says in short; only where that is this claim do its links bear on it.
    home = next((nodes[mark].mark for mark in marks if mark in nodes and alike(nodes[mark].claim, claim)), "")
    backed = tuple(_marks_acting_on(home, ("SUPPORT",), argument_map, without=by))
    keys = [turn.key for turn in turns]
    quoted = [citation.source for citation in cited if citation.key in keys and citation.found]
    sources = tuple(dict.fromkeys((*quoted, *(name for name in documents(transcript.brief) if _names(claim, name)))))
    return Ground(
        claim=claim,
        turns=marks,
        by=by,
        backed=backed,
        attacked=tuple(_marks_acting_on(home, AGAINST, argument_map)),
        sources=sources,
        unfound=tuple(
            dict.fromkeys(citation.source for citation in cited if citation.key in keys and not citation.found)
        ),
        standing=judged.standing[home] if home else None,
        supported=bool(sources or backed or len(by) > 1),
    )


def _names(claim: str, document: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(document)}(?!\w)", claim) is not None


def _marks_acting_on(
    home: str, relations: Sequence[str], argument_map: ArgumentMap, *, without: Sequence[str] = ()
) -> Iterator[str]:
    """The marks of the turns that do one of these to a claim, but for those that only its own authors make."""
    for edge in argument_map.edges:
        if (
            edge.target == home
            and edge.relation in relations
            and set(argument_map.node(edge.source).by).difference(without)
        ):
            yield from edge.turns


def _in_own_words(transcript: Transcript, ground: Ground, cited: Sequence[Citation]) -> Ground:
    """A claim in the decision's own words, with its own quotations and the turns that make it too."""
    quoted = list(quotations(ground.claim, documents(transcript.brief)))
    uncited = [citation.source for citation in cited if not citation.words and citation.source in ground.claim]
    sources = tuple(dict.fromkeys((*ground.sources, *(name for name, _, value in quoted if value), *uncited)))
    marks = MARK.findall(ground.claim)
    return replace(
        ground,
        sources=sources,
        unfound=tuple(dict.fromkeys((*ground.unfound, *(name for name, _, value in quoted if not value)))),
        named=tuple(turn.mark for turn in transcript.turns() if turn.mark in marks),
        supported=bool(sources or ground.turns),
    )
