#!/usr/bin/env python3
"""Predictions of runs that torchtitan published, against what it measured.

    published_runs.py PROGRAMS DATA                 the test: exit status 1 where a prediction is off by more than 5 %
    published_runs.py PROGRAMS DATA --write DOCS    the same, and writes DOCS/predictions.svg and the tables of
                                                    DOCS/predictions.md anew

PROGRAMS is the folder with `overlap`, DATA is tests/data. One number is fitted, the share of the matrix rate that
products reach, on run `a` alone; the other runs are predicted with it. Graphs are those of tests/torch/published_graphs.py.
Further runs (blind_runs.py) are predicted without any tolerance.
"""
import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import blind_runs

TOLERANCE = 0.05
FITTED = "a"
GRAPHS = {
    "a": "a_llama3_8b_fsdp8",
    "b": "b_llama3_8b_fsdp128",
    "c": "c_llama3_8b_fsdp8_tp8",
    "d": "d_llama3_70b_fsdp32_tp8",
}
WORDS = {
    "a": "8B, FSDP 8, local batch 2, selective checkpointing",
    "b": "8B, FSDP 128, local batch 2, selective checkpointing",
    "c": "8B, FSDP 8 × TP 8, local batch 12, selective checkpointing",
    "d": "70B, FSDP 32 × TP 8, local batch 16, full checkpointing",
}
JOB = ("--compiled", "blocks", "--preset", "torchtitan_default")


