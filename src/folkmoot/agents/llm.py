"""The agent of a language model: calls, tool use and repair questions for one answer.

Tools that the model requests are used, and it is called again with their results until it answers in words. A form
that was not readable costs one repair question; a field that is not readable after that has no value. A form that was
cut off is first continued once.

The repair question says in words what is missing, and sends the same as a JSON Schema. A schema with the first
question would take the reasons away, and have a model that understands nothing look decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from folkmoot.agents.context_window import fitted_prompt
from folkmoot.agents.prompt import fit, frame
from folkmoot.agents.toolkit import ROUNDS, USES, Tool, Toolkit, ToolUse, format_result
from folkmoot.answers.labels import labels_of
from folkmoot.answers.layout import Reading, read, repair_question
from folkmoot.answers.schemas.form_schema import ITEMS, SHORT, json_form, schema_of, shown_object
from folkmoot.core.agent import CONTINUE, Context, Recorder, is_cut_off, proposed_words, time_of
from folkmoot.core.ask import Ask, Fields, Form, Reply, ToolCall, ToolSpec, needed
from folkmoot.core.brief import Schemas, Settings
from folkmoot.core.errors import ModelError, Refused, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.repetition import REPEATED, repeats_itself
from folkmoot.core.text import clip, counted
from folkmoot.core.unread import Unread
from folkmoot.models.base import Message, Model, Request
from folkmoot.models.prices import answer_cap, count_tokens

TRUNCATED = "truncated"
SAID_AGAIN = "it said the same again and again, and was read no further"
CONTINUED = "cut off, and gone on with once"
REPAIRED = "asked again for the form"
NO_TIME = "no time was left to ask again for the form"
OUT_OF_TIME = "the time was up before it was asked again for the form"
NO_TOOLS = "this model takes no tools"
NO_SCHEMA = "the provider took no schema; the form was asked for in words"
LEFT_TOOLS = "the provider refused the results of the tools as such; they were sent as text"

FALLBACK = "fallback:"
"""How a note begins that says which other model has answered."""

UNAIDED = frozenset(
    {
        *("vote", "consent", "gauge", "score", "evaluate"),
        *("bid", "reconsider", "strategy", "reflect", "verdict", "remind"),
        *("summarize", "translate"),
    }
)
"""Acts for which no tools are offered: they judge what was said, put it in other words, plan the participant's own
strategy, or keep the time."""

BRIEF, WORDS = 600, 80
"""Characters of a text that is asked for once more, and the words for which that is enough."""

OR_JSON = f"Or write one JSON object instead, each text in at most {WORDS} words, and nothing around it:"
"""What a repair question says that sends a schema; a provider that ignores it gets the form in words all the same."""

LEAST_REPAIR = 400
"""Tokens that the answer to a repair question may have at least: a model without a schema writes some words first."""

IN_WORDS = "-words"
"""How the name of a call ends that is made in place of one whose schema the provider did not take."""

SILENT = frozenset({"no_form", "missing", "empty", "quoted_only", "inside_line", "truncated"})
"""Reasons for which a field was not read that say nothing else in its place, as "Thanks!" does."""

COPIED = "its going on was the question about it, and wasn't taken"
CUT_OFF = "Go on right behind your last words, and finish soon: …"
SHOWN = 60
"""Characters of what was cut off that the question shows again."""

LONGEST_WORD = 40
"""Characters of a word. Where more come without a blank, the writing has none between its words."""

SAID_TWICE = 120
"""So many characters that stand twice at the end of an answer are enough not to go on with it."""

SAME = 12
"""Characters by which an answer that was begun anew shows."""

OVER = f"The tool was not used: {USES} uses are all that one answer may take."


class ModelAgent:
    """An agent that has a model answer.

    Args:
        model: the model, in its wrappers.
        seconds: the most time that one try may take.
        tools: what the model may use while it answers.
        schemas: with which call the provider is sent the form's schema: the ``first``, the ``repair``, or ``off``.
    """

    records = True

    def __init__(
        self, model: Model, *, seconds: float = 120.0, tools: Sequence[Tool] = (), schemas: Schemas = "repair"
    ) -> None:
        self._model, self._seconds, self._tools, self._schemas = model, seconds, tuple(tools), schemas
        self._refused = False

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``."""
        first = self._schemas == "first"
        prompt = fitted_prompt(ask, context, self._model, as_json=first)
        talk = Conversation(self._model, self._seconds, context, recorder, list(prompt.messages))
        if prompt.left_out:
            talk.notes.append(f"{counted(prompt.left_out, 'older turn')} left out of the prompt for want of room")
        talk.holds = self._schemas != "off"
        # A caller's own schema is what the first question asks for anyway.
        talk.schema = schema_of(json_form(ask.form)) if ask.form and (first or ask.form.schema) else ""
        time = time_of(recorder)
        before = time.spent
        answer = await self._converse(talk, Toolkit(self._tools if ask.act not in UNAIDED else ()))
        took = time.spent - before
        cut_off = ask.form and is_cut_off(answer) and answer.finish not in ("filter", REPEATED) and answer.text.strip()
        goes_on = cut_off and not repeats_itself(answer.text, least=SAID_TWICE, times=2)
        if ask.form and goes_on and talk.keep(ask, answer, CONTINUE, took):
            answer = await talk.continue_form(ask, ask.form, answer)
        reading = _with_missing_fields(ask.form, _read(ask, answer, context))
        if ask.form and _needs_repair(ask.form, reading):
            if not talk.keep(ask, answer, "repair", took):
                final = _with_missing_fields(ask.form, _read(ask, answer, context, final=True))
                return reply_of(final, talk, answer)
            try:
                final = _read(ask, answer, context, final=True)
                repaired = await talk.ask_again(ask.form, reading, final.fields, answer)
                reading = _merge(ask.form, reading, _read(ask, repaired, context, final=True), final)
                talk.notes.append(REPAIRED)
            except ModelError as error:
                # The first answer was paid for and says what it says; it isn't lost with the question about its form.
                talk.notes.append(f"the question about the form failed: {error}")
                reading = _with_missing_fields(ask.form, _read(ask, answer, context, final=True))
                return reply_of(reading, talk, answer)
        if not reading.text and not reading.fields:
            raise Unreadable(f"{self._model.name} gave no words", kind="empty")
        return reply_of(reading, talk, answer)

    async def _converse(self, conversation: "Conversation", kit: Toolkit) -> Called:
        """The answer in words, after the model has used the tools that it asked for."""
        schema = conversation.schema
        if not kit.specs:
            return await conversation.send("answer", schema=schema)
        if (self._refused and not conversation.say.done("answer")) or not self._model.traits.tools:
            conversation.notes.append(NO_TOOLS)
            return await conversation.send("answer-plain", schema=schema)
        for n in range(1, ROUNDS + 1):
            called = await self._offer_tools(conversation, kit, n)
            if called is None:
                conversation.notes.append(NO_TOOLS if n == 1 else LEFT_TOOLS)
                return await conversation.send("answer-plain", schema=schema)
            if not called.tools:
                return called
            await conversation.use(called, kit)
            if conversation.uses >= USES:
                break
        return await conversation.send("answer-last", schema=schema)

    async def _offer_tools(self, conversation: "Conversation", kit: Toolkit, n: int) -> Called | None:
        """The answer to the n-th request with tools; None if the model refuses tools, now or before a resume."""
        name = "answer" if n == 1 else f"answer-{n}"
        if conversation.say.done("answer-plain") and not conversation.say.done(name):
            return None
        try:
            return await conversation.offer(name, kit)
        except Refused as error:
            if error.kind != "request":
                raise
            # Whether it was because of the tools shows when it is asked without them.
            self._refused = n == 1
            return None


