"""The command `overlap` of the wheel: starts the program that comes with it."""
from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "bin" / "overlap"


def main() -> int:
    """Becomes the program, with the arguments of this process."""
    if not PROGRAM.exists():
        print(f"overlap: {PROGRAM} is missing: this installation is the part in Python alone; the wheel that "
              "packaging/wheel.sh makes has the program", file=sys.stderr)
        return 1
    os.execv(PROGRAM, ["overlap", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
