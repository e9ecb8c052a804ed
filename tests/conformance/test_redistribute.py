#!/usr/bin/env python3
"""Questions on device orders as a user meets them: overlap redistribute, and orders that would save something."""
import json
import os

from command_line import CommandLine, data, main


class Redistribute(CommandLine):
    HEADER = {"mesh_shape": [2, 2, 2], "mesh_dim_names": ["pp", "dp", "tp"], "devices_per_host": 8,
              "tensor_shape": [64, 48], "dtype": "float32"}

    def answers(self, cases, *options, **header):
        results = self.path("results.json")
        document = {"header": {**self.HEADER, **header}, "cases": cases}
        self.expect(0, "redistribute", self.path("cases.json", document), "-o", results, *options)
        with open(results) as file:
            return json.load(file)["cases"]

    def refused(self, words, *cases, **header):
        document = {"header": {**self.HEADER, **header}, "cases": list(cases)}
        self.expect_error(1, ["cases.json", *words], "redistribute", self.path("cases.json", document), "-o", self.path("results.json"))
        self.assertFalse(os.path.exists(self.path("results.json")))

    def test_another_order_of_the_source_makes_the_seeds_case_cheaper(self):
        given, dragged = self.answers([{"id": "given", "src": "S(0)S(0)S(0)", "dst": "S(0)[1,2]R[0]"},
                                       {"id": "dragged", "src": "S(0)[1,2,0]", "dst": "S(0)[1,2]R[0]"}])
        self.assertEqual(given["plans"]["greedy"]["path"].split("->")[0], "S(0)[0]S(0)[1]S(0)[2]")
        self.assertAlmostEqual(given["torch_default_executed"], 10.914, places=3)
        self.assertEqual(len(dragged["plans"]["optimal"]["steps"]), 1)
        self.assertLess(dragged["plans"]["optimal"]["total_cost"], given["plans"]["optimal"]["total_cost"])

    def test_measured_times_decide_for_the_optimal_plan(self):
        case = {"id": "gather", "src": "S(0)S(0)R", "dst": "RRR"}
        series = [{"collective": "all_gather", "mesh_dims": dims, "points": [[1024, us]]}
                  for dims, us in ((["pp"], 1.0), (["dp"], 1.0), (["dp", "pp"], 900.0))]
        table = self.path("table.json", {"series": series})
        self.assertEqual(len(self.answers([case])[0]["plans"]["optimal"]["steps"]), 1)
        self.assertEqual(len(self.answers([case], "--costs", table)[0]["plans"]["optimal"]["steps"]), 2)

    def test_questions_that_make_no_sense(self):
        self.refused(["cases[0] \"a\"", "2 placements", "3 dimensions"], {"id": "a", "src": "S(0)S(0)", "dst": "RRR"})
        self.refused(["dst", "mesh dimension 0 is there twice"], {"id": "a", "src": "RRR", "dst": "S(0)[0,0]R[1,2]"})
        self.refused(["src", "mesh dimension 2 is missing"], {"id": "a", "src": "S(0)[0]R[1]", "dst": "RRR"})
        self.refused(["src", "S(2) cuts a dimension"], {"id": "a", "src": "S(2)RR", "dst": "RRR"})
        self.refused(["called \"dp\""], {"id": "a", "src": "RRR", "dst": "RRR"}, mesh_dim_names=["dp", "tp", "dp"])
        self.refused(["not \"shard_ordr\""], {"id": "a", "dst": "RRR", "src": {"placements": ["R"] * 3, "shard_ordr": []}})

    def test_partials_that_do_not_mix_and_shards_that_do_not_fit(self):
        self.refused(["does not mix partial operations"], {"id": "a", "src": "RRR", "dst": "P(max)P(min)R"})
        (answer,) = self.answers([{"id": "a", "src": "_S(0, 2)RR", "dst": "RR_S(0, 3)"}])
        self.assertIn("plans", answer)

    def test_orders_that_would_save_something(self):
        graph = data("redistribution_graphs", "fsdp_tp.graph.json")
        self.assertIn("40.56", self.expect(0, "info", graph, "--redistributions").stdout)


if __name__ == "__main__":
    main()