@dataclass(slots=True)
class Conversation:
    """One ask on its way to an answer.

    ``schema`` is that of the first question, "" for none; ``holds`` says whether the provider is sent any, which ends
    when it refuses one.
    """

    model: Model
    seconds: float
    context: Context
    say: Recorder
    messages: list[Message]
    calls: list[Called] = field(default_factory=list[Called])
    notes: list[str] = field(default_factory=list[str])
    used: list[Message] = field(default_factory=list[Message])
    found: list[str] = field(default_factory=list[str])
    uses: int = 0
    schema: str = ""
    holds: bool = True

    async def send(self, call: str, *more: Message, schema: str = "", most: int | None = None) -> Called:
        """Ask without tools; what they found goes along as text, for no wire takes their results without them.

        Args:
            call: which of the ask's calls.
            more: messages behind those of the ask.
            schema: what the provider is asked to hold the answer to; "" for nothing.
            most: the most tokens of an answer that is held to it; None for as many as ever.
        """
        known = [Message(role="user", text=_TOLD + "\n\n".join(self.found) + _NOW)] if self.found else []
        messages = fit((*self.messages, *known, *more), self.model.traits)
        plain = f"{call}{IN_WORDS}"
        if not schema or not self.holds:
            return await self._send(messages, call)
        held = None if self.say.done(plain) else await self._send_held(messages, call, schema, most)
        return held or await self._send(messages, plain)

    async def ask_again(self, form: Form, reading: Reading, clear: Fields, answer: Called) -> Called:
        """Put the one repair question: in words, and with the schema of what is missing.

        ``clear`` is what would count without it.

        The answer needs few tokens, unless the model thinks first: then it may have as many as ever.
        """
        missing = _missing_form(form, reading)
        words, most = repair_question(form, reading, clear), None
        if self.holds and not form.schema:
            words = f"{words}\n{OR_JSON}\n{shown_object(missing)}"
            most = None if _may_think(answer) else max(LEAST_REPAIR, _most_tokens(missing))
        said = (Message(role="assistant", text=answer.text), Message(role="user", text=words))
        # So that the whole object fits into the tokens of an answer, where a provider ends a text at its most characters.
        room = answer_cap(self.context.me.settings) - len(shown_object(missing).encode()) // 3
        letters = max(20, min(BRIEF, room))
        return await self.send("repair", *said, schema=schema_of(missing, letters), most=most)

    def keep(self, ask: Ask, answer: Called, call: str, took: float) -> bool:
        """Keep an answer for the case that the turn's time ends within a further call about it.

        Args:
            ask: what was asked.
            answer: the answer, which was paid for and says what it says.
            call: the further call.
            took: the seconds that the answer took.

        Returns:
            Whether there is time for that call, which may take as long; one that is on record takes none.
        """
        time = time_of(self.say)
        reading = _with_missing_fields(ask.form, _read(ask, answer, self.context, final=True))
        if reading.text or reading.fields:
            kept = reply_of(reading, self, answer)
            time.keep(replace(kept, notes=(*kept.notes, OUT_OF_TIME)))
        if time.left >= took or self.say.done(call):
            return True
        self.notes += [NO_TIME] if NO_TIME not in self.notes else []
        return False

    async def continue_form(self, ask: Ask, form: Form, answer: Called) -> Called:
        """Have the model continue a form that was cut off; return all of it, or what there is.

        The last word may be half of one, so it is written again. Where the wire takes it, the model goes on with its
        own message; else it is asked to.
        """
        head, gap = _split_last_word(answer.text)
        more = [Message(role="assistant", text=head)]
        if not self.model.traits.prefill:
            more.append(Message(role="user", text=f"{CUT_OFF} {head[-SHOWN:].splitlines()[-1]}"))
        try:
            rest = await self.send(CONTINUE, *more)
        except ModelError as error:
            self.notes.append(f"going on with what was cut off failed: {error}")
            return answer
        if CUT_OFF[:SHOWN] in rest.text:  # as small models answer
            self.notes.append(COPIED)
            return answer
        self.notes.append(CONTINUED)
        goes_on = rest.text.lstrip() if gap else rest.text
        if labels_of(form.fields)[0].match(rest.text.lstrip()):  # it has left what was cut off for the next field
            head, gap, goes_on = answer.text, "\n", rest.text.lstrip()
        joined = replace(rest, text=head + gap + goes_on)
        anew = rest.text.lstrip()[:SAME] == answer.text.lstrip()[:SAME]
        fails = is_cut_off(rest) or _needs_repair(form, _read(ask, joined, self.context))
        return rest if anew and fails else joined

    async def offer(self, call: str, kit: Toolkit) -> Called:
        """Ask with the tools."""
        return await self._send((*self.messages, *self.used), call, kit.specs)

    async def request(self, messages: Sequence[Message], call: str, tools: tuple[ToolSpec, ...] = ()) -> Called:
        """Ask with messages that are fit for the wire already."""
        return await self._send(tuple(messages), call, tools)

    async def use(self, called: Called, kit: Toolkit) -> None:
        """Use what the model asks for, in its order; every call gets a result, for wires want one."""
        self.used.append(Message(role="assistant", text=called.text, calls=called.tools))
        for call in called.tools:
            text = OVER
            if self.uses < USES:
                self.uses += 1
                text = await self._use(call, kit)
            self.used.append(Message(role="tool", text=text, answers=call.id))

    async def _use(self, call: ToolCall, kit: Toolkit) -> str:
        tool_use = ToolUse(
            context=self.context, say=self.say, name=f"tool-{self.uses}", model=self.model, seconds=self.seconds
        )
        calls = await kit.use(call, tool_use)
        self.calls.extend(calls)
        text = format_result(call.name, calls[-1])
        self.found.append(f"{frame(clip(f'{call.name} {call.arguments}', 500))}\n{text}")
        return text

    async def _send_held(
        self, messages: tuple[Message, ...], call: str, schema: str, most: int | None
    ) -> Called | None:
        """The answer, held to a schema; None where the provider refuses that, or gives no words then."""
        settings = self.context.me.settings
        if most is not None:
            settings = replace(settings, max_tokens=min(most, answer_cap(settings)))
        try:
            return await self._send(messages, call, schema=schema, settings=settings)
        except (Refused, Unreadable) as error:
            if error.kind not in ("request", "empty"):
                raise
            # Whether it was because of the schema shows when it is asked without one.
            self.holds = False
            self.notes.append(NO_SCHEMA)
            return None

    async def _send(
        self,
        messages: tuple[Message, ...],
        call: str,
        tools: tuple[ToolSpec, ...] = (),
        *,
        schema: str = "",
        settings: Settings | None = None,
    ) -> Called:
        settings = settings or self.context.me.settings
        request = Request(
            messages=messages,
            settings=settings,
            call=call,
            seconds=self.seconds,
            tools=tools,
            schema=schema,
            thinking=not schema or call != "repair",  # the first answer has thought already
        )
        called = await self.model.complete(request, self.say)
        self.calls.append(called)
        return called


