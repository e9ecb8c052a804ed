#!/usr/bin/env python3
"""overlap export to Python: the files are really run, beside stand-ins for what they import."""
import ast
import gzip
import json
import sys
import types
import unittest.mock

from command_line import graph_path, main
from exported_files import BLOCKS, Export, block_plan, hostile_graph, hostile_plan, module_lists, sharded


class Trainer:
    """Stands for torchtitan and torch: notes which passes are called, and with what."""

    def __init__(self):
        self.calls = []
        self.registry = {}
        self.default = []

    def pass_called(self, name):
        def run(gm, example_inputs=None, **options):
            self.calls.append((name, options))
            return gm

        run.__name__ = name
        return run

    def modules(self):
        fsdp = types.ModuleType("fsdp_passes")
        for name in ("joint_transformer_block_bucketing_reordering_pass", "reassign_collective_pgs_pass",
                     "schedule_fsdp_comms_to_dense_regions_pass", "deduplicate_fsdp_unshard_chains_pass"):
            setattr(fsdp, name, self.pass_called(name))
        fsdp.get_transformer_block_bucket_counts = lambda plans, *, n_layers: {n_layers: len(plans)}
        noop = types.ModuleType("remove_noop_passes")
        for name in ("eliminate_dead_code_pass", "canonicalize_graph_pass"):
            setattr(noop, name, self.pass_called(name))
        manual = types.ModuleType("overlap_manual_scheduling")
        manual.manual_overlap_bucketing = self.pass_called("manual_overlap_bucketing")
        bucketing = types.ModuleType("bucketing")
        bucketing.bucket_all_gather = self.pass_called("bucket_all_gather")
        bucketing.deduplicate_wait_tensors = self.pass_called("deduplicate_wait_tensors")
        passes = types.ModuleType("passes")
        passes.construct_default_graph_passes = lambda traced, config, *, parallel_dims=None: list(self.default)
        memory = {name: types.ModuleType(name) for name in ("memory_policy", "cpu_offload", "selective_activation_remat")}
        memory["memory_policy"].tag_with_memory_policy_pass = self.pass_called("tag_with_memory_policy_pass")
        memory["cpu_offload"].apply_cpu_offload_pass = self.pass_called("apply_cpu_offload_pass")
        memory["selective_activation_remat"].selective_activation_remat_pass = \
            self.pass_called("selective_activation_remat_pass")
        registry = types.ModuleType("registry")
        registry.register_pass_pipeline = lambda key: lambda function: self.registry.setdefault(key, function)
        torch = types.ModuleType("torch")
        torch.nn = types.SimpleNamespace(Module=object)
        trainer = "torchtitan.experiments.graph_trainer"
        found = {trainer + ".fsdp_passes": fsdp, trainer + ".remove_noop_passes": noop, trainer + ".passes": passes,
                 trainer + ".registry": registry, "torch": torch,
                 "torch._inductor.fx_passes.overlap_manual_scheduling": manual,
                 "torch._inductor.fx_passes.bucketing": bucketing}
        found.update((f"{trainer}.{name}", module) for name, module in memory.items())
        for name in list(found):
            parts = name.split(".")
            for length in range(1, len(parts)):
                found.setdefault(".".join(parts[:length]), types.ModuleType(parts[length - 1]))
        return found


class GraphModule:
    def __init__(self):
        self.graph = self

    def lint(self):
        pass

    def recompile(self):
        pass


