"""The order of the tests: long ones begin first, and those that share a server are given to one worker."""

from collections.abc import Sequence


def long_first(kinds: Sequence[str], workers: int) -> list[int]:
    """The order in which tests are given to workers, as their indexes.

    Each worker is given one part of the list at first and steals from the ends of the others' parts later. So each
    part begins with long tests, and a server or a browser is started by few workers.

    Args:
        kinds: what each test needs: the name of a server, "long", or "" for a short test.
        workers: how many there are.
    """
    servers = sorted({kind for kind in kinds if kind not in ("", "long")})
    heads: list[list[int]] = [[] for _ in range(workers)]
    dealt = 0
    for index, kind in enumerate(kinds):
        if kind == "long":
            heads[dealt % workers].append(index)
            dealt += 1
        elif kind:
            heads[servers.index(kind) % workers].append(index)
    short = [index for index, kind in enumerate(kinds) if not kind]
    order: list[int] = []
    for number, head in enumerate(heads):
        size = (len(kinds) - len(order)) // (workers - number)
        room = max(0, size - len(head))
        order += [*head, *short[:room]]
        del short[:room]
    return [*order, *short]
