"""Whatever fails in the window is told in a sentence: where a source of ui catches any exception, it shows it through
reasonOf() (ui/tasks/task_failure.h), and never what `what()` says, which for a lack of memory is `std::bad_alloc`.

    check_failures.py SOURCE_FOLDER
"""

import re
import sys
from pathlib import Path

# What makes the sentence itself, for a place of its own.
MAKES_SENTENCES = {
    "ui/diagnostics/crash_report.cpp",  # must not allocate: the program is ending
    "ui/files/write_file.cpp",
    "ui/session/session_writer.cpp",
    "ui/tasks/task_failure.cpp",
}
CATCH = re.compile(r"catch \(const std::exception& (\w+)\) \{")


def block_from(text, start):
    """The block whose brace opens just before start."""
    depth = 1
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[start:end]
    return text[start:]


def faults_of(path, text):
    for caught in CATCH.finditer(text):
        if f"{caught[1]}.what()" in block_from(text, caught.end()):
            line = text.count("\n", 0, caught.start()) + 1
            yield f"{path}:{line}: any exception is caught here and told by what(): reasonOf() has a sentence"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    sources = [path for path in sorted(root.glob("ui/**/*.cpp"))
               if path.relative_to(root).as_posix() not in MAKES_SENTENCES]
    if not sources:
        sys.exit(f"{root}: there is no source of ui")
    faults = [fault for path in sources for fault in faults_of(path.relative_to(root), path.read_text(encoding="utf-8"))]
    print("\n".join(faults) or f"{len(sources)} sources tell failures in sentences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
