"""The digest that the Python package computes is the one that the application computes."""
from __future__ import annotations

import copy
import gzip
import json
import unittest
from pathlib import Path
from typing import Any

from overlap_studio.digests import fingerprint, first_difference, graph_identity, node_digests, value_digest

from cases import add_cases
from programs import REPOSITORY, overlap

GRAPHS = sorted((REPOSITORY / "tests" / "data" / "graphs").glob("*.graph.json.gz"))
SMALL = REPOSITORY / "tests" / "data" / "graphs" / "llama3_debugmodel_fsdp8_aot_fw.graph.json.gz"


def read(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class AgreesWithTheApplication(unittest.TestCase):
    def check(self, path: Path) -> None:
        told = json.loads(overlap("info", "--json", path))
        self.assertEqual(graph_identity(read(path)),
                         {"name": told["name"], "nodes": told["nodes"], "digest": told["digest"]})


class SeesEveryChange(unittest.TestCase):
    """What the passes look at changes the digest, at the node that was changed."""

    def check(self, change: dict[str, Any]) -> None:
        document = read(SMALL)
        changed = copy.deepcopy(document)
        position = next(i for i, node in enumerate(changed["nodes"]) if node["target"] == "aten.mm.default")
        changed["nodes"][position].update(change)
        self.assertNotEqual(fingerprint(document), fingerprint(changed))
        self.assertEqual(first_difference(node_digests(document), node_digests(changed)), position)

    def test_name(self) -> None:
        document = read(SMALL)
        changed = copy.deepcopy(document)
        changed["nodes"][-1]["name"] = "output_of_another_name"
        self.assertEqual(first_difference(node_digests(document), node_digests(changed)), len(changed["nodes"]) - 1)

    def test_a_missing_node_at_the_end_is_a_difference_there(self) -> None:
        digests = node_digests(read(SMALL))
        self.assertEqual(first_difference(digests, digests[:-1]), len(digests) - 1)

    def test_times_and_custom_fields_are_no_part_of_it(self) -> None:
        document = read(SMALL)
        changed = copy.deepcopy(document)
        for node in changed["nodes"]:
            node["estimate_ms"] = 1.0
            node["further"] = "field"
        self.assertEqual(fingerprint(document), fingerprint(changed))


class DigestOfAValue(unittest.TestCase):
    def test_it_is_the_application_s(self) -> None:
        """tests/exports/job_plan_test.cpp has the same value and digest."""
        value = json.loads("""{"none": null, "flags": [true, false],
            "numbers": [0, -7, 9223372036854775807, 18446744073709551615, 0.1, 1e300, 2.0],
            "texts": ["", "layers.0", "\\u00e9\\"", "exactly8", "longer than eight"],
            "inner": {"node": "mm", "b": {}, "a": []}}""")
        self.assertEqual(value_digest(value), "37594863abb520bf")


add_cases(AgreesWithTheApplication, AgreesWithTheApplication.check,
          [(path.name.removesuffix(".graph.json.gz"), (path,)) for path in GRAPHS])
add_cases(SeesEveryChange, SeesEveryChange.check, [
    ("operator", ({"target": "aten.bmm.default"},)),
    ("arguments", ({"args": [1, 2.0, "text", None, True, {"slice": [0, None, 1]}, {"float": "inf"}]},)),
    ("keywords", ({"kwargs": {"dtype": {"dtype": "bfloat16"}, "device": {"device": "cuda:0"}}},)),
    ("tensors", ({"outputs": [{"dtype": "float32", "shape": [3, 5], "stride": [5, 1], "device": "cuda", "storage": 0,
                               "storage_bytes": 60}, None]},)),
    ("modules", ({"module_stack": [["", "Model"], ["layers.0", "Block"]]},)),
    ("module_name", ({"custom": {"module_fqn": "layers.0"}},)),
])

if __name__ == "__main__":
    unittest.main()
