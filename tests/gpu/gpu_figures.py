"""Runs three plans of a graph on the GPUs of this machine and compares predictions with measurements.

Called by tests/gpu/run.sh; standard library only.
"""
import argparse
import datetime
import itertools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from figures_text import EXPOSED_BOUND, STEP_BOUND, have_order, reasons_against, relative, tell, tell_plans

NO_GPU = 77
# Built-in cost models by a word of the device's name.
BASES = {"H200": "h200-sxm", "H100": "h100-sxm", "A100": "a100-sxm", "B200": "b200-sxm"}
# No program of this takes longer; a run that hangs is ended, and what was measured before is kept.
LONGEST_SECONDS = 1800
# A run whose kernels could not be recorded has no figures of them, and says why in its notes.
NOT_RECORDED = {"steps": 0, "median_step_ms": 0, "exposed_ms": 0, "transfer_exposed_ms": 0,
                "activities_without_node": 0}
AUTOMATIC = [{"pass": "schedule_overlap_bucketing", "options": {}}]
# What the built-in cost models take jobs to compile, and how the runner runs a graph unless it is asked otherwise.
JOB_SCOPE, RUNNER_SCOPE = "whole", "eager"
# Beside this script, in a bundle, too.
SCALED_PRODUCTS = Path(__file__).with_name("scaled_products.graph.json")
# What a job may keep, compute again or copy to the host, of the sample for it; the model is fitted to the first.
MEMORY_POLICIES = ("default", "save_all", "full", "sac_and_offload")
MEMORY_SAMPLE = "llama3_8b_fsdp64.graph.json.gz"
# The largest pool of these, and what comes beside it.
MEMORY_BYTES = 70 << 30
# The pool of the sample for expert overlap, and what comes beside it.
EXPERTS_BYTES = 70 << 30


class Failure(Exception):
    """A program ended with a status other than 0, or did not end; the message is its last line."""


def run(command, environment=None, seconds=LONGEST_SECONDS):
    """The program's output. It leads a group of processes, so that an end in time is that of all its ranks."""
    name = Path(str(command[0])).name
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failure(f"{name}: it had not ended after {seconds} seconds") from error
    if process.returncode != 0:
        lines = (errors or output).strip().splitlines() or [f"status {process.returncode}"]
        raise Failure(f"{name}: {lines[-1]}")
    return output


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def has_gpu(devices=Path("/dev")):
    """Whether the driver has made a device file, also where the runner cannot use it."""
    return any(devices.glob("nvidia[0-9]*"))


def driver_version(file=Path("/proc/driver/nvidia/version")):
    """As nvidia-smi prints it, such as 580.159.04; None where the kernel's module does not tell."""
    try:
        found = re.search(r"\s(\d+\.\d+(?:\.\d+)?)\s", file.read_text(encoding="utf-8"))
    except OSError:
        return None
    return found and found.group(1)


def find_sanitizer():
    return shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")


def expert_pipelines():
    """torchtitan's default for DeepSeek V3 16B without expert overlap, and with experts or whole blocks in halves."""
    def steps(*names):
        return [{"pass": name, "options": {}} for name in names]

    cleaned = steps("eliminate_dead_code_pass", "canonicalize_graph_pass", "deduplicate_fsdp_unshard_chains_pass",
                    "tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass")
    modules = ["tok_embeddings", *(f"layers.{layer}" for layer in range(27)), ["norm", "lm_head"]]
    bucketed = [{"pass": "joint_transformer_block_bucketing_reordering_pass",
                 "options": {"module_bucket_plans": modules}}]

    def halved(pattern, **chunk):
        return [*cleaned, {"pass": "populate_chunk_dim_metadata_pass", "options": {"mode": "batch"}},
                {"pass": "ep_overlap_chunk_pass", "options": {"mode": "batch", "module_pattern": pattern, **chunk}},
                *steps("isolate_ep_process_group_pass", "eliminate_dead_code_pass"), *bucketed,
                {"pass": "ep_overlap_schedule_pass",
                 "options": {"module_pattern": pattern, "pair_first_token_exchange": pattern == "layers.*.moe"}},
                *steps("concretize_ep_chunk_symbolic_shapes_pass")]

    return {"no_halves": [*cleaned, *bucketed], "halved_blocks": halved("layers.*"),
            "halved_experts": halved("layers.*.moe", optimize_grad_live_out=False)}


def host_link_rate(result):
    """What copies between device and host reached in bytes a second; None where there were none."""
    copies = [node for node in result["nodes"] if node["kind"].startswith("copy_")]
    taken_ms = sum(copy["median_ms"] for copy in copies)
    return sum(copy["bytes"] for copy in copies) / taken_ms * 1000 if taken_ms else None


