"""Published runs that no part of the model was fitted on, for published_runs.py: predictions, and tables of them."""
import gzip
import json
import math
from dataclasses import dataclass

COMPILED = ("--compiled", "blocks", "--preset", "torchtitan_default")
EAGER = ("--compiled", "eager", "--preset", "torchtitan_default")
AS_TRACED = ("--preset", "torchtitan_default")
# Built-in cost models by the device that a run names; a and b are on the H100 of 96 GB, whose share was fitted.
MODELS = {"A100": "a100-sxm", "H100 80 GB": "h100-sxm", "B200": "b200-sxm"}
GIB = 2**30


@dataclass(frozen=True)
class BlindRun:
    name: str  # in published.json
    words: str
    device: str
    compiled: bool | None  # whether the job was compiled; None: not told


RUNS = (
    BlindRun("a eager", "a, eager", "H100", False),
    BlindRun("b eager", "b, eager", "H100", False),
    BlindRun("8B A100, op", "Llama 3 8B, FSDP 64, local batch 1, selective", "A100", None),
    BlindRun("70B A100", "Llama 3 70B, FSDP 64, local batch 1, full", "A100", None),
    BlindRun("Llama 2 13B A100, none", "Llama 2 13B, FSDP 64, local batch 2, none", "A100", None),
    BlindRun("Llama 2 13B A100, op", "Llama 2 13B, FSDP 64, local batch 2, selective", "A100", None),
    BlindRun("Llama 2 70B A100, full", "Llama 2 70B, FSDP 64, local batch 2, full", "A100", None),
    BlindRun("FMS 7B", "fms-fsdp, Llama 2 7B, HSDP 8 × 16, local batch 2, none", "A100", True),
    BlindRun("DeepSeek V3 16B, EP 32", "DeepSeek V3 16B, FSDP 32, EP 32, local batch 4", "H100 80 GB", False),
    BlindRun("DeepSeek V3 16B B200", "DeepSeek V3 16B, FSDP 8, local batch 4, selective", "B200", None),
)
# Of these the peak of memory was published.
WITH_MEMORY = {"a": "a, compiled", "a eager": "a, eager", "b": "b, compiled", "b eager": "b, eager",
               "DeepSeek V3 16B, EP 32": "DeepSeek V3 16B, EP 32"}


def predict(predictor, published, h100):
    """For each run the step in milliseconds as traced, eager and compiled; None where the job was known to be other."""
    predicted = {}
    for run in RUNS:
        graph, model = published[run.name]["graph"], MODELS.get(run.device, h100)
        figures = {options: predictor.simulate(graph, model, options) for options in (AS_TRACED, EAGER, COMPILED)}
        beside_ms = figures[EAGER]["beside_ms"]
        traced, eager, compiled = (of["step_ms"] + beside_ms for of in figures.values())
        predicted[run.name] = (None if run.compiled else traced, None if run.compiled else eager,
                               None if run.compiled is False else compiled)
    return predicted


def table_of_blind_runs(published, predicted):
    lines = ["| run | device | published | as traced | eager | compiled |", "|---|---|---|---|---|---|"]
    for run in RUNS:
        step_ms = published[run.name]["step_ms_from_it"]
        cells = [f"{ms:,.0f} ms, {100 * (step_ms / ms - 1):+.1f} %" if ms else "" for ms in predicted[run.name]]
        lines.append(f"| {run.words} | {run.device} | "
                     f"{published[run.name]['tokens_per_second_per_gpu']:,.0f} tokens/s, {step_ms:,.0f} ms | "
                     f"{' | '.join(cells)} |")
    return "\n".join(lines)


def optimizer_bytes(data, graph):
    """AdamW's two float32 numbers for each of this rank's parameters, which are the graph's float32 placeholders."""
    with gzip.open(data / (graph + ".graph.json.gz")) as file:
        document = json.load(file)
    held = (node["outputs"][0] for node in document["nodes"] if node["name"] in document["placeholder_fqns"])
    return sum(2 * 4 * math.prod(tensor["shape"]) for tensor in held if tensor["dtype"] == "float32")


def table_of_memory(predictor, published, h100):
    lines = ["| run | graph's peak, allocated | AdamW's state | together | published, reserved | ratio |",
             "|---|---|---|---|---|---|"]
    for run, words in WITH_MEMORY.items():
        graph = published[run]["graph"]
        peak = predictor.simulate(graph, h100, AS_TRACED)["peak_memory_bytes"] / GIB
        state = optimizer_bytes(predictor.data, graph) / GIB
        reserved = published[run]["memory_gib"]
        lines.append(f"| {words} | {peak:.1f} GiB | {state:.1f} GiB | {peak + state:.1f} GiB | {reserved:.1f} GiB | "
                     f"{(peak + state) / reserved:.2f} |")
    return "\n".join(lines)
