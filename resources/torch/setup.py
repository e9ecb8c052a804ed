"""Builds in a folder of its own: that of an installed Overlap Studio belongs to root, and a checkout stays clean."""
import atexit
import shutil
import tempfile

from setuptools import setup

scratch = tempfile.mkdtemp(prefix="overlap-studio-")
atexit.register(shutil.rmtree, scratch, ignore_errors=True)
setup(options={"egg_info": {"egg_base": scratch}, "build": {"build_base": scratch}})