class Predictor:
    """Runs `overlap simulate` on the graphs of published runs."""

    def __init__(self, programs, data, folder):
        self.program = pathlib.Path(programs) / "overlap"
        self.data = pathlib.Path(data) / "published_runs"
        self.folder = pathlib.Path(folder)

    def simulate(self, graph, model, options):
        """The figures of a graph with a cost model, which is the name of a built-in one or a document."""
        if not isinstance(model, str):
            path = self.folder / "model.cost.json"
            path.write_text(json.dumps(model), encoding="utf-8")
            model = path
        file = self.data / (graph + ".graph.json.gz")
        done = subprocess.run([self.program, "simulate", file, "--cost-model", model, *options, "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"published_runs.py: {graph}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def step_ms(self, run, model, options, beside=True):
        figures = self.simulate(GRAPHS[run] + ".prebucket", model, options)
        return figures["step_ms"] + (figures["beside_ms"] or 0 if beside else 0)


def with_share(model, share):
    changed = copy.deepcopy(model)
    changed["classes"]["matrix_multiply"]["efficiency"] = share
    return changed


def fitted_share(predictor, model, options, measured_ms, beside=True):
    """The share at which run `a` takes what was measured, by halving: a larger one makes the step shorter. To three
    digits, as the built-in model has it, so that there is one prediction of each run."""
    low, high = 0.2, 1.0
    for _ in range(14):
        middle = (low + high) / 2
        if predictor.step_ms(FITTED, with_share(model, middle), options, beside) > measured_ms:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 3)


def links_of_one_card(model):
    """The links that docs/training_job.md once recommended: a group across hosts has one card's bandwidth."""
    changed = copy.deepcopy(model)
    changed["links"] = {"gpus_per_node": 8, "within_node": {"latency_ms": 0.015, "bytes_per_s": 360e9},
                        "between_nodes": {"latency_ms": 0.03, "bytes_per_s": 40e9}}
    # By size for the groups of b and d; that of c has as many ranks as a's, which is within a host.
    one_card = {"latency_ms": 0.03, "bytes_per_s": 40e9}
    changed["links"]["group_sizes"] = {"128": one_card, "32": one_card}
    changed["links"]["process_groups"] = {"281": one_card}
    return changed


def attention_as_fast_as_products(model):
    changed = copy.deepcopy(model)
    changed["classes"]["attention"]["efficiency"] = changed["classes"]["matrix_multiply"]["efficiency"]
    return changed


def ablations(model):
    """What each part of the model does: name, model, options, whether clipping and the optimizer count."""
    traced = ("--preset", "torchtitan_default")
    return [
        ("all of it", model, JOB, True),
        ("every operator a kernel (as traced)", model, traced, True),
        ("the whole graph compiled, not its blocks", model, ("--compiled", "whole", *traced), True),
        ("collectives as traced, without torchtitan's plan", model, ("--compiled", "blocks"), True),
        ("one network card for each group", links_of_one_card(model), JOB, True),
        ("attention at the share of products", attention_as_fast_as_products(model), JOB, True),
        ("without clipping and optimizer", model, JOB, False),
    ]


def published(data):
    """The published runs by name."""
    runs = json.loads((pathlib.Path(data) / "published_runs" / "published.json").read_text(encoding="utf-8"))["runs"]
    return {run["name"]: run for run in runs}


def cost_model(data, name):
    return json.loads((pathlib.Path(data) / "published_runs" / f"{name}.cost.json").read_text(encoding="utf-8"))


def errors_with(predictor, measured, model, options, beside):
    """The fitted share, and for each run how much too many (or too few) tokens a second are predicted."""
    share = fitted_share(predictor, model, options, measured[FITTED]["step_ms_from_it"], beside)
    fitted = with_share(model, share)
    predicted = {run: predictor.step_ms(run, fitted, options, beside) for run in GRAPHS}
    return share, predicted, {run: measured[run]["step_ms_from_it"] / predicted[run] - 1 for run in GRAPHS}


def percent(share):
    return f"{round(100 * share, 1) + 0.0:+.1f} %"


def table_of_runs(measured, predicted, errors):
    lines = ["| run | published | predicted | off by |", "|---|---|---|---|"]
    for run in GRAPHS:
        step_ms = measured[run]["step_ms_from_it"]
        tokens = measured[run]["tokens_per_second_per_gpu"]
        note = " (fitted)" if run == FITTED else ""
        lines.append(f"| {run}: {WORDS[run]} | {tokens:,.0f} tokens/s, {step_ms:,.0f} ms | "
                     f"{tokens * step_ms / predicted[run]:,.0f} tokens/s, {predicted[run]:,.0f} ms | "
                     f"{percent(errors[run])}{note} |")
    return "\n".join(lines)


def table_of_parts(rows):
    lines = ["| model | share of the matrix rate | a | b | c | d |", "|---|---|---|---|---|---|"]
    for name, share, errors in rows:
        cells = " | ".join(percent(errors[run]) for run in GRAPHS)
        lines.append(f"| {name} | {share:.3f} | {cells} |")
    return "\n".join(lines)


def plot(measured, predicted):
    """Two bars a run, published and predicted tokens a second, each run scaled to what was published."""
    width, row, left, bar = 720, 64, 290, 18
    scale = (width - left - 110) / 1.15
    height = row * len(GRAPHS) + 56
    published_colour, predicted_colour = "#9aa5b1", "#2563c9"
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="13">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             '<text x="16" y="26" font-size="15" fill="#1f2933">Tokens a second and GPU</text>',
             f'<rect x="{left}" y="14" width="14" height="14" fill="{published_colour}" rx="2"/>',
             f'<text x="{left + 20}" y="26" fill="#1f2933">published</text>',
             f'<rect x="{left + 110}" y="14" width="14" height="14" fill="{predicted_colour}" rx="2"/>',
             f'<text x="{left + 130}" y="26" fill="#1f2933">predicted</text>']
    for index, run in enumerate(GRAPHS):
        top = 44 + index * row
        tokens = measured[run]["tokens_per_second_per_gpu"]
        share = measured[run]["step_ms_from_it"] / predicted[run]
        name, rest = WORDS[run].split(", local", 1)
        lines.append(f'<text x="16" y="{top + 16}" fill="#1f2933">{run}: {name}</text>')
        lines.append(f'<text x="16" y="{top + 34}" fill="#6b7785" font-size="11">local{rest}</text>')
        for offset, length, value, colour in ((0, 1, tokens, published_colour),
                                              (bar + 4, share, tokens * share, predicted_colour)):
            lines.append(f'<rect x="{left}" y="{top + offset}" width="{scale * length:.1f}" height="{bar}" '
                         f'fill="{colour}" rx="2"/>')
            lines.append(f'<text x="{left + scale * length + 8:.1f}" y="{top + offset + 14}" fill="#1f2933">'
                         f'{value:,.0f}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def put_between(text, mark, content):
    """The text with what stands between the comments `mark` and `end of mark` replaced."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    before, rest = text.split(begin, 1)
    return before + begin + "\n" + content + "\n\n" + end + rest.split(end, 1)[1]


def write(docs, tables, picture):
    """`tables` by the mark between which each stands in the page."""
    page = pathlib.Path(docs) / "predictions.md"
    text = page.read_text(encoding="utf-8")
    for mark, table in tables.items():
        text = put_between(text, mark, table)
    page.write_text(text, encoding="utf-8")
    (pathlib.Path(docs) / "predictions.svg").write_text(picture, encoding="utf-8")


def blind_tables(predictor, measured, h100):
    """Those of the runs that nothing was fitted on."""
    return {"blind": blind_runs.table_of_blind_runs(measured, blind_runs.predict(predictor, measured, h100)),
            "memory": blind_runs.table_of_memory(predictor, measured, h100)}


def contradictions(programs, step_ms, errors):
    """What READMEs and the built-in model say otherwise than this page. `step_ms` is of run b without the optimizer."""
    root = pathlib.Path(__file__).resolve().parents[2]
    step = f"{step_ms:,.0f} ms"
    found = [f"{file} does not have {step} of run b" for file in ("README.md", "resources/samples/README.md")
             if step not in (root / file).read_text(encoding="utf-8")]
    models = json.loads(subprocess.run([pathlib.Path(programs) / "overlap", "estimate", "--list-cost-models", "--json"],
                                       capture_output=True, text=True, check=True).stdout)
    within = f"within {100 * max(abs(error) for error in errors.values()):.1f} %"
    if not any(within in (model["checked"] or "") for model in models):
        found.append(f"no built-in model says that it was checked {within}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("data")
    parser.add_argument("--write", metavar="DOCS")
    arguments = parser.parse_args()
    model = cost_model(arguments.data, "h100_96gb_500w")
    measured = published(arguments.data)
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(arguments.programs, arguments.data, folder)
        share, predicted, errors = errors_with(predictor, measured, model, JOB, True)
        print(f"share of the matrix rate, fitted on {FITTED}: {share:.3f}")
        step_ms = predictor.step_ms("b", with_share(model, share), JOB, beside=False)
        tables = {"runs": table_of_runs(measured, predicted, errors),
                  **blind_tables(predictor, measured, with_share(model, share))}
        if arguments.write:
            rows = [(name, *[part for index, part in enumerate(errors_with(predictor, measured, *rest)) if index != 1])
                    for name, *rest in ablations(model)]
            tables["parts"] = table_of_parts(rows)
            write(arguments.write, tables, plot(measured, predicted))
        print("\n\n".join(tables.values()))
    if different := contradictions(arguments.programs, step_ms, errors):
        sys.exit("published_runs.py: " + "; ".join(different))
    given = model["classes"]["matrix_multiply"]["efficiency"]
    wrong = [run for run, error in errors.items() if abs(error) > TOLERANCE]
    if abs(given - share) > 0.005:
        sys.exit(f"published_runs.py: the model has the share {given}, the fit gives {share:.3f}")
    if wrong:
        sys.exit(f"published_runs.py: off by more than {100 * TOLERANCE:.0f} %: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
