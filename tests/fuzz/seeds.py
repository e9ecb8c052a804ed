"""Seeds of the fuzz targets: real files and recorded bad inputs, cut to the longest input, and words for dictionaries.

    seeds.py FOLDER     writes FOLDER/TARGET/* and FOLDER/TARGET.dict
"""

import gzip
import json
import random
import re
import sys
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared"
INPUT_LIMIT = 64 * 1024
MOST_SEEDS = 100
DICTIONARY_WORDS = 250

# Targets whose input is not a file but a list of decisions.
DECIDING = ("evaluation", "layout", "mesh_planner", "pass", "program")

RUN_RESULT = {
    "format": "overlap-run", "version": 1, "mode": "gpu",
    "graph": {"name": "g", "nodes": 2, "digest": "0123456789abcdef"},
    "step_ms": {"median": 12.5}, "recorded": {"steps": 3, "exposed_ms": 1.5}, "device": "a device",
    "libraries": {"nccl": "2.28.3"},
    "nodes": [{"name": "mm", "median_ms": 2.5, "minimum_ms": 2}, {"name": "relu", "median_ms": 0.25}],
}
MEASURED_TIMES = {
    "series": [{"collective": "all_gather", "mesh_dims": ["tp"], "points": [[0, 1.0], [4000, 5.0]]},
               {"collective": "all_reduce", "mesh_dims": [1, 0], "points": [[0, 7], [8000, 15]]}],
}
JOBS = [
    {"format": "overlap-job", "version": 1, "name": "j", "replicas": 2, "transfer": {"activations_ms": 0.5, "gradients_ms": 1},
     "stages": [{"ms": {"F": 1, "I": 2, "W": 1}, "gradient_sync_ms": 1}, {"ms": {"F": 1, "I": 1, "W": 1, "B": 2}}],
     "schedule": {"name": "ZBVZeroBubble", "microbatches": 2, "ranks": 1, "stages_per_rank": 2, "overlap": "max"},
     "variation": {"seed": 3, "samples": 2, "compute": {"sigma": 0.1}, "transfer": {"sigma": 0.1},
                   "slow": [{"replica": 1, "stage": 0, "factor": 2}]}},
    {"format": "overlap-job", "version": 1, "stages": [{"segments": {"F": [{"compute_ms": 1}, {"collective": "all_reduce",
     "dim": "dp", "ms": 1}], "B": [{"compute_ms": 2}]}}, {"ms": {"F": 1, "B": 2, "UNSHARD": 1}}],
     "schedule": {"actions": [["0F0", "", "0B0", "0REDUCE_GRAD", "0WAIT_REDUCE_GRAD"], ["1UNSHARD", "1F0", "1B0"]],
                  "microbatches": 1}},
    # Links that are shared, bytes in place of times, experts, and everything that can be drawn.
    {"format": "overlap-job", "version": 1, "mesh": {"dims": [["pp", 2], ["dp", 2]], "order": ["dp", "pp"]},
     "stages": [{"name": "s0", "segments": {"F": [{"compute_ms": 1, "experts": True}, {"collective": "all_to_all", "dim": "dp",
                 "bytes": 64}], "B": [{"compute_ms": 2}]}, "gradient_sync_bytes": 128}, {"ms": {"F": 1, "B": 2}}],
     "schedule": {"name": "1F1B", "microbatches": 2}, "transfer": {"activation_bytes": 100, "gradient_bytes": 300},
     "routing": {"group": "dp", "share": [0.75, 0.25]},
     "topology": {"levels": [{"name": "node", "ranks": 2, "latency_ms": 0.25, "bytes_per_s": 400000, "contention": "shared"},
                             {"name": "leaf", "ranks": 4, "bytes_per_s": 50000, "contention": "shared", "links": 2,
                              "oversubscription": 2}],
                  "algorithms": {"all_reduce": "tree", "all_to_all": "ring", "all_gather": "hierarchical"}},
     "variation": {"seed": 3, "samples": 2, "compute": {"uniform": [0.5, 1.5], "each": "rank"}, "transfer": {"exponential": 1},
                   "pauses": [{"probability": 0.5, "ms": 4}], "slow": [{"replica": 0, "factor": 1.5}]}},
    {"format": "overlap-job", "version": 1, "replicas": 2, "stages": [{"ms": {"F": 1, "B": 2}}],
     "schedule": {"name": "GPipe", "microbatches": 2},
     "variation": {"samples": 3, "compute": {"factors": [0.5, 1, 1.5]}, "pauses": [{"probability": 1, "ms": 1}]}},
    {"format": "overlap-job", "version": 1, "p2p": "buffered", "groups": {"g": [0, 1]}, "programs": [
        {"rank": 0, "ops": [{"id": "b", "kind": "batch", "ops": [{"id": "s", "kind": "send", "peer": 1, "bytes": 4},
                                                                {"id": "r", "kind": "recv", "peer": 1}]},
                            {"id": "x", "kind": "collective", "group": "g", "op": "all_to_all", "split": [1, 2],
                             "receive": [1, 3], "stream": "s", "after": ["b"], "ms": 1}]},
        {"rank": 1, "ops": [{"id": "r", "kind": "recv", "peer": 0}, {"id": "s", "kind": "send", "peer": 0},
                            {"id": "x", "kind": "collective", "group": "g", "op": "all_to_all", "split": [3, 1]}]}]},
]
BUCKET_TEXTS = ["layers.[0-2]", "norm+lm_head", "layers.[0-2], norm + output\n'layers.[0]'", '["a", ["b", "c"]]',
                "['layers.[0-3]', ['norm', 'output']]", '"layers.[0-1]"', "layers.[1,3-5].attention\n\n"]
