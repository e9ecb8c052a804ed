#!/usr/bin/env python3
"""Opens files from strangers in the window, and watches what it does: nothing but show them.

    hostile_files_test.py OVERLAP_STUDIO [PICTURES]

Names of nodes, modules, groups, graphs, plans and buckets are HTML, format strings, paths, code, control characters and
a megabyte long. Under strace the window must start no program but the runner, which it asks for devices; use no
network, write nothing outside the folders that are its own, and read no file that a name asks for. PICTURES: a folder
to leave the pictures of the views in.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import exported_files  # noqa: E402  the graph and the plan are those that every export is tested with

STUDIO = PICTURES = ""
VIEWS = ["window", "graph", "timeline", "modules", "buckets", "inspector", "problems", "passes", "groups", "compare"]
WATCHED = "openat,open,creat,connect,execve,execveat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,symlink,link"


class Watched(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        self.own = self.folder / "own"
        self.probe = self.folder / "probe.png"
        for folder in ("data", "cache", "config", "home", "temporary", "runtime"):
            (self.own / folder).mkdir(parents=True, mode=0o700)
        names = exported_files.HOSTILE + [
            "../../../../tmp/evil",
            "%1 %2 %3 %n %s %x %L1",
            f"<img src='file://{self.probe}'>",
            f"<qt><img src='{self.probe}'><a href='http://127.0.0.1:9/x'>here</a>",
            f"<link rel=stylesheet href='http://127.0.0.1:9/'><script>{self.probe}</script>",
            "$(touch evil)`touch evil`;touch evil|",
            "-o evil --help",
            "x" * (1 << 20),
        ]
        plan = exported_files.hostile_plan(name=f"<img src='{self.probe}'> %1 %2")
        plan["buckets"] += [{"modules": [name], "title": name[:200]} for name in names[len(exported_files.HOSTILE):]]
        graph = exported_files.hostile_graph(names)
        graph["name"] = f"<img src='file://{self.probe}'> %1 ../../evil"
        self.graph, self.plan = self.folder / "g.graph.json", self.folder / "p.plan.json"
        self.graph.write_text(json.dumps(graph), encoding="utf-8")
        self.plan.write_text(json.dumps(plan), encoding="utf-8")

    def show(self, view):
        """@returns the lines of strace."""
        trace, picture = self.folder / "trace", self.own / f"{view}.png"
        environment = {
            "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
            "HOME": str(self.own / "home"), "TMPDIR": str(self.own / "temporary"),
            **{f"XDG_{kind.upper()}_HOME": str(self.own / kind) for kind in ("data", "cache", "config")},
            "XDG_RUNTIME_DIR": str(self.own / "runtime"),
        }
        command = ["strace", "-f", "-qq", "-s", "300", "-e", f"trace={WATCHED}", "-o", str(trace), STUDIO,
                   str(self.graph), str(self.plan), "--screenshot", str(picture), "--view", view]
        done = subprocess.run(command, env=environment, cwd=self.own, capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(picture.stat().st_size > 1000)
        if PICTURES:
            shutil.copy(picture, PICTURES)
        return trace.read_text(errors="replace").splitlines()

    def allowed_to_write(self, path):
        # The folder itself is opened for a file that has no name yet.
        return path == str(self.own) or path.startswith(
            (str(self.own) + "/", "/dev/null", "/dev/shm/", "/proc/self/", "/dev/dri/"))

    def test_files_are_shown_and_nothing_else_happens(self):
        for view in VIEWS:
            with self.subTest(view):
                lines = self.show(view)
                started = [call for line in lines for call in re.findall(r'execve\("([^"]*)", \[([^\]]*)\]', line)]
                runner = str(pathlib.Path(STUDIO).with_name("overlap-runner"))
                # Which devices there are is asked of the runner, whatever is open.
                self.assertEqual([call for call in started[1:] if call != (runner, f'"{runner}", "--devices"')], [])
                self.assertEqual([line for line in lines if "sin_addr" in line or "sin6_addr" in line], [])
                for line in lines:
                    self.assertNotIn(str(self.probe), re.sub(r'^.*?execve\(.*', "", line), line)
                    if " = -1 " in line or "execve" in line or "connect(" in line:
                        continue
                    paths = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
                    writes = re.search(r"O_WRONLY|O_RDWR|O_CREAT", line) or not re.search(r"\bopen(at)?\(", line)
                    if writes:
                        for path in paths:
                            whole = os.path.normpath(os.path.join(self.own, path))
                            self.assertTrue(self.allowed_to_write(whole), line)


if __name__ == "__main__":
    STUDIO, *further = sys.argv[1:]
    STUDIO = os.path.abspath(STUDIO)  # it runs in a folder of its own
    PICTURES = further[0] if further else ""
    sys.argv[1:] = []
    if shutil.which("strace") is None:
        sys.exit("hostile_files_test.py: strace is not installed")
    unittest.main()
