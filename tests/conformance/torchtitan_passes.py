"""Run the graph passes of torchtitan's graph trainer as they are, without installing the trainer.

    passes = load("path/of/a/torchtitan/checkout")
    graph_module = passes.run(graph_module, "reassign_collective_pgs_pass", {})

The checkout is commit b5bcd76c, which the goldens were made with. Needs torch 2.15, no GPU: what the pass files import of
models, configuration and parallelism, and never use, is replaced by empty stand-ins. Process groups that a pass creates
are groups of the fake backend, called `SOURCE#fsdp_extra` and `SOURCE#ep_extra`; `groups` describes them.
"""
import importlib
import importlib.util
import sys
import types

import torch
import torch.distributed as dist

TRAINER = "torchtitan.experiments.graph_trainer"
UNUSED = ("torchtitan.config", "torchtitan.distributed", "torchtitan.distributed.context_parallel",
          f"{TRAINER}.simple_fsdp",
          "torchtitan.models.common.attention", "torchtitan.models.common.decoder")
MODULE_OF_PASS = {
    "eliminate_dead_code_pass": "remove_noop_passes",
    "canonicalize_graph_pass": "remove_noop_passes",
    "deduplicate_fsdp_unshard_chains_pass": "fsdp_passes",
    "reassign_collective_pgs_pass": "fsdp_passes",
    "joint_transformer_block_bucketing_reordering_pass": "fsdp_passes",
    "transformer_block_bucketing_reordering_pass": "fsdp_passes",
    "schedule_fsdp_comms_to_dense_regions_pass": "fsdp_passes",
    "isolate_ep_process_group_pass": "ep_process_group_pass",
}


class StandIn(type):
    """A class of which every attribute is a class again."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name, (), {})


class StandInModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(name, (), {})


class Passes:
    def __init__(self):
        self.modules = {name: importlib.import_module(f"{TRAINER}.{name}") for name in set(MODULE_OF_PASS.values())}
        self.modules["fsdp_passes"]._get_or_create_extra_fsdp_pg = lambda source: self.create_group(source, "fsdp_extra")
        self.modules["ep_process_group_pass"]._get_or_create_extra_ep_pg = \
            lambda source: self.create_group(source, "ep_extra")
        self.forget_groups()

    created = {}

    def forget_groups(self):
        """To be called for each job: the trainer remembers the groups that it has created."""
        for name in self.created:
            torch._C._distributed_c10d._unregister_process_group(name)
        self.created, self.groups = {}, []

    def create_group(self, source, purpose):
        """torchtitan's `_get_or_create_extra_pg`, without NCCL and with a name that tells where it comes from."""
        name = f"{source}#{purpose}"
        if name not in self.created:
            ranks = dist.get_process_group_ranks(dist.distributed_c10d._resolve_process_group(source))
            # The file's groups have names that torch's own counter would give again.
            dist.distributed_c10d._world.group_count += 1000
            self.created[name] = dist.new_group(ranks, group_desc=purpose)
            torch._C._distributed_c10d._register_process_group(name, self.created[name])
            ascending = sorted(ranks)
            self.groups.append({"name": name, "ranks": ascending, "rank": ascending.index(dist.get_rank())})
        return name

    def run(self, graph_module, name, options):
        """The graph that the pass returns. Options are JSON; the pass gets what Python needs."""
        fsdp_passes = self.modules["fsdp_passes"]
        options = dict(options)
        if name == "schedule_fsdp_comms_to_dense_regions_pass":
            options["moe_layer_ids"] = frozenset(options.get("moe_layer_ids", ()))
            counts = options.get("transformer_bucket_counts_by_layer")
            if isinstance(counts, dict):
                options["transformer_bucket_counts_by_layer"] = {int(layer): count for layer, count in counts.items()}
        run = getattr(self.modules[MODULE_OF_PASS[name]], name, None) or getattr(fsdp_passes, name)
        return run(graph_module, None, **options)


def load(checkout):
    sys.path.insert(0, str(checkout))
    return load_installed()


def load_installed():
    """The passes of the torchtitan that Python finds."""
    for name in UNUSED:
        sys.modules[name] = StandInModule(name)
    # The memory policies ask these; the package around them stays a stand-in.
    folder = importlib.util.find_spec("torchtitan").submodule_search_locations[0]
    for part in ("activation_checkpoint", "fsdp"):
        name = f"torchtitan.distributed.{part}"
        spec = importlib.util.spec_from_file_location(name, f"{folder}/distributed/{part}.py")
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return Passes()
