"""What tests of the command line share: a folder of their own, runs of `overlap`, and where its data lies.

A file of such tests is started as

    test_x.py PROGRAMS DATA [TEST...]

PROGRAMS is the folder with `overlap`, DATA is tests/data.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PASS = "manual_overlap_bucketing"
SCHEDULER = "schedule_overlap_bucketing"
_folders = {}


def main():
    """Runs the tests of the file that was started."""
    _folders["programs"], _folders["data"] = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])


def program(name):
    return os.path.join(_folders["programs"], name)


def data(*parts):
    return os.path.join(_folders["data"], *parts)


def graph_path(name):
    return data("graphs", name + ".graph.json.gz")


def bucketing(*entries, **options):
    return [{"pass": PASS, "options": {"module_bucket_plans": list(entries), "module_stack_fn": "custom.module_fqn", **options}}]


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.graph = graph_path("llama3_debugmodel_fsdp8.prebucket")

    def path(self, name, content=None):
        """A file of this test. @param content bytes, text, or a document that is written as JSON; None for no file."""
        path = os.path.join(self.scratch.name, name)
        if content is not None:
            if not isinstance(content, (bytes, str)):
                content = json.dumps(content)
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def overlap(self, *arguments, cwd=None):
        command = [program("overlap"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=cwd)

    def expect(self, status, *arguments):
        done = self.overlap(*arguments)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def expect_error(self, status, words, *arguments):
        """Exits with `status` and says one line that holds all of `words`."""
        done = self.expect(status, *arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def json(self, *arguments):
        return json.loads(self.expect(0, *arguments).stdout)
