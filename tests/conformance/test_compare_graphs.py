#!/usr/bin/env python3
"""Tests of the comparison itself: a judge that calls everything the same would let every golden pass."""
import copy
import unittest

from compare_graphs import difference

TENSOR = {"dtype": "float32", "shape": [2, 3], "stride": [3, 1]}
GRAPH = {
    "process_groups": [{"name": "0", "ranks": [0, 1]}],
    "nodes": [
        {"name": "x", "op": "placeholder", "target": "x", "outputs": [TENSOR]},
        {"name": "made", "op": "call_function", "target": "aten.add.Tensor", "args": [{"node": "x"}, 1],
         "kwargs": {"group": "0"}, "outputs": [TENSOR]},
        {"name": "output", "op": "output", "target": "output", "args": [[{"node": "made"}]]},
    ],
}


class Comparison(unittest.TestCase):
    def setUp(self):
        self.other = copy.deepcopy(GRAPH)

    def test_a_graph_is_the_same_as_itself(self):
        self.assertIsNone(difference(GRAPH, self.other))

    def test_names_that_a_pass_made_up_may_differ(self):
        self.other["nodes"][1]["name"] = "invented"
        self.other["nodes"][2]["args"] = [[{"node": "invented"}]]
        self.assertIsNone(difference(GRAPH, self.other))

    def test_a_name_that_both_have_must_stand_in_the_same_place(self):
        self.other["nodes"][1]["name"] = "output"
        self.other["nodes"][2]["name"] = "made"
        self.assertIn("expected made", difference(GRAPH, self.other))

    def test_each_field_counts(self):
        changes = {
            "op": "call_method",
            "target": "aten.sub.Tensor",
            "args": [{"node": "x"}, 1.0],
            "kwargs": {},
            "outputs": [dict(TENSOR, stride=[1, 2])],
        }
        for field, value in changes.items():
            with self.subTest(field=field):
                other = copy.deepcopy(GRAPH)
                other["nodes"][1][field] = value
                self.assertIn(field, difference(GRAPH, other))

    def test_metadata_counts_where_it_is_asked_for(self):
        changes = {
            "name": "invented",
            "custom": {"module_fqn": "layers.0"},
            "titan_meta": {"recompute": "CheckpointPolicy.MUST_SAVE"},
            "autograd_backward": True,
            "seq_nr": 3,
            "symbolic_shapes": [["u0", 3]],
            "symbolic_value": {"symbol": "u0", "hint": 8},
            "users_order": ["output"],
        }
        for field, value in changes.items():
            with self.subTest(field=field):
                other = copy.deepcopy(GRAPH)
                other["nodes"][1][field] = value
                if field == "name":
                    other["nodes"][2]["args"] = [[{"node": value}]]
                self.assertIsNone(difference(GRAPH, other))
                self.assertIn(field, difference(GRAPH, other, True, True))

    def test_a_symbol_that_is_a_number_is_none(self):
        self.other["nodes"][1]["symbolic_value"] = {"symbol": "0", "hint": 0}
        self.assertIsNone(difference(GRAPH, self.other, True, True))

    def test_a_missing_node_counts(self):
        del self.other["nodes"][2]
        self.assertIn("2 nodes, expected 3", difference(GRAPH, self.other))

    def test_a_new_group_counts_by_its_ranks(self):
        expected, actual = copy.deepcopy(GRAPH), self.other
        for document, name in ((expected, "a"), (actual, "b")):
            document["process_groups"].append({"name": name, "ranks": [0, 1]})
            document["nodes"][1]["kwargs"] = {"group": name}
        self.assertIsNone(difference(expected, actual))
        actual["process_groups"][1]["ranks"] = [0, 2]
        self.assertIn("kwargs", difference(expected, actual))


if __name__ == "__main__":
    unittest.main()
