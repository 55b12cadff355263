"""The order of the tests: long ones among short ones, and those that share a server given to one worker."""

from collections.abc import Sequence

SHARE = 0.7
"""Over which part of a worker's tests its long ones are spread. At the end only short ones are left, so that all
workers end at the same time."""


def mix(kinds: Sequence[str], workers: int) -> list[int]:
    """The order in which tests are given to workers, as their indexes.

    Long tests mostly wait for a server, a browser or a process, and short ones need the processor. So that neither
    waits for the other, each worker's part has both from the first test on. A worker steals from the ends of the
    others' parts later. A server or a browser is started by few workers.

    Args:
        kinds: what each test needs: the name of a server, "long", or "" for a short test.
        workers: how many there are.
    """
    servers = sorted({kind for kind in kinds if kind not in ("", "long")})
    long_ones: list[list[int]] = [[] for _ in range(workers)]
    dealt = 0
    for index, kind in enumerate(kinds):
        if kind == "long":
            long_ones[dealt % workers].append(index)
            dealt += 1
        elif kind:
            long_ones[servers.index(kind) % workers].append(index)
    short = [index for index, kind in enumerate(kinds) if not kind]
    order: list[int] = []
    for number, mine in enumerate(long_ones):
        mine.sort(key=lambda index: kinds[index] == "long")  # A browser takes longest, so its tests begin first.
        size = (len(kinds) - len(order)) // (workers - number)
        room = max(0, size - len(mine))
        order += spread(mine, short[:room])
        del short[:room]
    return [*order, *short]


def spread(long_ones: Sequence[int], short: Sequence[int]) -> list[int]:
    """Long tests with as many short ones after each, as far as ``SHARE`` of the short ones goes; then the others."""
    step = int(len(short) * SHARE / len(long_ones)) if long_ones else 0
    order: list[int] = []
    for number, index in enumerate(long_ones):
        order += [index, *short[number * step : (number + 1) * step]]
    return [*order, *short[len(long_ones) * step :]]
