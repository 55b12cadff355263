"""The report's chapter on sources and tools."""

import json

import pytest
from markdown_it import MarkdownIt

from folkmoot.arguments.positions import ToolUsage, tool_usages
from folkmoot.core.ask import Reply, ToolCall
from folkmoot.core.event import Asked, Attempted, Called, Replied
from folkmoot.core.transcript import fold
from folkmoot.report.markdown import chapter, markdown
from folkmoot.report.report import as_data, report
from tests.report.reports import Diary, ask, opened, person


def asks(*names: str) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(id=str(n), name=name, arguments=f'{{"q": "{name}{n}"}}') for n, name in enumerate(names))


def model(key: str, call: str, *tools: ToolCall) -> Called:
    return Called(key=key, call=call, text="", model="acme:large-1", tools=tools)


def tool(key: str, n: int, name: str, text: str = "Found.", sources: tuple[str, ...] = ()) -> Called:
    return Called(key=key, call=f"tool-{n}", text=text, model=f"tool:{name}", sources=sources, seconds=0.5)


def looked_up() -> Diary:
    """Two turns made at once: one searches twice and asks its own model, the other fails."""
    diary = opened(person("Ann", seat="acme:large-1"), person("Ben", seat="acme:large-1"))
    text, two = "/debate/rounds/round-1/argue#1", "/debate/rounds/round-1/argue#2"
    diary.add(Asked(ask=ask(text, "Ann", "argue")), Asked(ask=ask(two, "Ben", "argue")))
    diary.add(model(two, "answer", *asks("search", "none")), model(text, "answer", *asks("search", "summarizer")))
    diary.add(Attempted(key=text, call="tool-1", n=1, model="tool:search"))
    diary.add(
        tool(text, 1, "search", sources=("https://tea.example/a_b?c=1&d", "study.md:12")),
        tool(two, 1, "search", "The tool gave no result: the search engine\n is *away*"),
        model(text, "tool-2-ask"),
        tool(text, 2, "summarizer", "They agree."),
        model(text, "answer-2", *asks("search")),
        tool(
            text, 3, "search", "The tool gave no result, says the page", ("study.md:12", "https://x.example/<script>")
        ),
        tool(two, 2, "none", "There is no tool 'none'; there are: search."),
        Replied(key=text, reply=Reply(text="Tea.")),
        Replied(key=two, reply=Reply(text="Coffee.")),
    )
    return diary


def test_every_use_stands_in_the_report_with_its_sources() -> None:
    entries = looked_up().entries
    text = markdown(report(entries, debate="d"))
    told = text.split("## Sources and tools\n\n")[1].split("\n\n##")[0]
    assert told == (
        "Tools were used 5 times: search 3 times, summarizer once and none once. They found 3 sources. "
        "2 of 5 gave no result.\n\n"
        "1. <https://tea.example/a_b?c=1&d>\n"
        "2. study.md:12\n"
        "3. https://x.example/\\<script>\n\n"
        '- **T1 Ann** (Round 1: arguments): search `{"q": "search0"}` found [1], [2]; '
        'summarizer `{"q": "summarizer1"}`; search `{"q": "search0"}` found [2], [3]\n'
        '- **T2 Ben** (Round 1: arguments): search `{"q": "search0"}`: The tool gave no result: the search engine is '
        '\\*away\\*; none `{"q": "none1"}`: There is no tool \'none\'; there are: search.'
    )


def test_it_is_in_the_data_too() -> None:
    data = as_data(report(looked_up().entries, debate="d"))
    tools = json.loads(json.dumps(data["tools"]))
    assert [item["tool"] for item in tools] == ["search", "summarizer", "search", "search", "none"]
    assert tools[0]["sources"] == ["https://tea.example/a_b?c=1&d", "study.md:12"]
    assert (tools[0]["mark"], tools[0]["by"], tools[0]["seconds"]) == ("T1", "Ann", 0.5)
    assert tools[3]["fault"].startswith("The tool gave no result")
    assert tools[2]["fault"] == "", "a result with sources is one, whatever it says"


def test_without_tools_there_is_no_chapter() -> None:
    entries = opened(person("Ann")).say(ask("/debate#1", "Ann", "argue"), "Tea.", model="acme:large-1").entries
    assert "Sources and tools" not in markdown(report(entries, debate="d"))
    assert tool_usages(entries, fold(entries)) == ()


def test_a_use_whose_arguments_are_not_on_record() -> None:
    diary = opened(person("Ann")).add(Asked(ask=ask("/debate#1", "Ann", "argue")))
    diary.add(tool("/debate#1", 1, "rag"), tool("/debate#1", 2, "rag", sources=("a.md:1",)))
    told = chapter("tools", used=tool_usages(diary.entries, fold(diary.entries))).split("\n\n")
    assert told[1] == "Tools were used twice: rag twice. They found 1 source."
    assert told[-1] == "- **T1 Ann** (The debate): rag; rag found [1]"


URL = "error sending request for url (https://html.duckduckgo.com/html/)"
DNS = f"{URL} > error resolving DNS"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (f"DNSError: DNSError('{URL}')", URL),
        (f'DNSError: DNSError("{URL}",) (twice)', f"{URL} (twice)"),
        (f"DNSError: DNSError('{DNS} > Query {{ na […cut: 20 more characters]", f"{DNS} > Query {{…"),
        (f"{DNS} > no records were found for that name > and so on", f"{DNS} > no records were found for that name…"),
        ("OSError: KeyError('x')", "OSError: KeyError('x')"),
    ],
)
def test_an_error_is_told_in_whole_words_and_without_its_python(error: str, text: str) -> None:
    fault = f"The tool gave no result: DuckDuckGo does not answer: {error}"
    used = ToolUsage(key="/debate#1", mark="T1", by="Ann", tool="search", fault=fault)
    line = chapter("tools", used=[used]).split("\n\n")[-1]
    assert line == f"- **T1 Ann** (The debate): search: The tool gave no result: DuckDuckGo does not answer: {text}"


SOURCES = [
    "https://a.example/",
    "http://a.example/(x)/[y]?z=1#w",
    "javascript:alert(1)",
    "https://a.example/ onclick=x",
    "https://a.example/<img src=x>",
    'https://a.example/"><img src=x>',
    "https://a.example/`code`",
    "![x](https://evil.example/?q=1)",
    "[x]: https://evil.example",
    "study.md:12\n\n# Heading",
    "costs.pdf, page 3",
    "mcp:files",
    "",
]


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_can_only_be_a_link_to_itself(source: str) -> None:
    used = ToolUsage(key="/debate#1", mark="T1", by="Ann", tool="search", arguments="{}", sources=(source,))
    tokens = MarkdownIt("commonmark").parse(chapter("tools", used=[used]))
    inner = [child for token in tokens for child in token.children or ()]
    assert not [child for child in inner if child.type in ("image", "html_inline")]
    links = [str(child.attrs["href"]) for child in inner if child.type == "link_open"]
    assert [link.replace("%5B", "[").replace("%5D", "]") for link in links] in ([], [source])
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h2"]
    assert bool(links) == (source in SOURCES[:2])
