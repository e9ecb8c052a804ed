"""docs/pictures.sh, with substitutes for the application and for pngquant.

usage: test_pictures.py SOURCE_FOLDER [unittest argument...]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
# Writes the name of the picture that it is asked for.
APPLICATION = """#!/bin/sh
while [ "$1" != --screenshot ]; do shift; done
basename "$2" > "$2"
"""
# Its arguments end with the target and the picture.
PNGQUANT = """#!/bin/sh
while [ $# -gt 2 ]; do shift; done
case $2 in
    */window.png) exit {status} ;;
    *) echo few > "$1" ;;
esac
"""


class PicturesTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="overlap-pictures-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("docs", "bin"):
            (self.root / name).mkdir()
        shutil.copy(SOURCE / "docs/pictures.sh", self.root / "docs")

    def make(self, *, status):
        """@param status of pngquant for the first picture."""
        for name, script in (("overlap-studio", APPLICATION), ("pngquant", PNGQUANT.format(status=status))):
            (self.root / "bin" / name).write_text(script)
            (self.root / "bin" / name).chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run([self.root / "docs/pictures.sh", self.root / "bin"], capture_output=True, text=True,
                              env=environment)

    def test_a_picture_that_256_colours_are_too_few_for_stays_as_it_is(self):
        made = self.make(status=99)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stderr, "pictures.sh: window.png keeps all of its colours\n")
        pictures = {file.name: file.read_text() for file in (self.root / "docs").glob("*.png")}
        self.assertGreater(len(pictures), 20)
        self.assertEqual(pictures.pop("window.png"), "window.png\n")
        self.assertEqual(set(pictures.values()), {"few\n"})

    def test_another_failure_ends_it(self):
        self.assertEqual(self.make(status=2).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
