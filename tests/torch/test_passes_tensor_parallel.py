"""FSDP with tensor parallelism: gathers and scatters of activations between those of weights."""
import unittest

from found_plans import add_found_plans
from pass_cases import GraphsOfJob, add_pass_cases
from traced_graphs import Job


class Passes(GraphsOfJob):
    job = Job("tensor_parallel", (("shard", 4), ("tensor", 2)))


add_pass_cases(Passes)
add_found_plans(Passes)
del GraphsOfJob  # which has no cases of its own

if __name__ == "__main__":
    unittest.main()
