"""A small program in place of a large one: ``python -I -S relay.py SOCKET MODULE [words …]``.

It asks the server of ``tests/kits/relays.py`` for a fork that runs the module with this program's folder, environment
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
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(address)
        server.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
        fork = int(server.recv(64))
        for number in HANDED_ON:
            signal.signal(number, lambda number, _: os.kill(fork, number))
        for number in (0, 1, 2):  # whoever reads or writes them sees the fork's end
            os.close(number)
        code = int(server.recv(64) or "1")
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
