"""Everything that an extension of Moot imports: the names for protocols, phases, rules, providers, tools, and reports.

What stands here is public and stays. Each name is imported when it is first used. docs/how-to/extend-moot.md has a
whole example for each kind; ``moot.testing`` has the checks.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which would take longer to import than all else here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moot.agents.toolkit import Tool, ToolResult, ToolUse
    from moot.app.export.report_formats import ReportFormat
    from moot.app.export.reports import ReadRecord
    from moot.core.agent import Context, Quote, Recorder
    from moot.core.ask import Ask, Field, Form, Reply, ToolSpec, Usage
    from moot.core.brief import Brief, Limits, Participant, Settings, Source, View
    from moot.core.decision import Ballot, Decision, Minority
    from moot.core.errors import (
        BriefError,
        ModelError,
        MootError,
        ProtocolError,
        Refused,
        ToolError,
        Unavailable,
        Unreadable,
    )
    from moot.core.event import Called, Entered, Halted, Ruled
    from moot.core.extensions import option, takes_options
    from moot.core.text import counted, listed
    from moot.core.transcript import Transcript, Turn, read_field, wording
    from moot.models.base import Message, Model, Request, Traits
    from moot.models.custom import ProviderModel
    from moot.models.custom import write as as_text
    from moot.models.names import ModelName, Provider, Wire
    from moot.models.prices import answer_cap
    from moot.models.stream import AnswerStream, End
    from moot.models.transport import ProviderConnection
    from moot.phases.base import After, At, Phase, Play, Rounds, Sequence, State
    from moot.phases.choices import Choices, CountingRule, until
    from moot.phases.endings import LOG, ending, mediator
    from moot.phases.ranked_vote import Ranking, tiers_by_score
    from moot.phases.speak import Everyone, Floor, aimed, asked_names, draft, speech
    from moot.phases.vote import Adopt, Count, Vote
    from moot.policy.rankings import tiers_of
    from moot.policy.rounds import Showing
    from moot.policy.rules import PLURALITY, Quorum, Rule, Share, no_vote_reason, strength, unlawful
    from moot.protocols.spec import Protocol
    from moot.report.markdown import decision_chapter
    from moot.report.markdown_text import bullets, inline
    from moot.report.report import Report

del TYPE_CHECKING

__all__ = [
    "LOG",
    "PLURALITY",
    "Adopt",
    "After",
    "AnswerStream",
    "Ask",
    "At",
    "Ballot",
    "Brief",
    "BriefError",
    "Called",
    "Choices",
    "Context",
    "Count",
    "CountingRule",
    "Decision",
    "End",
    "Entered",
    "Everyone",
    "Field",
    "Floor",
    "Form",
    "Halted",
    "Limits",
    "Message",
    "Minority",
    "Model",
    "ModelError",
    "ModelName",
    "MootError",
    "Participant",
    "Phase",
    "Play",
    "Protocol",
    "ProtocolError",
    "Provider",
    "ProviderConnection",
    "ProviderModel",
    "Quorum",
    "Quote",
    "Ranking",
    "ReadRecord",
    "Recorder",
    "Refused",
    "Reply",
    "Report",
    "ReportFormat",
    "Request",
    "Rounds",
    "Rule",
    "Ruled",
    "Sequence",
    "Settings",
    "Share",
    "Showing",
    "Source",
    "State",
    "Tool",
    "ToolError",
    "ToolResult",
    "ToolSpec",
    "ToolUse",
    "Traits",
    "Transcript",
    "Turn",
    "Unavailable",
    "Unreadable",
    "Usage",
    "View",
    "Vote",
    "Wire",
    "aimed",
    "answer_cap",
    "as_text",
    "asked_names",
    "bullets",
    "counted",
    "decision_chapter",
    "draft",
    "ending",
    "inline",
    "listed",
    "mediator",
    "no_vote_reason",
    "option",
    "read_field",
    "speech",
    "strength",
    "takes_options",
    "tiers_by_score",
    "tiers_of",
    "unlawful",
    "until",
    "wording",
]

_HOMES: "Mapping[str, str]" = {
    "moot.agents.toolkit": "Tool ToolResult ToolUse",
    "moot.app.export.report_formats": "ReportFormat",
    "moot.app.export.reports": "ReadRecord",
    "moot.core.agent": "Context Quote Recorder",
    "moot.core.ask": "Ask Field Form Reply ToolSpec Usage",
    "moot.core.brief": "Brief Limits Participant Settings Source View",
    "moot.core.decision": "Ballot Decision Minority",
    "moot.core.errors": "BriefError ModelError MootError ProtocolError Refused ToolError Unavailable Unreadable",
    "moot.core.event": "Called Entered Halted Ruled",
    "moot.core.extensions": "option takes_options",
    "moot.core.text": "counted listed",
    "moot.core.transcript": "Transcript Turn read_field wording",
    "moot.models.base": "Message Model Request Traits",
    "moot.models.custom": "ProviderModel",
    "moot.models.names": "ModelName Provider Wire",
    "moot.models.prices": "answer_cap",
    "moot.models.stream": "AnswerStream End",
    "moot.models.transport": "ProviderConnection",
    "moot.phases.base": "After At Phase Play Rounds Sequence State",
    "moot.phases.choices": "Choices CountingRule until",
    "moot.phases.endings": "LOG ending mediator",
    "moot.phases.ranked_vote": "Ranking tiers_by_score",
    "moot.phases.speak": "Everyone Floor aimed asked_names draft speech",
    "moot.phases.vote": "Adopt Count Vote",
    "moot.policy.rankings": "tiers_of",
    "moot.policy.rules": "PLURALITY Quorum Rule Share no_vote_reason strength unlawful",
    "moot.policy.rounds": "Showing",
    "moot.protocols.spec": "Protocol",
    "moot.report.markdown": "decision_chapter",
    "moot.report.markdown_text": "bullets inline",
    "moot.report.report": "Report",
}
"""Where the names are defined."""

_OTHERWISE: "Mapping[str, tuple[str, str]]" = {"as_text": ("moot.models.custom", "write")}
"""Names that are another one where they are defined."""


def __getattr__(name: str) -> object:
    homes = {word: (home, word) for home, words in _HOMES.items() for word in words.split()}
    homes |= _OTHERWISE
    if name not in homes:
        raise AttributeError(f"module 'moot.ext' has no attribute {name!r}")
    home, word = homes[name]
    value: object = getattr(import_module(home), word)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
