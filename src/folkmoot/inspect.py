"""A solver for Inspect (https://inspect.aisi.org.uk): a debate answers the samples of any of its tasks, on record.

``inspect eval task.py --model … --solver folkmoot/debate -S protocol=panel -S seats=3``, or ``solver=debate()`` in Python.
It needs the package ``inspect-ai``, which the extra ``inspect`` brings. The participants are the roles ``seat1``,
``seat2`` and so on, and ``judge``; a role that the task does not set is its model. So Inspect's limits, cache and log
apply.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from folkmoot.app.evaluation.task_samples import (
    Debating,
    Send,
    completion,
    debate_sample,
    question_of,
    store_of,
)
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
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
    settings_of_debate = Debating(
        protocol=protocol, seats=seats, rounds=rounds, strategy=strategy, settings=lines, seed=seed
    )
    records, location = store_of(Path(store) if store and "://" not in store else store)

    async def solve(state: Any, generate: Any) -> Any:
        problems: list[Exception] = []
        options = [str(choice.value) for choice in state.choices]
        question = question_of(str(state.sample_id), state.input_text, options, before(state.messages))
        came = await debate_sample(records, question, settings_of_debate, sender(problems), retried(state))
        if limit := next((problem for problem in problems if type(problem).__name__ == LIMIT), None):
            raise limit
        state.output = _models.ModelOutput.from_content(f"folkmoot/{protocol}", completion(came.answer, options))
        for place_of, option in enumerate(options):
            state.choices.mark_choice(place_of, bool(came.answer) and option == came.answer)
        state.messages.append(state.output.message)
        state.store.set("folkmoot", came.as_data(location, server))
        return state

    return solve


_TASK = re.compile(r"_([A-Za-z0-9]{22})\.\w+$")


def retried(state: Any) -> str:
    """What a retry of a sample has in common with its first try, and no other run or epoch has; "" if unknown.

    Inspect gives a solver no id of the task that a retry keeps. It stands in the name of the log, unless the user names
    logs in another way; then a retry is a debate of its own.
    """
    try:
        active = import_module("inspect_ai.log._samples").sample_active()
        task = _TASK.search(str(active.log_location))
    except (ImportError, AttributeError):  # these are no promise of Inspect
        return ""
    return f"{task[1]} {state.sample_id} {state.epoch} {state.model}" if task else ""


def before(messages: Sequence[Any]) -> Mapping[str, str]:
    """What stands before the question: instructions of the task, and earlier messages."""
    system = [message.text for message in messages if message.role == "system"]
    earlier = [f"{message.role}: {message.text}" for message in messages[:-1] if message.role != "system"]
    return {"instructions.md": "\n\n".join(system), "conversation.md": "\n\n".join(earlier)}


def sender(problems: list[Exception]) -> Send:
    """Asks the model of a role, through Inspect.

    Args:
        problems: gets what Inspect raised; the debate goes on with those who answered.
    """

    async def send(role: str, request: Request) -> Called:
        model = _models.get_model(role=role, default=_models.get_model())
        try:
            output = await model.generate(_messages(request), config=_config(request.settings))
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


def _messages(request: Request) -> list[Any]:
    kinds = {
        "system": _models.ChatMessageSystem,
        "user": _models.ChatMessageUser,
        "assistant": _models.ChatMessageAssistant,
    }
    return [kinds[message.role](content=message.text) for message in request.messages if message.role in kinds]


def _config(settings: Settings) -> Any:
    return _models.GenerateConfig(
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        presence_penalty=settings.presence_penalty,
        frequency_penalty=settings.frequency_penalty,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        stop_seqs=list(settings.stop) or None,
    )