MODULE_PATTERNS = ["layers.{n}.{part*}.weight\nlayers.{n}.{part}\nlayers.0.attention.wq.weight\nlayers.x\n",
                   "*{a*}*{b*}.{a*}\n{b}\nxyxy.xy\n", "primals_{n}\nlayers.{n}\nprimals_12\n"]
SHARDING_DOCUMENT = {
    "mesh": {"shape": [4, 2], "dim_names": ["dp", "tp"]},
    "nodes": [{"name": "primals_1", "op": "placeholder", "phase": "forward", "placement": "S(0)S(1)", "inputs": [],
               "compute_cost": 0.0, "dtype": "bfloat16", "shape": [64, 32]},
              {"name": "split", "op": "aten.split.Tensor", "placement": "(S(0)R, None)", "compute_cost": 3.5,
               "inputs": [{"name": "primals_1", "src_placement": "S(0)[1]S(0)[0]", "dst_placement": "P(sum)R",
                           "comm_cost": 12.5},
                          {"name": "sym_size", "src_placement": None, "dst_placement": None}]},
              {"name": "output", "op": "output", "inputs": [{"name": "split"}]}],
}
TENSOR_TABLE = {"primals_1": "bf16[16, 32][32, 1]cuda:0", "view": "f32[s0, 2*s1 + 1]", "mm": "f8e4m3fn[]",
                "sum": "Sym(s0)", "param": "DTensor(f32[16], S(0))", "empty": "i64[0][1]cpu"}
SESSION = {
    "format": "overlap-session", "version": 1, "open": "/a.log#2", "theme": "dark", "recent_files": ["/a.graph.json"],
    "geometry": "AAEC", "layout": "", "views": {"timeline": {"rows": [1, 2.5, None]}}, "ended": False,
    "documents": [{"graph": "/a.log#2", "current": 1, "range_start_ms": 1.5, "range_end_ms": 2.5, "contention": True,
                   "variants": [{"plan": "{}", "file": "/a.plan.json", "modified": True, "digest": "00ff",
                                 "history": {"version": 1, "done": 2, "saved": 0, "begins_later": True,
                                             "parts": [{"file": "a.edits", "first": 0, "count": 1},
                                                       {"edits": [{"text": "Add norm", "first": 0, "before": "{}",
                                                                   "after": "{}", "rest": True}]}]}}],
                   "closed": [{"plan": "{}", "file": "", "modified": False, "digest": ""}], "times": ["/rank0.json"],
                   "cost_model": "h100-sxm", "timeline": {"notes": [{"time_ms": 1, "text": "here"}]},
                   "source": {"file": "/a.log", "number": 2, "groups": "0=0,1;1=2,3", "symbols": "s0=8",
                              "world_size": "4", "tensors": ""}}],
}
LAYOUT_MESSAGES = ["24\n1 16 8 2 10 20 30 40 1 0 1 ", "40\n7 0 100 50 2 1 2 3 4 1 4 0 0 1 1 2 2 3 3 ", "3\nabc"]


