"""The tool ``dice``: how likely it is to roll a sum with so many dice."""

from collections.abc import Mapping
from itertools import product

from moot.ext import ToolError, ToolResult, ToolSpec, ToolUse


class Dice:
    """Counts all rolls."""

    spec = ToolSpec(
        name="dice",
        help="The probability that so many dice show this sum.",
        parameters={
            "type": "object",
            "properties": {"dice": {"type": "integer"}, "sum": {"type": "integer"}},
            "required": ["dice", "sum"],
        },
    )

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Count."""
        dice, wanted = arguments["dice"], arguments["sum"]
        if not isinstance(dice, int) or not 1 <= dice <= 6:
            raise ToolError("1 to 6 dice can be counted")
        rolls = [sum(roll) for roll in product(range(1, 7), repeat=dice)]
        return ToolResult(text=f"{rolls.count(int(str(wanted)))} of {len(rolls)} rolls", sources=("all rolls",))