class GraphTrainer(Export):
    def test_names_come_out_equal(self):
        source, _ = self.export(hostile_plan(), "graph_trainer")
        made = self.module(source)
        self.assertEqual(made.module_bucket_plans, module_lists(hostile_plan()))
        self.assertEqual(made.PLAN["name"], hostile_plan()["name"])
        self.assertEqual(made.PLAN["notes"], hostile_plan()["notes"])
        # What is assigned is literals; nothing of a name became code.
        for statement in ast.parse(source).body:
            self.assertIsInstance(statement, (ast.Expr, ast.Assign, ast.Import, ast.FunctionDef))
            if isinstance(statement, ast.Assign):
                ast.literal_eval(statement.value)

    def test_the_file_without_names_is_the_same_code(self):
        def code(plan):
            tree = ast.parse(self.export(plan, "graph_trainer")[0])
            return [ast.dump(part) for part in tree.body if isinstance(part, (ast.FunctionDef, ast.Import))]

        self.assertEqual(code(hostile_plan()), code({**hostile_plan(), "buckets": [], "name": "", "notes": ""}))

    def test_steps_are_called_in_order_with_their_options(self):
        plan = block_plan({"pass": "reassign_collective_pgs_pass"},
                          {"pass": "eliminate_dead_code_pass", "enabled": False},
                          {"pass": "joint_transformer_block_bucketing_reordering_pass",
                           "options": {"insert_overlap_deps": True, "fsdp_param_module_order": {"a\"\n": 0, "b": 1}}},
                          {"pass": "schedule_fsdp_comms_to_dense_regions_pass",
                           "options": {"moe_layer_ids": [1, 2], "n_layers": 6}},
                          {"pass": "bucket_all_gather", "options": {"bucket_cap_mb": 25}},
                          {"pass": "deduplicate_wait_tensors"})
        made = self.module(self.export(plan, "graph_trainer")[0])
        trainer = Trainer()
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            made.apply(GraphModule())
        names = [name for name, _ in trainer.calls]
        self.assertEqual(names, ["reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                                 "schedule_fsdp_comms_to_dense_regions_pass", "bucket_all_gather",
                                 "deduplicate_wait_tensors"])
        options = [options for _, options in trainer.calls]
        self.assertEqual(options[1], {"module_bucket_plans": BLOCKS, "insert_overlap_deps": True,
                                      "fsdp_param_module_order": {"a\"\n": 0, "b": 1}})
        self.assertEqual(options[2], {"moe_layer_ids": frozenset({1, 2}), "n_layers": 6, "strict": False,
                                      "transformer_bucket_counts_by_layer": {6: len(BLOCKS)}})
        self.assertEqual(options[3]["bucket_cap_mb_by_bucket_idx"](7), 25)

    def test_halved_modules_are_the_jobs(self):
        graph = graph_path("deepseek_v3_debugmodel_fsdp8_ep4_epo_graph_moe_batch.prebucket")
        halves = [{"pass": "populate_chunk_dim_metadata_pass", "options": {"mode": "batch"}},
                  {"pass": "ep_overlap_chunk_pass", "options": {"mode": "batch", "module_pattern": "layers.*"}}]
        order = {"pass": "ep_overlap_schedule_pass", "options": {"module_pattern": "layers.*"}}
        numbers = {"pass": "concretize_ep_chunk_symbolic_shapes_pass"}
        # Without the order, the trainer's own comes behind the plan, and the reader is told.
        _, notes = self.export(block_plan(*halves, numbers, buckets=[]), "graph_trainer", graph)
        self.assertTrue(any("ep_overlap_schedule_pass" in note for note in notes), notes)
        source, notes = self.export(block_plan(*halves, order, numbers, buckets=[]), "graph_trainer", graph)
        self.assertFalse(any("ep_overlap_schedule_pass" in note for note in notes), notes)
        made = self.module(source)
        trainer = Trainer()
        folder = "torchtitan.experiments.graph_trainer."
        parts = {}
        for name, passes in (("ep_chunk_pass", ("populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass")),
                             ("ep_overlap_pass", ("ep_overlap_schedule_pass",)),
                             ("ep_pass_utils", ("concretize_ep_chunk_symbolic_shapes_pass",))):
            parts[folder + name] = types.ModuleType(name)
            for each in passes:
                setattr(parts[folder + name], each, trainer.pass_called(each))
        trainer.default = [trainer.pass_called(name) for name in
                           ("populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass",
                            "joint_transformer_block_bucketing_reordering_pass", "ep_overlap_schedule_pass",
                            "concretize_ep_chunk_symbolic_shapes_pass")]
        with unittest.mock.patch.dict(sys.modules, {**trainer.modules(), **parts}):
            passes = made.construct_passes(None, None)
            self.assertEqual([made.name_of(run) for run in passes],
                             ["populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass", "ep_overlap_schedule_pass",
                              "concretize_ep_chunk_symbolic_shapes_pass"])
            made.apply(GraphModule())
        with gzip.open(graph) as file:
            static = json.load(file)["num_static_inputs"]
        self.assertEqual(trainer.calls[1][1]["num_static_inputs"], static)
        plan, _ = self.export(block_plan(*halves, order, numbers, buckets=[]), "job", graph)
        self.assertEqual(json.loads(plan)["job"]["pipeline"][1]["options"]["num_static_inputs"], static)

    def test_the_plan_takes_the_place_of_the_trainers_bucketing(self):
        plan = block_plan({"pass": "eliminate_dead_code_pass"}, {"pass": "canonicalize_graph_pass"},
                          {"pass": "manual_overlap_bucketing", "options": {"module_stack_fn": "custom.module_fqn"}})
        made = self.module(self.export(plan, "graph_trainer")[0])
        trainer = Trainer()
        trainer.default = [trainer.pass_called(name) for name in
                           ("eliminate_dead_code_pass", "canonicalize_graph_pass", "tag_with_memory_policy_pass",
                            "reassign_collective_pgs_pass", "joint_transformer_block_bucketing_reordering_pass",
                            "schedule_fsdp_comms_to_dense_regions_pass", "regional_inductor_pass")]
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            self.assertEqual(made.register(), "overlap_plan")
            pipeline = trainer.registry["overlap_plan"](None, None, parallel_dims=None)
            for run in pipeline:
                run(GraphModule(), ())
            self.assertEqual([made.name_of(run) for run in pipeline],
                             ["eliminate_dead_code_pass", "canonicalize_graph_pass", "tag_with_memory_policy_pass",
                              "manual_overlap_bucketing", "regional_inductor_pass"])
            trainer.default = trainer.default[:3]
            with self.assertRaisesRegex(RuntimeError, "joint_transformer_block_bucketing_reordering_pass"):
                trainer.registry["overlap_plan"](None, None)
        options = dict(trainer.calls)["manual_overlap_bucketing"]
        node = types.SimpleNamespace(meta={"custom": {"module_fqn": "layers.0"}})
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            self.assertEqual(options["module_stack_fn"](node)[0][0], "layers.0")

    def test_memory_passes_of_the_plan_take_the_place_of_the_trainers(self):
        plan = block_plan({"pass": "eliminate_dead_code_pass"},
                          {"pass": "tag_with_memory_policy_pass",
                           "options": {"memory_policy": "full", "reshard_after_forward": False}},
                          {"pass": "apply_cpu_offload_pass", "options": {"defer_n_layers": 2}},
                          {"pass": "selective_activation_remat_pass"})
        made = self.module(self.export(plan, "graph_trainer")[0])
        trainer = Trainer()
        trainer.default = [trainer.pass_called(name) for name in
                           ("eliminate_dead_code_pass", "tag_with_memory_policy_pass", "apply_cpu_offload_pass",
                            "selective_activation_remat_pass", "joint_transformer_block_bucketing_reordering_pass")]
        with unittest.mock.patch.dict(sys.modules, trainer.modules()):
            made.register()
            pipeline = trainer.registry["overlap_plan"](None, None)
            for run in pipeline:
                run(GraphModule(), ())
        self.assertEqual([name for name, _ in trainer.calls],
                         ["eliminate_dead_code_pass", "tag_with_memory_policy_pass", "apply_cpu_offload_pass",
                          "selective_activation_remat_pass"])
        options = dict(trainer.calls)
        config = options["tag_with_memory_policy_pass"]["config"]
        self.assertEqual(vars(config.compile), {"memory_policy": "full", "full_recompute_save_ops": "",
                                                "cpu_offload_budget_gb": 100})
        self.assertEqual(config.parallelism.fsdp_reshard_after_forward, "never")
        self.assertEqual(options["apply_cpu_offload_pass"], {"prefetch_lookahead": 1, "defer_n_layers": 2})

    def test_what_the_trainer_cannot_be_told_is_noted(self):
        plan = block_plan({"pass": "manual_overlap_bucketing",
                           "options": {"module_stack_fn": "custom.module_fqn", "safe": True}})
        plan["overlaps"] = [{"collective": "gather\n\"", "start_before": "mm"}]
        source, notes = self.export(plan, "graph_trainer")
        self.assertEqual(len(notes), 4, notes)
        self.assertIn('in mode "exact" only', notes[-2])
        self.assertIn("not known without its graph", notes[-1])
        made = self.module(source)
        self.assertEqual(len(made.NOTES), 2)
        self.assertIn("gather\n\"", made.NOTES[0])
        self.assertIn("safe", made.NOTES[1])


