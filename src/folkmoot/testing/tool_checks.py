"""The checks of tools and of report formats of other packages, and a way to use a tool without a model.

A check raises AssertionError with one sentence, and takes the thing itself or the name under which a package offers it.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import cast

from folkmoot.agents.toolkit import Tool, Toolkit, ToolResult, ToolUse, argument_fault
from folkmoot.app.export.report_formats import ReportFormat, report_format
from folkmoot.app.export.reports import ReadRecord, make_report
from folkmoot.app.plan.toolbox import Foreign, foreign_tool
from folkmoot.core.agent import Context
from folkmoot.core.ask import Fields, ToolCall
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import FolkmootError, ModelError, Refused, ToolError
from folkmoot.core.event import Called
from folkmoot.core.extensions import NO_OPTIONS, REPORT, TOOL, find, with_options
from folkmoot.models.base import Model
from folkmoot.protocols.known import build
from folkmoot.report.report import Report
from folkmoot.testing.conformance import PROMPTLY, SCENE, Journal
from folkmoot.testing.replay import Harness, SeededAgent
from folkmoot.testing.scripted import Scripted

ODD: Mapping[str, object] = {"integer": -1, "number": -1.5, "string": "", "boolean": False, "array": [], "object": {}}
"""A value of each type that a model may write, though it makes little sense."""


async def try_tool(
    tool: Tool | str,
    arguments: Mapping[str, object],
    *,
    options: Fields = NO_OPTIONS,
    context: Context = SCENE,
    model: Model | None = None,
) -> Called:
    """Use a tool as a participant would, and without any model.

    Args:
        tool: the tool, or the name under which a package offers it.
        arguments: what a model would write.
        options: with a name, the options of the tool.
        context: what the participant is shown; that of a small debate on tea and coffee by default.
        model: the model that ``ToolUse.ask`` asks, such as ``testing.scripted.ScriptedModel``; None for none.

    Returns:
        The result as it goes on record: ``text`` is what the model reads, ``sources`` are those that a report cites.
    """
    tool = _tool(tool, options)
    call = ToolCall(id="call-1", name=tool.spec.name, arguments=json.dumps(dict(arguments)))
    use = ToolUse(context=context, say=Journal(), name="tool-1", model=model)
    return (await Toolkit([tool]).use(call, use))[-1]


def _tool(tool: Tool | str, options: Fields) -> Tool:
    named = {f"{TOOL.options}.{tool}.{key}": value for key, value in options.items()}
    return foreign_tool(tool, named) if isinstance(tool, str) else tool


async def check_tool(
    tool: Tool | str,
    *examples: Mapping[str, object],
    options: Fields = NO_OPTIONS,
    context: Context = SCENE,
    model: Callable[[], Model] | None = None,
) -> None:
    """Check a tool.

    Models can read what it says of itself; it answers each example; for arguments that make no sense it has a result
    or a ToolError, never another error; and it goes when it is cancelled.

    Args:
        tool: the tool, or the name under which a package offers it.
        examples: arguments for which it has a result; at least one.
        options: with a name, the options of the tool.
        context: what the participant is shown.
        model: makes the model that the tool may ask; None for none.

    Raises:
        AssertionError: it does not.
    """
    implementation = _implementation(tool, options)
    _check_spec(implementation, tool if isinstance(tool, str) else implementation.spec.name)
    assert examples, "give at least one example of its arguments"

    def use() -> ToolUse:
        return ToolUse(context=context, say=Journal(), name="tool-1", model=model() if model else None)

    for example in examples:
        wrong = argument_fault(implementation.spec.parameters, example)
        assert not wrong, f"the example {example} does not fit its parameters: {wrong}"
        result, fault = await _tool_result(implementation, example, use())
        assert not fault, f"for the example {example} it has no result: {fault}"
        _check_result(result, example)
    for arguments in _odd_arguments(implementation.spec.parameters, examples[0]):
        result, fault = await _tool_result(implementation, arguments, use())
        if not fault:
            _check_result(result, arguments)
    await _check_cancel(implementation, examples[0], use())


def _implementation(tool: Tool | str, options: Fields) -> Tool:
    """The tool without what Folkmoot puts around that of a package."""
    try:
        tool = _tool(tool, options)
    except FolkmootError as error:
        raise AssertionError(str(error)) from error
    return tool.tool if isinstance(tool, Foreign) else tool


async def _tool_result(tool: Tool, arguments: Mapping[str, object], use: ToolUse) -> tuple[object, str]:
    """The result of a tool, and why there is none, in its own words.

    Raises:
        AssertionError: it raises what is none of a tool.
    """
    try:
        return await tool.use(arguments, use), ""
    except (ToolError, ModelError) as error:
        return None, str(error) or "a ToolError without words"
    except Exception as error:  # foreign code raises what it likes
        problem = f"for {arguments} it raises {type(error).__name__}: {error}"
        raise AssertionError(f"{problem}; raise a ToolError whose sentence the model can read") from error


def _check_spec(tool: Tool, name: str) -> None:
    """What a tool says of itself."""
    spec = tool.spec
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", spec.name), f"its name is {spec.name!r}; providers refuse that"
    assert spec.name == name, f"its spec is called {spec.name!r}; a tool has the name of its entry point, {name!r}"
    assert spec.help.strip(), "its spec has no help; a model knows the tool by nothing else"
    try:
        json.dumps(spec.parameters)
    except TypeError as error:
        raise AssertionError(f"its parameters are no JSON: {error}") from error
    schema = spec.parameters
    assert schema.get("type") == "object", "its parameters must be a JSON Schema of the type object"
    properties = cast("Mapping[str, object]", schema.get("properties", {}))
    for required in cast("list[str]", schema.get("required", [])):
        assert required in properties, f"it requires {required}, which is not among its properties"


def _check_result(result: object, arguments: Mapping[str, object]) -> None:
    assert isinstance(result, ToolResult), f"for {arguments} it gives {type(result).__name__}, not a ToolResult"
    text, sources = cast(object, result.text), cast(object, result.sources)
    assert isinstance(text, str), f"for {arguments} the text of its result is not a text"
    assert text.strip(), f"for {arguments} the text of its result is {text!r}"
    texts = cast("tuple[object, ...]", sources) if isinstance(sources, tuple) else (None,)
    assert all(isinstance(item, str) for item in texts), f"for {arguments} its sources are no tuple of texts"


def _odd_arguments(schema: Mapping[str, object], example: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The example with one argument in turn that is of the right type and makes no sense."""
    properties = cast("Mapping[str, Mapping[str, object]]", schema.get("properties", {}))
    changed = [{**example, name: ODD.get(str(kind.get("type")), "")} for name, kind in properties.items()]
    return [arguments for arguments in changed if not argument_fault(schema, arguments)]


