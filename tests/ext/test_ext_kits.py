"""The checks of providers, tools and report formats: the examples pass, and each planted fault is named."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pytest

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.app.export.report_formats import ReportFormat
from folkmoot.app.export.reports import ReadRecord
from folkmoot.core.ask import ToolSpec, Usage
from folkmoot.core.errors import BriefError, ModelError, ToolError
from folkmoot.core.json_values import read_object
from folkmoot.models.base import Request
from folkmoot.models.custom import ProviderModel, write
from folkmoot.models.names import PROVIDERS, ModelName, Provider, Wire
from folkmoot.models.prices import answer_cap
from folkmoot.models.stream import AnswerStream, End
from folkmoot.models.transport import ProviderConnection
from folkmoot.phases.choices import Choices
from folkmoot.report.report import Report
from folkmoot.testing import tool_checks
from folkmoot.testing.extension_checks import check_phase, check_rule
from folkmoot.testing.provider_checks import check_provider
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.tool_checks import check_report, check_tool, try_tool
from tests.ext.ext_kit import Install


def wrapped(words: str) -> Mapping[str, object]:
    return {"said": words, "read": 9, "wrote": 3}


async def test_what_the_packages_offer_passes_by_its_name(install: Install) -> None:
    for package in (
        "folkmoot_say",
        "folkmoot_dice",
        "folkmoot_slides",
        "folkmoot_star",
        "folkmoot_steelman",
        "folkmoot_six_hats",
    ):
        install(package)
    await check_provider("say", wrapped, options={"voice": "low"})
    await check_tool("dice", {"dice": 2, "sum": 7}, {"dice": 3, "sum": 4}, options={"most": 3})
    await check_report("slides", options={"people": False})
    check_rule("star", options={"finalists": 3})
    await check_phase("steelman")
    await check_phase("six_hats", choices=Choices(protocol_options={"hats": ("red",)}))


async def test_what_no_package_offers_is_named() -> None:
    with pytest.raises(AssertionError, match="no package offers a provider 'say'"):
        await check_provider("say", wrapped)
    with pytest.raises(AssertionError, match="there is no tool 'dice'"):
        await check_tool("dice", {})
    with pytest.raises(AssertionError, match="no package offers a report format 'slides'"):
        await check_report("slides")
    with pytest.raises(AssertionError, match="no package offers a rule 'star'"):
        check_rule("star")


# ---- providers ------------------------------------------------------------------------------------------------------


class Plain(ProviderModel):
    """An adapter without a fault."""

    fault = ""

    async def answer(self, request: Request, speech: AnswerStream) -> End:
        body: dict[str, object] = {"model": self.model.model, "text": write(request.messages)}
        speech.hear(str((await self.post("/say", {**body, "most": answer_cap(request.settings)}))["said"]))
        return End(usage=Usage(input_tokens=9, output_tokens=3), finish="stop")


LAST: list[str] = []
"""What a faulty adapter remembers."""


class Odd(Plain):
    """An adapter with a fault."""

    def body(self, request: Request) -> dict[str, object]:
        body: dict[str, object] = {"model": self.model.model, "text": write(request.messages)}
        body["most"] = answer_cap(request.settings)
        changes: Mapping[str, Mapping[str, object]] = {
            "anonymous": {"model": "tiny"},
            "rules": {"text": request.messages[-1].text},
            "question": {"text": request.messages[0].text},
            "in the body": {"key": self.link.key.reveal() if self.link.key else ""},
            "untold": {"temperature": request.settings.temperature},
            "uncapped": {"most": 100},
        }
        return {**body, **changes.get(self.fault, {})}

    async def answer(self, request: Request, speech: AnswerStream) -> End:
        if self.fault == "invented":
            speech.hear("Tea.")
            return End(finish="stop")
        if self.fault in ("deaf", "blind"):
            speech.hear(await self.bare(self.body(request)))
            return End(finish="stop")
        try:
            values = await self.post("/say", self.body(request))
        except ModelError as error:
            raise self.changed(error) from error
        words = str(values["said"] if self.fault != "careless" else values.get("said"))
        if self.fault == "mixed" and "echo" in words:
            LAST.append(words)
            words = LAST[0]
        if self.fault == "speechless" and not words:
            words = "(nothing)"
        speech.hear(words.upper() if self.fault == "loud" else words)
        return End(finish="" if self.fault == "unended" else "stop")

    async def bare(self, body: Mapping[str, object]) -> str:
        """An answer without the errors that ``post`` makes."""
        whole = await self.link.post("/say", body)
        if whole.status != 200 and self.fault == "blind":
            key = self.link.key.reveal() if self.link.key else ""
            raise ModelError(f"{self.name} failed with {key}", kind="server", again=whole.status != 401)
        return "Fine." if whole.status != 200 else str(read_object(whole.body)["said"])

    def changed(self, error: ModelError) -> ModelError:
        """An error, with a fault."""
        match self.fault:
            case "hopeful":
                return ModelError(str(error), kind=error.kind, again=True)
            case "hopeless" if error.kind != "key":
                return ModelError(str(error), kind=error.kind)
            case "hasty":
                return ModelError(str(error), kind=error.kind, again=error.again)
            case _:
                return error


class Renamed(Odd):
    """An adapter whose models have another name."""

    @property
    def name(self) -> str:
        return "tiny"


class Stubborn(Plain):
    """An adapter that cannot be made."""

    def __init__(self, name: ModelName, link: ProviderConnection) -> None:
        raise OSError("no voice")


def provider_of(adapter: Callable[..., object], **others: object) -> Provider:
    provider = Provider(name="say", wire=Wire(name="say", adapter=adapter), url="http://127.0.0.1:1", local=True)
    values: dict[str, object] = {"url_env": "SAY_BASE_URL", "keys": ("SAY_KEY",), "needs_key": False, **others}
    return replace(provider, **values)  # pyright: ignore[reportArgumentType]


def faulty(fault: str, base: type[ProviderModel] = Odd, takes: tuple[str, ...] = ("max_tokens",)) -> Provider:
    return provider_of(type("Faulty", (base,), {"fault": fault, "takes": takes}))


async def test_an_adapter_without_a_fault_passes() -> None:
    await check_provider(provider_of(Plain), wrapped)
    await check_provider(faulty("none of these"), wrapped)


@pytest.mark.parametrize(
    ("provider", "sentence"),
    [
        (faulty("anonymous"), "the name of the model is not sent"),
        (faulty("rules"), "the system message is not sent"),
        (faulty("question"), "the question is not sent"),
        (faulty("in the body"), "the key is sent outside of the headers"),
        (faulty("untold"), "temperature is sent, and drops says that it is not"),
        (faulty("", takes=("max_tokens", "top_p")), "top_p is not sent, and drops does not name it: send it, or leave"),
        (faulty("uncapped"), "max_tokens is not sent, and drops does not name it"),
        (faulty("invented"), "nothing was sent to the address in url_env"),
        (faulty("deaf"), "the status 401 becomes the answer 'Fine.'; it must raise a ModelError"),
        (faulty("blind"), "the key is in the sentence of an error"),
        (faulty("hopeful"), "after the status 401 it would try the same key again"),
        (faulty("hopeless"), "the status 429 ends the call; it should be tried again"),
        (faulty("hasty"), "it does not keep the time that a server asks to wait"),
        (faulty("careless"), "an object without words becomes the answer 'None'; it must raise a ModelError"),
        (faulty("speechless"), r"an answer without words becomes the answer '\(nothing\)'"),
        (faulty("mixed"), "of calls that overlap one gets the answer of another: 'echo-"),
        (faulty("loud"), "of the answer 'Tea .* it makes 'TEA"),
        (faulty("unended"), "it says of a whole answer that it ended by 'unmarked', not 'stop'"),
        (faulty("", Renamed), "its model is called tiny, not say:check-model"),
        (faulty("", Stubborn), "its model cannot be made: say:check-model cannot be used: OSError: no voice"),
    ],
)
async def test_each_fault_of_an_adapter_is_named(provider: Provider, sentence: str) -> None:
    LAST.clear()
    with pytest.raises(AssertionError, match=sentence):
        await check_provider(provider, wrapped)


@pytest.mark.parametrize(
    ("provider", "sentence"),
    [
        (provider_of(Plain, name="Say it"), "its name is 'Say it'; small letters"),
        (provider_of(Plain, name="openai"), "Folkmoot has a provider 'openai', which is always used"),
        (provider_of(Plain, url_env=""), "it names no environment variable for its address"),
        (provider_of(Plain, url_env="SAY_URL"), "it must end with _BASE_URL or _HOST"),
        (provider_of(Plain, url="127.0.0.1:80"), "its address is '127.0.0.1:80'"),
        (provider_of(Plain, keys=(), needs_key=True), "it needs a key, and names no environment variable for it"),
        (provider_of(Plain, keys=("OPENAI_API_KEY",)), "OPENAI_API_KEY belongs to openai; .* sent to another host"),
        (provider_of(Plain, url_env="OLLAMA_HOST"), "OLLAMA_HOST belongs to ollama"),
        (provider_of(Plain, headers={"OPENAI_ORG_ID": "x-org"}), "OPENAI_ORG_ID belongs to openai"),
    ],
)
async def test_each_fault_of_a_provider_s_table_is_named(provider: Provider, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_provider(provider, wrapped)


async def test_a_provider_of_an_interface_of_folkmoot_s_own_needs_no_server() -> None:
    for provider in PROVIDERS.values():
        if provider.url_env:
            await check_provider(provider)
    await check_provider(Provider(name="hub", url="https://hub.example/v1", url_env="HUB_BASE_URL", keys=("HUB_KEY",)))
    with pytest.raises(AssertionError, match="an adapter of your own is tried only with wrap"):
        await check_provider(provider_of(Plain))


# ---- tools ----------------------------------------------------------------------------------------------------------

SPEC = ToolSpec(
    name="odd",
    help="Odd numbers.",
    parameters={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
)


@dataclass(kw_only=True)
class Numbers:
    """A tool with a fault."""

    fault: str = ""
    spec: ToolSpec = SPEC

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        n = arguments["n"]
        assert isinstance(n, int)
        match self.fault:
            case "text":
                return "odd"  # pyright: ignore[reportReturnType]
            case "number":
                return ToolResult(text=n)  # pyright: ignore[reportArgumentType]
            case "silent":
                return ToolResult(text=" ")
            case "source":
                return ToolResult(text="odd", sources="a book")  # pyright: ignore[reportArgumentType]
            case "raises":
                return ToolResult(text=str(1 // 0))
            case "refuses":
                raise ToolError("no numbers today")
            case "negative" if n < 0:
                return ToolResult(text=str([1][n - 1]))
            case "asks":
                return ToolResult(text=(await tool_use.ask("Is it odd?")).text)
            case _:
                if n < 0:
                    raise ToolError("only from 0 on")
                return ToolResult(text=f"{n % 2 == 1}", sources=(tool_use.context.me.name,))


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        (Numbers(fault="text"), "for {'n': 3} it gives str, not a ToolResult"),
        (Numbers(fault="number"), "for {'n': 3} the text of its result is not a text"),
        (Numbers(fault="silent"), "for {'n': 3} the text of its result is ' '"),
        (Numbers(fault="source"), "for {'n': 3} its sources are no tuple of texts"),
        (Numbers(fault="raises"), "for {'n': 3} it raises ZeroDivisionError: .*; raise a ToolError"),
        (Numbers(fault="refuses"), "for the example {'n': 3} it has no result: no numbers today"),
        (Numbers(fault="asks"), "it has no result: this tool needs a language model"),
        (Numbers(fault="negative"), "for {'n': -1} it raises IndexError: .*; raise a ToolError"),
        (Numbers(spec=replace(SPEC, name="odd numbers")), "its name is 'odd numbers'; providers refuse that"),
        (Numbers(spec=replace(SPEC, help=" ")), "its spec has no help"),
        (Numbers(spec=replace(SPEC, parameters={"type": "array"})), "a JSON Schema of the type object"),
        (Numbers(spec=replace(SPEC, parameters={"type": {1}})), "its parameters are no JSON"),
        (
            Numbers(spec=replace(SPEC, parameters={"type": "object", "required": ["m"]})),
            "it requires m, which is not among its properties",
        ),
    ],
)
async def test_each_fault_of_a_tool_is_named(tool: Numbers, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_tool(tool, {"n": 3})


class Clinging(Numbers):
    """A tool that does not let go."""

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            await asyncio.Event().wait()
        return ToolResult(text="odd")


async def test_a_tool_that_does_not_go_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_checks, "PROMPTLY", 0.05)
    with pytest.raises(AssertionError, match="it does not go when it is cancelled; let CancelledError through"):
        await check_tool(Clinging(), {"n": 3})


async def test_a_tool_without_a_fault_passes_and_may_ask_a_model() -> None:
    await check_tool(Numbers(), {"n": 3}, {"n": 4})
    await check_tool(Numbers(fault="asks"), {"n": 3}, model=lambda: ScriptedModel(lambda request: "Yes."))
    with pytest.raises(AssertionError, match="give at least one example"):
        await check_tool(Numbers())
    with pytest.raises(
        AssertionError, match=r"the example {'m': 3} does not fit its parameters: the argument n is miss"
    ):
        await check_tool(Numbers(), {"m": 3})


async def test_a_tool_is_tried_without_a_model(install: Install) -> None:
    install("folkmoot_dice")
    result = await try_tool("dice", {"dice": 2, "sum": 7})
    assert (result.text, result.sources) == ("6 of 36 rolls", ("all rolls",))
    refused = await try_tool("dice", {"dice": 3, "sum": 7}, options={"most": 2})
    assert refused.text == "The tool gave no result: 1 to 2 dice can be counted"
    assert (
        await try_tool(Numbers(), {"n": "x"})
    ).text == "The tool was not used: the argument n must be of type integer."
    answered = await try_tool(Numbers(fault="asks"), {"n": 3}, model=ScriptedModel(lambda request: "Yes."))
    assert answered.text == "Yes."
    with pytest.raises(BriefError, match="there is no tool 'die'"):
        await try_tool("die", {})


async def test_a_tool_that_gives_no_result_object_does_not_end_a_debate(install: Install) -> None:
    install(
        "folkmoot_dice",
        code="from folkmoot.ext import ToolSpec\n\n\nclass Dice:\n"
        "    spec = ToolSpec(name='dice', help='Dice.', parameters={})\n\n"
        "    async def use(self, arguments, tool_use):\n        return 'seven'\n",
    )
    result = await try_tool("dice", {})
    assert (
        "'dice' of the package folkmoot-dice (folkmoot_dice:Dice) cannot be used: it gives str, not a ToolResult"
        in result.text
    )


# ---- report formats -------------------------------------------------------------------------------------------------

COUNTED: list[int] = []


def moody(report: Report) -> str:
    COUNTED.append(1)
    return f"{report.topic} {len(COUNTED)}"


def nothing(report: Report) -> str:
    return None  # pyright: ignore[reportReturnType]


def empty(report: Report) -> str:
    return ""


def mistaken(report: Report) -> str:
    return str(getattr(report, "nothing"))  # noqa: B009 - the fault that is planted


def whole(read: ReadRecord) -> str:
    return read.report.topic


def status(report: Report) -> str:
    return f"{report.topic}: {report.outcome.status}"


def eager(report: Report) -> str:
    assert report.outcome.decision is not None, "it is not decided"
    return report.topic


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        (nothing, "of a debate that is decided it gives NoneType, not str"),
        (empty, "of a debate that is decided it gives nothing"),
        (moody, "it gives another text the second time"),
        (
            eager,
            r"it cannot report a debate (that ends at entry|without any answer).*AssertionError: it is not decided",
        ),
        (mistaken, "it cannot report a debate that is decided: AttributeError"),
        (ReportFormat(make=whole, binary=True), "it gives str, not bytes"),
    ],
)
async def test_each_fault_of_a_report_format_is_named(
    form: ReportFormat | Callable[[Report], str], sentence: str
) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_report(form)


async def test_report_formats_without_a_fault_pass() -> None:
    def pages(read: ReadRecord) -> bytes:
        return f"{len(read.entries)} {read.report.topic}".encode()

    await check_report(ReportFormat(make=pages, binary=True))
    await check_report(status)