class Inductor(Export):
    def test_every_option_is_set_or_told(self):
        plan = block_plan({"pass": "schedule_overlap_bucketing",
                           "options": {"collective_bucketing": True, "max_off_bucket_gb": None,
                                       "max_memory_increase_gb": None, "bucket_mode": "custom_ops"}}, buckets=[])
        source, notes = self.export(plan, "inductor")
        settings = self.module(source).SETTINGS
        prefix = "aten_distributed_optimizations."
        self.assertIs(settings[prefix + "enable_overlap_scheduling"], True)
        self.assertIs(settings[prefix + "collective_bucketing"], True)
        self.assertEqual(settings[prefix + "bucket_mode"], "custom_ops")
        # The settings' own defaults are others than the pass's.
        self.assertIs(settings[prefix + "enable_fusion_regions"], False)
        self.assertEqual(settings[prefix + "compute_estimator"], "analytical")
        for option in ("max_off_bucket_gb", "max_memory_increase_gb"):
            self.assertNotIn(prefix + option, settings)
            self.assertTrue(any(option in note for note in notes), notes)

    def test_stand_alone_bucketing(self):
        plan = block_plan({"pass": "bucket_reduce_scatter", "options": {"mode": "custom_ops"}},
                          {"pass": "bucket_all_gather", "options": {"bucket_cap_mb": 25}}, buckets=[])
        settings = self.module(self.export(plan, "inductor")[0]).SETTINGS
        self.assertEqual(settings["bucket_reduce_scatters_fx"], "all")
        self.assertEqual(settings["bucket_reduce_scatters_bucket_mode"], "custom_ops")
        self.assertEqual(settings["bucket_all_gathers_fx"], "all")
        self.assertEqual(settings["bucket_all_gathers_fx_bucket_size_determinator"](0), 25)
        self.assertNotIn("bucket_reduce_scatters_fx_bucket_size_determinator", settings)

    def test_a_plan_without_such_a_step_is_refused(self):
        self.refused(["schedule_overlap_bucketing"], block_plan(), "inductor")

    def test_steps_that_inductor_does_not_have_are_told(self):
        plan = block_plan({"pass": "schedule_overlap_bucketing"}, {"pass": "bucket_all_gather"},
                          {"pass": "manual_overlap_bucketing"})
        _, notes = self.export(plan, "inductor")
        self.assertTrue(any("no settings for the step manual_overlap_bucketing" in note for note in notes), notes)
        self.assertTrue(any("bucket_all_gather before schedule_overlap_bucketing" in note for note in notes), notes)


