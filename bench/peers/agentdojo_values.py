"""Prints the values in the data of AgentDojo, one JSON object a line: kind and text.

The first argument is the folder of the installed package. Values are found by plain patterns of
this script, so that what the bench asks of our parsers is not what our parsers said. Nothing of
the data is kept: `immune bench conflict --values FILE` reads what this prints.
"""

import json
import os
import re
import sys

PATTERNS = [
    ("iban", r"\b[A-Z]{2}[0-9]{2}(?:[A-Z]{4})?[0-9]{10,24}\b"),
    ("email", r"\b[A-Za-z0-9._-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b"),
    ("host", r"\b(?:https?://|www\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:/[A-Za-z0-9_/-]*[A-Za-z0-9_-])?"),
    ("date", r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b"),
    ("time", r"\b(?:1[0-2]|[1-9])(?::[0-5][0-9])? ?[AP]M\b"),
    ("amount", r"\$[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]{2})?\b(?![0-9,.]*[0-9])"),
    ("amount", r"(?<=price_per_day: )[0-9]+\.0\b"),
    ("amount", r"(?<=amount: )[0-9]+\.0?\b"),
    ("amount", r"\b[0-9]{2,4}(?:\.[0-9]0)?(?= ?(?:€|EUR|euros?)\b)"),
    ("percentage", r"\b[0-9]{1,2}(?:\.[0-9])?%"),
    ("quantity", r"\b[0-9]{1,3} (?:days|weeks|hours|minutes|months|years|people|users|km|MB|GB)\b"),
    ("phone", r"\+[0-9]{1,3}[ -][0-9 -]{7,14}[0-9]\b"),
]


def texts(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith((".yaml", ".py")) and ("data" in path or "default_suites" in path):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    yield file.read()


def main(folder):
    seen = set()
    for text in texts(folder):
        for kind, pattern in PATTERNS:
            for value in re.findall(pattern, text):
                value = value.strip()
                if kind == "amount" and not value.startswith("$"):
                    value = "$" + value
                if (kind, value) not in seen:
                    seen.add((kind, value))
                    print(json.dumps({"kind": kind, "text": value}))


if __name__ == "__main__":
    main(sys.argv[1])
