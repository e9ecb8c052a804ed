#!/usr/bin/env python3
"""Make golden cases of the passes that halve modules with experts with torchtitan itself, on graphs traced for it.

    make_chunk_cases.py --reference TOOLS --torchtitan FOLDER --out FOLDER [--each N] [--seed S] GRAPH...

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_trainer_pass.py,
--torchtitan a checkout of torchtitan at b5bcd76c. Each graph gets N drawn cases: modules, options and the passes around
ep_overlap_chunk_pass are drawn, and in half of them the graph is changed before: modules, directions and labels of some
nodes. A case is determined by its seed, its graph's name and its number, and runs in a forked process of its own. FOLDER
receives manifest.json in the shape of the goldens' manifest, with results and changed graphs. Check them with
`run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import gzip
import json
import os
import random

from trainer_cases import prepared, repeats_a_name, run_forked, write_manifest

PATTERNS = ["layers.*.moe", "layers.*.moe", "layers.*", "layers.*", "layers.*.moe.routed_experts", "layers.2.moe", "layers.1",
            "*.*.moe", "layers", "layers.*.moe.shared_experts", "layers.*.moe.routed_experts.inner_experts"]
POPULATE, CONCRETIZE = "populate_chunk_dim_metadata_pass", "concretize_ep_chunk_symbolic_shapes_pass"


def drawn_case(choose, document):
    """A pipeline around ep_overlap_chunk_pass."""
    mode, pattern = choose.choice(["batch", "batch", "seq"]), choose.choice(PATTERNS)
    options = {"mode": mode, "module_pattern": pattern, "num_static_inputs": document["num_static_inputs"]}
    if choose.random() < 0.3:
        options["optimize_grad_live_out"] = False
    if choose.random() < 0.3:
        options["require_all_to_all"] = False
    if choose.random() < 0.1:
        options["num_static_inputs"] += choose.choice([-1, 1, 2])
    steps = []
    # A graph that has been rematerialised once is refused by the pass that does it.
    rematerialised = any(node["name"].endswith("_recomputed") for node in document["nodes"])
    if choose.random() < 0.3 and not rematerialised:
        policy = choose.choice(["default", "full", "eager", "sac_and_offload"])
        steps.append({"pass": "tag_with_memory_policy_pass", "options": {"memory_policy": policy}})
        steps.append({"pass": "selective_activation_remat_pass", "options": {}})
    if choose.random() < 0.9:
        steps.append({"pass": POPULATE, "options": {"mode": mode}})
    steps.append({"pass": "ep_overlap_chunk_pass", "options": options})
    if choose.random() < 0.5:
        steps.append({"pass": "eliminate_dead_code_pass", "options": {}})
    if choose.random() < 0.5:
        steps.append({"pass": CONCRETIZE, "options": {}})
    return steps


def changed(choose, document):
    """The document with other modules, directions or labels of some nodes."""
    document = json.loads(json.dumps(document))
    calls = [node for node in document["nodes"] if node["op"] == "call_function"]
    modules = sorted({node["custom"]["module_fqn"] for node in calls if "module_fqn" in node.get("custom", {})})
    kind = choose.choice(["unnamed", "moved", "turned", "unlabelled", "mixed"])
    for node in choose.sample(calls, choose.choice([1, 3, 10])):
        custom = node.get("custom", {})
        if kind == "turned" or (kind == "mixed" and choose.random() < 0.2):
            if node.pop("autograd_backward", None) is None:
                node["autograd_backward"] = True
        elif kind == "moved" or (kind == "mixed" and choose.random() < 0.5):
            node["custom"] = {**custom, "module_fqn": choose.choice(modules)}
        else:
            custom.pop("EP" if kind == "unlabelled" else "module_fqn", None)
            if not custom:
                node.pop("custom", None)
    return document


def main():
    arguments, tool, trainer = prepared(__doc__)
    goldens = []
    for path in arguments.graphs:
        name = os.path.basename(path).removesuffix(".graph.json.gz")
        original = tool.Graph(path)
        for number in range(arguments.each):
            choose = random.Random(f"{arguments.seed}/{name}/{number}")
            steps = drawn_case(choose, original.document)
            case = f"{name}.{arguments.seed}.{number}"
            graph, graph_file = original, path
            if choose.random() < 0.5:
                graph_file = os.path.join(arguments.out, f"{case}.input.graph.json.gz")
                with gzip.open(graph_file, "wt", encoding="utf-8") as file:
                    json.dump(changed(choose, original.document), file)
                graph = tool.Graph(graph_file)
            entry = {"id": case, "graph": name, "graph_file": os.path.relpath(graph_file, arguments.out), "pipeline": steps}
            result = os.path.join(arguments.out, f"{case}.graph.json.gz")
            error = run_forked(tool, trainer, graph, steps, None, result)
            if not error and repeats_a_name(result):
                os.remove(result)
                continue
            entry.update({"error": error} if error else {"result_file": f"{case}.graph.json.gz"})
            goldens.append(entry)
            print(case, [step["pass"] for step in steps], error, flush=True)
    write_manifest(goldens, arguments.out)


if __name__ == "__main__":
    main()
