#!/usr/bin/env python3
"""Write resources/operators/impure_operators.json: which operators torch.fx's dead-code elimination keeps.

    list_impure_operators.py OUT.json

Needs PyTorch. Asked is torch's own judgement (`torch._library.utils.is_impure`, which `Node.is_impure` delegates to)
of every overload that the dispatcher knows, of every higher-order operator and of the Python functions that torch
lists. Names are those that graph files use for targets.
"""
import argparse
import json

import torch
import torch._functorch._activation_offloading.offload_ops  # noqa: F401 (registers `ao`)
import torch._higher_order_ops  # noqa: F401 (registers higher-order operators)
import torch._inductor.fx_passes.bucketing  # noqa: F401 (registers `bucketing`)
import torch._inductor.inductor_prims  # noqa: F401 (registers `prims.inductor_*`)
import torch.distributed._functional_collectives  # noqa: F401 (registers the collectives' Python parts)
import torch.distributed._symmetric_memory  # noqa: F401 (registers `symm_mem`)
from torch._library.utils import _RANDOM_FUNCTIONS, is_impure
from torch.fx.node import _side_effectful_functions

# Operators that torchtitan registers (commit b5bcd76c), by their declared mutates_args: all leave their inputs alone
# but these.
TORCHTITAN_NAMESPACES = ["deepep", "hybridep", "minimal_async_ep", "torchtitan"]
TORCHTITAN_IMPURE = ["torchtitan.fused_mla_q_rope_.default"]

# Modules of the Python functions that occur as targets; none has side effects but those that torch lists.
PYTHON_MODULES = ["builtins", "math", "operator", "torch"]

# Their verdict depends on the operator that they wrap, which graph files do not name.
DEPENDS_ON_ARGUMENTS = ["higher_order.auto_functionalized", "higher_order.auto_functionalized_v2"]


def function_name(function):
    """The target that a graph file has for a Python function."""
    module = getattr(function, "__module__", "") or ""
    name = getattr(function, "__qualname__", None) or function.__name__
    return f"operator.{name}" if module in ("_operator", "operator") else f"{module}.{name}"


def overloads():
    for qualified in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = qualified.partition("::")
        name, _, overload = rest.partition(".")
        yield namespace, getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    arguments = parser.parse_args()
    impure, namespaces = set(TORCHTITAN_IMPURE), set(TORCHTITAN_NAMESPACES + PYTHON_MODULES + ["higher_order"])
    for namespace, overload in overloads():
        namespaces.add(namespace)
        if is_impure(overload):
            impure.add(str(overload))
    for operator in torch._ops._higher_order_ops.values():
        if is_impure(operator):
            impure.add("higher_order." + operator.name())
    for function in _side_effectful_functions | _RANDOM_FUNCTIONS:
        if not isinstance(function, torch._ops.OperatorBase) and not isinstance(function, torch._ops.OpOverloadPacket):
            impure.add(function_name(function))
    document = {
        "source": f"torch {torch.__version__.partition('+')[0]}, torch._library.utils.is_impure; "
        "torchtitan's own operators by their declarations; written by tests/conformance/list_impure_operators.py",
        "namespaces": sorted(namespaces),
        "impure": sorted(impure),
        "undecided": DEPENDS_ON_ARGUMENTS,
    }
    with open(arguments.out, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=0)
        file.write("\n")
    print(f"{len(impure)} impure operators in {len(namespaces)} namespaces")


if __name__ == "__main__":
    main()
