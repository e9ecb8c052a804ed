#!/usr/bin/env python3
"""Tests of the figures of coverage, on documents as llvm-cov writes them.

usage: test_figures.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

import figures

SOURCE = """int first(int x) {
    if (x > 3 &&
        x < 9) return 1;
    while (true) return 2;
}
"""


class Figures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "core" / "base").mkdir(parents=True)
        self.path = self.root / "core" / "base" / "first.cpp"
        self.path.write_text(SOURCE)

    def files(self, branches, path=None, lines=(5, 4)):
        entry = {"filename": str(path or self.path), "branches": branches,
                 "summary": {"lines": {"count": lines[0], "covered": lines[1]}}}
        return figures.files_of({"data": [{"files": [entry]}]}, str(self.root))

    def test_sides_of_all_instances_count_once(self):
        (file,) = self.files([[2, 9, 2, 14, 1, 0, 0, 0, 4], [2, 9, 2, 14, 0, 7, 0, 0, 4], [3, 9, 3, 14, 0, 1, 0, 0, 4]])
        self.assertEqual((file.sides(), file.sides_covered()), (4, 3))
        self.assertEqual(figures.gaps(file, SOURCE.splitlines()), ["core/base/first.cpp:3: never true: x < 9"])

    def test_what_was_never_reached_lacks_both_sides(self):
        (file,) = self.files([[2, 9, 3, 14, 0, 0, 0, 0, 4]])
        self.assertEqual(file.sides_covered(), 0)
        self.assertEqual(figures.gaps(file, SOURCE.splitlines()), ["core/base/first.cpp:2: never reached: x > 3 && x < 9"])

    def test_a_constant_condition_is_no_branch(self):
        (file,) = self.files([[4, 12, 4, 16, 0, 0, 0, 0, 4]])
        self.assertEqual(file.sides(), 0)

    def test_only_the_project_counts(self):
        outside = self.root / "tests" / "test.cpp"
        outside.parent.mkdir()
        outside.write_text(SOURCE)
        self.assertEqual(self.files([], outside), [])

    def test_folders_are_summed_up(self):
        files = self.files([[2, 9, 2, 14, 1, 0, 0, 0, 4]]) + [figures.File("core/graph/kinds/a.h", 1000, 1, [])]
        self.assertEqual(figures.folder_table(files).splitlines(), [
            "              lines     %  branches     %  not taken",
            "core          1,005   0.5         2  50.0          1",
            "  core/base       5  80.0         2  50.0          1",
            "  core/graph  1,000   0.1         0     –          0"])

    def test_largest_gaps_come_first(self):
        branch = figures.Branch((1, 1), (1, 2), 0, 0)
        files = [figures.File("core/a.cpp", 1, 1, [branch]), figures.File("core/b.cpp", 1, 1, [branch, branch]),
                 figures.File("core/c.cpp", 1, 1, [])]
        rows = figures.file_table(files, 2).splitlines()
        self.assertEqual([row.split()[0] for row in rows[1:]], ["core/b.cpp", "core/a.cpp"])


if __name__ == "__main__":
    unittest.main()
