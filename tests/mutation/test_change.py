#!/usr/bin/env python3
"""Tests of texts that have several changes.

usage: test_change.py [unittest argument...]
"""

import unittest

from change import CHOSEN, DECLARATION, Change, that_compile, with_changes

TEXT = b"""#include "first.h"
int first(int x) {
    if (x < 3) return 1;
    count(x);
    return x;
}
"""


def change(before, after, kind="comparison"):
    begin = TEXT.index(before.encode())
    return Change(begin, begin + len(before), kind, before, after, TEXT.count(b"\n", 0, begin) + 1)


def chosen_text(changed, chosen):
    """The changed text as a program sees it where one number is chosen, -1 for none, without its parentheses."""
    text = changed.decode()
    while CHOSEN in text:
        # The innermost condition is the last one; what it chooses from is in parentheses.
        start = text.rindex(CHOSEN)
        number = int(text[start + len(CHOSEN) + 1:text.index(")", start)])
        if text[:start].endswith("{ if (!"):
            begin, end = start - len("{ if (!"), text.index(" }", start) + len(" }")
            statement = text[text.index("))", start) + 2:end - 2].strip()
            text = text[:begin] + ("" if number == chosen else statement) + text[end:]
        else:
            after, rest = in_parentheses(text, text.index("?", start))
            before, rest = in_parentheses(text, rest)
            text = text[:start] + (after if number == chosen else before) + text[rest:]
    return plain(text)


def plain(text):
    return text.replace("(", "").replace(")", "")


def in_parentheses(text, start):
    begin = text.index("(", start)
    depth, end = 1, begin + 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[begin + 1:end - 1], end


class Changes(unittest.TestCase):
    def changed(self, *changes):
        return with_changes(TEXT, dict(enumerate(changes)))

    def test_nothing_is_changed_where_none_is_chosen(self):
        text, _ = self.changed(change("x < 3", "x <= 3"), change("3", "4", "constant"), change("count(x);", "", "dropped"))
        self.assertEqual(chosen_text(text, -1),
                         plain(TEXT.decode().replace("int first", DECLARATION.decode() + "int first", 1)))

    def test_one_is_chosen(self):
        text, _ = self.changed(change("x < 3", "x <= 3"), change("x < 3", "x >= 3"), change("3", "4", "constant"))
        self.assertIn("if x <= 3 return 1;", chosen_text(text, 0))
        self.assertIn("if x >= 3 return 1;", chosen_text(text, 1))
        self.assertIn("if x < 4 return 1;", chosen_text(text, 2))

    def test_a_statement_is_dropped_whole(self):
        text, _ = self.changed(change("count(x);", "", "dropped"))
        self.assertIn(f"{{ if (!{CHOSEN}(0)) count(x); }}", text.decode())
        self.assertIn("countx;", chosen_text(text, -1))
        self.assertNotIn("count", chosen_text(text, 0))

    def test_a_condition_and_its_contrary_are_of_one_type(self):
        text, _ = self.changed(change("x < 3", "!(x < 3)", "condition"), change("x < 3", "x <= 3"))
        self.assertIn(f"if (({CHOSEN}(0) ? (!(x < 3)) : static_cast<bool>(({CHOSEN}(1) ? (x <= 3) : (x < 3))))) return 1;",
                      text.decode())

    def test_places_are_those_of_the_changed_text(self):
        text, places = self.changed(change("x < 3", "x <= 3"), change("count(x);", "", "dropped"))
        found = {place.number: text[place.begin:place.end].decode() for place in places}
        self.assertEqual(found[0], f"({CHOSEN}(0) ? (x <= 3) : (x < 3))")
        self.assertEqual(found[1], f"{{ if (!{CHOSEN}(1)) count(x); }}")

    def test_what_does_not_compile_is_left_out(self):
        changes = dict(enumerate([change("x < 3", "x wrong 3"), change("3", "4", "constant"), change("x;\n}", "y;\n}")]))
        left = that_compile(TEXT, changes, lambda text: [text.index(word) for word in (b"wrong", b"y;") if word in text])
        self.assertEqual(list(left), [1])

    def test_an_error_outside_of_all_changes_is_the_nearest_ones(self):
        changes = dict(enumerate([change("x < 3", "x <= 3"), change("count(x);", "", "dropped")]))
        left = that_compile(TEXT, changes, lambda text: [text.index(b"return x")] if b"(1)) count" in text else [])
        self.assertEqual(list(left), [0])

    def test_a_change_in_one_line(self):
        self.assertEqual(change("count(x);", "", "dropped").text(), "count(x); -> nothing")
        self.assertEqual(Change(0, 9, "sign", "a +\n    b", "a -\n    b", 1).text(), "a + b -> a - b")


if __name__ == "__main__":
    unittest.main()
