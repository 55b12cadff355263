"""A small program in place of a large one: ``python -I -S relay.py SOCKETS MODULE [words …]``.

It asks a server of ``tests/kits/relays.py`` for a fork that runs the module with this program's folder, environment
and standard streams, hands signals on to it, and ends as it does. It imports little, for it is started many times.
"""

import array
import json
import os
import signal
import socket
import sys

HANDED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main() -> None:
    """Stand in for the module's process until it ends."""
    address, *words = sys.argv[1:]
    request = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
    server, fork = ask(address, request)
    with server:
        for number in HANDED_ON:
            signal.signal(number, lambda number, _: os.kill(fork, number))
        for number in (0, 1, 2):  # whoever reads or writes them sees the fork's end
            os.close(number)
        code = int(server.recv(64) or "1")
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def ask(address: str, request: bytes) -> tuple[socket.socket, int]:
    """Have any server whose address begins so make a fork; those of other workers may end meanwhile."""
    folder, beginning = os.path.split(f"{address}-")
    for name in os.listdir(folder):
        if name.startswith(beginning):
            server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                server.connect(os.path.join(folder, name))
                server.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
                if fork := server.recv(64):
                    return server, int(fork)
            except OSError:  # it has ended
                pass
            server.close()
    sys.exit("There is no server for this program.")


if __name__ == "__main__":
    main()
