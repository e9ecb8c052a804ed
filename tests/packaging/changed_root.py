"""Commands in a folder that is the root of all that they see."""

import os
import shutil
import subprocess

# In a mount namespace of its own; $0 is the root.
_MOUNT = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev"'
_PATH = "/bin:/usr/bin:/usr/sbin:/sbin"


def output_of(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command} failed with {result.returncode}:\n{result.stdout}\n{result.stderr}")
    return result.stdout


def may_change_root(root):
    """Whether this machine lets a test mount and change its root, as some containers do not.

    @param root has folders `proc` and `dev`, and a shell.
    """
    command = [*_apart(), "sh", "-c", _MOUNT + ' && chroot "$0" /bin/sh -c :', root]
    return subprocess.run(command, capture_output=True).returncode == 0


def output_inside(root, script, environment):
    """What a script prints in that root, which must have a shell.

    @param script path of it as the root has it.
    """
    mounted = _MOUNT + f' && PATH={environment["PATH"]} exec "$1" "$0" /bin/sh "$2"'
    return output_of(*_apart(), "sh", "-c", mounted, root, shutil.which("chroot", path=_PATH), script,
                     env={**environment, "PATH": _PATH})


def _apart():
    mapped = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *mapped, "--mount", "--pid", "--fork"]
