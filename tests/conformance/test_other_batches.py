#!/usr/bin/env python3
"""Graphs of published runs with another local batch have the digests of graphs that PyTorch traced with that batch."""
from command_line import CommandLine, data, main

# Traced by torchtitan's trainer with 4 sequences a rank: tests/data/published_runs/README.md says how.
TRACED_WITH_4 = {"a_llama3_8b_fsdp8": "1deacc07f99ca840", "c_llama3_8b_fsdp8_tp8": "ea0c0ce3085ea3ff"}


class OtherBatches(CommandLine):
    def test_digests_of_traces(self):
        for name, digest in TRACED_WITH_4.items():
            with self.subTest(name):
                changed = self.path("changed.graph.json")
                self.expect(0, "estimate", data("published_runs", name + ".prebucket.graph.json.gz"), "--local-batch",
                            "4", "--cost-model", "h100-96gb-500w", "-o", changed)
                self.assertEqual(self.json("info", changed, "--json")["digest"], digest)

    def test_a_batch_that_cannot_be_changed_says_where(self):
        for name, words in (("a100_llama3_8b_fsdp64", "torch traces sizes of 1 in their own way"),
                            ("h100_deepseek_v3_16b_fsdp32_ep32", 'node "index": the batch cannot be changed: ')):
            with self.subTest(name):
                done = self.expect(1, "simulate", data("published_runs", name + ".prebucket.graph.json.gz"),
                                   "--local-batch", "6", "--cost-model", "h100-96gb-500w")
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    main()
