#!/usr/bin/env python3
"""Run `overlap apply` on golden cases and compare with what PyTorch returned. The last line counts them.

    run_goldens.py PROGRAMS MANIFEST... [--show N]

PROGRAMS is the folder with `overlap`; a manifest has the shape of tests/data/goldens/manifest.json. Taken are the
cases whose passes this version reproduces (REPRODUCED below). Where the reference raised, exit status 1 is expected.
`tags_file` of a case has recompute tags by name of node, which are set before the first pass. Results of the passes of
memory have to agree in names, tags and order of users, too. Where a case holds what hides each collective, the report of its last pass has to hold the same; times agree to 1e-9 ms.
Exit status: 0 when all agree and there was at least one.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from compare_graphs import difference, read_document

REPRODUCED = {
    "apply_cpu_offload_pass",
    "bucket_all_gather",
    "bucket_all_reduce",
    "bucket_reduce_scatter",
    "canonicalize_graph_pass",
    "concretize_ep_chunk_symbolic_shapes_pass",
    "dedup_fsdp_reduce_scatter",
    "deduplicate_fsdp_unshard_chains_pass",
    "deduplicate_wait_tensors",
    "eliminate_dead_code_pass",
    "ep_overlap_chunk_pass",
    "ep_overlap_schedule_pass",
    "isolate_ep_process_group_pass",
    "joint_transformer_block_bucketing_reordering_pass",
    "manual_overlap_bucketing",
    "micro_pipeline_tp_pass",
    "overlap_fsdp_ag_rs_pass",
    "populate_chunk_dim_metadata_pass",
    "populate_eager_chunk_metadata_pass",
    "pre_bucket_fsdp_collectives",
    "reassign_collective_pgs_pass",
    "replace_collectives_with_low_contention",
    "schedule_fsdp_comms_to_dense_regions_pass",
    "schedule_overlap_bucketing",
    "selective_activation_remat_pass",
    "stable_topological_sort",
    "tag_with_memory_policy_pass",
    "transformer_block_bucketing_reordering_pass",
}

WITH_METADATA = {
    "apply_cpu_offload_pass",
    "concretize_ep_chunk_symbolic_shapes_pass",
    "dedup_fsdp_reduce_scatter",
    "ep_overlap_chunk_pass",
    "ep_overlap_schedule_pass",
    "micro_pipeline_tp_pass",
    "populate_chunk_dim_metadata_pass",
    "populate_eager_chunk_metadata_pass",
    "selective_activation_remat_pass",
    "tag_with_memory_policy_pass",
}


def order_of_users_is_lost(entry):
    """Whether the reference's file does not tell the order of users: files of graphs between the trainer's passes have it
    in the order of the nodes, which passes that only mark nodes do not change, rematerialisation alone in that of one
    run's set, and some files of passes for experts none."""
    passes = [step["pass"] for step in entry["pipeline"]]
    if passes in (["selective_activation_remat_pass"], ["tag_with_memory_policy_pass"]):
        return True
    if passes == ["micro_pipeline_tp_pass"]:
        return ".pipeline-" in entry["graph_file"]
    return set(passes) <= {"dedup_fsdp_reduce_scatter", "ep_overlap_schedule_pass", "populate_eager_chunk_metadata_pass"}


HALVING = {"concretize_ep_chunk_symbolic_shapes_pass", "ep_overlap_chunk_pass", "populate_chunk_dim_metadata_pass"}


def made_of_files_without_users(entry):
    """Whether the reference's input did not tell the order of users, although the file that the case names does by now."""
    halves = any(step["pass"] in HALVING for step in entry["pipeline"])
    return halves and os.path.basename(entry.get("result_file", "")).startswith("step.")


def is_trainers_own(entry):
    """Whether a case of halved modules is between two files of a trainer's run: symbols of halves have the hint of
    the whole there, and neither hints at placeholders nor the order of users are told."""
    halves = all(step["pass"] in HALVING for step in entry["pipeline"])
    return halves and ".pipeline-" in os.path.basename(entry.get("result_file", ""))


def without_fields(document, *fields):
    """The document without these fields of its nodes and of their titan_meta."""
    for node in document["nodes"]:
        for field in fields:
            node.pop(field, None)
            node.get("titan_meta", {}).pop(field, None)
    return document


