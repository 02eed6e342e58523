"""PostgreSQL on the graph of a cascade: bare closure, and an update of all of it.

usage: postgres.py FOLDER [--runs N] [--limit SECONDS] [--tools FOLDER]
"""

import argparse
import glob
import os
import pwd
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from common import Graph, cpu_ns, measure, say, skip

CLOSURE = """with recursive closure(id) as (
  select e.conclusion from suspect s join edge e on e.premise = s.node where s.name = '{name}'
  union
  select e.conclusion from closure c join edge e on e.premise = c.id
)"""
SCHEMA = """
create table edge (premise int not null, conclusion int not null);
create table suspect (name text not null, node int not null);
create table belief (
  id int primary key, status text not null, strength int not null, claim text not null, embedding bytea not null
);
create table belief_state (id int primary key, status text not null, strength int not null);
\\copy edge from '{edges}' csv
\\copy suspect from '{suspects}' csv
insert into belief select i, 'active', 700, repeat('x', 200), decode(repeat(md5(i::text), 96), 'hex')
  from generate_series(0, {beliefs} - 1) i;
insert into belief_state select i, 'active', 700 from generate_series(0, {beliefs} - 1) i;
create index on edge (premise, conclusion);
vacuum analyze;
"""


def binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    if not found and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "postgresql-15"], **quiet)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    return os.path.dirname(found[-1]) if found else None


class Client:
    """`psql` on a pipe: one statement, one answer."""

    def __init__(self, bin, socket):
        command = [f"{bin}/psql", "-qAtX", "-h", socket, "-U", "bench", "postgres"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
        )
        self.pid = int(self.ask("select pg_backend_pid();"))
        self.ask("set jit = off; set max_parallel_workers_per_gather = 0; set work_mem = '256MB';")

    def ask(self, statement):
        self.process.stdin.write(statement + "\n\\echo <end>\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip() == "<end>":
                answer = "\n".join(lines)
                if "statement timeout" in answer:
                    self.process.stdin.write("rollback;\n")
                    raise TimeoutError
                if "ERROR" in answer:
                    raise RuntimeError(answer)
                return answer
            lines.append(line.strip())
        raise RuntimeError("psql stopped: " + " ".join(lines))


def serve(bin, folder):
    data, log = os.path.join(folder, "data"), open(os.path.join(folder, "log"), "w")
    who = {"user": pwd.getpwnam("postgres").pw_uid} if os.geteuid() == 0 else {}
    if who:
        os.chown(folder, who["user"], -1)
    out = {"stdout": log, "stderr": log, "cwd": folder, **who}
    subprocess.run([f"{bin}/initdb", "-D", data, "-A", "trust", "-U", "bench", "-E", "UTF8", "--locale=C"], check=True, **out)
    options = ["-k", folder, "-c", "listen_addresses=", "-c", "shared_buffers=512MB", "-c", "autovacuum=off"]
    options += ["-c", "max_wal_size=4GB", "-c", "checkpoint_timeout=1h"]
    return subprocess.Popen([f"{bin}/postgres", "-D", data, *options], **out)


def bench(graph, client, engine, runs, limit):
    client.ask(SCHEMA.format(edges=graph.path("edges.csv"), suspects=graph.path("suspects.csv"), beliefs=graph.beliefs))
    client.ask(f"set statement_timeout = '{limit}s';")
    for name in graph.suspects:
        count = CLOSURE.format(name=name) + " select count(*) from closure;"
        row = {"engine": engine, "what": "recursive CTE", "source": name}
        try:
            answer, cpu, wall = measure(client.pid, lambda: client.ask(count), runs)
            say(**row, answer=int(answer), cpu_ms=cpu, wall_ms=wall)
        except TimeoutError:
            say(**row, note=f"timeout after {limit} s")
    for table, what in [
        ("belief", "UPDATE of the closure, durable"),
        ("belief_state", "UPDATE of the closure, statuses apart, durable"),
    ]:
        for name in graph.suspects:
            row = {"engine": engine, "what": what, "source": name}
            try:
                say(**row, **update(client, table, name, runs))
            except TimeoutError:
                say(**row, note=f"timeout after {limit} s")


def update(client, table, name, runs):
    """Marks the closure and commits, so often; each time it is taken back."""
    statement = CLOSURE.format(name=name)
    statement += f" update {table} b set status = 'revoked', strength = 0 from closure c where b.id = c.id;"
    cpus, walls = [], []
    for _ in range(min(runs, 3)):
        _, cpu, wall = measure_once(client, "begin; " + statement + " commit;")
        cpus.append(cpu)
        walls.append(wall)
        answer = client.ask(f"select count(*) from {table} where status = 'revoked';")
        limit = client.ask("show statement_timeout;")
        client.ask("set statement_timeout = 0;")
        client.ask(f"update {table} set status = 'active', strength = 700 where status = 'revoked';")
        # A cascade is rare: its pages were not touched since the last checkpoint.
        client.ask(f"vacuum {table};")
        client.ask(f"checkpoint; set statement_timeout = '{limit}';")
    return {"answer": int(answer), "cpu_ms": statistics.median(cpus), "wall_ms": statistics.median(walls)}


def measure_once(client, statement):
    before, start = cpu_ns(client.pid), time.perf_counter()
    answer = client.ask(statement)
    return answer, (cpu_ns(client.pid) - before) / 1e6, (time.perf_counter() - start) * 1e3


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--limit", type=int, default=60)
    options.add_argument("--tools")
    options = options.parse_args()
    bin = binaries()
    if not bin:
        skip("PostgreSQL", "no server is installed")
    version = subprocess.run([f"{bin}/postgres", "--version"], capture_output=True, text=True).stdout.split()[2]
    graph = Graph(options.folder)
    with tempfile.TemporaryDirectory(prefix="immune-pg-") as folder:
        server = serve(bin, folder)
        try:
            for _ in range(100):
                if os.path.exists(os.path.join(folder, ".s.PGSQL.5432")):
                    break
                time.sleep(0.1)
            bench(graph, Client(bin, folder), f"PostgreSQL {version}", options.runs, options.limit)
        finally:
            os.kill(server.pid, signal.SIGINT)
            server.wait()


main()
