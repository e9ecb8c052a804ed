#!/usr/bin/env python3
"""Make more golden cases of manual_overlap_bucketing with PyTorch itself, from random plans on real graphs.

    make_cases.py --reference TOOLS --graphs GRAPHS --out FOLDER [--count N] [--seed S] [GRAPH_NAME ...]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with
run_reference.py, GRAPHS one with overlap-graph files. FOLDER receives a manifest.json in the shape of the goldens'
manifest, and the results. Cases are determined by the seed. Each one runs in a forked process of its own, so that
nothing that PyTorch remembers of one case can colour the next; the manifest is rewritten after each.

Check them with `run_goldens.py PROGRAMS FOLDER/manifest.json`.
"""
import argparse
import gzip
import json
import os
import random
import re
import sys
import time
import traceback

DEFAULT_GRAPHS = (
    "llama3_debugmodel_fsdp8_aot_fw",
    "llama3_debugmodel_fsdp8_aot_bw",
    "llama3_debugmodel_fsdp8_aot_reshard_fw",
    "llama3_debugmodel_fsdp8_aot_reshard_bw",
    "llama3_debugmodel_fsdp8.prebucket",
    "llama3_debugmodel_fsdp4_tp2.prebucket",
    "llama3_debugmodel_fsdp8_mem_full.prebucket",
    "llama3_debugmodel_fsdp8_mem_sac_and_offload.prebucket",
    "deepseek_v3_debugmodel_fsdp8_ep4.prebucket",
    "deepseek_v3_debugmodel_fsdp8_ep4_epo_eager_moe_batch.prebucket",
    "deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.prebucket",
    "llama3_debugmodel_fsdp8",
    "llama3_debugmodel_fsdp8.pipeline-08-joint_transformer_block_bucketing_reordering_pass",
)

PLAN_KINDS = ("blocks",) * 3 + ("blocks_shuffled",) * 3 + ("mixed",) * 3 + ("one_level",) * 2 + ("partial",) * 2 + ("unknown", "overlap")


def clean(path):
    """A raw path of a module stack as torch's graph view reads it: L['self'] goes, quoted parts are joined by dots."""
    if path.startswith("L['self']"):
        path = path[len("L['self']"):].removeprefix(".")
    quoted = re.findall(r"\['([^']+)'\]", path)
    return ".".join(quoted) if quoted else path


def module_paths(document):
    """Dotted paths of all modules with nodes, and whether they come from custom.module_fqn."""
    stacks, names = set(), set()
    for node in document["nodes"]:
        for field in ("module_stack", "fwd_module_stack"):
            stacks.update(clean(entry[0]) for entry in node.get(field, []))
        names.add(node.get("custom", {}).get("module_fqn", ""))
    found = stacks or names
    every = {path for name in found for path in prefixes(name)} - {""}
    return sorted(every), not stacks


def prefixes(name):
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def is_inside(path, other):
    return path == other or path.startswith(other + ".")


def disjoint(paths, rng):
    """A random choice of paths of which none lies inside another."""
    chosen = []
    for path in rng.sample(paths, len(paths)):
        if not any(is_inside(path, other) or is_inside(other, path) for other in chosen):
            chosen.append(path)
    return chosen


def grouped(paths, rng, largest):
    """The paths as plan entries: plain strings, lists of one, longer lists."""
    entries, rest = [], list(paths)
    while rest:
        size = rng.randint(1, largest)
        entry, rest = rest[:size], rest[size:]
        entries.append(entry[0] if len(entry) == 1 and rng.random() < 0.6 else entry)
    return entries


