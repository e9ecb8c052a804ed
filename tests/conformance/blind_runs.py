"""Published runs that no part of the model was fitted on, for published_runs.py: predictions, and tables of them."""
import copy
import gzip
import json
import math
from dataclasses import dataclass

COMPILED = ("--compiled", "blocks", "--preset", "torchtitan_default")
AS_TRACED = ("--preset", "torchtitan_default")
A100 = "a100-sxm"
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
)
# Of these the peak of memory was published.
WITH_MEMORY = {"a": "a, compiled", "a eager": "a, eager", "b": "b, compiled", "b eager": "b, eager"}


def with_half_of_the_scores(model):
    """Attention twice as fast, which is what leaving out the scores above the diagonal does to its operators."""
    changed = copy.deepcopy(model)
    changed["classes"]["attention"]["efficiency"] *= 2
    return changed


def predict(predictor, published, h100, a100):
    """For each run the step in milliseconds as traced, with half of the scores, and compiled; None where not asked."""
    predicted = {}
    for run in RUNS:
        graph = published[run.name]["graph"]
        model, given = (h100, h100) if run.device == "H100" else (a100, A100)
        compiled = predictor.simulate(graph, given, COMPILED)
        traced = halved = None
        if not run.compiled:
            traced = predictor.simulate(graph, given, AS_TRACED)["step_ms"] + compiled["beside_ms"]
            halved = predictor.simulate(graph, with_half_of_the_scores(model), AS_TRACED)["step_ms"]
            halved += compiled["beside_ms"]
        whole_step = compiled["step_ms"] + compiled["beside_ms"]
        predicted[run.name] = (traced, halved, None if run.compiled is False else whole_step)
    return predicted


def check_a100_file(predictor, published, a100):
    """Whether the cost model in the file is the built-in one."""
    graph = published["8B A100, op"]["graph"]
    one, other = (predictor.simulate(graph, model, AS_TRACED)["step_ms"] for model in (A100, a100))
    return math.isclose(one, other)


def table_of_blind_runs(published, predicted):
    lines = ["| run | device | published | as traced | half of the scores | compiled |", "|---|---|---|---|---|---|"]
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
        peak = predictor.simulate(graph, h100, AS_TRACED)["corrected_peak_memory_bytes"] / GIB
        state = optimizer_bytes(predictor.data, graph) / GIB
        reserved = published[run]["memory_gib"]
        lines.append(f"| {words} | {peak:.1f} GiB | {state:.1f} GiB | {peak + state:.1f} GiB | {reserved:.1f} GiB | "
                     f"{(peak + state) / reserved:.2f} |")
    return "\n".join(lines)
