"""Stands for an agent that acp_sdk.py forks: gives it our pipes, and ends as it does.

`python through.py SOCKET SCENARIO.json LOG.jsonl`
"""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    socket.send_fds(connection, [json.dumps(sys.argv[2:4]).encode()], [0, 1, 2])
    os.closerange(0, 3)
    status = connection.recv(1)
os._exit(status[0] if status else 1)
