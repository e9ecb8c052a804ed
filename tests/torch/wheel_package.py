"""The package as the wheel has it, with the native core. Import this ahead of overlap_studio: other files of tests take
the part in Python that the environment has installed."""
from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path


def unpack() -> Path:
    """A folder with what the wheel of this build installs."""
    wheels = sorted((Path(os.environ["OVERLAP_PROGRAMS"]).parent / "wheel").glob("overlap_studio-*.whl"))
    if not wheels:
        raise RuntimeError("there is no wheel in this build: packaging/wheel.sh BUILD BUILD/wheel makes one")
    folder = Path(tempfile.mkdtemp(prefix="overlap-wheel-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with zipfile.ZipFile(wheels[-1]) as wheel:
        wheel.extractall(folder)
    return folder


assert "overlap_studio" not in sys.modules
sys.path.insert(0, str(unpack()))
