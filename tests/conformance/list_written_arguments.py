#!/usr/bin/env python3
"""Write resources/operators/written_arguments.json: which positional arguments an operator writes.

    list_written_arguments.py OUT.json

Needs PyTorch. Asked are the schemas of all overloads that the dispatcher knows: the places of the arguments with an
alias that is written (`Tensor(a!)`). Names are those that graph files use for targets.
"""
import argparse
import json

import torch
from list_impure_operators import overloads


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    arguments = parser.parse_args()
    operators = {}
    for _, overload in overloads():
        places = [
            place
            for place, argument in enumerate(overload._schema.arguments)
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        if places:
            operators[str(overload)] = places
    document = {
        "source": f"torch {torch.__version__.partition('+')[0]}, the operators' schemas; written by "
        "tests/conformance/list_written_arguments.py",
        "operators": dict(sorted(operators.items())),
    }
    with open(arguments.out, "w", encoding="utf-8") as file:
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(places)}" for name, places in document["operators"].items())
        file.write(f'{{\n"source": {json.dumps(document["source"])},\n"operators": {{\n{rows}\n}}\n}}\n')
    print(f"{len(operators)} operators write an argument")


if __name__ == "__main__":
    main()
