#!/usr/bin/env python3
"""Record what PyTorch and torchtitan do with graphs that are wrong in one way (graph_edits.py), for every pass.

    make_error_cases.py REFERENCE_TOOLS CHECKOUT ERRORS

REFERENCE_TOOLS is the folder that holds run_reference.py, CHECKOUT one of torchtitan's source (torchtitan_passes.py),
ERRORS tests/data/goldens/errors.json, of which earlier cases with an `edit` are replaced. Needs torch 2.15; no GPU.
Each case runs in a forked process: a pass that raises leaves things behind.
"""
import argparse
import json
import logging
import os
import sys
import tempfile

import torchtitan_passes
from compare_graphs import read_document
from graph_edits import EDITS
from test_reference_errors import DENSE_PASS, JOINT_PASS, MANUAL_PASS, collectives, pipeline_of

GRAPH = "llama3_debugmodel_fsdp8.prebucket"
PLAN = ["tok_embeddings", *(f"layers.{layer}" for layer in range(6)), ["norm", "lm_head", "loss"]]
INPUTS = {
    "eliminate_dead_code_pass": {},
    "canonicalize_graph_pass": {},
    "deduplicate_fsdp_unshard_chains_pass": {},
    "isolate_ep_process_group_pass": {},
    "reassign_collective_pgs_pass": {},
    MANUAL_PASS: {"module_bucket_plans": PLAN},
    JOINT_PASS: {"module_bucket_plans": PLAN},
    # After bucketing nothing would be left of the edit.
    DENSE_PASS: {"n_layers": 6, "strict": False, "transformer_bucket_counts_by_layer": None, "moe_layer_ids": []},
}


def run_case(case, module, document, tools):
    """Completes a case with what the reference does."""
    import fx_to_graph
    import run_reference
    try:
        for step in pipeline_of(case):
            if step["pass"] == MANUAL_PASS:
                module = run_reference.run(module, step["pass"], step["options"], None)
            else:
                module = tools.run(module, step["pass"], step["options"])
        written = fx_to_graph.graph_to_dict(module, document["name"], document["process_groups"] + tools.groups,
                                            world_size=document.get("world_size"))
        return case | {"outcome": "ok", "nodes_after": len(written["nodes"]), "collectives_after": collectives(written)}
    except Exception as error:  # whatever the reference raises is its answer
        return case | {"outcome": "error", "error_type": type(error).__name__, "message": str(error)[:300]}


def in_child(run):
    """The JSON result of a call in a forked process."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(write_end, "w") as pipe:
            json.dump(run(), pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference_tools")
    parser.add_argument("checkout")
    parser.add_argument("errors")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference_tools)
    import graph_to_fx
    tools = torchtitan_passes.load(arguments.checkout)
    logging.disable(logging.WARNING)
    with open(arguments.errors, encoding="utf-8") as file:
        cases = [case for case in json.load(file) if "edit" not in case]
    source = os.path.join(os.path.dirname(arguments.errors), "..", "graphs", GRAPH + ".graph.json.gz")
    with tempfile.TemporaryDirectory() as scratch:
        for edit in (name for name in EDITS if not name.startswith("no_")):
            document = read_document(source)
            node = EDITS[edit](document)
            path = os.path.join(scratch, edit + ".graph.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
            module, document = graph_to_fx.load(path)
            for name, given in INPUTS.items():
                case = {"case": edit, "edit": edit, "node": node, "pass": name, "graph": GRAPH, "input": given}
                cases.append(in_child(lambda: run_case(case, module, document, tools)))
    with open(arguments.errors, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
    raised = sum(case["outcome"] == "error" for case in cases if "edit" in case)
    print(f"{sum('edit' in case for case in cases)} cases with wrong graphs, {raised} of them raise")


if __name__ == "__main__":
    main()