def written(document, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def is_reproduced(entry):
    """Whether every step is one that this version promises to reproduce."""
    return all(step["pass"] in REPRODUCED for step in entry["pipeline"])


def record_difference(expected, actual):
    """A sentence that tells the first difference between two lists of collectives, or None."""
    if len(expected) != len(actual):
        return f"{len(actual)} collectives in the report, expected {len(expected)}"
    for want, got in zip(expected, actual):
        for field, value in want.items():
            found = got[field]
            same = math.isclose(found, value, rel_tol=0, abs_tol=1e-9) if field.endswith("_ms") else found == value
            if not same:
                return f"collective {want['start']}, {field}: found {found}, expected {value}"
    return None


def with_policy_of_graph(entry):
    """The pipeline of a case. A job's own run of tagging is recorded without options: the graph's name tells the policy."""
    steps = entry["pipeline"]
    if [step["pass"] for step in steps] != ["tag_with_memory_policy_pass"] or steps[0]["options"]:
        return steps
    policy = re.search("_mem_(full|eager|sac_and_offload)[.]", entry["graph_file"])
    return [{**steps[0], "options": {"memory_policy": policy[1]}}] if policy else steps


def tagged(graph, tags_file, scratch):
    """The file of a copy of the graph with these recompute tags; null takes a tag away."""
    document, tags = read_document(graph), read_document(tags_file)
    for node in document["nodes"]:
        if node["name"] not in tags:
            continue
        meta = node.pop("titan_meta", {})
        meta.pop("recompute", None)
        if tags[node["name"]] is not None:
            meta["recompute"] = f"CheckpointPolicy.{tags[node['name']]}"
        if meta:
            node["titan_meta"] = meta
    path = os.path.join(scratch, "tagged.graph.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def check(programs, folder, entry):
    """None when the case agrees, else why it does not."""
    with tempfile.TemporaryDirectory() as scratch:
        pipeline, out = os.path.join(scratch, "pipeline.json"), os.path.join(scratch, "out.graph.json")
        with open(pipeline, "w", encoding="utf-8") as file:
            json.dump(with_policy_of_graph(entry), file)
        graph = os.path.join(folder, entry["graph_file"])
        if "tags_file" in entry:
            graph = tagged(graph, os.path.join(folder, entry["tags_file"]), scratch)
        if made_of_files_without_users(entry):
            graph = written(without_fields(read_document(graph), "users_order"), os.path.join(scratch, "in.graph.json"))
        report = os.path.join(scratch, "report.json")
        command = [os.path.join(programs, "overlap"), "apply", graph, "--pipeline", pipeline, "-o", out, "--report", report]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        last = (done.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        if "error" in entry:
            if done.returncode == 1:
                return None
            return f"exit status {done.returncode}, but the reference raises {entry['error']['type']}"
        if done.returncode != 0:
            return f"exit status {done.returncode}: {last}"
        with_metadata = any(step["pass"] in WITH_METADATA for step in entry["pipeline"])
        expected = read_document(os.path.join(folder, entry["result_file"]))
        actual = read_document(out)
        if is_trainers_own(entry):
            for document in (expected, actual):
                without_fields(document, "outputs", "symbolic_shapes", "symbolic_value", "chunk_symbol_hints", "users_order")
        why = difference(expected, actual, with_metadata, not order_of_users_is_lost(entry))
        if why or "collectives" not in entry:
            return why
        return record_difference(entry["collectives"], read_document(report)["passes"][-1]["collectives"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="folder with overlap")
    parser.add_argument("manifests", nargs="+")
    parser.add_argument("--show", type=int, default=20, help="how many disagreements to print")
    arguments = parser.parse_args()
    cases, seen = [], set()
    for manifest in arguments.manifests:
        with open(manifest, encoding="utf-8") as file:
            goldens = json.load(file)["goldens"]
        for entry in goldens:
            if is_reproduced(entry) and entry["id"] not in seen:
                seen.add(entry["id"])
                cases.append((os.path.dirname(os.path.abspath(manifest)), entry))
    disagreements = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: check(arguments.programs, *case), cases)
        for (_, entry), why in zip(cases, results):
            if why:
                disagreements.append(f"{entry['id']}: {why}")
    for line in disagreements[: arguments.show]:
        print(line[:400])
    print(f"{len(cases) - len(disagreements)} of {len(cases)} goldens agree")
    return 0 if cases and not disagreements else 1


if __name__ == "__main__":
    sys.exit(main())
