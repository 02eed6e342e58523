"""What the peers share: the graph's folder, CPU time of a process, lines of results."""

import csv
import json
import os
import statistics
import sys
import time


def say(**row):
    print(json.dumps(row), flush=True)


def skip(engine, reason):
    say(engine=engine, what="", source="", note=f"skipped: {reason}")
    sys.exit(0)


class Graph:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "shape.json")) as file:
            shape = json.load(file)
        self.nodes, self.beliefs = shape["nodes"], shape["beliefs"]
        self.suspects = {}
        with open(self.path("suspects.csv")) as file:
            for name, node in csv.reader(file):
                self.suspects.setdefault(name, []).append(int(node))

    def path(self, name):
        return os.path.join(self.folder, name)

    def edges(self):
        with open(self.path("edges.csv")) as file:
            for premise, conclusion in csv.reader(file):
                yield int(premise), int(conclusion)


def cpu_ns(pid):
    """CPU time of all threads of a process, as the scheduler counts it."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total


def measure(pid, work, runs):
    """Runs once to warm up, then so often: the answer and the median of CPU and wall, in ms."""
    answer = work()
    cpus, walls = [], []
    for _ in range(runs):
        own, before, start = time.process_time_ns(), cpu_ns(pid), time.perf_counter()
        answer = work()
        walls.append((time.perf_counter() - start) * 1e3)
        cpus.append((cpu_ns(pid) - before + time.process_time_ns() - own) / 1e6)
    return answer, statistics.median(cpus), statistics.median(walls)
