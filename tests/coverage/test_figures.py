#!/usr/bin/env python3
"""Tests of the figures of coverage, on documents as llvm-cov writes them.

usage: test_figures.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

import figures
import report

SOURCE = """int first(int x) {
    if (x > 3 &&
        x < 9) return 1;
    while (true) return 2;
    switch (x) {
        case 1: return 3;
    }
    for (int y : list) return y;
    return 0;
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

    def files(self, branches, segments=(), path=None):
        entry = {"filename": str(path or self.path), "branches": branches, "segments": segments}
        return figures.files_of({"data": [{"files": [entry]}]}, str(self.root))

    def gaps(self, branches, segments=()):
        (file,) = self.files(branches, segments)
        return figures.gaps(file, SOURCE.splitlines())

    def test_sides_of_all_instances_count_once(self):
        branches = [[2, 9, 2, 14, 1, 0, 0, 0, 4], [2, 9, 2, 14, 0, 7, 0, 0, 4], [3, 9, 3, 14, 0, 1, 0, 0, 4]]
        (file,) = self.files(branches)
        self.assertEqual((file.sides(), file.sides_covered()), (4, 3))
        self.assertEqual(self.gaps(branches), ["core/base/first.cpp:3: never true: x < 9"])

    def test_what_was_never_reached_lacks_both_sides(self):
        branches = [[2, 9, 3, 14, 0, 0, 0, 0, 4]]
        (file,) = self.files(branches)
        self.assertEqual(file.sides_covered(), 0)
        self.assertEqual(self.gaps(branches), ["core/base/first.cpp:2: never reached: x > 3 && x < 9"])

    def test_what_was_reached_and_not_counted_is_no_branch(self):
        reached = [[1, 18, 1, True, True, False], [10, 2, 0, False, False, False]]
        (file,) = self.files([[4, 12, 4, 16, 0, 0, 0, 0, 4]], reached)
        self.assertEqual(file.sides(), 0)
        never = [[1, 18, 0, True, True, False], [10, 2, 0, False, False, False]]
        (file,) = self.files([[4, 12, 4, 16, 0, 0, 0, 0, 4]], never)
        self.assertEqual(file.sides(), 2)

    def test_a_label_has_one_side(self):
        (file,) = self.files([[5, 13, 5, 14, 0, 4, 0, 0, 4], [6, 9, 6, 15, 4, 0, 0, 0, 4]])
        self.assertEqual((file.sides(), file.sides_covered()), (1, 1))
        self.assertEqual(self.gaps([[6, 9, 6, 15, 0, 2, 0, 0, 4]]), ["core/base/first.cpp:6: never taken: case 1"])

    def test_a_loop_over_a_range_is_told_whole(self):
        self.assertEqual(self.gaps([[8, 16, 8, 17, 3, 0, 0, 0, 4]]),
                         ["core/base/first.cpp:8: never false: for (int y : list) return y;"])

    def test_a_line_counts_once_and_by_its_most_frequent_part(self):
        segments = [[1, 18, 2, True, True, False], [3, 15, 0, True, False, True], [3, 16, 0, True, True, False],
                    [3, 24, 2, True, False, False], [4, 18, 0, True, True, False], [4, 26, 0, True, False, False],
                    [7, 6, 2, True, False, False], [10, 2, 0, False, False, False]]
        (file,) = self.files([], segments)
        self.assertEqual((file.lines(), file.lines_covered()), (10, 7))
        self.assertEqual(self.gaps([], segments), ["core/base/first.cpp:5: to 7 never run"])

    def test_only_the_project_counts(self):
        outside = self.root / "tests" / "test.cpp"
        outside.parent.mkdir()
        outside.write_text(SOURCE)
        self.assertEqual(self.files([], path=outside), [])

    def test_folders_are_summed_up(self):
        runs = {line: line % 5 for line in range(1, 6)}
        files = [figures.File("core/base/first.cpp", runs, [figures.Branch((2, 9), (2, 14), 1, 0)]),
                 figures.File("core/graph/kinds/a.h", {line: line == 1 for line in range(1000)}, [])]
        self.assertEqual(figures.folder_table(files).splitlines(), [
            "              lines     %  branches     %  not taken",
            "core          1,005   0.5         2  50.0          1",
            "  core/base       5  80.0         2  50.0          1",
            "  core/graph  1,000   0.1         0     –          0"])

    def test_largest_gaps_come_first(self):
        branch = figures.Branch((1, 1), (1, 2), 0, 0)
        files = [figures.File("core/a.cpp", {1: 1}, [branch]), figures.File("core/b.cpp", {1: 1}, [branch, branch]),
                 figures.File("core/c.cpp", {1: 1}, [])]
        rows = figures.file_table(files, 2).splitlines()
        self.assertEqual([row.split()[0] for row in rows[1:]], ["core/b.cpp", "core/a.cpp"])

    def test_a_folder_is_read_from_its_own_objects(self):
        build = pathlib.Path("/b")
        own, below, other = ("/b/core/mesh/x/a.o", "/b/core/mesh/nccl/x/b.o", "/b/core/plan/x/c.o")
        for wanted, objects in (("core/mesh", [own, below]), ("core/mesh/nccl", [below]), ("core/mesh/path.cpp", [own, below]),
                                ("core/plan/parts/c.cpp", [other]), ("core", [own, below, other])):
            self.assertEqual(report.objects_near([own, below, other], build, wanted), objects, wanted)


if __name__ == "__main__":
    unittest.main()