def random_plan(paths, rng):
    levels = sorted({path.count(".") for path in paths})
    kind = rng.choice(PLAN_KINDS)
    # Separate graphs also have a module "self", which torch reads out of odd paths; it overlaps with the real ones.
    if kind != "partial":
        paths = [path for path in paths if not is_inside(path, "self")]
    blocks = [path for path in paths if re.fullmatch(r"layers\.\d+", path)]
    blocks.sort(key=lambda path: int(path.split(".")[1]))
    outside = disjoint([path for path in paths if path.split(".")[0] != "layers"], rng)
    if not blocks or kind in ("mixed", "unknown"):
        plan = grouped(disjoint(paths, rng), rng, rng.choice((1, 2, 4, 8)))
    elif kind == "blocks":
        plan = grouped(blocks + outside, rng, rng.choice((1, 2, 3)))
    elif kind == "blocks_shuffled":
        plan = grouped(rng.sample(blocks + outside, len(blocks + outside)), rng, rng.choice((1, 2, 3, 10)))
    elif kind == "one_level":
        level = rng.choice(levels)
        chosen = [path for path in paths if path.count(".") == level]
        if rng.random() < 0.5:
            rng.shuffle(chosen)
        plan = grouped(chosen, rng, rng.choice((1, 2, 5)))
    elif kind == "overlap":
        inside = rng.choice([path for path in paths if is_inside(path, blocks[0])])
        plan = [blocks[0], inside]
    else:
        chosen = disjoint(paths, rng)
        plan = grouped(chosen[: rng.randint(1, max(1, len(chosen) // 2))], rng, rng.choice((1, 2, 4)))
    if kind == "unknown":
        for _ in range(rng.randint(1, 3)):
            plan.insert(rng.randint(0, len(plan)), rng.choice(("layers.99", "no.such.module", [], ["layers.0.nothing", "head"])))
    return kind, plan


def random_options(kind_of_stack, plan, rng):
    options = {"module_bucket_plans": plan}
    if rng.random() < 0.5:
        options["insert_overlap_deps"] = False
    mode = rng.choice(("absent", None, "custom_ops"))
    if mode != "absent":
        options["bucket_mode"] = mode
    if kind_of_stack:
        options["module_stack_fn"] = "custom.module_fqn"
    return options


def run_step(reference, graph_module, step, model):
    """One pass of a pipeline. Two of Inductor's passes are plain functions, which run_reference.py does not know."""
    if step["pass"] == "deduplicate_wait_tensors":
        from torch._inductor.fx_passes.bucketing import deduplicate_wait_tensors

        deduplicate_wait_tensors(graph_module.graph)
        return graph_module
    if step["pass"] == "stable_topological_sort":
        from torch._inductor.pattern_matcher import stable_topological_sort

        stable_topological_sort(graph_module.graph)
        return graph_module
    return reference.run(graph_module, step["pass"], step.get("options", {}), model)


def watch_schedulers(reference):
    """A list to which each overlap scheduler that runs from now on adds itself."""
    schedulers = []

    class Watched(reference.overlap_scheduling.OverlapScheduler):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            schedulers.append(self)

    reference.overlap_scheduling.OverlapScheduler = Watched
    return schedulers


def collective_records(scheduler):
    """What the scheduler knows of each collective, as the goldens' manifest holds it."""
    return [{"start": info.start_node.name, "estimated_ms": info.estimated_time_ms, "exposed_ms": info.exposed_time_ms,
             "size_bytes": info.size_bytes, "hiding": [node.name for node in info.hiding_nodes]}
            for info in scheduler.collective_info.values()]


def run_case(reference, entry, folder):
    """Runs the reference on one case in a forked process; completes the entry with its result or its error."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        outcome = {}
        try:
            graph_module, document = reference.graph_to_fx.load(os.path.join(folder, entry["graph_file"]))
            model = reference.AnalyticModel(document)
            schedulers = watch_schedulers(reference)
            began = time.process_time()
            for step in entry["pipeline"]:
                graph_module = run_step(reference, graph_module, step, model)
            outcome["torch_cpu_seconds"] = round(time.process_time() - began, 4)
            result = reference.fx_to_graph.graph_to_dict(
                graph_module, document["name"], document["process_groups"], estimate=model,
                world_size=document.get("world_size"), rank=document.get("rank", 0),
                extra={"cost_model": document["cost_model"]})
            if schedulers:
                outcome["collectives"] = collective_records(schedulers[-1])
            reference.fx_to_graph.write(result, os.path.join(folder, entry["result_file"]))
        except Exception as error:  # whatever the reference raises is its answer
            last = traceback.extract_tb(error.__traceback__)[-1]
            outcome["error"] = {"type": type(error).__name__, "message": str(error)[:2000],
                                "raised_in": f"{os.path.basename(last.filename)}:{last.name}"}
        with os.fdopen(write_end, "w") as pipe:
            json.dump(outcome, pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    outcome = json.loads(text) if text else {"error": {"type": "Crash", "message": "the reference's process died"}}
    entry.update(outcome)
    if "error" in entry:
        del entry["result_file"]


def write_manifest(folder, provenance, goldens):
    """Writes FOLDER/manifest.json, whole or not at all."""
    temporary = os.path.join(folder, "manifest.json.part")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"provenance": provenance, "goldens": goldens}, file, indent=1)
    os.replace(temporary, os.path.join(folder, "manifest.json"))


def outcome(entry):
    """One line on a finished case."""
    if "error" in entry:
        return f"{entry['id']}: {entry['error']['type']}: {entry['error']['message'][:100]}"
    return f"{entry['id']}: {entry['torch_cpu_seconds']} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with run_reference.py")
    parser.add_argument("--graphs", required=True, help="folder with overlap-graph files")
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=52)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", default=DEFAULT_GRAPHS)
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.abspath(arguments.reference))
    import logging

    import run_reference as reference
    import torch

    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    os.makedirs(os.path.join(arguments.out, "passes"), exist_ok=True)
    rng, goldens, modules = random.Random(arguments.seed), [], {}
    for index in range(arguments.count):
        name = arguments.names[index % len(arguments.names)]
        path = os.path.join(os.path.abspath(arguments.graphs), name + ".graph.json.gz")
        if name not in modules:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                modules[name] = module_paths(json.load(file))
        paths, by_name = modules[name]
        kind, plan = random_plan(paths, rng)
        entry = {
            "id": f"{name}.random-{arguments.seed}-{index:03d}.{kind}",
            "graph": name,
            "graph_file": os.path.relpath(path, arguments.out),
            "pipeline": [{"pass": "manual_overlap_bucketing", "options": random_options(by_name, plan, rng)}],
            "result_file": f"passes/{name}.random-{arguments.seed}-{index:03d}.graph.json.gz",
        }
        run_case(reference, entry, arguments.out)
        goldens.append(entry)
        write_manifest(arguments.out, {"torch": {"version": torch.__version__}, "seed": arguments.seed}, goldens)
        print(f"{index + 1} of {arguments.count}: {outcome(entry)}", flush=True)


if __name__ == "__main__":
    main()