_TOLD = "You have used tools for this answer:\n\n"
_NOW = "\n\nNow answer, without further tools."


def _split_last_word(text: str) -> tuple[str, str]:
    """The text without its last word, and the blanks that stood before that."""
    body, *word = text.rsplit(maxsplit=1)
    if not word or len(word[0]) > LONGEST_WORD:
        body = text.rstrip()
        return body, text[len(body) :]
    return body, text[len(body) : text.rindex(word[0])]


def _read(ask: Ask, called: Called, context: Context, *, final: bool = False) -> Reading:
    form, me = ask.form, context.me.name
    others = [participant.name for participant in context.brief.participants if participant.name != me]
    names = proposed_words(ask, context)
    reading = read(form, called.text, speaker=me, others=others, names=names, final=final)
    if form and is_cut_off(called):
        if form.layout == "records" and any(reading.fields.values()):
            # A block that is closed is whole, whatever was cut off behind it.
            return replace(reading, unread=(*reading.unread, Unread(form.fields[0].name, TRUNCATED)))
        # What was cut off may have been a longer name or a "not": only what reads the same without the last row counts.
        rows = called.text.rstrip("\n").rpartition("\n")[0] if form.layout in ("line", "sections") else ""
        before = read(form, rows, speaker=me, others=others, names=names, final=final).fields
        whole = {name: value for name, value in reading.fields.items() if before.get(name) == value}
        lost = tuple(Unread(field.name, TRUNCATED) for field in form.fields if field.name not in whole)
        return replace(reading, fields=whole, unread=lost)
    return reading


