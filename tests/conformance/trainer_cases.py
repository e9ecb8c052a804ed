"""What the scripts share that make golden cases with torchtitan's own passes (make_memory_cases.py, make_chunk_cases.py,
make_step_cases.py)."""
import argparse
import gzip
import json
import logging
import os
import sys
import warnings


def prepared(description):
    """The command line's arguments, run_trainer_pass.py as a module, and the trainer's passes. Makes the folder for
    results."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, metavar="TOOLS")
    parser.add_argument("--torchtitan", required=True, metavar="FOLDER")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.filterwarnings("ignore")
    sys.path.insert(0, arguments.reference)
    import run_trainer_pass as tool

    os.makedirs(arguments.out, exist_ok=True)
    return arguments, tool, tool.Trainer(arguments.torchtitan)


def repeats_a_name(path):
    """Whether two nodes have one name, which PyTorch allows and a document does not."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        names = [node["name"] for node in json.load(file)["nodes"]]
    return len(set(names)) < len(names)


def run_forked(tool, trainer, graph, steps, tags, result):
    """The error of the reference, or None."""
    error_file = result + ".error"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            graph.set_tags(tags or {})
            try:
                tool.run(trainer, graph, steps)
                graph.write(result)
            except Exception as error:  # the reference may raise anything
                with open(error_file, "w", encoding="utf-8") as file:
                    json.dump({"type": type(error).__name__, "message": (str(error).splitlines() or [""])[0]}, file)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        raise SystemExit(f"{result}: the reference's process failed")
    if not os.path.exists(error_file):
        return None
    with open(error_file, encoding="utf-8") as file:
        error = json.load(file)
    os.remove(error_file)
    return error


def write_manifest(goldens, folder):
    """Writes the cases as the goldens' manifest has them, and says how many there are."""
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump({"goldens": goldens}, file, indent=1)
        file.write("\n")
    print(f"{len(goldens)} cases, {sum('error' in golden for golden in goldens)} in which the reference raises")
