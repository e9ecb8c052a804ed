"""What tests of exports share: a graph and a plan whose names are hostile, ordinary ones, and runs of `overlap export`."""
import ast
import os
import types

from command_line import CommandLine, graph_path

HOSTILE = [
    "a\"b'c",
    "line\nbreak\r\n# comment",
    "</script></style><img src=x onerror=alert(1)>",
    '"""\nimport os\n"""',
    "back\\slash\\",
    "{}%s{0}%(x)s$y",
    "\u202eevil\u2066",
    "=cmd()|'/C calc'!A0",
    "@SUM(1;2)",
    "\tbell\u0007\u0000",
    "caf\u00e9 \U0001f600 \u2028",
    "x" * 10_000,
]
GROUP = "0\"</td><b>"


def tensor(shape, storage):
    stride = [1] * len(shape)
    for index in range(len(shape) - 2, -1, -1):
        stride[index] = stride[index + 1] * shape[index + 1]
    size = 2
    for length in shape:
        size *= length
    return {"dtype": "bfloat16", "shape": shape, "stride": stride, "device": "cuda:0", "storage": storage,
            "storage_bytes": size}


def hostile_graph(names=HOSTILE, group=GROUP):
    """Sharded layers, one for each name, each with two parameters; every name of a node and of a module is hostile."""
    nodes = []

    def add(name, op, target, args, shape, module=None, **more):
        node = {"name": name, "op": op, "target": target, "args": args, "kwargs": {}, **more}
        if shape:
            node["outputs"] = [tensor(shape, len(nodes))]
        if module is not None:
            node["custom"] = {"module_fqn": module}
        nodes.append(node)
        return {"node": name}

    x = add("x", "placeholder", "x", [], [64, 64])
    shards = [[add(f"{name}_p{part}", "placeholder", f"p{index}_{part}", [], [8, 64]) for part in range(2)]
              for index, name in enumerate(names)]
    for index, name in enumerate(names):
        for part, shard in enumerate(shards[index]):
            gathered = add(f"{name}_ag{part}", "call_function", "_c10d_functional.all_gather_into_tensor.default",
                           [shard, 8, group], [64, 64], name, estimate_ms=2.0)
            waited = add(f"{name}_wait{part}", "call_function", "_c10d_functional.wait_tensor.default", [gathered],
                         [64, 64], name, estimate_ms=0.0)
            x = add(f"{name}_mm{part}", "call_function", "aten.mm.default", [x, waited], [64, 64], name,
                    estimate_ms=1.0)
    add("output", "output", "output", [[x]], None)
    return {"format": "overlap-graph", "version": 1, "name": "graph </title>\n\"'", "rank": 0, "world_size": 8,
            "process_groups": [{"name": group, "ranks": list(range(8)), "rank": 0, "desc": "</td>"}],
            "cost_model": {"device": {"name": "test", "flops_per_s": {"bfloat16": 1e15}, "flops_efficiency": 1,
                                      "memory_bytes_per_s": 1e12, "memory_efficiency": 1},
                           "links": [{"process_group": group, "latency_ms": 0.5, "bytes_per_s": 1e7}]},
            "nodes": nodes}


def hostile_plan(**more):
    return {"format": "overlap-plan", "version": 1, "name": "plan \"'</h1>\n\u202e../../etc",
            "buckets": [{"modules": HOSTILE[0], "title": "=title()</td>"}, {"modules": HOSTILE[1:3]},
                        *[{"modules": name} for name in HOSTILE[3:]]],
            "pipeline": [{"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}}],
            "notes": "notes \"\"\"\n</main>", **more}


def module_lists(plan):
    return [bucket["modules"] for bucket in plan["buckets"]]


class Export(CommandLine):
    def arguments(self, plan, to, graph, output):
        """@param graph a document, or the file that has it; None for no graph."""
        arguments = ["export", self.path("the.plan.json", plan), "--to", to, "-o", output]
        if graph is not None:
            arguments += ["--graph", graph if isinstance(graph, str) else self.path("the.graph.json", graph)]
        return arguments

    def export(self, plan, to, graph=None):
        """@returns the bytes of the file and the lines of notes."""
        output = self.path("out")
        done = self.expect(0, *self.arguments(plan, to, graph, output))
        self.assertEqual(done.stdout, "")
        with open(output, "rb") as file:
            return file.read(), done.stderr.splitlines()

    def refused(self, words, plan, to, graph=None):
        output = self.path("none")
        self.expect_error(1, words, *self.arguments(plan, to, graph, output))
        self.assertFalse(os.path.exists(output))

    def module(self, source):
        """What a Python file holds once it has run."""
        source.decode("ascii")
        made = types.ModuleType("exported")
        exec(compile(ast.parse(source), "exported.py", "exec"), made.__dict__)
        return made

    def formats(self):
        text = self.overlap("export", "--help").stdout
        return [line.split()[0] for line in text[text.index("Formats:"):].splitlines()[1:] if line.startswith("  ")]


def sharded():
    """The graph of a real sharded step."""
    return graph_path("llama3_debugmodel_fsdp8.prebucket")


BLOCKS = [["tok_embeddings"], *[[f"layers.{layer}"] for layer in range(6)], ["norm", "lm_head"]]


def block_plan(*steps, buckets=None):
    steps = steps or ({"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}},)
    return {"format": "overlap-plan", "version": 1, "name": "blocks",
            "buckets": [{"modules": entry} for entry in (BLOCKS if buckets is None else buckets)],
            "pipeline": list(steps)}
