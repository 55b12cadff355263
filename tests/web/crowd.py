"""A debate of a whole team, as real ones are: many people and rounds, claims on each other, answers that move.

The model reads from the request who speaks and what is asked, so that it needs no state and says the same each time.
"""

import re
from collections.abc import Sequence

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.event import Called
from folkmoot.models.base import Request, Traits

TOPIC = "Should our clinic-software team move to a four-day week next year?"
OPTIONS = ("Four days", "Five days", "A trial of three months")
PEOPLE = {
    "Ada": "Operations",
    "Bo": "Support lead",
    "Cy": "Sales",
    "Dee": "Development",
    "Eli": "Finance",
    "Fay": "Customer success",
    "Gus": "Service desk",
    "Hana": "Human resources",
}
MOVES = {
    "Ada": "220002",
    "Bo": "1222",
    "Cy": "11112",
    "Dee": "0",
    "Eli": "1",
    "Fay": "0",
    "Gus": "2",
    "Hana": "112",
}
"""By round, from the opening on, which of the options each holds; the last one stays."""

CLAIMS = (
    (
        "The present week already breaks down when four people are ill",
        "Two competitors hire with a four-day week, and we lose candidates to them",
        "Errors in releases fall when people have a free day",
        "A rota of two covers Friday without breaking the two-hour promise",
        "Fridays bring one ticket in nine, so a thin day is enough",
        "The law asks for eleven hours of rest, which the rota keeps",
    ),
    (
        "Our contracts promise an answer within two hours on each working day",
        "A clinic that waits for ninety minutes tells the next one",
        "The March renewals are two thirds of the revenue of the year",
        "Eleven firms that volunteered for a study are no sample of firms",
        "Nobody here has measured what is done on a Friday",
        "A policy that is granted cannot be taken back without a quarrel",
    ),
    (
        "A trial is the only answer that can be taken back",
        "Its worst case is known: 4,200 euros and twelve weeks",
        "Limits that end the trial must be written down before it starts",
        "Log every Friday call from the first day on",
        "Two on-call weeks in six are the limit that people accept",
        "The stop rule makes a trial safe for those who doubt it",
    ),
)
REASON = (
    "I looked at the figures of the last year again. **{claim}**; that is what decides it for me. Of the 320 clinics, "
    "41 called on a Friday, and {calls} of those calls could not wait until Monday. Nothing that was said changes that:"
    "\n\n"
    "- the two-hour promise holds for each answer in the same way\n- the cost is known within a few hundred euros\n\n"
    "So I stay with what I can defend before the team, and I name what would change my mind."
)
RELATIONS = ("ATTACK", "SUPPORT", "REBUT", "ATTACK", "QUESTION")
LABEL = re.compile(r"^([A-Z_]+): (?:\(optional\) )?\[(.*)\]?$", re.MULTILINE)


def brief(people: int = 8, rounds: int = 5) -> str:
    """A debate of so many people of the team and their namesakes, over so many rounds."""
    names = [f"{name}{lap or ''}" for lap in range(people // len(PEOPLE) + 1) for name in PEOPLE][:people]
    seats = "\n".join(f"\n## {name}\nrole: {PEOPLE[name.rstrip('0123456789')]}\n" for name in names)
    head = f"protocol: round_robin\nstrategy: plurality\nrounds: {rounds}\noptions: [{', '.join(OPTIONS)}]"
    return f"---\n{head}\n---\n# {TOPIC}\n\nWe are 11 people and sell appointment software to 320 clinics.\n{seats}"


class Crowd:
    """The model of all of them; each call costs so many dollars."""

    name, traits = "guest:crowd", Traits()
    drops: tuple[str, ...] = ()

    def __init__(self, cost: float = 0.0011) -> None:
        self._cost = cost

    def quote(self, request: Request) -> Quote:
        """What a call uses at most."""
        return Quote(model=self.name, tokens=2000, cost=self._cost)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer at once."""
        text = answered(request.messages[-1].text, sum(len(message.text) for message in request.messages))
        recorder.delta(text)
        usage = Usage(input_tokens=900, output_tokens=len(text.split()), cost=self._cost)
        return Called(key="", call=request.call, text=text, model=self.name, served=self.name, usage=usage)

    async def close(self) -> None:
        """Nothing to give back."""


def answered(prompt: str, grown: int) -> str:
    """What is answered to these words, label by label.

    Args:
        prompt: the last message, which names the speaker, the round, and the labels of the answer.
        grown: characters of the whole request: what makes two turns of one speaker differ.
    """
    names = re.findall(r"^You are (\w+)", prompt, re.MULTILINE)
    task = prompt[max(0, prompt.rfind("\nYou are ")) :]
    who = names[-1] if names else "Ada"
    round_ = re.search(r"^Round (\d+)", task, re.MULTILINE)
    stage = int(round_[1]) if round_ else 0 if "State your position" in task else 99
    path = MOVES[who.rstrip("0123456789")]
    holds = int(path[min(stage, len(path) - 1)])
    turn = stage + list(PEOPLE).index(who.rstrip("0123456789"))
    claim = CLAIMS[holds][(turn + stage) % len(CLAIMS[holds])]
    values = {"ANSWER": OPTIONS[holds], "CLAIM": f"{claim}.", "RELATION": RELATIONS[turn % len(RELATIONS)]}
    values |= {"CONFIDENCE": f"0.{5 + turn % 5}", "VOTE": OPTIONS[holds]}
    lines: Sequence[tuple[str, str]] = LABEL.findall(task)
    values["ARGUMENT"] = REASON.format(claim=claim, calls=2 + grown % 38)
    answer_lines = [f"{label}: {_value(label, values, choices, turn)}" for label, choices in lines]
    return "\n".join(answer_lines) or OPTIONS[holds]


def _value(label: str, values: dict[str, str], choices: str, turn: int) -> str:
    if label == "TARGET":
        marks = re.findall(r"T\d+", choices)
        return marks[turn % len(marks)] if marks else "NONE"
    return values.get(label) or values["ARGUMENT"]
