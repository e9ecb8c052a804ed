#!/usr/bin/env python3
"""Compares goldens one after the other until one does not agree; exit status 1 then.

    golden_cases.py PROGRAMS CASES [--record FOLDER]

CASES is a file with a list of pairs: a manifest, and the number of a case in it. --record compares all of them, and writes
what of the changes each comes to into FOLDER/NUMBER.reached, by the number in the list, and the seconds that they took and
whether they agreed into FOLDER/outcomes-FIRST.json.
"""

import argparse
import json
import os
import pathlib
import resource
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "conformance"))
import run_goldens  # noqa: E402


def reproduced(manifests):
    """(manifest, number) of each case that this version reproduces, once."""
    cases, seen = [], set()
    for manifest in manifests:
        for number, entry in enumerate(json.loads(pathlib.Path(manifest).read_text(encoding="utf-8"))["goldens"]):
            if run_goldens.is_reproduced(entry) and entry["id"] not in seen:
                seen.add(entry["id"])
                cases.append((str(manifest), number))
    return cases


def processor_s():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    arguments = parser.parse_args()
    manifests, outcomes = {}, {}
    for name, (manifest, number) in json.loads(arguments.cases.read_text(encoding="utf-8")).items():
        if manifest not in manifests:
            manifests[manifest] = json.loads(pathlib.Path(manifest).read_text(encoding="utf-8"))["goldens"]
        entry = manifests[manifest][number]
        if arguments.record:
            os.environ["OVERLAP_MUTANTS_REACHED"] = str(arguments.record / f"{name}.reached")
        before = processor_s()
        why = run_goldens.check(arguments.programs, os.path.dirname(manifest), entry)
        outcomes[name] = [processor_s() - before, why]
        if why and not arguments.record:
            print(f"{entry['id']}: {why}"[:400])
            return 1
    if arguments.record:
        (arguments.record / f"outcomes-{next(iter(outcomes))}.json").write_text(json.dumps(outcomes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
