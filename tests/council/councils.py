"""Agents with a script, shared by the tests of the council."""

from collections.abc import Callable, Mapping

from folkmoot.council import AgentWrapper, DebateStep, StepResult

Words = str | Exception


class Scripted:
    """A function as an agent: it proposes, revises and votes as it is told.

    Attributes:
        prompts: what it was sent.
    """

    def __init__(self, proposal: Words, vote: Words = "I abstain from voting", *revised: Words) -> None:
        self.proposal, self.vote, self.revised = proposal, vote, revised
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        words = self.proposal
        if "I vote for:" in prompt or "I pick:" in prompt:
            words = self.vote
        elif "Debate Round" in prompt and self.revised:
            number = int(prompt.rpartition("Debate Round ")[2].split()[0])
            words = self.revised[min(number, len(self.revised)) - 1]
        if isinstance(words, Exception):
            raise words
        return words


def agents(**votes: Words) -> list[AgentWrapper]:
    """Agents that propose ``NAME's plan`` and vote as given."""
    return [AgentWrapper(Scripted(f"{name}'s plan", vote), name) for name, vote in votes.items()]


async def decide(
    votes: Mapping[str, Words], voting: str = "majority", moderator: Callable[[str], str] | None = None
) -> StepResult:
    """The result of a debate step without rounds."""
    chair = AgentWrapper(moderator, "Chair") if moderator else None
    return await DebateStep(agents(**votes), chair, 0, voting).execute("Which tea?")
