"""Prints the benign cases of ImmuneMesh 0.2.0, one JSON object a line: category, input and output.

The argument is `immunemesh/benchmarks/benign_corpus_eval.py` of github.com/nithiya-rajesh/ImmuneMesh
(MIT). It is read and not run, and nothing of it is kept: `immune bench mesh --cases FILE` reads
what this prints.
"""

import ast
import json
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "BenignCase":
            category, shown, said = (ast.literal_eval(it) for it in node.args)
            print(json.dumps({"category": category, "input": shown, "output": said}))


if __name__ == "__main__":
    main(sys.argv[1])
