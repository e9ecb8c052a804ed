"""FSDP with expert parallelism: exchanges of tokens, and experts that are sharded over fewer ranks."""
import unittest

from found_plans import add_found_plans
from pass_cases import GraphsOfJob, add_pass_cases
from sharded_transformer import Sizes
from traced_graphs import Job


class Passes(GraphsOfJob):
    job = Job("experts", (("expert_shard", 2), ("expert", 4)), Sizes(experts=8))


add_pass_cases(Passes)
add_found_plans(Passes)
del GraphsOfJob  # which has no cases of its own

if __name__ == "__main__":
    unittest.main()
