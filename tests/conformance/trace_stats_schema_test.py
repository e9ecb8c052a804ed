#!/usr/bin/env python3
"""Validates what `overlap trace-stats --json` prints against its JSON Schema.

    trace_stats_schema_test.py PROGRAMS SCHEMA TRACE...
"""
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed; the figures are tested in test_traces.py all the same")
    sys.exit(0)


def main():
    programs, schema_file, *traces = sys.argv[1:]
    with open(schema_file) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for files in [[trace] for trace in traces] + [traces]:
        command = [os.path.join(programs, "overlap"), "trace-stats", "--json", *files]
        document = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)
        validator.validate(document)
        assert ("alignment" in document) == (len(files) > 1)
        document["ranks"][0]["exposed"] = 1
        assert not validator.is_valid(document), "a field that the schema does not know was accepted"
    print(f"the figures of {len(traces)} traces fit the schema")


if __name__ == "__main__":
    main()
