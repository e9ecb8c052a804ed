#!/usr/bin/env python3
"""Tests of the check that failures are told in sentences.

usage: test_check_failures.py [unittest argument...]
"""

import pathlib
import tempfile
import unittest

from check_failures import check

GOOD = "try { act(); } catch (const std::exception& error) { tell(reasonOf(error)); }\n"


class CheckFailures(unittest.TestCase):
    def checked(self, text, name="ui/a.cpp", left_out=(), others=()):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for path, content in {"ui/good.cpp": GOOD, name: text, **dict(others)}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content, encoding="utf-8")
            return check(root, set(left_out))

    def faults(self, *arguments, **keywords):
        return [fault.split(": ")[0] for fault in self.checked(*arguments, **keywords)[1]]

    def test_what_is_told_by_what_is_found_however_it_is_caught(self):
        for caught in ("const std::exception& error", "std::exception const& error", "std::exception& error",
                       "const std::bad_alloc& error", "const std::filesystem::filesystem_error& error",
                       "const std::system_error &error"):
            with self.subTest(caught):
                text = "try {\n    act();\n} catch (" + caught + ") {\n    if (true) { }\n    tell(error.what());\n}\n"
                self.assertEqual(self.faults(text), ["ui/a.cpp:3"])

    def test_headers_are_read(self):
        self.assertEqual(self.faults("catch (const std::exception& e) { tell(e.what()); }", "ui/deep/a.h"),
                         ["ui/deep/a.h:1"])

    def test_sentences_are_no_faults(self):
        for text in (GOOD, "catch (const InputError& error) { tell(error.what()); }",
                     "catch (const std::exception& error) { } tell(error.what());",
                     "catch (const std::exception& error) { tell(another_error.what()); }"):
            self.assertEqual(self.faults(text), [])
        self.assertEqual(self.checked(GOOD)[0], "2 sources with 2 such catches tell failures in sentences")

    def test_what_makes_sentences_itself_is_left_out(self):
        text = "catch (const std::exception& e) { tell(e.what()); }"
        self.assertEqual(self.faults(text, left_out=["ui/a.cpp"]), [])

    def test_what_is_left_out_is_there(self):
        with self.assertRaisesRegex(ValueError, "there is no ui/gone.cpp"):
            self.checked(GOOD, left_out=["ui/gone.cpp"])

    def test_a_pattern_that_finds_nothing_is_told_of(self):
        with self.assertRaisesRegex(ValueError, "no source of ui catches"):
            self.checked("", left_out=["ui/good.cpp"])


if __name__ == "__main__":
    unittest.main()
