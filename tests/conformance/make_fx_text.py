#!/usr/bin/env python3
"""Make tests/data/fx_text: a small step traced by PyTorch, as a graph document and as the texts that torch.fx prints of it.

    make_fx_text.py TOOLS OUT        needs torch; TOOLS is the folder with fx_to_graph.py, OUT the folder to write
"""
import json
import os
import sys

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._dtype_abbrs import dtype_abbrs

collectives = torch.ops._c10d_functional


def step(weight, x, table):
    """A sharded matrix product with what a transformer has around it."""
    gathered = collectives.wait_tensor(collectives.all_gather_into_tensor(weight.to(torch.bfloat16), 4, "0"))
    hidden = torch.nn.functional.silu(x.to(torch.bfloat16) @ gathered.t())
    left, right = hidden.split(32, dim=1)
    masked = torch.where(left > 0, left, torch.full((), -float("inf"), dtype=left.dtype))
    shifted = masked + right.float().mean(dim=-1, keepdim=True).to(torch.bfloat16)
    probabilities = torch.softmax(shifted.float(), -1).to(torch.bfloat16)
    rows = torch.nn.functional.embedding(torch.arange(8), table)
    gradient = probabilities.t() @ x.to(torch.bfloat16)
    reduced = collectives.wait_tensor(collectives.reduce_scatter_tensor(gradient.contiguous(), "avg", 4, "0"))
    strided = torch.cat([reduced, reduced], 0).view(2, -1).permute(1, 0)[1:5:2]
    return reduced, strided, rows.sum(), torch.topk(probabilities, 3)


def type_text(tensor):
    return f"{dtype_abbrs[tensor.dtype]}{list(tensor.shape)}{list(tensor.stride())}{tensor.device}"


def main(tools, out):
    sys.path.insert(0, tools)
    import fx_to_graph

    dist.init_process_group("fake", rank=1, world_size=4, store=FakeStore())
    with FakeTensorMode():
        traced = make_fx(step)(torch.empty(16, 32), torch.empty(8, 32), torch.empty(100, 16))
    groups = [{"name": "0", "ranks": [0, 1, 2, 3], "rank": 1}]
    document = fx_to_graph.graph_to_dict(traced, "step", groups, world_size=4, rank=1)
    fx_to_graph.write(document, os.path.join(out, "step.graph.json"))
    inputs = {node.name: type_text(node.meta["val"]) for node in traced.graph.nodes if node.op == "placeholder"}
    texts = {
        "step.readable.py": traced.print_readable(print_output=False, include_stride=True, include_device=True),
        "step.untyped.py": traced.code,
        "step.nodes.txt": str(traced.graph),
        "step.tensors.json": json.dumps(inputs, indent=1),
    }
    for name, text in texts.items():
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
