"""Graphs behind Inductor's own post-grad passes, where a job's custom passes stand: nodes of them are no more."""
import unittest

import torch.fx as fx
from torch._guards import detect_fake_mode
from torch._inductor.fx_passes.post_grad import post_grad_passes
from torch._inductor.virtualized import V

from pass_cases import GraphsOfJob, add_pass_cases
from traced_graphs import Job


def post_grad(graph_module: fx.GraphModule) -> None:
    placeholders = [node.meta["val"] for node in graph_module.graph.nodes if node.op == "placeholder"]
    with V.set_fake_mode(detect_fake_mode(placeholders)):
        post_grad_passes(graph_module, is_inference=False)


class Passes(GraphsOfJob):
    job = Job("post_grad", (("shard", 4), ("tensor", 2)))
    kinds = ("forward", "backward")
    after = staticmethod(post_grad)


add_pass_cases(Passes)
del GraphsOfJob  # which has no cases of its own

if __name__ == "__main__":
    unittest.main()
