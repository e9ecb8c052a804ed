#!/usr/bin/env python3
"""Tests of what is found to be changed in a source, and of what is chosen of it; they need clang's Python module (Debian:
python3-clang-14).

usage: test_candidates.py [unittest argument...]
"""

import json
import pathlib
import tempfile
import unittest

try:
    import clang.cindex
    import candidates
    import sample
except ModuleNotFoundError:
    clang = None

from change import that_compile, with_changes

SOURCE = """#define LIMIT 07
namespace std { template <class T> T max(T a, T b); }
struct Text { bool operator==(const Text&) const; };
int length(int first, int last);
void count(int x);
constexpr int width = 3;
int first(int x, double y, const Text& a, const Text& b, const int* p) {
    constexpr int most = 5;
    int values[0x2] = {};
    if (x < width && y >= 0.5) return x + LIMIT;
    if (a == b) count(x);
    while (p) --p;
    for (int i = 0; i != most; ++i) {
        if (i == 1) continue;
        x -= length(i, x);
    }
    bool small = true;
    p = p + 04;
    switch (x) {
        case 9: break;
    }
    return small ? std::max(x, values[0]) : x;
}
"""


@unittest.skipIf(clang is None, "python3-clang-14 is not installed")
class Candidates(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        path = pathlib.Path(scratch.name) / "first.cpp"
        path.write_text(SOURCE)
        self.source = candidates.Source(clang.cindex.Index.create(), path, ["-std=c++20"])
        self.found = {(change.kind, change.text()) for change in self.source.candidates()}

    def of_kind(self, kind):
        return {text for found, text in self.found if found == kind}

    def test_comparisons(self):
        self.assertEqual(self.of_kind("comparison"), {
            "x < width -> x <= width", "x < width -> x >= width", "y >= 0.5 -> y > 0.5", "y >= 0.5 -> y < 0.5",
            "a == b -> a != b", "i != most -> i == most", "i == 1 -> i != 1"})

    def test_signs_of_numbers_and_not_of_pointers(self):
        self.assertEqual(self.of_kind("sign"), {"x -= length(i, x) -> x += length(i, x)",
                                                "x + LIMIT -> x - LIMIT"})

    def test_connectives_and_conditions(self):
        self.assertEqual(self.of_kind("connective"), {"x < width && y >= 0.5 -> x < width || y >= 0.5"})
        self.assertEqual(self.of_kind("condition"), {"p -> !(p)", "small -> !(small)"})

    def test_constants(self):
        self.assertEqual(self.of_kind("constant") - {"0x2 -> 3", "9 -> 10"},
                         {"0.5 -> (0.5 * 2)", "0 -> 1", "1 -> 2", "true -> false", "04 -> 5"})

    def test_statements_and_arguments(self):
        self.assertEqual(self.of_kind("dropped"), {
            "count(x); -> nothing", "--p; -> nothing", "continue; -> nothing", "x -= length(i, x); -> nothing",
            "p = p + 04; -> nothing"})
        self.assertEqual(self.of_kind("swapped"), {"length(i, x) -> length(x, i)"})

    def test_all_at_once_compile_but_those_that_must_be_constant(self):
        changes = dict(enumerate(self.source.candidates()))
        left = that_compile(self.source.text, changes, self.source.errors_with)
        self.assertEqual({changes[number].text() for number in set(changes) - set(left)}, {"0x2 -> 3", "9 -> 10"})
        self.assertEqual(self.source.errors_with(with_changes(self.source.text, left)[0]), [])


@unittest.skipIf(clang is None, "python3-clang-14 is not installed")
class Sampling(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def ranks(self, text, seed):
        (self.root / "tests/mutation").mkdir(parents=True, exist_ok=True)
        (self.root / "tests/mutation/candidates.py").touch()
        (self.root / "first.cpp").write_text(text)
        sources = sample.Sources(self.root, {"first.cpp": ["-std=c++20"]}, self.root / "cache")
        return {(change.source_line(text.encode()), change.text()): rank for rank, change in sources.ranked("first.cpp", seed)}

    def test_an_edit_leaves_the_ranks_of_other_lines(self):
        before = self.ranks(SOURCE, 1)
        after = self.ranks(SOURCE.replace("case 9: break;", "case 7: return x * 2;"), 1)
        edited = {key for key in before.keys() | after.keys() if "case" in key[0]}
        self.assertEqual({key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}, edited)
        self.assertTrue(edited)
        self.assertNotEqual(before, self.ranks(SOURCE, 2))

    def test_paths_by_the_folders_right_below(self):
        paths = ["core/a.cpp", "core/plan/b.cpp", "core/plan/edit/c.cpp", "core/views/d.cpp"]
        self.assertEqual(sample.by_folder(paths, "core"), [["core/a.cpp"], ["core/plan/b.cpp", "core/plan/edit/c.cpp"],
                                                           ["core/views/d.cpp"]])
        self.assertEqual(sample.by_folder(["core/a.cpp"], "core/a.cpp"), [["core/a.cpp"]])

    def test_sources_that_an_earlier_run_has_changed_are_compiled_as_before(self):
        build, changed = self.root / "build", self.root / "build" / "sources"
        build.mkdir()
        commands = [{"file": str(changed / "core" / "first.cpp"), "command": "c++ -DA=1 -O3 -o first.o"},
                    {"file": str(self.root / "core" / "other.cpp"), "command": "c++ -isystem /s -o other.o"}]
        (build / "compile_commands.json").write_text(json.dumps(commands))
        found = sample.compiler_arguments(build, self.root, changed)
        self.assertEqual(found, {"core/first.cpp": ["-std=c++20", f"-I{self.root}", "-DA=1"],
                                 "core/other.cpp": ["-std=c++20", f"-I{self.root}", "-isystem", "/s"]})


if __name__ == "__main__":
    unittest.main()
