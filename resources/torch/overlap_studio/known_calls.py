"""What operators return where they were called with such arguments before: tensors of the same kind, in new memory or
in that of the arguments, as then.

The new nodes of a plan are few calls, made again for each block of the model. Running one with fake tensors takes a
millisecond of torch's dispatcher, also where its own cache knows the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

# Of operators whose results depend on nothing but their arguments. A job's own may depend on anything.
_NAMESPACES = frozenset(("aten", "prims", "_c10d_functional", "bucketing"))
_PLAIN = frozenset((bool, int, float, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format))


class _NotComparable(Exception):
    """An argument or a result of which more counts than is compared."""


@dataclass(frozen=True)
class _MadeTensor:
    """A tensor that a call makes.

    `memory` is the number of its storage: those of the arguments come first, then those that the call makes."""

    dtype: torch.dtype
    device: torch.device
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    memory: int
    memory_bytes: int


class KnownCalls:
    """For one rewrite of a graph: some results depend on torch's default dtype too. What is made of a known result has
    the sizes and the memory of a view, and is none to autograd.

    @param mode of all tensors.
    """

    def __init__(self, mode: FakeTensorMode) -> None:
        self._mode = mode
        self._results: dict[Any, Any] = {}
        self._made_here: dict[int, tuple[FakeTensor, Any]] = {}  # by identity, with what _Arguments has of each

    def value(self, target: Any, args: Sequence[Any], kwargs: dict[str, Any], run: Callable[[], Any]) -> Any:
        """What a call returns.

        @param run makes the call.
        @pre no mode is active, which would make other tensors of those that are made here.
        """
        if not isinstance(target, torch._ops.OpOverload) or target.namespace not in _NAMESPACES:
            return self._run(run)
        arguments = _Arguments(self._mode, self._made_here)
        try:
            call = target, arguments.key(args), arguments.key(kwargs)
        except _NotComparable:
            return self._run(run)
        if call in self._results:
            return self._made(self._results[call], arguments, {})
        value = self._run(run)
        try:
            result = arguments.result(value, {})
            afterwards = _Arguments(self._mode, {})
            # What gives an argument another size must be run each time.
            if call == (target, afterwards.key(args), afterwards.key(kwargs)):
                self._results[call] = result
        except _NotComparable:
            pass
        return value

    def _run(self, run: Callable[[], Any]) -> Any:
        """Makes a call, which may give its arguments other sizes than they were made with."""
        self._made_here.clear()
        return run()

    def _made(self, result: Any, arguments: _Arguments, made: dict[int, torch.UntypedStorage]) -> Any:
        """@param made memory that this call has made."""
        if isinstance(result, int):
            return arguments.tensors[result]
        if isinstance(result, (list, tuple)):
            return type(result)(self._made(item, arguments, made) for item in result)
        return self._tensor(result, arguments, made) if result is not None else None

    def _tensor(self, wanted: _MadeTensor, arguments: _Arguments, made: dict[int, torch.UntypedStorage]) -> FakeTensor:
        if wanted.memory < len(arguments.memory):
            storage = arguments.memory[wanted.memory]
        else:
            if wanted.memory not in made:
                made[wanted.memory] = torch.UntypedStorage(wanted.memory_bytes, device="meta")
            storage = made[wanted.memory]
        element = torch.empty(0, dtype=wanted.dtype, device="meta")
        element.set_(storage, wanted.offset, wanted.shape, wanted.strides)  # type: ignore[call-overload]
        tensor = FakeTensor(self._mode, element, wanted.device)
        self._made_here[id(tensor)] = tensor, (wanted.dtype, wanted.device, wanted.shape, wanted.strides, wanted.offset)
        return tensor


class _Arguments:
    """The tensors of a call and their memory, numbered as they come.

    @param plain tensors by identity of which no more counts than type, sizes and strides, each with these.
    """

    def __init__(self, mode: FakeTensorMode, plain: Mapping[int, tuple[FakeTensor, Any]]) -> None:
        self._mode, self._plain = mode, plain
        self.tensors: list[torch.Tensor] = []
        self.memory: list[torch.UntypedStorage] = []
        self._numbers: dict[int, int] = {}  # of memory

    def key(self, value: Any) -> Any:
        """What of an argument a result may depend on. @raises _NotComparable."""
        kind = type(value)
        if kind in _PLAIN:
            return kind, value  # 1, 1.0 and True are equal
        if kind is FakeTensor:
            return self._key_of_tensor(value)
        if kind is list or kind is tuple:
            return (kind, *map(self.key, value))
        if kind is dict:
            return (dict, *((name, self.key(item)) for name, item in value.items()))
        raise _NotComparable

    def _key_of_tensor(self, tensor: FakeTensor) -> Any:
        for place, other in enumerate(self.tensors):
            if other is tensor:
                return FakeTensor, place
        known = self._plain.get(id(tensor))
        if known is not None:
            fields = known[1]
        else:
            self._check(tensor)
            fields = tensor.dtype, tensor.device, tuple(tensor.shape), tensor.stride(), tensor.storage_offset()
        self.tensors.append(tensor)
        storage = tensor.untyped_storage()
        number = self._numbers.setdefault(storage._cdata, len(self.memory))
        if number == len(self.memory):
            self.memory.append(storage)
        return FakeTensor, fields, number, storage.nbytes()

    def result(self, value: Any, made: dict[int, int]) -> Any:
        """A result as KnownCalls makes it of other arguments. @raises _NotComparable.

        @param made numbers of memory that the call has made.
        """
        if value is None:
            return None
        if type(value) in (list, tuple):
            return type(value)(self.result(item, made) for item in value)
        known = next((place for place, tensor in enumerate(self.tensors) if tensor is value), None)
        if known is not None:
            return known
        self._check(value)
        storage = value.untyped_storage()
        number = self._numbers.get(storage._cdata)
        if number is None:
            number = made.setdefault(storage._cdata, len(self.memory) + len(made))
        return _MadeTensor(value.dtype, value.device, tuple(value.shape), value.stride(), value.storage_offset(), number,
                           storage.nbytes())

    def _check(self, tensor: Any) -> None:
        """@raises _NotComparable for what is more than type, sizes, strides and memory."""
        if (type(tensor) is not FakeTensor or tensor.fake_mode is not self._mode or tensor._has_symbolic_sizes_strides
                or type(tensor.untyped_storage().nbytes()) is not int  # a view of plain sizes in memory of symbolic size
                or tensor.requires_grad or tensor.constant is not None or tensor.layout != torch.strided
                or tensor.is_conj() or tensor.is_neg() or tensor.is_quantized):
            raise _NotComparable
