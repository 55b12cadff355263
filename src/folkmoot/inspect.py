"""A solver for Inspect (https://inspect.aisi.org.uk): a debate answers the samples of any of its tasks, on record.

``inspect eval task.py --model … --solver folkmoot/debate -S protocol=panel -S seats=3``, or ``solver=debate()`` in Python.
It needs the package ``inspect-ai``, which the extra ``inspect`` brings. The participants are the roles ``seat1``,
``seat2`` and so on, and ``judge``; a role that the task does not set is its model. So Inspect's limits, cache and log
apply.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any

from folkmoot.app.evaluation.inspect_bridge import completion
from folkmoot.app.evaluation.questions import Question
from folkmoot.app.evaluation.setup import Arm
from folkmoot.app.evaluation.task_samples import Send, debate_sample
from folkmoot.app.plan.settings import default_store, load_config, open_store, read_where
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Source
from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.core.packages import missing_library
from folkmoot.models.base import Request
from folkmoot.models.finish import finish_of

try:
    _models: Any = import_module("inspect_ai.model")
    _solvers: Any = import_module("inspect_ai.solver")
except ImportError as error:
    raise ImportError(missing_library("folkmoot.inspect", "inspect")) from error

Solve = Callable[[Any, Any], Awaitable[Any]]

LIMIT = "LimitExceededError"
"""What Inspect raises where a limit of a sample is reached; it ends the sample."""


@_solvers.solver
def debate(
    protocol: str = "panel",
    seats: int = 3,
    rounds: int | None = None,
    strategy: str = "",
    settings: Sequence[str] | str = (),
    seed: int = 0,
    store: str | None = None,
    server: str = "",
) -> Solve:
    """Answer samples by a debate. Tied and unreadable decisions give an empty answer, never a guess.

    The sample's store has ``folkmoot`` in the log: the state, the debate's id, how to show its record, and warnings. A
    sample that Inspect tries again goes on with its record, and asks nothing twice.

    Args:
        protocol: any protocol of Folkmoot.
        seats: how many participants.
        rounds: the greatest number of rounds; None for the protocol's own.
        strategy: how it is decided; "" for the protocol's own.
        settings: further settings of a brief, ``KEY=VALUE``.
        seed: of what is drawn.
        store: the file or database of the records; None for the user's own.
        server: the address of a ``folkmoot serve`` to which the log links; "" for none.
    """
    lines = (settings,) if isinstance(settings, str) else tuple(settings)
    arm = Arm(kind=protocol, name=protocol, rounds=rounds, strategy=strategy, set=lines)
    where = read_where(store) if store else load_config().store or default_store()
    records, place = open_store(where), str(where)

    async def solve(state: Any, generate: Any) -> Any:
        problems: list[Exception] = []
        question = question_of(state)
        send, sample = sender(problems), retried(state)
        came = await debate_sample(records, question, arm, send, seats=seats, seed=seed, sample=sample)
        if limit := next((problem for problem in problems if type(problem).__name__ == LIMIT), None):
            raise limit
        answer, name = str(came["answer"]), came["debate"]
        state.output = _models.ModelOutput.from_content(f"folkmoot/{protocol}", completion(answer, question.options))
        for number, option in enumerate(question.options):
            state.choices.mark_choice(number, option == answer)
        state.messages.append(state.output.message)
        link = {"link": f"{server.rstrip('/')}/d/{name}"} if server else {}
        state.store.set("folkmoot", {**came, **link, "store": place, "show": f"folkmoot show {name} --store {place}"})
        return state

    return solve


def retried(state: Any) -> str:
    """What a retry of a sample has in common with its first try, and no other run or epoch has; "" if unknown.

    Inspect gives a solver no id of the task that a retry keeps. It stands in the name of the log, unless the user names
    logs in another way; then a retry is a debate of its own.
    """
    try:
        active = import_module("inspect_ai.log._samples").sample_active()
        task = re.search(r"_([A-Za-z0-9]{22})\.\w+$", str(active.log_location))
    except (ImportError, AttributeError):  # these are no promise of Inspect
        return ""
    return f"{task[1]} {state.sample_id} {state.epoch} {state.model}" if task else ""


def question_of(state: Any) -> Question:
    """What a sample asks; instructions of the task and earlier messages are documents, which everybody reads."""
    options = tuple(str(choice.value) for choice in state.choices)
    system = [message.text for message in state.messages if message.role == "system"]
    earlier = [f"{message.role}: {message.text}" for message in state.messages[:-1] if message.role != "system"]
    texts = {"instructions.md": "\n\n".join(system), "conversation.md": "\n\n".join(earlier)}
    return Question(
        id=str(state.sample_id),
        input=state.input_text,
        kind="option" if options else "text",
        options=options,
        documents=tuple(Source(name=name, text=text) for name, text in texts.items() if text.strip()),
    )


def sender(problems: list[Exception]) -> Send:
    """Asks the model of a role, through Inspect.

    Args:
        problems: gets what Inspect raised; the debate goes on with those who answered.
    """
    kinds = {name: getattr(_models, f"ChatMessage{name.title()}") for name in ("system", "user", "assistant")}

    async def send(role: str, request: Request) -> Called:
        model = _models.get_model(role=role, default=_models.get_model())
        messages = [kinds[said.role](content=said.text) for said in request.messages if said.role in kinds]
        settings = asdict(request.settings)
        config = {name: value for name, value in settings.items() if name in _models.GenerateConfig.model_fields}
        config["stop_seqs"] = list(request.settings.stop) or None
        try:
            output = await model.generate(messages, config=_models.GenerateConfig(**config))
        except Exception as error:  # it may be anything of any provider
            problems.append(error)
            raise ModelError(f"Inspect could not ask the model of {role}: {type(error).__name__}") from error
        used = output.usage
        return Called(
            key="",
            call=request.call,
            text=output.completion,
            model=f"inspect:{model}",
            served=output.model,
            usage=Usage(
                input_tokens=used.input_tokens if used else 0,
                output_tokens=used.output_tokens if used else 0,
                cost=used.total_cost if used else None,
            ),
            finish=finish_of(output.stop_reason),
        )

    return send
