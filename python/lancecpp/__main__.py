"""``python -m lancecpp``: the command line program ``lance``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Optional


def _program() -> Optional[str]:
    """The program of this build or installation, else that of the PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    prefixes = (os.path.dirname(os.path.dirname(package)), sys.prefix)
    for prefix in prefixes:
        path = os.path.join(prefix, "bin", "lance")
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return shutil.which("lance")


def main() -> None:
    program = _program()
    if program is None:
        sys.exit(
            "python -m lancecpp: the program 'lance' was not found. Wheels don't bring it: build it "
            "with ./dev build, or install it with cmake --install."
        )
    sys.stdout.flush()
    os.execv(program, ["lance", *sys.argv[1:]])


if __name__ == "__main__":
    main()
