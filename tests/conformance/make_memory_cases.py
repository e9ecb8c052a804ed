#!/usr/bin/env python3
"""Make golden cases of the passes of memory with torchtitan itself, on graphs of its trainer.

    make_memory_cases.py --reference TOOLS --torchtitan FOLDER --out FOLDER [--each N] [--seed S] GRAPH...

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with run_trainer_pass.py,
--torchtitan a checkout of torchtitan at b5bcd76c. Each graph gets N drawn cases: a policy with its options, offloading and
rematerialisation, or drawn recompute tags in place of the policy. A case is determined by its seed, its graph's name and its
number, and runs in a forked process of its own. Left out are results in which two nodes have one name. FOLDER receives manifest.json in the shape of the goldens' manifest, with
results and tags. Check them with `run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import json
import os
import random

from trainer_cases import prepared, repeats_a_name, run_forked, write_manifest

TAGS = ["MUST_SAVE", "PREFER_RECOMPUTE", "MUST_RECOMPUTE", "MUST_CPU_OFFLOAD", "PREFER_SAVE", None]
REMATERIALISE = {"pass": "selective_activation_remat_pass", "options": {}}
# Tagged for offloading, these make the pass raise; a case in which they all do tells little.
VIEWS = tuple(f"aten.{name}." for name in ("_unsafe_view", "alias", "as_strided", "detach", "expand", "narrow", "permute",
                                           "reshape", "select", "slice", "split", "squeeze", "t", "transpose", "unfold",
                                           "unsqueeze", "view"))


def is_forward_call(node):
    return node["op"] == "call_function" and not node.get("autograd_backward")


def drawn_selector(choose, modules, targets):
    def varied(part):
        return choose.choice([part, part, "*", f"{part[:1]}*", "?" * len(part), "[0-3]" if part.isdigit() else part])

    module = ".".join(varied(part) for part in choose.choice(modules).split("."))
    return module + choose.choice(["::", " :: "]) + choose.choice(targets)


def drawn_policy(choose, document):
    options = {"memory_policy": choose.choice(["default", "full", "eager", "sac_and_offload", "sac_and_offload"])}
    if choose.random() < 0.5:
        options["reshard_after_forward"] = choose.random() < 0.5
    if options["memory_policy"] == "sac_and_offload" and choose.random() < 0.7:
        options["cpu_offload_budget_gb"] = choose.choice([0, -1, 0.001, 0.01, 0.02, 0.05, 1, 3.5])
    if options["memory_policy"] == "full" and choose.random() < 0.6:
        targets = sorted({node["target"] for node in document["nodes"] if node["op"] == "call_function"})
        modules = sorted({node.get("custom", {}).get("module_fqn", "") for node in document["nodes"]})
        selectors = [drawn_selector(choose, modules, targets) for _ in range(choose.randint(1, 3))]
        options["full_recompute_save_ops"] = choose.choice(["|", " | "]).join(selectors)
    return {"pass": "tag_with_memory_policy_pass", "options": options}


def drawn_offload(choose):
    options = {"prefetch_lookahead": choose.choice([0, 1, 1, 2, 3, 7, -1]), "defer_n_layers": choose.choice([0, 1, 1, 1, 2, 3, 9])}
    return {"pass": "apply_cpu_offload_pass", "options": options}


def drawn_tags(choose, document):
    share, tags = choose.choice([0.1, 0.5]), {}
    saves_only = choose.random() < 0.2
    for node in filter(is_forward_call, document["nodes"]):
        if choose.random() >= share:
            continue
        tag = choose.choice(TAGS)
        no_tensor = node.get("multi") or not node.get("outputs")
        if tag == "MUST_CPU_OFFLOAD" and (no_tensor or node["target"].startswith(VIEWS)) and choose.random() < 0.999:
            tag = "MUST_SAVE"
        if saves_only and tag and tag.endswith("RECOMPUTE"):
            tag = "MUST_SAVE"
        tags[node["name"]] = tag
    return tags


def drawn_case(choose, document):
    """Pipeline, and the tags to set before it or None."""
    if choose.random() < 0.5:
        steps = [drawn_policy(choose, document)]
        if choose.random() < 0.8:
            steps.append(drawn_offload(choose))
            if choose.random() < 0.8:
                steps.append(REMATERIALISE)
        return steps, None
    steps = [drawn_offload(choose)] + ([REMATERIALISE] if choose.random() < 0.8 else [])
    if choose.random() < 0.2:
        steps.insert(0, drawn_policy(choose, document))
    return steps, drawn_tags(choose, document)


def main():
    arguments, tool, trainer = prepared(__doc__)
    goldens = []
    for path in arguments.graphs:
        name = os.path.basename(path).removesuffix(".graph.json.gz")
        graph = tool.Graph(path)
        for number in range(arguments.each):
            choose = random.Random(f"{arguments.seed}/{name}/{number}")
            steps, tags = drawn_case(choose, graph.document)
            case = f"{name}.{arguments.seed}.{number}"
            entry = {"id": case, "graph": name, "graph_file": os.path.relpath(path, arguments.out), "pipeline": steps}
            if tags is not None:
                entry["tags_file"] = f"{case}.tags.json"
                with open(os.path.join(arguments.out, entry["tags_file"]), "w", encoding="utf-8") as file:
                    json.dump(tags, file)
            error = run_forked(tool, trainer, graph, steps, tags, os.path.join(arguments.out, f"{case}.graph.json.gz"))
            entry.update({"error": error} if error else {"result_file": f"{case}.graph.json.gz"})
            if not error and repeats_a_name(os.path.join(arguments.out, entry["result_file"])):
                for file in filter(None, (entry["result_file"], entry.get("tags_file"))):
                    os.remove(os.path.join(arguments.out, file))
            else:
                goldens.append(entry)
    write_manifest(goldens, arguments.out)


if __name__ == "__main__":
    main()
