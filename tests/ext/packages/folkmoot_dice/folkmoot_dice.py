"""The tool ``dice``: how likely it is to roll a sum with a number of dice."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from folkmoot.ext import ToolError, ToolResult, ToolSpec, ToolUse, option, takes_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a brief can set under ``tool_options``."""

    most: int = option(6, "The most dice that can be counted.", low=1, high=7)


@takes_options(Options)
class Dice:
    """Counts all rolls."""

    spec = ToolSpec(
        name="dice",
        help="The probability that the dice show this sum.",
        parameters={
            "type": "object",
            "properties": {"dice": {"type": "integer"}, "sum": {"type": "integer"}},
            "required": ["dice", "sum"],
        },
    )

    def __init__(self, options: Options) -> None:
        self.options = options

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Count."""
        dice, wanted = arguments["dice"], arguments["sum"]
        if not isinstance(dice, int) or not 1 <= dice <= self.options.most:
            raise ToolError(f"1 to {self.options.most} dice can be counted")
        rolls = [sum(roll) for roll in product(range(1, 7), repeat=dice)]
        return ToolResult(text=f"{rolls.count(int(str(wanted)))} of {len(rolls)} rolls", sources=("all rolls",))