def unpacked(path):
    """The first bytes of a file; none of a damaged gzip."""
    data = path.read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return zlib.decompressobj(31).decompress(data, INPUT_LIMIT)
    except zlib.error:
        return b""


def files(*patterns):
    """Bytes of the files that fit, those that are whole within the limit first."""
    found = [unpacked(path) for folder, pattern in patterns for path in sorted(folder.glob(pattern))]
    return sorted(found, key=lambda data: len(data) >= INPUT_LIMIT)


def as_bytes(value):
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def recorded_bad_inputs():
    """Passes with options on which the reference raises or does not do what one would think."""
    path = SHARED / "goldens" / "errors.json"
    cases = json.loads(path.read_text()) if path.exists() else []
    return [{"pass": case["pass"], "options": case["input"]} for case in cases]


def redistribution_cases():
    """The questions of a golden file, a few at a time."""
    with gzip.open(DATA / "redistribution_goldens" / "random.json.gz", "rt") as file:
        golden = json.load(file)
    asked = [{key: value for key, value in case.items() if key != "plans"} for case in golden["cases"]]
    return golden["header"], [asked[first:first + 5] for first in range(0, 200, 5)]


def placements():
    states = {state.get("text") or "".join(state["placements"])
              for cases in redistribution_cases()[1] for case in cases for state in (case["src"], case["dst"])}
    # The first letter tells the number of mesh dimensions, 1 for "\x00".
    others = ["\x02S(0)[2,0]R[1]", "\x01S(0)<1>S(0)<0>"]
    return [chr(dims) + state for state in sorted(states) for dims in (1, 2, 3)] + others


def decisions():
    generator = random.Random(1)
    return [generator.randbytes(generator.choice((32, 128, 512))) for _ in range(MOST_SEEDS)]


def seeds():
    """Bytes of seeds by target."""
    bad = recorded_bad_inputs()
    plans = [{"format": "overlap-plan", "version": 1, "pipeline": [step]} for step in bad]
    header, questions = redistribution_cases()
    graphs = files((DATA / "bad", "*.graph.json"), (DATA / "graphs", "everything.graph.json"),
                   (DATA / "fx_text", "*.json"), (DATA / "redistribution_graphs", "*.json"),
                   (DATA / "random_goldens", "*.gz"), (DATA / "graphs", "*.gz"))
    bucket_lists = [step["options"]["module_bucket_plans"] for step in bad if "module_bucket_plans" in step["options"]]
    packed = sorted((DATA / "bad").glob("*.gz")) + sorted((DATA / "random_goldens").glob("*.gz"))
    plan_files = files((DATA / "plans", "*.json"), (ROOT / "resources" / "samples", "*.plan.json"))
    logs = files((SHARED / "traces", "*.log"), (DATA / "structured_logs", "*.log"))
    functions = files((DATA / "fx_text", "*.py"), (DATA / "fx_text", "*.txt"))
    found = {
        "bucket_text": BUCKET_TEXTS + bucket_lists,
        "cost_model": files((DATA / "cost_models", "*.json")),
        "fx_text": functions + [small for text in functions for small in one_statement_each(text)],
        "graph": graphs,
        "gzip": [path.read_bytes() for path in packed],
        "layout_message": LAYOUT_MESSAGES,
        "measured_times": [MEASURED_TIMES],
        "module_pattern": MODULE_PATTERNS,
        "pipeline": [[step] for step in bad] + plan_files,
        "placement": placements(),
        "plan": plan_files + plans,
        "profile": files((DATA / "profile_goldens", "*.trace.json.gz")),
        "job": JOBS,
        "redistribution_cases": [{"header": header, "cases": cases} for cases in questions],
        "run_result": [RUN_RESULT],
        "session": [SESSION] + files((DATA / "versions", "session.*.json")),
        "sharding_document": [SHARDING_DOCUMENT],
        "structured_log": logs,
        "tensor_table": [TENSOR_TABLE],
        "trace": files((DATA / "traces", "*.json*"), (SHARED / "traces", "*.json.gz")),
    }
    found |= {target: decisions() for target in DECIDING}
    return {target: [as_bytes(seed) for seed in some] for target, some in found.items()}


