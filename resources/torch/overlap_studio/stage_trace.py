"""A stage of `torch.distributed.pipelining` as a graph: forward and backward of one microbatch, traced with fake tensors.

Graphs that torchtitan's graph trainer makes of its stages (`graph_pp`) are exported as they are; this is for other jobs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.fx as fx
from torch import nn
from torch.utils import _pytree as pytree

from .errors import ExportError


class StageTracer:
    """Watches a stage while it runs, and traces it with what it was called with. Nothing real is kept."""

    def __init__(self, stage: Any) -> None:
        """@raises ExportError for a module whose communication is not in its operators, so that no trace has it."""
        from torch._subclasses.fake_tensor import FakeTensorMode

        self.stage = stage
        self.module: nn.Module = stage.submod
        self._refuse_hidden_communication()
        self._fake = FakeTensorMode(allow_non_fake_inputs=True)
        self._inputs: tuple[Any, Any] | None = None
        self._loss: tuple[Callable[..., Any], Any, Any] | None = None
        self._hook = self.module.register_forward_pre_hook(self._called, with_kwargs=True)

    def stop(self) -> None:
        """Watches no longer."""
        self._hook.remove()

    def loss_called(self, loss: Callable[..., Any], target: Any, options: Any) -> None:
        """What the last stage's output is compared with."""
        self._loss = (loss, *self._as_fake((target, options)))

    def trace(self) -> tuple[fx.GraphModule, dict[str, str]]:
        """One graph of forward and backward, as torchtitan's trainer traces a step, and its parameters and buffers by
        placeholder. Modules are in `custom.module_fqn`.

        It takes parameters, buffers, inputs, and what the backward begins with; it returns outputs and gradients.
        @raises ExportError where the stage was not run, or is not traceable.
        """
        place = f"stage {self.stage.stage_index}"
        if self._inputs is None or (self.stage.is_last and self._loss is None):
            raise ExportError(f"{place} did not run: run one step, with a loss, while the pipeline is exported")
        try:
            with self._tracing():
                return self._traced()
        except ExportError:
            raise
        except Exception as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise ExportError(f"{place} cannot be traced: {lines[0]}") from error

    def _refuse_hidden_communication(self) -> None:
        from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel
        from torch.distributed.tensor import DTensor

        place = f"stage {self.stage.stage_index}"
        kinds = (FSDPModule, FullyShardedDataParallel, nn.parallel.DistributedDataParallel)
        for name, module in self.module.named_modules():
            if isinstance(module, kinds):
                raise ExportError(f"{place}: {name or 'its module'} communicates in hooks of "
                                  f"{_named(module, kinds)}, which no graph has; torchtitan's graph trainer has these "
                                  "collectives in its graphs, or export the stage's module by itself")
        for name, parameter in self.module.named_parameters():
            if isinstance(parameter, DTensor):
                raise ExportError(f"{place}: the parameter {name} is a DTensor; torchtitan's graph trainer has graphs "
                                  "of such stages")

    def _called(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        del module
        self._inputs = self._as_fake((args, kwargs))

    def _as_fake(self, values: Any) -> Any:
        def fake(value: torch.Tensor) -> torch.Tensor:
            made = self._fake.from_tensor(value.detach(), static_shapes=True)
            return made.requires_grad_(value.requires_grad)
        return pytree.tree_map_only(torch.Tensor, fake, values)

    def _state(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Fake parameters and buffers. One that has two names is one tensor."""
        made: dict[int, torch.Tensor] = {}

        def fake(value: torch.Tensor) -> torch.Tensor:
            if id(value) not in made:
                made[id(value)] = self._as_fake(value)
            return made[id(value)]
        return ({name: fake(value) for name, value in self.module.named_parameters(remove_duplicate=False)},
                {name: fake(value) for name, value in self.module.named_buffers(remove_duplicate=False)})

    def _traced(self) -> tuple[fx.GraphModule, dict[str, str]]:
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.nn.utils.stateless import _reparametrize_module

        assert self._inputs is not None
        (args, kwargs), loss = self._inputs, self._loss
        parameters, buffers = self._state()

        def forward(parameters: dict[str, torch.Tensor], buffers: dict[str, torch.Tensor], args: Any, kwargs: Any) -> Any:
            with _reparametrize_module(self.module, {**parameters, **buffers}):
                return self.module(*args, **kwargs)

        def step(parameters: dict[str, torch.Tensor], buffers: dict[str, torch.Tensor], args: Any, kwargs: Any,
                 given: Any) -> Any:
            wanted = _distinct([*parameters.values(), *pytree.tree_leaves((args, kwargs))])
            with torch.compiler._patch_engine_backward():
                output = forward(parameters, buffers, args, kwargs)
                if loss is not None:
                    target, options = given
                    output, given = loss[0](output, target, **options), None
                outputs = _distinct(pytree.tree_leaves(output))
                return output, torch.autograd.grad(outputs, wanted, given, allow_unused=True)

        given: Any
        if loss is not None:
            given = loss[1:]
        else:
            with torch.no_grad():
                outputs = pytree.tree_leaves(forward(parameters, buffers, args, kwargs))
            given = [torch.empty_like(value) for value in outputs if _is_differentiable(value)]
        graph_module = make_fx(step)(parameters, buffers, args, kwargs, given)
        _give_backward_its_modules(graph_module)
        names = [*parameters, *buffers]
        return graph_module, dict(zip((node.name for node in graph_module.graph.nodes), names))

    @contextmanager
    def _tracing(self) -> Iterator[None]:
        from torch._guards import TracingContext, tracing
        from torch.fx.traceback import annotate_fn, preserve_node_meta

        with ExitStack() as stack:
            for path, module in self.module.named_modules():
                if path and "forward" not in vars(module):
                    module.forward = annotate_fn({"module_fqn": path})(module.forward)
                    stack.callback(vars(module).pop, "forward")
            stack.enter_context(self._fake)
            stack.enter_context(tracing(TracingContext(self._fake)))
            stack.enter_context(preserve_node_meta())
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))
            stack.enter_context(torch.compiler._non_strict_tracing_context())
            yield


def _named(module: Any, kinds: tuple[type, ...]) -> str:
    return next(kind.__name__ for kind in kinds if isinstance(module, kind))


def _is_differentiable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def _distinct(values: list[Any]) -> list[torch.Tensor]:
    """Tensors with a gradient, each once."""
    found = {id(value): value for value in values if isinstance(value, torch.Tensor) and value.requires_grad}
    return list(found.values())


def _give_backward_its_modules(graph_module: fx.GraphModule) -> None:
    """A node of the backward belongs to the module of the forward node that autograd made it for."""
    of_forward: dict[Any, Any] = {}
    for node in graph_module.graph.nodes:
        number, custom = node.meta.get("seq_nr"), node.meta.get("custom")
        if number is None:
            continue
        if not node.meta.get("autograd_backward"):
            of_forward.setdefault(number, custom)
        elif of_forward.get(number):
            node.meta["custom"] = {**(custom or {}), **copy.deepcopy(of_forward[number])}
