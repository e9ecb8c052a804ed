"""Faults that the virtual device plants: calls that reach it in another way than the runner made them, in each step alike.

Standard library only.
"""
import dataclasses

CAPTURED = ("--cuda-graph",)
COMPILED = ("--compiled", "whole")
SHORT = ("--rank-timeout", "2")
# Attention without cuDNN works in scratch memory.
STAND_INS = "fail=cudnnCreate,1"


@dataclasses.dataclass(frozen=True)
class Mutation:
    fault: str  # in words, for the list in docs/virtual_device.md
    change: str  # see "Changes" in the README of this folder
    found: str  # a kind of finding that it must cause; `data_flow`, or `the runner` where that itself ends with a sentence
    ranks: int = 1
    arguments: tuple = ()
    offloads: bool = False  # of a plan that keeps activations on the host


MUTATIONS = [
    Mutation("A collective does not wait for the compute that makes its input", "drop_wait,1", "unordered_read"),
    Mutation("The same late in the step", "drop_wait,241", "unordered_read"),
    Mutation("Compute does not wait for a gathered parameter", "drop_wait,2", "unordered_read"),
    Mutation("The same in the backward pass, where memory is used again", "drop_wait,150", "early_reuse"),
    Mutation("A wait is put on the process group's stream in place of compute's", "wait_elsewhere,60,1",
             "unordered_read"),
    Mutation("Compute waits for an event of an earlier collective", "wait_for_other,2,-1", "unordered_read"),
    Mutation("A collective waits for an event of an earlier one", "wait_for_other,61,-1", "unordered_read"),
    Mutation("The event before a collective is never recorded", "drop_record,2", "never_recorded"),
    Mutation("The event behind a collective is never recorded", "drop_record,3", "never_recorded"),
    Mutation("The event before a collective is recorded on its own stream", "record_elsewhere,100,1",
             "unordered_read"),
    Mutation("The event behind a collective is recorded on the compute stream", "record_elsewhere,101,-1",
             "unordered_read"),
    Mutation("An event is recorded before the kernel that it stands for", "late_kernel,1", "unordered_read"),
    Mutation("The same for an emulated collective", "late_kernel,2", "unordered_read"),
    Mutation("A kernel is launched on a process group's stream", "other_stream_of_kernel,200,1", "unordered_read"),
    Mutation("A kernel reads 512 bytes too far", "shift_read_of_kernel,150,512", "data_flow"),
    Mutation("A kernel reads 8 bytes too far", "shift_read_of_kernel,200,8", "data_flow"),
    Mutation("A kernel reads 512 bytes too early, of another input of the graph", "shift_read_of_kernel,400,-512",
             "data_flow"),
    Mutation("A kernel reads more than its tensor", "grow_read_of_kernel,300,512", "data_flow"),
    Mutation("A kernel writes 512 bytes too far", "shift_write_of_kernel,392,512", "data_flow"),
    Mutation("A kernel writes 4096 bytes too far", "shift_write_of_kernel,697,4096", "data_flow"),
    Mutation("A product's workspace lies partly outside of its memory", "shift_write_of_kernel,388,512",
             "out_of_bounds"),
    Mutation("A kernel is left out", "drop_kernel,180", "data_flow"),
    Mutation("An attention reads queries 512 bytes too far", "shift_read_of_kernel,20,512", "data_flow"),
    Mutation("An attention is left out", "drop_kernel,92", "data_flow"),
    Mutation("An attention's backward pass runs on a process group's stream", "other_stream_of_kernel,427,1",
             "unordered_read"),
    Mutation("The pool is not cleared", "drop_memset,1", "unwritten_read"),
    Mutation("Scratch memory is not cleared", f"drop_memset,2 {STAND_INS}", "unwritten_read"),
    Mutation("The pool is 4096 bytes short", "short_allocation,1,4096", "out_of_bounds"),
    Mutation("The host does not wait for the end of a step", "drop_synchronize,1", "the runner"),
    Mutation("A captured step: compute does not wait for a collective", "drop_wait,2", "unordered_read", 1, CAPTURED),
    Mutation("A captured step: a stream is never joined to it", "drop_wait,1", "capture", 1, CAPTURED),
    Mutation("A captured step waits for an event from outside", "drop_record,3", "capture", 1, CAPTURED),
    Mutation("A captured step: an event on the wrong stream", "record_elsewhere,4,-1", "unordered_read", 1, CAPTURED),
    Mutation("A captured step: an event before its kernel", "late_kernel,100", "unordered_read", 1, CAPTURED),
    Mutation("A captured step: a kernel writes 4096 bytes too far", "shift_write_of_kernel,697,4096", "data_flow", 1,
             CAPTURED),
    Mutation("A kernel of several nodes is left out", "drop_kernel,303", "data_flow", 1, COMPILED),
    Mutation("A kernel of several nodes is launched before its last input is there", "later_kernel,20,3", "data_flow", 1,
             COMPILED),
    Mutation("A kernel of several nodes is launched behind one that reads its result", "later_kernel,303,4", "data_flow", 1,
             COMPILED),
    Mutation("A kernel of several nodes runs on a process group's stream", "other_stream_of_kernel,23,1",
             "early_reuse", 1, COMPILED),
    Mutation("A kernel of several nodes reads 512 bytes too far", "shift_read_of_kernel,319,512", "data_flow", 1,
             COMPILED),
    Mutation("A kernel of several nodes writes 512 bytes too far", "shift_write_of_kernel,303,512", "data_flow", 1,
             COMPILED),
    Mutation("A product that starts from a sum reads the sum 512 bytes too far", "shift_read_of_kernel,33,512",
             "data_flow", 1, COMPILED),
    Mutation("A product that starts from a sum is left out", "drop_kernel,316", "data_flow", 1, COMPILED),
    Mutation("A copy to the host is left out", "drop_copy,3", "unwritten_read", offloads=True),
    Mutation("A copy to the host is launched before the event that orders it behind compute", "drop_wait,1",
             "unordered_read", offloads=True),
    Mutation("A copy to the host reads 512 bytes too far", "shift_read_of_copy,4,512", "data_flow", offloads=True),
    Mutation("A copy to the host writes into the place of another", "shift_write_of_copy,4,-512", "data_flow",
             offloads=True),
    Mutation("A copy to the host runs on a process group's stream", "other_stream_of_copy,20,1", "unordered_read",
             offloads=True),
    Mutation("The event behind a copy is recorded before it", "late_copy,20", "early_reuse", offloads=True),
    Mutation("Rank 1 launches two collectives of a group in the other order", "swap_collective,3@1",
             "collective_difference", 2),
    Mutation("Rank 1 launches two collectives of different groups in the other order", "swap_collective,3@1",
             "collective_order", 4),
    Mutation("All ranks launch two collectives in the other order, behind events that are not theirs",
             "swap_collective,30", "early_reuse", 4),
    Mutation("Rank 1 leaves a collective out", "drop_collective,5@1", "collective_difference", 2, SHORT),
    Mutation("Rank 1 sends another element type", "other_type,4@1", "collective_difference", 2),
    Mutation("Rank 1 reduces in another way", "other_reduction,5@1", "collective_difference", 2),
    Mutation("A collective sends from 512 bytes too far", "shift_read_of_collective,9,512", "data_flow", 2),
    Mutation("A collective receives 512 bytes too far", "shift_write_of_collective,9,512", "data_flow", 2),
    Mutation("An event is recorded before its collective", "late_collective,7", "unordered_read", 2),
    Mutation("A collective is launched on another group's stream", "other_stream_of_collective,60,-1",
             "unordered_read", 2),
]


def table():
    """The list of docs/virtual_device.md."""
    lines = ["| fault | ranks | found as |", "|---|---|---|"]
    lines += [f"| {mutation.fault} | {mutation.ranks} | {mutation.found.replace('_', ' ')} |" for mutation in MUTATIONS]
    return "\n".join(lines) + "\n"
