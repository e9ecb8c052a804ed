"""Plans are applied by the package with the native core as by the one without: a few of the cases of test_apply_modes.py."""
from __future__ import annotations

import unittest

import wheel_package  # noqa: F401 (the native core, ahead of overlap_studio)

from overlap_studio.native import native_core

import test_apply_modes
from cases import add_cases
from test_apply_modes import EXPERTS, FSDP, TENSOR

CASES = [(FSDP, "joint", "joint_deps"), (FSDP, "backward", "manual_coalesced"), (TENSOR, "joint", "own_groups"),
         (TENSOR, "backward", "automatic"), (EXPERTS, "joint", "expert_group")]


class WithTheCore(unittest.TestCase):
    check = test_apply_modes.ComesBack.check

    def test_it_is_there(self) -> None:
        self.assertIsNotNone(native_core())


add_cases(WithTheCore, WithTheCore.check, [(f"{job.name}_{kind}_{pipeline}", (job, kind, pipeline))
                                           for job, kind, pipeline in CASES])


if __name__ == "__main__":
    unittest.main()