class FSDPModule:
    def __init__(self):
        self.forward_prefetch = self.backward_prefetch = None
        self.state = object()

    def _get_fsdp_state(self):
        return self.state

    def set_modules_to_forward_prefetch(self, modules):
        self.forward_prefetch = modules

    def set_modules_to_backward_prefetch(self, modules):
        self.backward_prefetch = modules


class Fsdp2(Export):
    def model(self, units):
        modules = {}
        for names in units:
            first = FSDPModule()
            for name in names:
                modules[name] = FSDPModule()
                modules[name].state = first.state
        return types.SimpleNamespace(get_submodule=modules.__getitem__), modules

    def stand_ins(self):
        fsdp = types.ModuleType("torch.distributed.fsdp")
        fsdp.FSDPModule = FSDPModule
        names = ("torch", "torch.distributed")
        return {**{name: types.ModuleType(name) for name in names}, "torch.distributed.fsdp": fsdp}

    def test_gathers_start_one_unit_ahead(self):
        source, notes = self.export(block_plan(), "fsdp2", sharded())
        made = self.module(source)
        self.assertEqual(made.UNITS, BLOCKS)
        self.assertEqual(made.FORWARD_PREFETCH, {unit: [unit + 1] for unit in range(7)})
        self.assertTrue(any("reshard_after_forward=False" in note for note in notes), notes)
        model, modules = self.model(BLOCKS)
        with unittest.mock.patch.dict(sys.modules, self.stand_ins()):
            made.set_prefetch(model)
        self.assertEqual(modules["tok_embeddings"].forward_prefetch, [modules["layers.0"]])
        self.assertEqual(modules["layers.5"].forward_prefetch, [modules["norm"]])

    def test_a_model_that_is_sharded_otherwise_is_an_error(self):
        made = self.module(self.export(block_plan(), "fsdp2", sharded())[0])
        model, _ = self.model([[name] for names in BLOCKS for name in names])
        with unittest.mock.patch.dict(sys.modules, self.stand_ins()):
            with self.assertRaisesRegex(ValueError, "norm.*lm_head.*one call"):
                made.set_prefetch(model)

    def test_names_come_out_equal(self):
        made = self.module(self.export(hostile_plan(), "fsdp2", hostile_graph())[0])
        self.assertEqual(made.UNITS, [names if isinstance(names, list) else [names]
                                      for names in module_lists(hostile_plan())])

    def test_a_plan_without_buckets_is_refused(self):
        self.refused(["buckets"], block_plan(buckets=[]), "fsdp2", sharded())


if __name__ == "__main__":
    main()