def _needs_repair(form: Form, reading: Reading) -> bool:
    """Whether a required field was not read, or a field that the value of another one requires."""
    missing = _missing_fields(form, reading)
    if form.layout == "records" and reading.unread:
        return True
    return any((field.required or field.name in missing) and field.name not in reading.fields for field in form.fields)


def _missing_fields(form: Form | None, reading: Reading) -> tuple[str, ...]:
    """The fields that are required because of another field's value: DECISION if the status is SETTLED."""
    fields = [field for field in (form.fields if form else ()) if field.when and field.name in reading.fields]
    names = [needed(field, reading.fields[field.name]) for field in fields]
    return tuple(name for name in names if name and name not in reading.fields)


def _with_missing_fields(form: Form | None, reading: Reading) -> Reading:
    """The reading; missing fields that another value requires are added to what was not read."""
    unread_names = [unread.field for unread in reading.unread]
    missing = tuple(Unread(name, "missing") for name in _missing_fields(form, reading) if name not in unread_names)
    return replace(reading, unread=(*reading.unread, *missing)) if missing else reading


def _missing_form(form: Form, reading: Reading) -> Form:
    """What is asked for once more, as one JSON object: the least that makes the answer whole."""
    if form.record or form.under or form.schema:
        return json_form(form)
    missing = _missing_fields(form, reading)
    unread = [field for field in form.fields if field.name not in reading.fields]
    wanted = [field for field in unread if field.required or field.name in missing]
    if form.layout == "tags":  # a message is read as a whole
        wanted = [field for field in form.fields if field.required or field in wanted]
    behind = [field.needs for field in wanted if field.when and field.needs not in reading.fields]
    return json_form(form, (*(field.name for field in wanted), *behind), missing)


