#!/usr/bin/env python3
"""overlap-studio's options: what is answered without a window, what is refused, and pictures that cannot be written."""
import os
import subprocess
import time

from command_line import CommandLine, main, program

SMALL = ("--size", "640x480", "--view", "toolbar")


class Studio(CommandLine):
    display = {}

    def studio(self, *arguments):
        """Without a display: what would open a window ends with status 1 and says so."""
        return subprocess.run([program("overlap-studio"), *arguments], capture_output=True, text=True, timeout=100,
                              check=False, env=self.environment())

    def environment(self):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR")}
        for kind in ("DATA", "CONFIG", "CACHE"):
            environment[f"XDG_{kind}_HOME"] = self.scratch.name
        environment["XDG_RUNTIME_DIR"] = self.scratch.name
        environment.update(self.display)
        return environment

    def expect_answer(self, *arguments):
        done = self.studio(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refuse(self, status, words, *arguments):
        done = self.studio(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), f"{arguments}\n{done.stderr}")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in ("overlap-studio: ", *words):
            self.assertIn(word, done.stderr)


class Options(Studio):
    def test_help_and_version(self):
        for option in ("--help", "-h", "--help-all"):
            self.assertIn("--screenshot", self.expect_answer(option))
        self.assertIn("--help-all", self.expect_answer("--help"))
        self.assertRegex(self.expect_answer("--version"), r"\d+\.\d+\.\d+\n$")

    def test_a_window_needs_a_display(self):
        self.refuse(1, ["display"], self.graph)
        self.refuse(1, ["display"], "--scale", "2", self.graph)

    def test_a_display_that_does_not_answer_is_none(self):
        """As a terminal keeps it whose session has ended."""
        for self.display in ({"DISPLAY": ":9876"}, {"WAYLAND_DISPLAY": "nobody"}, {"QT_QPA_PLATFORM": ""},
                             {"DISPLAY": "", "WAYLAND_DISPLAY": ""}, {"DISPLAY": "no display at all"}):
            with self.subTest(self.display):
                self.assertRegex(self.expect_answer("--version"), r"\d+\.\d+\.\d+\n$")
                self.refuse(1, ["no display"], self.graph)

    def test_a_platform_that_is_named_needs_no_display(self):
        with subprocess.Popen([program("overlap-studio"), "-platform", "offscreen", self.graph], text=True,
                              stderr=subprocess.PIPE, env=self.environment()) as window:
            log = os.path.join(self.scratch.name, "Overlap Studio", "log.txt")
            end = time.monotonic() + 60
            while window.poll() is None and not os.path.exists(log) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertIsNone(window.poll(), "the window is not there")
            self.assertTrue(os.path.exists(log))
            window.kill()

    def test_wrong_usage_is_told_also_without_a_display(self):
        self.refuse(2, ["bogus"], "--bogus")
        self.refuse(2, ["--theme", "foo"], "--theme", "foo")

    def test_scales(self):
        picture = self.path("picture.png")
        for scale in ("abc", "0", "-1", "0.2", "8.1", "nan", "inf", "1.5x", ""):
            with self.subTest(scale=scale):
                words = ["--scale", "0.25", "8", f'"{scale}"']
                self.refuse(2, words, "--scale", scale, self.graph)
                self.refuse(2, words, f"--scale={scale}", self.graph, "--screenshot", picture)
        self.assertFalse(os.path.exists(picture))

    def test_options_of_pictures_need_a_picture(self):
        for option, value in (("--size", "800x600"), ("--view", "graph"), ("--select", "bucket:0"), ("--zoom", "0.5"),
                              ("--drag", "-20")):
            for arguments in ((option, value), (f"{option}={value}",)):
                with self.subTest(arguments=arguments):
                    self.refuse(2, [option, "--screenshot"], *arguments, self.graph)

    def test_sizes(self):
        picture = self.path("picture.png")
        for size in ("99999x99999", "16385x100", "100x16385", "999999999x10"):
            with self.subTest(size=size):
                self.refuse(2, [size, "16384"], self.graph, "--screenshot", picture, "--size", size)
        self.refuse(2, ["32000", "16384"], self.graph, "--screenshot", picture, "--size", "8000x100", "--scale", "4")
        for size in ("large", "1600", "-5x100", "9999999999x10"):
            with self.subTest(size=size):
                self.refuse(2, [size, "1600x1000"], self.graph, "--screenshot", picture, f"--size={size}")
        self.assertFalse(os.path.exists(picture))


class Pictures(Studio):
    def draw(self, picture):
        return (self.graph, "--screenshot", picture, *SMALL)

    def test_a_picture(self):
        picture = self.path("picture.PNG")
        self.expect_answer(*self.draw(picture), "--scale", "0.5")
        with open(picture, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_name_without_a_format(self):
        for name in ("x.txt", "x", "x.png.gz"):
            with self.subTest(name=name):
                self.refuse(2, [name, ".png", ".jpg"], *self.draw(self.path(name)))
                self.assertFalse(os.path.exists(self.path(name)))

    def test_the_reason_is_told(self):
        absent, folder, full = self.path("no/such/x.png"), self.path("folder.png"), self.path("full.png")
        os.mkdir(folder)
        os.symlink("/dev/full", full)
        self.refuse(1, [absent, "No such file or directory"], *self.draw(absent))
        self.refuse(1, [folder, "folder"], *self.draw(folder))
        self.refuse(1, [full, "No space left on device"], *self.draw(full))


if __name__ == "__main__":
    main()