class Check:
    def __init__(self, options, devices):
        self.options = options
        self.overlap = options.programs / "overlap"
        self.runner = options.programs / "overlap-runner"
        self.folder = options.folder
        self.base = next((model for word, model in BASES.items() if word in devices["devices"][0]["name"]), None)
        self.figures = {"format": "overlap-gpu-figures", "version": 1, "date": datetime.date.today().isoformat(),
                        "devices": devices["devices"], "driver": driver_version(),
                        "libraries": devices["libraries"], "mpi": devices["mpi"],
                        "overlap": run([self.overlap, "--version"]).strip(), "graph": str(options.graph.name),
                        "base_cost_model": self.base or "the graph's own", "bounds": {"step": STEP_BOUND,
                                                                                       "exposed": EXPOSED_BOUND},
                        "stages": [], "within_bounds": None}

    def write(self):
        text = json.dumps(self.figures, indent=2) + "\n"
        self.options.output.write_text(text, encoding="utf-8")

    def stage(self, name, work):
        """Figures are written behind each stage, so that a later failure takes none of them away."""
        work()
        self.figures["stages"].append(name)
        self.write()

    def based(self, graph):
        """The graph with the times of the base cost model, which emulated collectives take: its prediction and the run
        start from the same."""
        if not self.base:
            return graph
        given = self.folder / graph.name.replace(".gz", "").replace(".graph.json", ".given.graph.json")
        run([self.overlap, "estimate", graph, "--cost-model", self.base, "-o", given])
        return given

    def applied(self, given, pipelines):
        """The graph that each plan makes, by name; the first one is what the model is fitted to.

        @param pipelines of each plan its file, its passes, or a tuple of arguments that say what it is; None: no plan.
        """
        graphs = {}
        for name, pipeline in pipelines.items():
            if pipeline is None:
                graphs[name] = given
                continue
            arguments = pipeline
            if not isinstance(pipeline, tuple):
                if not isinstance(pipeline, Path):
                    steps, pipeline = pipeline, self.folder / f"{name}.json"
                    pipeline.write_text(json.dumps(steps), encoding="utf-8")
                arguments = ("--pipeline", pipeline)
            graphs[name] = self.folder / f"{name}.graph.json"
            run([self.overlap, "apply", given, *arguments, "-o", graphs[name]])
        return graphs

    def measure(self, name, graph, *more, warm_up=3, recorded=5):
        result = self.folder / f"{name}.run.json"
        trace = ["--trace", self.folder / f"{name}.trace.json"] if recorded else []
        run([self.runner, graph, "-o", result, *trace,
             "--warm-up", warm_up, "--iterations", self.options.iterations, "--recorded", recorded, *more])
        return result, read(result)

    def measure_again(self, prefix, graphs, *more):
        """The steps of each plan in a second round, the last plan first: a device grows warm and slower meanwhile, so
        what is the faster in one round only is not the faster plan."""
        again = {name: self.measure(f"{prefix}{name}.again", graphs[name], *more, warm_up=2, recorded=0)[1]
                 for name in reversed(graphs)}
        return {name: result["step_ms"]["all"] for name, result in again.items()}

    def predict(self, graph, model, scope, *more):
        command = [self.overlap, "simulate", graph, "--compiled", scope, "--json", *more]
        if model:
            command += ["--cost-model", model]
        predicted = json.loads(run(command))
        return {key: predicted[key] for key in ("step_ms", "exposed_ms", "transfer_exposed_ms", "peak_memory_bytes")}

    def calibrate(self, graph, result, figures):
        model = self.folder / f"{Path(result).name.split('.')[0]}.cost.json"
        command = [self.overlap, "calibrate", graph, result, "--json", "-o", model]
        if self.base:
            command += ["--cost-model", self.base]
        calibration = json.loads(run(command))
        contention = calibration["model"].get("contention", {})
        notes = [note.replace(f"{self.folder}/", "") for note in calibration["notes"]]
        figures["calibration"] = {"rows": calibration["rows"], "notes": notes, "contention": contention}
        # Without a factor there is nothing to simulate contention with.
        return model, bool(contention.get("compute_slowdown")) or "communication_slowdown" in contention

    def compare(self, graphs, figures, scope=RUNNER_SCOPE, rounds=2):
        """Runs each plan, fits a model to the first, and predicts all of them, as jobs that compile `scope`."""
        prefix, compiled = ("", []) if scope == RUNNER_SCOPE else (f"{scope}_", ["--compiled", scope])
        if scope == RUNNER_SCOPE:
            runs = {name: self.measure(name, graph) for name, graph in graphs.items()}
        else:  # on a device that has seen these plans, and is lent for minutes
            runs = {name: self.measure(prefix + name, graph, *compiled, warm_up=2, recorded=3)
                    for name, graph in graphs.items()}
        again = self.measure_again(prefix, graphs, *compiled) if rounds == 2 else {}
        fitted = next(iter(graphs))
        model, has_contention = self.calibrate(graphs[fitted], runs[fitted][0], figures)
        contention = ["--contention"] if has_contention else []
        figures["compiled"] = scope
        figures["fitted_to"] = fitted
        figures["plans"] = {}
        for name, graph in graphs.items():
            result = runs[name][1]
            recorded = result.get("recorded", NOT_RECORDED)
            steps = [result["step_ms"]["all"]] + ([again[name]] if name in again else [])
            together = list(itertools.chain(*steps))
            measured = {"step_ms": statistics.median(together), "step_minimum_ms": min(together),
                        "step_maximum_ms": max(together), "rounds_ms": [statistics.median(each) for each in steps],
                        "exposed_ms": recorded["exposed_ms"],
                        "transfer_exposed_ms": recorded["transfer_exposed_ms"],
                        "recorded_steps": recorded["steps"],
                        "recorded_step_ms": recorded["median_step_ms"],
                        "peak_memory_bytes": result["peak_memory_bytes"],
                        "pool_bytes": result["memory"]["pool_bytes"], "host_bytes": result["memory"]["host_bytes"],
                        "host_link_bytes_per_s": host_link_rate(result),
                        "activities_without_node": recorded["activities_without_node"]}
            predicted = self.predict(graph, model, scope, *contention)
            figures["plans"][name] = {
                "groups": [{key: group[key] for key in ("process_group", "size", "runs", "because")}
                           for group in result["groups"]],
                "work": result["work"], "notes": result["notes"], "environment": result["environment"],
                "measured": measured, "before_calibration": self.predict(graph, self.base, scope), "predicted": predicted,
                "step_error": relative(predicted["step_ms"], measured["step_ms"]),
                "exposed_error": relative(predicted["exposed_ms"], measured["exposed_ms"])}
            self.write()

    def three_plans(self):
        given = self.based(self.options.graph)
        self.graphs = self.applied(given, {"plan": self.options.plan, "baseline": None, "automatic": AUTOMATIC})
        self.compare(self.graphs, self.figures)

    def compiled_plans(self):
        """The same plans with the kernels of a job that compiles the whole graph."""
        figures = self.figures["compiled_job"] = {}
        self.compare(self.graphs, figures, JOB_SCOPE)
        self.judge(figures)
        print(f"as a job that compiles the {JOB_SCOPE} graph:")
        tell(figures)

    def scaled_products(self):
        """Products of 8-bit floats: how they run, and how long each takes."""
        given = self.based(SCALED_PRODUCTS)
        result = self.measure("scaled", given)[1]
        captured = self.measure("scaled_cuda_graph", given, "--cuda-graph", "--compiled", JOB_SCOPE)[1]
        products = {node["name"]: node["median_ms"] for node in result["nodes"] if node["kind"] == "matrix_multiply"}
        self.figures["scaled_products"] = {
            "work": result["work"], "notes": result["notes"], "step_ms": result["step_ms"]["median"],
            "captured_ms": captured["step_ms"]["median"], "products_ms": products,
            "predicted": self.predict(given, self.base, RUNNER_SCOPE)}
        print("products of 8-bit floats: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in products.items()) +
              "".join(f"; {note}" for note in result["notes"]))

    def experts(self):
        """The sample for expert overlap without it, with halved experts and with halved blocks. Nearly all of its
        compute runs beside all-to-alls with an overlap, so it shows what the factors of contention are worth; its
        errors are told and not judged."""
        if self.figures["devices"][0]["memory_bytes"] < EXPERTS_BYTES:
            self.figures["experts"] = f"not tried: the device has less than {EXPERTS_BYTES >> 30} GiB"
            return
        given = self.based(self.options.samples / "deepseek_v3_16b_fsdp32_ep32.graph.json.gz")
        figures = self.figures["experts"] = {"graph": "deepseek_v3_16b_fsdp32_ep32.graph.json.gz"}
        self.compare(self.applied(given, expert_pipelines()), figures, rounds=1)
        tell_plans(figures)

    def memory(self):
        """What torchtitan's policies keep, compute again and copy to the host: the first plans that use the link to the
        host. Told and not judged."""
        if self.figures["devices"][0]["memory_bytes"] < MEMORY_BYTES:
            self.figures["memory"] = f"not tried: the device has less than {MEMORY_BYTES >> 30} GiB"
            return
        sample = self.options.samples / MEMORY_SAMPLE
        if not sample.is_file():  # in the repository it is data of the tests
            sample = Path(__file__).resolve().parents[1] / "data/graphs" / MEMORY_SAMPLE
        figures = self.figures["memory"] = {"graph": MEMORY_SAMPLE}
        plans = {policy: ("--preset", "torchtitan_default", "--memory", policy) for policy in MEMORY_POLICIES}
        self.compare(self.applied(self.based(sample), plans), figures, rounds=1)
        tell_plans(figures)

    def as_cuda_graph(self):
        """The smaller sample, launched node by node and as a CUDA graph."""
        small = self.options.samples / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
        single = self.measure("small", small)[1]["step_ms"]["median"]
        captured = self.measure("small_cuda_graph", small, "--cuda-graph")[1]["step_ms"]["median"]
        compiled = self.measure("small_compiled", small, "--cuda-graph", "--compiled", JOB_SCOPE)[1]["step_ms"]["median"]
        self.figures["cuda_graph"] = {"launched_ms": single, "captured_ms": captured, "compiled_ms": compiled}

    def sanitized(self):
        """One step of the smaller sample under compute-sanitizer."""
        small = self.options.samples / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
        sanitizer = find_sanitizer()
        self.figures["compute_sanitizer"] = "not installed"
        if sanitizer:
            run([sanitizer, "--error-exitcode", "9", self.runner, small, "-o", self.folder / "sanitized.json",
                 "--warm-up", "0", "--iterations", "1", "--recorded", "0"])
            self.figures["compute_sanitizer"] = "no error"

    def several_ranks(self):
        """Groups by NCCL, where there are several devices that the sample's group can be divided into."""
        count = len(self.figures["devices"])
        if count < 2 or 8 % count or not shutil.which("mpirun"):
            self.figures["several_ranks"] = f"not tried: {count} device(s)"
            return
        small = self.options.samples / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
        result = self.folder / "ranks.run.json"
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        run(["mpirun", "--bind-to", "none", "-n", str(count), self.runner, small, "-o", result, "--iterations", "20"],
            environment)
        self.figures["several_ranks"] = {key: read(result)[key] for key in ("ranks", "groups", "step_ms", "notes")}

    def judge(self, figures=None):
        """@param figures of three plans."""
        figures = self.figures if figures is None else figures
        plans = figures["plans"]
        by_measured = sorted(plans, key=lambda name: plans[name]["measured"]["step_ms"])
        by_predicted = sorted(plans, key=lambda name: plans[name]["predicted"]["step_ms"])
        alike = [sorted(pair) for pair in itertools.combinations(plans, 2) if not have_order(*map(plans.get, pair))]
        preserved = all(plans[left]["predicted"]["step_ms"] < plans[right]["predicted"]["step_ms"]
                        for left, right in itertools.combinations(by_measured, 2) if sorted((left, right)) not in alike)
        figures["order"] = {"measured": by_measured, "predicted": by_predicted, "alike": alike, "preserved": preserved}
        reasons = [] if preserved else ["the order of the plans is not preserved"]
        for name, plan in plans.items():
            reasons += [f"{name}: {reason}" for reason in reasons_against(plan, name == figures["fitted_to"])]
        figures["reasons"] = reasons
        figures["within_bounds"] = not reasons


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tests/gpu/run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("-o", dest="output", type=Path)
    options = parser.parse_args(arguments)
    if bool(options.graph) != bool(options.plan):
        parser.error("--graph and --plan come together")
    options.graph = options.graph or options.samples / "llama3_8b_fsdp128.prebucket.graph.json.gz"
    options.plan = options.plan or options.samples / "llama3_8b_fsdp128.plan.json"
    options.output = options.output or options.folder / "figures.json"
    return options


