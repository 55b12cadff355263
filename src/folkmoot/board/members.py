"""Members and timekeeper of a board meeting, and preset boards with their members, verdicts and rules.

The briefs ``examples/board-*.md`` show the same boards with a case of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum


class AgentType(Enum):
    """What somebody at a board's table does."""

    BOARD_MEMBER = "evaluates candidate"
    TIMEKEEPER = "manages process only"


class VerdictType(StrEnum):
    """The usual verdicts; each equals its word. A board's own verdicts are words, or an enumeration like this."""

    HIRE = "HIRE"
    NO_HIRE = "NO_HIRE"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeKeeper:
    """The member who keeps the time and judges nothing.

    Attributes:
        name: what it is called in the debate.
        agent: who answers for it, as for a member; None for the built-in one, which asks no model.
        every: the number of messages after which it speaks.
        deadline: the number of messages after which it names members without a verdict; they must give one.
    """

    name: str = "TimeKeeper"
    agent: object = None
    every: int = 4
    deadline: int = 20
    type: AgentType = field(default=AgentType.TIMEKEEPER, init=False)


@dataclass(frozen=True, slots=True)
class BoardMember:
    """A member: the layer of instructions that is its own.

    Attributes:
        name: unique in the debate.
        personality: what it is like.
        expertise: what it knows best; the others are told.
        speaking_style: how it talks.
        agent: who answers for it: a seat (``ollama:llama3.2``), a Participant, a function ``str -> str``, a PydanticAI
            Agent, a LangChain chat model, a HumanAgent, who is asked in place, or ``human`` for a person who answers
            from elsewhere (``folkmoot answer``); None for the meeting's agent.
        weight: what its verdict weighs, with the strategy ``weighted``.
    """

    name: str
    personality: str = ""
    expertise: str = ""
    speaking_style: str = ""
    agent: object = None
    weight: float | None = None
    type: AgentType = field(default=AgentType.BOARD_MEMBER, init=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A board that is ready to sit: its members, the verdicts it can come to, the rules that hold for all."""

    members: tuple[BoardMember, ...]
    verdicts: tuple[str, ...]
    rules: str


# fmt: off
PRESETS: Mapping[str, Preset] = {
    "hiring": Preset(
        members=(
            BoardMember("Dr. Chen", "Analytical, values rigorous methodology", "Research quality and publications",
                        "Measured; names the line of the file that a point rests on"),
            BoardMember("Prof. Rodriguez", "Strategic, focuses on leadership potential", "Leading and building teams",
                        "Warm and direct; asks what happens in two years"),
            BoardMember("Ms. Okafor", "Practical, impatient with titles", "Daily work of the team and its deadlines",
                        "Short sentences; asks who does the work on Monday"),
            BoardMember("Mr. Lindqvist", "Fair, distrusts first impressions", "Selection procedures and bias",
                        "Calm; separates what was observed from what was concluded"),
        ),
        verdicts=("HIRE", "NO_HIRE"),
        rules="Judge only what the documents say about the candidate. Name the section that a point rests on. "
        "Age, family, origin and looks are no reasons.",
    ),
    "medical_consultation": Preset(
        members=(
            BoardMember("Dr. Amari", "Careful, thinks in likelihoods", "Internal medicine and diagnosis",
                        "Lists what is likely, then what must not be missed"),
            BoardMember("Dr. Berg", "Decisive, hates delay", "Surgery and emergency care",
                        "Brief; says what is to be done and by when"),
            BoardMember("Dr. Costa", "Gentle, listens first", "General practice and the patient's own wishes",
                        "Plain words, no abbreviations"),
            BoardMember("Ms. Dahl", "Exact, suspicious of routine", "Clinical pharmacy and interactions",
                        "Names the drug, the dose and the source"),
        ),
        verdicts=("TREAT_NOW", "OBSERVE", "REFER"),
        rules="Name the finding that a point rests on. Say what would change your mind and what must not be missed. "
        "What this board recommends is material for physicians, not medical advice.",
    ),
    "investment": Preset(
        members=(
            BoardMember("Vega", "Optimistic, thinks in multiples", "Markets and growth",
                        "Vivid; begins with the size of the opportunity"),
            BoardMember("Stone", "Sceptical, remembers every loss", "Credit and downside",
                        "Dry; begins with what has to go wrong"),
            BoardMember("Haas", "Thorough, trusts figures more than stories", "Accounts and unit economics",
                        "Numbers first, one conclusion at the end"),
        ),
        verdicts=("INVEST", "PASS", "WAIT"),
        rules="State the amount, the horizon and the figure that a point rests on. A forecast is no fact. "
        "What this board recommends is no investment advice.",
    ),
    "research_review": Preset(
        members=(
            BoardMember("Reviewer One", "Strict, cannot be hurried", "Statistics and study design",
                        "Numbered points, the gravest first"),
            BoardMember("Reviewer Two", "Curious, hard to impress", "The field and its literature",
                        "Asks what is new and compared with what"),
            BoardMember("Reviewer Three", "Constructive, wants papers to get better",
                        "Writing, figures and reproduction", "For each fault says what would mend it"),
        ),
        verdicts=("ACCEPT", "REVISE", "REJECT"),
        rules="Review the manuscript, not its authors. Name the section that a point rests on. "
        "Say for each fault whether it can be mended.",
    ),
    "moderation": Preset(
        members=(
            BoardMember("Ines", "Protective, thinks of who is hurt", "Harassment and safety",
                        "Names who is affected and how"),
            BoardMember("Tomas", "Principled, fears the second case", "Free speech and precedent",
                        "Asks what else the same rule would remove"),
            BoardMember("Yuki", "Literal, reads every word twice", "The rules of the community",
                        "Quotes the rule, then the post"),
        ),
        verdicts=("KEEP", "WARN", "REMOVE"),
        rules="Apply the community's rules as they are written. Judge the post in its context, not the author's views. "
        "Choose the mildest measure that the rules allow.",
    ),
}
# fmt: on
"""The ready boards by name."""