async def _check_cancel(tool: Tool, example: Mapping[str, object], use: ToolUse) -> None:
    async def run() -> None:
        try:
            await tool.use(example, use)
        except ToolError:
            return

    try:
        async with asyncio.timeout(PROMPTLY), asyncio.TaskGroup() as group:
            task = group.create_task(run())
            await asyncio.sleep(0)
            task.cancel()
    except TimeoutError as error:
        raise AssertionError("it does not go when it is cancelled; let CancelledError through") from error


BRIEF = Brief(
    topic="Tea | *coffee* <b>?</b>",
    options=("tea", "coffee"),
    participants=tuple(Participant(name=name, role="Head of [finance](x)") for name in ("Ann", "Bob", "Cem")),
)
"""The debates that are reported; words of people may have anything in them."""


async def check_report(
    form: ReportFormat | Callable[[Report], str] | str, *, options: Fields = NO_OPTIONS, brief: Brief = BRIEF
) -> None:
    """Check a report format with debates that were decided, broke off at every entry, or got no answer.

    It gives a text (or bytes, if it is binary) for each of them, and the same one when it is asked again.

    Args:
        form: the format, or the name under which a package offers it.
        options: with a name, the options of the format.
        brief: the brief of the debates.

    Raises:
        AssertionError: it does not.
    """
    try:
        read, binary = _report_maker(form, options)
    except FolkmootError as error:
        raise AssertionError(str(error)) from error
    for ending, record in await _records(brief):
        try:
            content, again = read(record), read(record)
        except Exception as error:  # foreign code raises what it likes
            raise AssertionError(f"it cannot report {ending}: {type(error).__name__}: {error}") from error
        wanted = bytes if binary else str
        assert isinstance(content, wanted), f"of {ending} it gives {type(content).__name__}, not {wanted.__name__}"
        assert content, f"of {ending} it gives nothing"
        assert content == again, f"of {ending} it gives another text the second time; leave out clocks and chance"


def _report_maker(
    form: ReportFormat | Callable[[Report], str] | str, options: Fields
) -> tuple[Callable[[ReadRecord], object], bool]:
    """What makes the content of a record, and whether that is bytes."""
    if isinstance(form, str):
        assert find(REPORT, form), f"no package offers a report format {form!r}"
        named = report_format(form, options)
        return named.make, named.binary
    if isinstance(form, ReportFormat):
        make = with_options(form.make, options, whose="the format", where=REPORT.options)
        return make, form.binary
    write = with_options(form, options, whose="the format", where=REPORT.options)
    return lambda record: write(record.report), False


async def _records(brief: Brief) -> list[tuple[str, ReadRecord]]:
    """Debates in words, with their records."""
    names = [participant.name for participant in brief.participants]
    harness = Harness(brief=brief, protocol=build("panel", brief))
    uncut = await harness.run(dict.fromkeys(names, SeededAgent()))
    silent = await harness.run({name: Scripted(lambda ask, context: Refused("no words")) for name in names})
    cuts = [
        (f"a debate that ends at entry {n}", uncut.entries[:n], uncut.lines[n - 1]) for n in range(1, len(uncut.lines))
    ]
    ends = [("a debate that is decided", uncut.entries, uncut.lines[-1])]
    ends += [("a debate without any answer", silent.entries, silent.lines[-1])]
    return [
        (ending, make_report(entries, debate="check-1", where="memory", last=last))
        for ending, entries, last in (*ends, *cuts)
    ]
