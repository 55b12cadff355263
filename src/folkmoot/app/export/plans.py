"""Plans and presets for hosts: what a debate would be and use, before it begins."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from folkmoot.app.brief.presets import KEY as PRESET
from folkmoot.app.brief.presets import Preset, read_presets
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.brief.values import LocatedValue
from folkmoot.app.export.reports import save
from folkmoot.app.plan.settings import load_config, user_file
from folkmoot.app.plan.starter_presets import USUAL_QUESTION
from folkmoot.app.plan.toolbox import offered_tools
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.protocols import spec
from folkmoot.report.flowchart import flowchart


def plan_diagram(plan: Plan) -> str:
    """The phases of a plan as a Mermaid flowchart."""
    return flowchart(spec.dump(plan.protocol))


def plan_data(prepared: PreparedDebate) -> dict[str, object]:
    """A debate before it begins, as plain data: what was understood, and what it would use at least and at most."""
    brief, costing = prepared.plan.brief, prepared.costing
    return {
        "topic": brief.topic,
        "protocol": prepared.plan.name,
        "options": list(brief.options),
        "background": [source.name for source in brief.background],
        "participants": [
            {
                "name": participant.name,
                "role": participant.role,
                "duty": participant.duty,
                "model": participant.seat,
                "weight": participant.weight,
                "tools": list(offered_tools(participant)),
                "ignored": list(prepared.drops.get(participant.name, ())),
            }
            for participant in brief.participants
        ],
        "phases": list(costing.most.phases),
        **costing.as_data(),
        "participants_made_by": prepared.generator,
        "repeated": round(costing.most.repeated, 3),
        "notes": list(prepared.notes),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetRow:
    """A preset in a list.

    Attributes:
        name: what it is called.
        protocol: what a brief that names none is debated by.
        models: who answers a usual question, in the order of the seats.
        expected: US dollars that a usual question is expected to cost; None where a price is unknown.
        most: US dollars at most, with its limit.
        warnings: what its owner should know before a debate is paid.
        where: the file that it stands in.
        problem: why it cannot be used; "" where it can.
    """

    name: str
    protocol: str = ""
    models: tuple[str, ...] = ()
    expected: float | None = None
    most: float | None = None
    warnings: tuple[str, ...] = ()
    where: str = ""
    problem: str = ""


async def preset_data(workspace: Workspace, preset: Preset) -> PresetRow:
    """A preset, and what a usual question would cost with it. Nothing is sent to any model."""
    row = PresetRow(name=preset.name, where=preset.where, models=preset.models)
    settings = {PRESET: LocatedValue(value=preset.name, line=0)}
    try:
        ready = await prepare(workspace, read_brief(USUAL_QUESTION, settings=settings), Overrides(cast="builtin"))
    except FolkmootError as error:
        return replace(row, problem=str(error))
    brief, costing, serving = ready.plan.brief, ready.costing, load_config().serve
    warnings, usual_cost = list(preset.warnings()), costing.usual_total.cost
    if costing.most.unpriced and (serving.daily is not None or serving.cost is not None):
        unknown = ", ".join(costing.most.unpriced)
        warnings.append(f"The price of {unknown} is unknown: [serve] limits spending, so no token can use it.")
    limit = brief.limits.cost
    return replace(
        row,
        protocol=ready.plan.name,
        models=tuple(participant.seat for participant in brief.participants if participant.duty == "debater"),
        expected=costing.expected_total.cost,
        most=usual_cost if usual_cost is None or limit is None else min(usual_cost, limit),
        warnings=tuple(warnings),
    )


def add_presets(text: str) -> Path:
    """Write presets behind what the user's own file of settings has; it stays as it is where they cannot stand there.

    Returns:
        The file.

    Raises:
        BriefError: the file cannot be read or written, or could not be read any more.
    """
    path = user_file()
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        joined = f"{before.rstrip()}\n\n{text}".lstrip()
        read_presets(tomllib.loads(joined).get("presets"), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, joined)
    except (OSError, ValueError) as error:
        raise BriefError(f"cannot be changed: {error}", where=str(path)) from error
    return path
