"""Adds up the JUnit files under a folder and prints one closing line: N passed, N failed, N skipped."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def main(folder):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in pathlib.Path(folder).rglob("*.xml"):
        for case in ElementTree.parse(path).iter("testcase"):
            counts[outcome(case)] += 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1])
