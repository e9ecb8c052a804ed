"""Finds what can be changed in a source file, by clang's syntax tree.

A change is one of: a comparison (another one, or another boundary), a sign or an operation, a condition (negated), a
connective (and, or), a constant, a dropped statement, two arguments in each other's place. Only bodies of functions are
looked at; what must be constant when it is compiled cannot be chosen when it runs, and drops out when the changed file is
compiled (change.py). Left out is what makes no difference, as the order of what `std::max` is given, and what no test
could miss, as a range from its end to its begin.
"""

import os
import re

import clang.cindex
from clang.cindex import CursorKind, TypeKind

from change import Change

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
OPERATIONS = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",)}
CONNECTIVES = {"&&": ("||",), "||": ("&&",)}
ASSIGNMENTS = {"+=": ("-=",), "-=": ("+=",)}
KIND_OF_OPERATOR = ([(operator, "comparison") for operator in COMPARISONS] + [(operator, "sign") for operator in OPERATIONS] +
                    [(operator, "connective") for operator in CONNECTIVES] + [(operator, "sign") for operator in ASSIGNMENTS])
OPERATORS = {operator: (kind, {**COMPARISONS, **OPERATIONS, **CONNECTIVES, **ASSIGNMENTS}[operator])
             for operator, kind in KIND_OF_OPERATOR}
# An overloaded one is there for each type of its own; C++20 makes only these of each other.
OVERLOADED = {"==", "!="}
ARITHMETIC = {kind for kind in vars(TypeKind).values() if isinstance(kind, TypeKind)
              and TypeKind.BOOL.value <= kind.value <= TypeKind.LONGDOUBLE.value}
FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR,
             CursorKind.CONVERSION_FUNCTION, CursorKind.FUNCTION_TEMPLATE}
WHOLE = re.compile(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)([uUlLzZ]*)")
FRACTION = re.compile(r"[0-9][0-9']*([.][0-9']*)?([eE][+-]?[0-9]+)?[fF]?")
CONDITIONAL = {CursorKind.IF_STMT, CursorKind.WHILE_STMT, CursorKind.CONDITIONAL_OPERATOR}  # the condition comes first
LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.CXX_FOR_RANGE_STMT}
DROPPED = {CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
           CursorKind.UNARY_OPERATOR, CursorKind.UNEXPOSED_EXPR, CursorKind.CXX_DELETE_EXPR, CursorKind.CXX_THROW_EXPR,
           CursorKind.CONTINUE_STMT, CursorKind.RETURN_STMT}
SYMMETRIC = {"max", "min", "swap", "hypot"}


