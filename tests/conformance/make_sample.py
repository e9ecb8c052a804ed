#!/usr/bin/env python3
"""Makes the sample graphs, and the plan of the first, from graphs of published runs.

    make_sample.py PROGRAMS [--halves GRAPH]

PROGRAMS is the folder with `overlap`. Written are, in `resources/samples`,

- `llama3_8b_fsdp128.prebucket.graph.json.gz`, the graph of run b of docs/predictions.md with the cost model of its
  machine and the word that its job compiles blocks, and `llama3_8b_fsdp128.plan.json`, what torchtitan makes of it;
- with `--halves`, `deepseek_v3_16b_fsdp32_ep32.graph.json.gz` with the cost model of its machine. GRAPH is the one that
  tests/torch/published_graphs.py makes of `deepseek_v3_16b_fsdp32_ep32_halves`.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "tests/data/published_runs/b_llama3_8b_fsdp128.prebucket.graph.json.gz"
SAMPLES = ROOT / "resources/samples"
NAME = "llama3_8b_fsdp128"
HALVES = "deepseek_v3_16b_fsdp32_ep32"
LAYERS = 32
NOTES = ("As torchtitan buckets this step: embeddings, each transformer block, norm with head and loss. The job ran on 128 H100 "
         "(96 GB, 500 W) with local batch 2: published are 6,514 tokens a second and GPU, which is 2,515 ms a step.")


def module_order(graph):
    """Place of each module with parameters, in the order of the inputs."""
    modules = dict.fromkeys(name.rpartition(".")[0] for name in graph["placeholder_fqns"].values())
    modules.pop("", None)
    return {module: place for place, module in enumerate(modules)}


def sample_plan(graph):
    layers = [{"modules": f"layers.{layer}"} for layer in range(LAYERS)]
    return {
        "format": "overlap-plan",
        "version": 1,
        "name": "torchtitan default",
        "buckets": [{"modules": "tok_embeddings"}, *layers, {"modules": ["norm", "lm_head", "loss"]}],
        "pipeline": [{"pass": "joint_transformer_block_bucketing_reordering_pass",
                      "options": {"fsdp_param_module_order": module_order(graph)}}],
        "notes": NOTES,
    }


def write_sample(overlap, published, name, scratch, *options):
    """Writes a published graph under another name and with a cost model. Returns its document and where the sample is."""
    nothing, named = scratch / "nothing.json", scratch / "named.json"
    nothing.write_text("[]", encoding="utf-8")
    graph = json.loads(gzip.decompress(published.read_bytes()))
    graph["name"] = name
    named.write_text(json.dumps(graph), encoding="utf-8")
    sample = SAMPLES / (name + ".graph.json.gz")
    subprocess.run([overlap, "apply", named, "--pipeline", nothing, *options, "-o", sample], check=True)
    return graph, sample


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--halves", type=pathlib.Path)
    given = parser.parse_args()
    overlap = given.programs / "overlap"
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if given.halves:
            write_sample(overlap, given.halves, HALVES, scratch, "--cost-model", "h100-sxm")
        graph, sample = write_sample(overlap, PUBLISHED, NAME + ".prebucket", scratch, "--cost-model",
                                     "h100-96gb-500w", "--compiled", "blocks")
        plan = scratch / "plan.json"
        plan.write_text(json.dumps(sample_plan(graph)), encoding="utf-8")
        # With the graph's fingerprint, and as the application writes plans.
        subprocess.run([overlap, "export", plan, "--graph", sample, "--to", "plan",
                        "-o", SAMPLES / (NAME + ".plan.json")], check=True)


if __name__ == "__main__":
    main()
