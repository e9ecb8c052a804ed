"""Whatever fails in the window is told in a sentence: where a source or header of ui catches an exception of the standard
library, it shows it through reasonOf() (ui/tasks/task_failure.h), and never what `what()` says, which for a lack of memory
is `std::bad_alloc`. What the program throws itself, an InputError, has a sentence of its own.

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
CATCH = re.compile(r"\bcatch\s*\(\s*(?:const\s+)?std::[\w:]+(?:\s+const)?\s*&?\s*(\w+)\s*\)\s*\{")


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
        if re.search(rf"\b{caught[1]}\.what\(\)", block_from(text, caught.end())):
            line = text.count("\n", 0, caught.start()) + 1
            yield f"{path}:{line}: an exception is caught here and told by what(): reasonOf() has a sentence"


def check(root, makes_sentences):
    """A sentence about what was read, and the faults.

    Raises ValueError where there is nothing to check, or not what the rules name."""
    texts = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for ending in ("cpp", "h") for path in sorted(root.glob(f"ui/**/*.{ending}"))}
    gone = sorted(makes_sentences - texts.keys())
    if gone:
        raise ValueError(f"{root}: there is no {', '.join(gone)}, which this check leaves out")
    checked = {path: text for path, text in texts.items() if path not in makes_sentences}
    catches = sum(len(CATCH.findall(text)) for text in checked.values())
    if not catches:
        raise ValueError(f"{root}: no source of ui catches an exception of the standard library by name")
    faults = [fault for path, text in sorted(checked.items()) for fault in faults_of(path, text)]
    return f"{len(checked)} sources with {catches} such catches tell failures in sentences", faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        read, faults = check(Path(sys.argv[1]), MAKES_SENTENCES)
    except ValueError as error:
        sys.exit(str(error))
    print("\n".join(faults) or read)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