class Finder:
    def __init__(self, text, path):
        self.text = text
        self.path = path
        self.found = set()
        self.variables = set()  # offsets of their names

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def source(self, begin, end):
        return self.text[begin:end].decode()

    def add(self, cursor, kind, after, begin=None, end=None):
        if begin is None:
            begin, end = self.span(cursor)
        line = self.text.count(b"\n", 0, begin) + 1
        self.found.add(Change(begin, end, kind, self.source(begin, end), after, line))

    def is_here(self, cursor):
        """Whether the cursor's text is in the file itself and not in what a macro expands to."""
        start = cursor.extent.start
        return start.file is not None and start.file.name == self.path and start.offset < cursor.extent.end.offset

    def functions(self, cursor):
        """Bodies of functions outside other functions."""
        for child in cursor.get_children():
            if child.location.file is None or child.location.file.name != self.path:
                continue
            if child.kind in FUNCTIONS:
                for part in child.get_children():
                    if part.kind == CursorKind.COMPOUND_STMT:
                        yield part
            elif child.kind in (CursorKind.NAMESPACE, CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL,
                                CursorKind.CLASS_TEMPLATE, CursorKind.VAR_DECL, CursorKind.LINKAGE_SPEC):
                yield from self.functions(child)

    def visit(self, cursor, parent):
        if not self.is_here(cursor):
            return
        children = list(cursor.get_children())
        if cursor.kind == CursorKind.VAR_DECL and self.is_constant(cursor):
            return
        if cursor.kind == CursorKind.VAR_DECL:
            self.variables.add(cursor.location.offset)
        if cursor.kind == CursorKind.STATIC_ASSERT:
            return
        if self.is_statement(cursor, parent):
            self.drop(cursor)
        if cursor.kind.is_expression():
            self.change_expression(cursor, children)
        if cursor.kind in CONDITIONAL and children:
            self.negate(children[0])
        for child in children:
            self.visit(child, cursor)

    def is_constant(self, cursor):
        begin, end = self.span(cursor)
        return re.search(r"\b(constexpr|constinit)\b", self.source(begin, end).split("=")[0]) is not None

    def is_statement(self, cursor, parent):
        """Whether the cursor is a whole statement and not a part of one."""
        if parent.kind == CursorKind.COMPOUND_STMT:
            return True
        children = list(parent.get_children())
        return (parent.kind == CursorKind.IF_STMT and cursor != children[0]) or (parent.kind in LOOPS and cursor == children[-1])

    def drop(self, cursor):
        if cursor.kind not in DROPPED or (cursor.kind == CursorKind.RETURN_STMT and list(cursor.get_children())):
            return  # what returns a value cannot go: there has to be one
        begin, end = self.span(cursor)
        semicolon = re.compile(rb"\s*;").match(self.text, end)
        if semicolon:
            self.add(cursor, "dropped", "", begin, semicolon.end())

    def change_expression(self, cursor, children):
        begin, end = self.span(cursor)
        here = self.source(begin, end)
        if cursor.kind == CursorKind.INTEGER_LITERAL:
            whole = WHOLE.fullmatch(here)
            if whole:
                digits = whole[1].replace("'", "")
                value = int(digits, 8 if digits.isdigit() and digits[0] == "0" else 0)
                self.add(cursor, "constant", f"{value + 1}{whole[2]}")
        elif cursor.kind == CursorKind.FLOATING_LITERAL:
            if FRACTION.fullmatch(here):
                value = float(here.rstrip("fF").replace("'", ""))
                self.add(cursor, "constant", f"({here} * 2)" if value else "1.0")
        elif cursor.kind == CursorKind.CXX_BOOL_LITERAL_EXPR:
            if here in ("true", "false"):
                self.add(cursor, "constant", "false" if here == "true" else "true")
        elif cursor.kind == CursorKind.CALL_EXPR and self.operands(cursor, children) is None:
            # Of a variable that is given arguments, its name is in the call of its constructor.
            if begin not in self.variables:
                self.swap(cursor)
        else:
            self.change_operator(cursor, children)

    def operands(self, cursor, children):
        """Both operands of what is written with an operator between them, or None."""
        if cursor.kind == CursorKind.CALL_EXPR:
            children = list(cursor.get_arguments())
        if len(children) != 2:
            return None
        left, right = (self.span(child) for child in children)
        begin, end = self.span(cursor)
        if (left[0], right[1]) != (begin, end) or left[1] > right[0]:
            return None
        return (left, right) if self.source(left[1], right[0]).strip() in OPERATORS else None

    def change_operator(self, cursor, children):
        operands = self.operands(cursor, children)
        if operands is None:
            return
        left, right = operands
        between = self.source(left[1], right[0])
        operator = between.strip()
        kind, others = OPERATORS[operator]
        built_in = all(child.type.get_canonical().kind in ARITHMETIC or child.type.kind == TypeKind.ENUM or
                       child.type.get_canonical().kind == TypeKind.ENUM for child in children)
        if not built_in and operator not in OVERLOADED | set(CONNECTIVES):
            return
        for other in others:
            begin, end = self.span(cursor)
            after = self.source(left[0], left[1]) + between.replace(operator, other) + self.source(right[0], right[1])
            self.add(cursor, kind, after, begin, end)

    def swap(self, cursor):
        arguments = list(cursor.get_arguments())
        spans = [self.span(argument) for argument in arguments]
        begin, end = self.span(cursor)
        for (first, second), (one, other) in zip(zip(arguments, arguments[1:]), zip(spans, spans[1:])):
            if one[1] > other[0] or one[0] < begin or other[1] > end or one[0] == one[1] or other[0] == other[1]:
                continue
            if cursor.spelling in SYMMETRIC or self.source(*one).replace("begin", "end") == self.source(*other):
                continue
            same = first.type.get_canonical().spelling.removeprefix("const ") == \
                second.type.get_canonical().spelling.removeprefix("const ")
            texts = self.source(*one), self.source(*other)
            if same and texts[0] != texts[1] and self.source(one[1], other[0]).strip() == ",":
                after = (self.source(begin, one[0]) + texts[1] + self.source(one[1], other[0]) + texts[0] +
                         self.source(other[1], end))
                self.add(cursor, "swapped", after)

    def negate(self, condition):
        """What is no comparison and no connective has a change of its own: the contrary."""
        begin, end = self.span(condition)
        if not self.is_here(condition) or condition.kind in (CursorKind.DECL_STMT, CursorKind.VAR_DECL):
            return
        inner = condition  # implicit conversions are around it
        while inner.kind == CursorKind.UNEXPOSED_EXPR and len(list(inner.get_children())) == 1:
            inner = next(inner.get_children())
        if condition.kind.is_expression() and self.operands(inner, list(inner.get_children())) is None:
            self.add(condition, "condition", f"!({self.source(begin, end)})")


class Source:
    """A source file as clang sees it."""

    def __init__(self, index, path, arguments):
        self.path = os.path.abspath(path)
        with open(path, "rb") as file:
            self.text = file.read()
        options = clang.cindex.TranslationUnit.PARSE_PRECOMPILED_PREAMBLE
        # An array whose length is not constant is an extension that this project does not use.
        self.unit = index.parse(self.path, args=[*arguments, "-w", "-Werror=vla"], options=options)
        errors = self.errors()
        if errors:
            raise ValueError(f"{path}: clang does not compile it: {errors[0]}")

    def errors(self):
        return [message for message in self.unit.diagnostics if message.severity >= clang.cindex.Diagnostic.Error]

    def candidates(self):
        """All of them, in their order in the file."""
        finder = Finder(self.text, self.path)
        for body in finder.functions(self.unit.cursor):
            for child in body.get_children():
                finder.visit(child, body)
        return sorted(finder.found)

    def errors_with(self, text):
        """Offsets of errors where the file had this text."""
        self.unit.reparse(unsaved_files=[(self.path, text.decode())], options=0)
        return [error.location.offset if error.location.file and error.location.file.name == self.path else 0
                for error in self.errors()]
