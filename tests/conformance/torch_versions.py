#!/usr/bin/env python3
"""Tell in which passes releases of PyTorch make the graphs that 2.15 makes, and where they differ.

    torch_versions.py --reference TOOLS --python PYTHON [--python PYTHON...] MANIFEST...

PYTHON is the interpreter of an environment with a release of torch (pip install torch==2.14.0 numpy; no GPU needed). Each
runs the cases of the manifests whose passes are PyTorch's own, and its results are compared with the goldens, which are
those of 2.15. TOOLS is the folder with run_reference.py. Prints the table of docs/training_job.md, then each kind of
difference with its first case. Exit status: 0 where 2.15 agrees with itself everywhere.
"""
import argparse
import collections
import json
import logging
import os
import subprocess
import sys
import tempfile

PASSES = ("schedule_overlap_bucketing", "manual_overlap_bucketing", "bucket_all_gather", "bucket_reduce_scatter",
          "bucket_all_reduce", "pre_bucket_fsdp_collectives", "replace_collectives_with_low_contention",
          "deduplicate_wait_tensors")
BESIDE = ("stable_topological_sort",)  # which decides nothing by itself
MODES = ("bucket_mode", "mode")
OWN_VERSION = "2.15"


def cases(manifests):
    """The goldens whose passes are all PyTorch's, each with the folder that its files are relative to."""
    for path in manifests:
        with open(path, encoding="utf-8") as file:
            goldens = json.load(file)["goldens"]
        for golden in goldens:
            names = [step["pass"] for step in golden["pipeline"]]
            if all(name in PASSES + BESIDE for name in names) and any(name in PASSES for name in names):
                yield golden, os.path.dirname(os.path.abspath(path))


def mode_of(golden):
    modes = {str(step["options"].get(option)) for step in golden["pipeline"] for option in MODES
             if option in step.get("options", {})}
    return "/".join(sorted(modes - {"None"})) or "default"


def judged(golden):
    """The passes that a case says something about: where waits are made one first, only that."""
    names = list(dict.fromkeys(step["pass"] for step in golden["pipeline"] if step["pass"] in PASSES))
    return ["deduplicate_wait_tensors"] if "deduplicate_wait_tensors" in names else names


def run_low_contention(graph_module, options):
    """As on GPUs whose links can do it."""
    import torch.distributed._symmetric_memory as symmetric_memory
    from torch._inductor import config
    from torch._inductor.fx_passes import low_contention_collectives

    symmetric_memory.is_symm_mem_enabled_for_group = lambda group: True
    low_contention_collectives._has_multicast_support = lambda device: True
    replace_collectives_with_low_contention = low_contention_collectives.replace_collectives_with_low_contention
    with config.patch({f"aten_distributed_optimizations.{name}": value for name, value in options.items()}):
        replace_collectives_with_low_contention(graph_module.graph)


def run_here(reference_folder, manifests):
    """Runs all cases with the torch of this process; a line of JSON for each."""
    # First, since the reference's tools have a file of this name as well.
    from compare_graphs import difference, read_document

    import make_cases

    sys.path.append(os.path.abspath(reference_folder))
    import run_reference as reference
    import torch

    class Extended:
        """run_reference.py, and a pass that it does not know."""

        def __getattr__(self, name):
            return getattr(reference, name)

        @staticmethod
        def run(graph_module, name, options, model):
            if name != "replace_collectives_with_low_contention":
                return reference.run(graph_module, name, options, model)
            run_low_contention(graph_module, options)
            return graph_module

    # Some releases ask the GPU for times that nobody uses, since the cases have their own.
    reference.overlap_scheduling.estimate_roofline_runtime_ms = lambda node: 0.0
    torch._inductor.utils.get_gpu_dram_gbps = lambda: 1.0
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    print(json.dumps({"version": torch.__version__.partition("+")[0]}), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for golden, folder in cases(manifests):
            entry = {"graph_file": os.path.join(folder, golden["graph_file"]), "pipeline": golden["pipeline"],
                     "result_file": "result.graph.json.gz"}
            make_cases.run_case(Extended(), entry, scratch)
            wanted = golden.get("error")
            if "error" in entry:
                error = entry["error"]
                found = None if wanted and wanted["type"] == error["type"] else f"{error['type']}: {error['message']}"
            elif wanted:
                found = f"a graph, where {OWN_VERSION} raises {wanted['type']}"
            else:
                found = difference(read_document(os.path.join(folder, golden["result_file"])),
                                   read_document(os.path.join(scratch, "result.graph.json.gz")))
            print(json.dumps({"id": golden["id"], "passes": judged(golden), "mode": mode_of(golden), "difference": found}), flush=True)


def outcomes_of(python, reference_folder, manifests):
    """The version of an interpreter's torch, and what it made of each case."""
    done = subprocess.run([python, os.path.abspath(__file__), "--reference", reference_folder, "--run", *manifests],
                          stdout=subprocess.PIPE, text=True, check=True)
    first, *outcomes = map(json.loads, done.stdout.splitlines())
    return first["version"], outcomes


def cell(outcomes):
    differing = [outcome for outcome in outcomes if outcome["difference"]]
    return f"all {len(outcomes)}" if not differing else f"{len(outcomes) - len(differing)} of {len(outcomes)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, help="folder with run_reference.py")
    parser.add_argument("--python", action="append", default=[], help="an interpreter with a release of torch")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("manifests", nargs="+")
    arguments = parser.parse_args()
    if arguments.run:
        run_here(arguments.reference, arguments.manifests)
        return 0
    results = dict(outcomes_of(python, arguments.reference, arguments.manifests) for python in arguments.python)
    versions = sorted(results)
    print("| pass | cases that agree, " + " | ".join(versions) + " |\n" + "|---" * (len(versions) + 1) + "|")
    for name in PASSES:
        of_pass = {version: [outcome for outcome in results[version] if name in outcome["passes"]] for version in versions}
        if any(of_pass.values()):
            print(f"| `{name}` | " + " | ".join(cell(of_pass[version]) for version in versions) + " |")
    for version in versions:
        kinds = collections.defaultdict(list)
        for outcome in results[version]:
            if outcome["difference"]:
                kinds["/".join(dict.fromkeys(outcome["passes"])), outcome["mode"]].append(outcome)
        for (passes, mode), differing in sorted(kinds.items()):
            first = differing[0]
            print(f"{version}, {passes}, mode {mode}: {len(differing)} differ; {first['id']}: {first['difference'][:300]}")
    own = [outcome for version, outcomes in results.items() if version.startswith(OWN_VERSION) for outcome in outcomes]
    return 1 if any(outcome["difference"] for outcome in own) else 0


if __name__ == "__main__":
    sys.exit(main())
