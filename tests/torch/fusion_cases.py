"""Makes tests/data/published_runs/fusion_cases.json: what Inductor fuses in pieces of real training steps.

    PYTHONPATH=resources/torch python tests/torch/fusion_cases.py [NAME...]

Each case is a graph document and the kernels that Inductor's scheduler makes of it, on CPU and for an H100. Nothing is
compiled or run, so sizes are those of the real jobs. Takes about two minutes.
"""
from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
from overlap_studio import export_graph

from graph_pieces import Spec, piece_of, read_document, use_process_groups_of
from inductor_kernels import H100, THREADS, kernels_of
from programs import REPOSITORY

GRAPHS = REPOSITORY / "tests" / "data" / "graphs"
FOLDER = REPOSITORY / "tests" / "data" / "published_runs"
PUBLISHED = "a_llama3_8b_fsdp8.prebucket"
PUBLISHED_TP = "c_llama3_8b_fsdp8_tp8.prebucket"
LLAMA = "llama3_8b_fsdp64.prebucket"
LLAMA_TP = "llama3_debugmodel_fsdp4_tp2.prebucket"
LLAMA_AOT = "llama3_8b_fsdp64_aot_fw"
AUTOPARALLEL = "llama3_8b_fw_64_2d"
AUTOPARALLEL_BACKWARD = "llama3_8b_bw_64_1d"
DEEPSEEK = "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"
# Kernels of their own on every device; for flex attention's backward Inductor has none on CPU.
ATTENTION = r"higher_order\..*|aten\._scaled_dot_product.*"
NOTHING = ""
FORWARD, BACKWARD = False, True


@dataclass(frozen=True)
class Case:
    """Nodes of one graph: those of some modules in one direction, or those between two nodes."""

    name: str
    about: str
    graph: str
    modules: str = ".*"
    backward: bool | None = None  # both directions
    first: str = ""
    last: str = ""
    without: str = ATTENTION
    with_those_between: bool = True

    def takes(self, spec: Spec) -> bool:
        return (re.fullmatch(self.modules, module_of(spec)) is not None
                and re.fullmatch(self.without, spec["target"]) is None
                and self.backward in (None, bool(spec.get("autograd_backward"))))


def module_of(spec: Spec) -> str:
    """torchtitan's annotation; in graphs of AOT autograd the outermost module below the model."""
    stack = spec.get("module_stack")
    return spec.get("custom", {}).get("module_fqn", "") or (stack[0][0].removeprefix("L['self'].") if stack else "")


CASES = (
    Case("llama_ffn_forward", "RMSNorm, SwiGLU and its products, casts ahead of gathers", LLAMA,
         r"layers\.1\.(ffn_norm|feed_forward.*)", FORWARD),
    Case("llama_ffn_backward", "their backward, with the forward recomputed", LLAMA,
         r"layers\.1\.(ffn_norm|feed_forward.*)", BACKWARD),
    Case("llama_attention_forward", "RMSNorm, products of Q, K and V, rotary embedding in complex numbers", LLAMA,
         r"layers\.1\.(attention_norm|attention.*)", FORWARD),
    Case("llama_attention_backward", "their backward, with the forward recomputed", LLAMA,
         r"layers\.1\.(attention_norm|attention.*)", BACKWARD),
    Case("block_forward", "a whole block and the norm behind it, with its attention kernel", PUBLISHED,
         r"layers\.1(\..*)?|layers\.2\.attention_norm", FORWARD, without=NOTHING),
    Case("block_backward", "a whole block backward, recomputed as selective checkpointing does", PUBLISHED,
         r"layers\.1(\..*)?", BACKWARD, without=NOTHING),
    Case("two_blocks_forward", "two blocks: what is the same in each", PUBLISHED, r"layers\.[34](\..*)?", FORWARD,
         without=NOTHING),
    Case("loss", "the last norm, product with the vocabulary and cross-entropy, both directions", PUBLISHED,
         r"norm|lm_head|loss"),
    Case("tp_block_forward", "a block with tensor parallelism over 8 ranks and its layout copies", PUBLISHED_TP,
         r"layers\.1(\..*)?", FORWARD, without=NOTHING),
    Case("tp_block_backward", "its backward, recomputed as selective checkpointing does", PUBLISHED_TP,
         r"layers\.1(\..*)?", BACKWARD, without=NOTHING),
    Case("tp_loss", "cross-entropy over a vocabulary that is cut, both directions", PUBLISHED_TP,
         r"norm|lm_head|loss"),
    Case("llama_loss", "the last norm, product with the vocabulary and cross-entropy in 8 chunks, both directions",
         LLAMA, r"norm|lm_head|loss"),
    Case("llama_embedding_forward", "embedding and the first norm", LLAMA,
         r"tok_embeddings|layers\.0\.attention_norm", FORWARD),
    Case("llama_embedding_backward", "gradient of the embedding and its cast", LLAMA, r"tok_embeddings", BACKWARD),
    Case("llama_aot_block_forward", "a block without memory policy: activations leave the graph for the backward",
         LLAMA_AOT, r"layers\.1"),
    Case("llama_layout_copies_forward", "a block with tensor parallelism on tensors of three dimensions: a copy behind "
         "each gather, one ahead of each scatter; decomposed operators", AUTOPARALLEL,
         first="convert_element_type_20", last="add_7"),
    Case("llama_decomposed_backward", "from one attention's backward to the next one's: decomposed operators",
         AUTOPARALLEL_BACKWARD, first="getitem_6", last="permute_107"),
    Case("llama_tp_loss", "cross-entropy over a vocabulary that is cut, both directions", LLAMA_TP,
         r"norm|lm_head|loss"),
    Case("llama_tp_embedding_forward", "embedding of a vocabulary that is cut", LLAMA_TP, r"tok_embeddings", FORWARD),
    Case("llama_tp_embedding_backward", "its gradient", LLAMA_TP, r"tok_embeddings", BACKWARD),
    Case("deepseek_mla_forward", "latent attention: norms, slices, rotary embedding of a part, concatenations", DEEPSEEK,
         r"layers\.2\.(attention_norm|attention.*)", FORWARD),
    Case("deepseek_mla_backward", "its backward", DEEPSEEK, r"layers\.2\.(attention_norm|attention.*)", BACKWARD),
    Case("deepseek_router_forward", "softmax, top-k, counts of tokens", DEEPSEEK,
         r"layers\.2\.(ffn_norm|moe|moe\.router.*)", FORWARD, with_those_between=False),
    Case("deepseek_router_backward", "its backward", DEEPSEEK, r"layers\.2\.(ffn_norm|moe|moe\.router.*)", BACKWARD,
         with_those_between=False),
    Case("deepseek_experts_forward", "grouped products, SwiGLU between them, shared experts", DEEPSEEK,
         r"layers\.2\.moe\.(routed_experts\.inner_experts|shared_experts.*)", FORWARD, with_those_between=False),
    Case("deepseek_experts_backward", "their backward", DEEPSEEK,
         r"layers\.2\.moe\.(routed_experts\.inner_experts|shared_experts.*)", BACKWARD, with_those_between=False),
)


