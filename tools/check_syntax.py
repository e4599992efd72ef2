"""Compiles the given Python files without writing anything; prints the ones that don't parse."""

import sys


def error_of(path):
    with open(path, "rb") as file:
        try:
            compile(file.read(), path, "exec")
        except SyntaxError as error:
            return f"{path}:{error.lineno}: {error.msg}"
    return None


if __name__ == "__main__":
    errors = [error for error in map(error_of, sys.argv[1:]) if error]
    print("\n".join(errors), end="\n" if errors else "")
    sys.exit(bool(errors))