def fail(sentence):
    print(f"tests/gpu/run.sh: {sentence}", file=sys.stderr)
    return 1


def main(arguments):
    options = parse(arguments)
    check = None
    try:
        devices = json.loads(run([options.programs / "overlap-runner", "--devices"]))
        if not devices["devices"]:
            if has_gpu():
                return fail(f"a GPU is there and cannot be used: {devices['reason']}; nothing was measured")
            print(f"tests/gpu/run.sh: no GPU: {devices['reason']}; nothing was measured", file=sys.stderr)
            return NO_GPU
        for folder in (options.folder, options.output.parent):
            folder.mkdir(parents=True, exist_ok=True)
        check = Check(options, devices)
        check.stage("plans", check.three_plans)
        check.stage("judged", check.judge)
        tell(check.figures)
        check.stage("compiled_job", check.compiled_plans)
        check.stage("cuda_graph", check.as_cuda_graph)
        check.stage("scaled_products", check.scaled_products)
        check.stage("experts", check.experts)
        check.stage("memory", check.memory)
        check.stage("compute_sanitizer", check.sanitized)
        check.stage("several_ranks", check.several_ranks)
    except (Failure, OSError) as error:
        if check:
            check.figures["failure"] = str(error)
            check.write()
        return fail(error)
    print(f"figures: {options.output}")
    return 0 if check.figures["within_bounds"] and check.figures["compiled_job"]["within_bounds"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
