"""Validates plan documents against the JSON Schema: those in a folder must fit, altered ones must not.

usage: plan_schema_test.py SCHEMA FOLDER
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed; the structural test in plan_file_test.cpp remains")
    sys.exit(0)


def main() -> None:
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    plans = sorted(pathlib.Path(sys.argv[2]).glob("*.plan.json"))
    assert plans, "no plans to validate"
    for path in plans:
        validator.validate(json.loads(path.read_text()))

    good = json.loads(plans[0].read_text())
    alterations = {
        "version": 2,
        "format": "overlap-graph",
        "graph": {"name": "x", "nodes": 1, "digest": "short"},
        "module_rules": [{"kind": "names", "module": "layers.0"}],
        "buckets": [{"modules": [1]}],
        "pipeline": [{"pass": "manual_overlap_bucketing", "options": {"bucket_mod": None}}],
        "memory": {"rules": [{"modules": "layers.0"}]},
        "overlaps": [{"start_before": "mm"}],
        "notes": 3,
        "colour": "#ff0000",
    }
    for field, value in alterations.items():
        altered = copy.deepcopy(good)
        altered[field] = value
        assert not validator.is_valid(altered), f"{field} = {value!r} was accepted"
    print(f"{len(plans)} plans fit the schema, {len(alterations)} altered ones do not")


main()
