"""Runs three plans of a graph on the GPUs of this machine and compares predictions with measurements.

Called by tests/gpu/run.sh; standard library only.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

NO_GPU = 77
# What a prediction of a plan that the model was not fitted to may be off.
STEP_BOUND, EXPOSED_BOUND = 0.05, 0.10
# Built-in cost models by a word of the device's name.
BASES = {"H200": "h200-sxm", "H100": "h100-sxm", "A100": "a100-sxm", "B200": "b200-sxm"}
AUTOMATIC = [{"pass": "schedule_overlap_bucketing", "options": {}}]


class Failure(Exception):
    """A program ended with a status other than 0; the message is its last line."""


def run(command, environment=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                          env=environment)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
        raise Failure(f"{Path(str(command[0])).name}: {lines[-1]}")
    return done.stdout


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def relative(predicted, measured):
    return (predicted - measured) / measured if measured else 0.0


class Check:
    def __init__(self, options, devices):
        self.options = options
        self.overlap = options.programs / "overlap"
        self.runner = options.programs / "overlap-runner"
        self.folder = options.folder
        self.base = next((model for word, model in BASES.items() if word in devices["devices"][0]["name"]), None)
        self.figures = {"format": "overlap-gpu-figures", "version": 1, "devices": devices["devices"],
                        "libraries": devices["libraries"], "mpi": devices["mpi"],
                        "overlap": run([self.overlap, "--version"]).strip(), "graph": str(options.graph.name),
                        "base_cost_model": self.base or "the graph's own", "bounds": {"step": STEP_BOUND,
                                                                                       "exposed": EXPOSED_BOUND}}

    def plans(self):
        """The graph that each plan makes, by name; the first one is what the model is fitted to."""
        automatic = self.folder / "automatic.json"
        automatic.write_text(json.dumps(AUTOMATIC), encoding="utf-8")
        graphs = {}
        for name, pipeline in (("plan", self.options.plan), ("baseline", None), ("automatic", automatic)):
            if pipeline is None:
                graphs[name] = self.options.graph
                continue
            graphs[name] = self.folder / f"{name}.graph.json"
            run([self.overlap, "apply", self.options.graph, "--pipeline", pipeline, "-o", graphs[name]])
        return graphs

    def measure(self, name, graph, *more):
        result = self.folder / f"{name}.run.json"
        run([self.runner, graph, "-o", result, "--trace", self.folder / f"{name}.trace.json",
             "--warm-up", "2", "--iterations", "5", "--recorded", "2", *more])
        return result, read(result)

    def predict(self, graph, model, *more):
        command = [self.overlap, "simulate", graph, "--json", *more]
        if model:
            command += ["--cost-model", model]
        predicted = json.loads(run(command))
        return {"step_ms": predicted["step_ms"], "exposed_ms": predicted["exposed_ms"]}

    def calibrate(self, graph, result):
        model = self.folder / "fitted.cost.json"
        command = [self.overlap, "calibrate", graph, result, "--json", "-o", model]
        if self.base:
            command += ["--cost-model", self.base]
        calibration = json.loads(run(command))
        self.figures["calibration"] = {"rows": calibration["rows"], "notes": calibration["notes"],
                                       "contention": calibration["model"].get("contention")}
        return model, bool(calibration["model"].get("contention"))

    def compare(self):
        graphs = self.plans()
        runs = {name: self.measure(name, graph) for name, graph in graphs.items()}
        fitted = next(iter(graphs))
        model, has_contention = self.calibrate(graphs[fitted], runs[fitted][0])
        contention = ["--contention"] if has_contention else []
        self.figures["fitted_to"] = fitted
        self.figures["plans"] = {}
        for name, graph in graphs.items():
            result = runs[name][1]
            measured = {"step_ms": result["step_ms"]["median"], "step_minimum_ms": result["step_ms"]["minimum"],
                        "step_maximum_ms": result["step_ms"]["maximum"],
                        "exposed_ms": result["recorded"]["exposed_ms"],
                        "recorded_step_ms": result["recorded"]["median_step_ms"],
                        "peak_memory_bytes": result["peak_memory_bytes"],
                        "activities_without_node": result["recorded"]["activities_without_node"]}
            predicted = self.predict(graph, model, *contention)
            self.figures["plans"][name] = {
                "groups": [{key: group[key] for key in ("process_group", "size", "runs", "because")}
                           for group in result["groups"]],
                "measured": measured, "before_calibration": self.predict(graph, self.base), "predicted": predicted,
                "step_error": relative(predicted["step_ms"], measured["step_ms"]),
                "exposed_error": relative(predicted["exposed_ms"], measured["exposed_ms"])}

    def as_cuda_graph(self):
        """The smaller sample, launched node by node and as a CUDA graph."""
        small = self.options.samples / "llama3_debugmodel_fsdp8.prebucket.graph.json.gz"
        single = self.measure("small", small)[1]["step_ms"]["median"]
        captured = self.measure("small_cuda_graph", small, "--cuda-graph")[1]["step_ms"]["median"]
        self.figures["cuda_graph"] = {"launched_ms": single, "captured_ms": captured}
        sanitizer = shutil.which("compute-sanitizer")
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
        run(["mpirun", "-n", str(count), self.runner, small, "-o", result, "--iterations", "5"], environment)
        self.figures["several_ranks"] = {"ranks": count, "groups": read(result)["groups"],
                                         "step_ms": read(result)["step_ms"]["median"]}

    def judge(self):
        plans = self.figures["plans"]
        by_measured = sorted(plans, key=lambda name: plans[name]["measured"]["step_ms"])
        by_predicted = sorted(plans, key=lambda name: plans[name]["predicted"]["step_ms"])
        others = [plan for name, plan in plans.items() if name != self.figures["fitted_to"]]
        self.figures["order"] = {"measured": by_measured, "predicted": by_predicted,
                                 "preserved": by_measured == by_predicted}
        self.figures["within_bounds"] = (by_measured == by_predicted
                                         and all(abs(plan["step_error"]) <= STEP_BOUND for plan in others)
                                         and all(abs(plan["exposed_error"]) <= EXPOSED_BOUND for plan in others))

    def tell(self):
        for name, plan in self.figures["plans"].items():
            fitted = " (fitted to)" if name == self.figures["fitted_to"] else ""
            print(f"{name}{fitted}: step measured {plan['measured']['step_ms']:.3f} ms, predicted "
                  f"{plan['predicted']['step_ms']:.3f} ms ({plan['step_error']:+.1%}), before calibration "
                  f"{plan['before_calibration']['step_ms']:.3f} ms; exposed measured "
                  f"{plan['measured']['exposed_ms']:.3f} ms, predicted {plan['predicted']['exposed_ms']:.3f} ms "
                  f"({plan['exposed_error']:+.1%})")
        for row in self.figures["calibration"]["rows"]:
            print(f"{row['kind']} {row['name']}: {row['samples']} samples, median error "
                  f"{row['relative_error_before']['median']:.1%} before, "
                  f"{row['relative_error_after']['median']:.1%} after")
        order = self.figures["order"]
        print("order of plans: measured " + ", ".join(order["measured"]) + "; predicted " +
              ", ".join(order["predicted"]) + ("; preserved" if order["preserved"] else "; NOT preserved"))
        print("within bounds" if self.figures["within_bounds"] else "NOT within bounds")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tests/gpu/run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--graph", type=Path)
    parser.add_argument("--plan", type=Path)
    parser.add_argument("-o", dest="output", type=Path)
    options = parser.parse_args(arguments)
    if bool(options.graph) != bool(options.plan):
        parser.error("--graph and --plan come together")
    options.graph = options.graph or options.samples / "llama3_8b_fsdp64.prebucket.graph.json.gz"
    options.plan = options.plan or options.samples / "llama3_8b_fsdp64.plan.json"
    options.output = options.output or options.folder / "figures.json"
    return options


def main(arguments):
    options = parse(arguments)
    try:
        devices = json.loads(run([options.programs / "overlap-runner", "--devices"]))
        if not devices["devices"]:
            print(f"tests/gpu/run.sh: no GPU: {devices['reason']}; nothing was measured", file=sys.stderr)
            return NO_GPU
        options.folder.mkdir(parents=True, exist_ok=True)
        check = Check(options, devices)
        check.compare()
        check.as_cuda_graph()
        check.several_ranks()
        check.judge()
    except (Failure, OSError) as error:
        print(f"tests/gpu/run.sh: {error}", file=sys.stderr)
        return 1
    options.output.write_text(json.dumps(check.figures, indent=2) + "\n", encoding="utf-8")
    check.tell()
    print(f"figures: {options.output}")
    return 0 if check.figures["within_bounds"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
