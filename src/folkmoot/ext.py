"""Everything that an extension of Folkmoot imports: the names for protocols, phases, rules, providers, tools, and reports.

What stands here is public and stays. Each name is imported when it is first used. docs/how-to/extend-folkmoot.md has a
whole example for each kind; ``folkmoot.testing`` has the checks.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which would take longer to import than all else here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from folkmoot.agents.toolkit import Tool, ToolResult, ToolUse
    from folkmoot.app.export.report_formats import ReportFormat
    from folkmoot.app.export.reports import ReadRecord
    from folkmoot.core.agent import Context, Quote, Recorder
    from folkmoot.core.ask import Ask, Field, Form, Reply, ToolSpec, Usage
    from folkmoot.core.brief import Brief, Limits, Participant, Settings, Source, View
    from folkmoot.core.decision import Ballot, Decision, Minority
    from folkmoot.core.errors import (
        BriefError,
        FolkmootError,
        ModelError,
        ProtocolError,
        Refused,
        ToolError,
        Unavailable,
        Unreadable,
    )
    from folkmoot.core.event import Called, Entered, Halted, Ruled
    from folkmoot.core.extensions import option, takes_options
    from folkmoot.core.text import counted, listed
    from folkmoot.core.transcript import Transcript, Turn, read_field, wording
    from folkmoot.core.unread import Unread
    from folkmoot.models.base import Message, Model, Request, Traits
    from folkmoot.models.custom import ProviderModel
    from folkmoot.models.custom import write as as_text
    from folkmoot.models.names import ModelName, Provider, Wire
    from folkmoot.models.prices import answer_cap
    from folkmoot.models.stream import AnswerStream, End
    from folkmoot.models.transport import ProviderConnection
    from folkmoot.phases.base import After, At, Phase, Play, Rounds, Sequence, State
    from folkmoot.phases.choices import Choices, CountingRule, until
    from folkmoot.phases.endings import LOG, ending, mediator
    from folkmoot.phases.ranked_vote import Ranking, tiers_by_score
    from folkmoot.phases.speak import Everyone, Floor, aimed, asked_names, draft, speech
    from folkmoot.phases.vote import Adopt, Count, Vote
    from folkmoot.policy.rankings import tiers_of
    from folkmoot.policy.rounds import Showing
    from folkmoot.policy.rules import PLURALITY, Quorum, Rule, Share, no_vote_reason, strength, unlawful
    from folkmoot.protocols.spec import Protocol
    from folkmoot.report.markdown import decision_chapter
    from folkmoot.report.markdown_text import bullets, inline
    from folkmoot.report.report import Report

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
    "FolkmootError",
    "Form",
    "Halted",
    "Limits",
    "Message",
    "Minority",
    "Model",
    "ModelError",
    "ModelName",
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
    "Unread",
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
    "folkmoot.agents.toolkit": "Tool ToolResult ToolUse",
    "folkmoot.app.export.report_formats": "ReportFormat",
    "folkmoot.app.export.reports": "ReadRecord",
    "folkmoot.core.agent": "Context Quote Recorder",
    "folkmoot.core.ask": "Ask Field Form Reply ToolSpec Usage",
    "folkmoot.core.brief": "Brief Limits Participant Settings Source View",
    "folkmoot.core.decision": "Ballot Decision Minority",
    "folkmoot.core.errors": "BriefError ModelError FolkmootError ProtocolError Refused ToolError Unavailable Unreadable",
    "folkmoot.core.event": "Called Entered Halted Ruled",
    "folkmoot.core.extensions": "option takes_options",
    "folkmoot.core.text": "counted listed",
    "folkmoot.core.unread": "Unread",
    "folkmoot.core.transcript": "Transcript Turn read_field wording",
    "folkmoot.models.base": "Message Model Request Traits",
    "folkmoot.models.custom": "ProviderModel",
    "folkmoot.models.names": "ModelName Provider Wire",
    "folkmoot.models.prices": "answer_cap",
    "folkmoot.models.stream": "AnswerStream End",
    "folkmoot.models.transport": "ProviderConnection",
    "folkmoot.phases.base": "After At Phase Play Rounds Sequence State",
    "folkmoot.phases.choices": "Choices CountingRule until",
    "folkmoot.phases.endings": "LOG ending mediator",
    "folkmoot.phases.ranked_vote": "Ranking tiers_by_score",
    "folkmoot.phases.speak": "Everyone Floor aimed asked_names draft speech",
    "folkmoot.phases.vote": "Adopt Count Vote",
    "folkmoot.policy.rankings": "tiers_of",
    "folkmoot.policy.rules": "PLURALITY Quorum Rule Share no_vote_reason strength unlawful",
    "folkmoot.policy.rounds": "Showing",
    "folkmoot.protocols.spec": "Protocol",
    "folkmoot.report.markdown": "decision_chapter",
    "folkmoot.report.markdown_text": "bullets inline",
    "folkmoot.report.report": "Report",
}
"""Where the names are defined."""

_OTHERWISE: "Mapping[str, tuple[str, str]]" = {"as_text": ("folkmoot.models.custom", "write")}
"""Names that are another one where they are defined."""


def __getattr__(name: str) -> object:
    homes = {word: (home, word) for home, words in _HOMES.items() for word in words.split()}
    homes |= _OTHERWISE
    if name not in homes:
        raise AttributeError(f"module 'folkmoot.ext' has no attribute {name!r}")
    home, word = homes[name]
    value: object = getattr(import_module(home), word)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
