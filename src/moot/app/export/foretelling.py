"""A debate before it begins, for hosts. This file owns which facts of a plan are told as data."""

from moot.app.plan.toolbox import offered
from moot.app.run.prepare import Ready


def plan_data(ready: Ready) -> dict[str, object]:
    """A debate before it begins, as plain data: what was understood, and what it would use at least and at most."""
    brief, least, most = ready.plan.brief, ready.costing.least, ready.costing.most
    return {
        "topic": brief.topic,
        "protocol": ready.plan.name,
        "options": list(brief.options),
        "background": [source.name for source in brief.background],
        "participants": [
            {
                "name": each.name,
                "role": each.role,
                "duty": each.duty,
                "model": each.seat,
                "weight": each.weight,
                "tools": list(offered(each)),
                "ignored": list(ready.drops.get(each.name, ())),
            }
            for each in brief.participants
        ],
        "phases": list(most.phases),
        "asks": {"least": least.asks, "most": most.asks},
        "calls": {"least": least.calls, "most": most.calls},
        "tokens": {"least": least.tokens, "most": most.tokens},
        "expected_tokens": {"least": least.expected, "most": most.expected},
        "cost": {"least": least.cost, "most": most.cost},
        "unpriced": list(most.unpriced),
        "participants_made_by": ready.caster,
        "repeated": round(most.repeated, 3),
        "notes": list(ready.notes),
    }