@cache
def document_of(graph: str) -> Spec:
    folder = FOLDER if graph in (PUBLISHED, PUBLISHED_TP) else GRAPHS
    return read_document(folder / f"{graph}.graph.json.gz")


def piece(case: Case, device: str) -> fx.GraphModule:
    """The case's nodes with everything that stands between its first and its last."""
    document = document_of(case.graph)
    use_process_groups_of(document)
    names = [spec["name"] for spec in document["nodes"]]
    between = set(names[names.index(case.first):names.index(case.last) + 1]) if case.first else set(names)
    return piece_of(document, lambda spec: spec["name"] in between and case.takes(spec), device,
                    case.with_those_between)


def case_document(case: Case) -> dict[str, Any]:
    """Writes the case's graph; what stands of the case in the list."""
    path = FOLDER / "fusion" / f"{case.name}.graph.json.gz"
    export_graph(piece(case, "cuda:0"), path, name=case.name)
    return {"name": case.name, "about": case.about, "graph": f"fusion/{path.name}", "taken_from": case.graph,
            "kernels": {"cpu": kernels_of(piece(case, "cpu"), "cpu"), "cuda": kernels_of(piece(case, "cuda:0"), "cuda")}}


def write(cases: Sequence[dict[str, Any]], path: Path) -> None:
    """One line a kernel, so that changes can be read."""
    head = {"torch": torch.__version__, "cpu_threads": THREADS, "cuda_device": H100._asdict()}
    lines = ["{", *(f"{json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()), '"cases": [']
    for index, case in enumerate(cases):
        lines.append("{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in case.items()
                                     if key != "kernels") + ', "kernels": {')
        for device, kernels in case["kernels"].items():
            lines.append(f'"{device}": [')
            lines += [json.dumps(kernel) + "," * (place < len(kernels) - 1) for place, kernel in enumerate(kernels)]
            lines.append("]" + "," * (device == "cpu"))
        lines.append("}}" + "," * (index < len(cases) - 1))
    path.write_text("\n".join([*lines, "]}", ""]), encoding="utf-8")


def main(names: Sequence[str]) -> None:
    logging.disable(logging.WARNING)
    (FOLDER / "fusion").mkdir(parents=True, exist_ok=True)
    if not names:
        for old in (FOLDER / "fusion").glob("*.graph.json.gz"):
            old.unlink()
    path = FOLDER / "fusion_cases.json"
    earlier = json.loads(path.read_text(encoding="utf-8"))["cases"] if names and path.exists() else []
    made = {case["name"]: case for case in earlier}
    for case in CASES:
        if not names or case.name in names:
            made[case.name] = case_document(case)
            print(case.name, {device: len(kernels) for device, kernels in made[case.name]["kernels"].items()}, flush=True)
            write([made[known.name] for known in CASES if known.name in made], path)  # one that fails loses no other


if __name__ == "__main__":
    main(sys.argv[1:])