def _most_tokens(form: Form) -> int:
    """The most tokens that the object can have with brief texts; hardly any tokenizer makes more than one of a letter."""
    free = {"text": BRIEF, "list": ITEMS * SHORT}
    texts = sum(free.get(field.kind, 0) for field in form.record or form.fields if not field.choices)
    return (len(shown_object(form).encode()) + texts) * max(1, form.most)


def _may_think(answer: Called) -> bool:
    """Whether a model may have thought before it answered, by what its answer took; where that is unknown, it may."""
    spoken = count_tokens([Message(role="assistant", text=answer.text)])
    return answer.usage.estimated or not answer.usage.output_tokens or answer.usage.output_tokens > 2 * spoken


def _merge(form: Form, first: Reading, second: Reading, final: Reading) -> Reading:
    """The words of the first answer with the fields of both; repaired fields have priority.

    Where the second answer says nothing about a field, the first one counts as if nobody had asked again: a clear vote
    with words behind it isn't lost with a "Thanks!". Of lists of records the longer one counts, so that asking again
    loses nothing that was readable.

    Args:
        form: the form.
        first: the first answer.
        second: the answer to the question about the form.
        final: the first answer, read as the last one.
    """
    if form.layout == "records":
        longer = first if _count_records(first) > _count_records(second) else second
        return replace(longer, text=first.text or second.text)
    said = {unread.field for unread in second.unread if unread.reason not in SILENT}
    whole = bool(said - {field.name for field in form.fields})  # a fault of the form, and not of one of its fields
    kept = {name: value for name, value in final.fields.items() if not whole and name not in said}
    fields = {**kept, **first.fields, **second.fields}
    unread = tuple(unread for unread in second.unread if unread.field not in fields)
    return replace(first, text=first.text or second.text, fields=fields, unread=unread)


def _count_records(reading: Reading) -> int:
    """The number of records that were read; -1 where nothing was."""
    return max((len(value) for value in reading.fields.values() if isinstance(value, tuple)), default=-1)


def reply_of(reading: Reading, conversation: Conversation, answer: Called) -> Reply:
    """What was read, with what all calls of a conversation used."""
    usage = conversation.calls[0].usage
    for call in conversation.calls[1:]:
        usage = usage + call.usage
    served = [call.served for call in conversation.calls if not call.model.startswith("tool:")]
    return Reply(
        text=reading.text,
        fields=reading.fields,
        asked=conversation.model.name,
        served=served[-1],
        usage=usage,
        seconds=sum(call.seconds for call in conversation.calls),
        unread=reading.unread,
        notes=(
            *([TRUNCATED] if is_cut_off(answer) else []),
            *([SAID_AGAIN] if answer.finish == REPEATED else []),
            *conversation.notes,
            *_fallback_notes(conversation),
        ),
    )


def _fallback_notes(conversation: Conversation) -> list[str]:
    """A note for each fallback model that answered."""
    models = [call.model for call in conversation.calls if not call.model.startswith("tool:")]
    others = dict.fromkeys(model for model in models if model not in ("", conversation.model.name))
    return [f"{FALLBACK} {model} answered in place of {conversation.model.name}" for model in others]
