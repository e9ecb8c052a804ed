"""Validates cost model documents against the JSON Schema: those in a folder must fit, altered ones must not.

usage: cost_model_schema_test.py SCHEMA FOLDER
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed; the structural test in cost_model_file_test.cpp remains")
    sys.exit(0)

ALTERATIONS = {
    "version": 2,
    "format": "overlap-plan",
    "name": "",
    "device": {"flops_per_s": {}},
    "classes": {"memory": {"efficiency": 0}},
    "links": {"within_node": {"latency_ms": 0, "bytes_per_s": 1}, "between_nodes": {"latency_ms": 0, "bytes_per_s": 1}},
    "contention": {"communication_slowdown": -1},
    "origin": {"runs": [1]},
}


def main() -> None:
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    models = sorted(pathlib.Path(sys.argv[2]).glob("*.cost.json"))
    assert models, "no cost models to validate"
    for path in models:
        validator.validate(json.loads(path.read_text()))
    good = json.loads(models[0].read_text())
    for field, value in ALTERATIONS.items():
        altered = copy.deepcopy(good)
        altered[field] = value
        assert not validator.is_valid(altered), f"{field} = {value!r} was accepted"
    print(f"{len(models)} cost models fit the schema, {len(ALTERATIONS)} altered ones do not")


main()