FUNCTION = b'def forward(self, a: "f32[4]"):\n'
# By target: what stands before and behind something that is repeated up to the limit.
REPEATED = {
    "fx_text": [(b"", b"def forward(self, a):\n", b""), (FUNCTION + b"    x = ", b"1+", b"1\n    return (x,)\n"),
                (FUNCTION + b"    x = a", b"[0]", b"\n    return (x,)\n"), (FUNCTION + b"    x = ", b"(", b"\n"),
                (FUNCTION, b"    x = torch.ops.aten.add.Tensor(a, a)\n", b"    return (x,)\n")],
    "placement": [(b"\x02", b"S(0)", b""), (b"\x02S(0)[", b"0,", b"1]")],
    "tensor_table": [(b'{"a": "f32[', piece, b'1]"}') for piece in (b"1+", b"(", b"1,")],
    "bucket_text": [(b"", b"a+", b"[0-9]"), (b"a", b"[0]", b"[0-9999]")],
}


def one_statement_each(text):
    """The functions that have just one of the statements of the function `text`, and return what it gives. They are
    tried far more often than the whole one."""
    lines = text.decode().strip().splitlines()
    begin = next(at for at, line in enumerate(lines) if "def forward" in line or line == "graph():") + 1
    while "placeholder" in lines[begin]:
        begin += 1
    for line in lines[begin:]:
        name = re.match(r"(\s*)(%?\w+)\b.* = ", line)
        if name:
            yield "\n".join([*lines[:begin], line, f"{name[1]}return ({name[2]},)", ""]).encode()


def deep_module(graph):
    """A graph document with a node in as many modules within one another as fit."""
    document = json.loads(graph)
    document["nodes"][0]["module_stack"] = [["", "M"]]
    text = json.dumps(document, separators=(",", ":"))
    return text.replace('[["","M"]]', '[["' + "a." * ((INPUT_LIMIT - len(text)) // 2 - 1) + 'b","M"]]').encode()


def repeated(before, piece, behind):
    count = (INPUT_LIMIT - len(before) - len(behind)) // len(piece)
    return before + piece * count + behind


def longest_inputs(target, texts):
    """Inputs at the limit on which time or memory that grows faster than the input would show."""
    pieces = [b"[", b'{"a":', b'"', b"a.", b"0,", b"a+", b"a[0]", b"\n", b"1 ", min(texts, key=len), texts[0]]
    found = [repeated(b"", piece, b"") for piece in pieces if piece]
    found += [repeated(*parts) for parts in REPEATED.get(target, [])]
    if target == "graph":
        found.append(deep_module((DATA / "graphs" / "everything.graph.json").read_bytes()))
    return found


def dictionary(texts):
    """The words of seeds that come most often, as libFuzzer takes them."""
    words = Counter(word for text in texts for word in set(re.findall(rb'"?[A-Za-z_][A-Za-z0-9_.]{2,28}"?', text)))
    lines = [word.decode().replace('"', '\\"') for word, _ in words.most_common(DICTIONARY_WORDS)]
    return "".join(f'"{line}"\n' for line in lines)


def write(path, content):
    """What is there already stays: another run may be reading it."""
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def main(folder):
    for target, texts in seeds().items():
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        cut = list(dict.fromkeys(text[:INPUT_LIMIT] for text in texts))[:MOST_SEEDS]
        # Decisions end long before the longest input does.
        longest = [] if target in DECIDING else longest_inputs(target, cut)
        for number, text in enumerate(cut + longest):
            write(place / str(number), text)
        if target not in DECIDING:
            write(folder / f"{target}.dict", dictionary(cut).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
