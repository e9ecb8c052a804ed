#!/usr/bin/env bash
# Makes overlap_studio-VERSION-….whl: the Python package with the native core and the command line, for any x86-64 Linux
# whose C library is as new as the wheel's name says. pip installs it without compiler, network or torch.
#
# Usage: packaging/wheel.sh BUILD_FOLDER OUT_FOLDER [PYTHON]. PYTHON is the interpreter that the wheel is for; from 3.12 on
# one wheel serves all newer ones. Tools come from PyPI, once, into an environment beside BUILD_FOLDER.

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=packaging/licences.sh
source "$root/packaging/licences.sh"
build=$(realpath -- "${1:?the build folder}")
out=$(realpath -m -- "${2:?the folder for the wheel}")
version=$("${3:-python3}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
tools=$(dirname -- "$build")/wheel-tools-$version
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Made once, and again when what it holds has changed.
prepare_tools() {
    local wanted=$root/python/build-requirements.txt installed=$tools/installed.txt
    if ! cmp -s "$wanted" "$installed" || ! "$tools/bin/python" -c "" 2> /dev/null; then
        rm -rf "$tools"
        "$1" -m venv "$tools"
        "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
        cp "$wanted" "$installed"
    fi
}

# Of what is linked or copied into the wheel.
take_licences() {
    local library packages
    mkdir "$scratch/licences"
    cp "$root/packaging/copyright" "$scratch/licences/overlap-studio"
    packages=$("$tools/bin/python" -c 'import nanobind, os; print(os.path.dirname(os.path.dirname(nanobind.__file__)))')
    cp "$packages"/nanobind-*.dist-info/licenses/LICENSE "$scratch/licences/nanobind"
    library=$(ldd "$build/bin/overlap" | sed -n 's|.* => \(/.*/libsimdjson[^ ]*\) .*|\1|p')
    take_licence "$(realpath -- "$library")" "$scratch/licences"
}

prepare_tools "${3:-python3}"
cmake --build "$build" --parallel "$(nproc)" --target overlap >&2
take_licences
PATH=$tools/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$tools/bin/python" -m pip wheel --quiet \
    --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$scratch/linked" \
    --config-settings=build-dir="$tools/build" --config-settings=cmake.define.OVERLAP_BUILD="$build" \
    --config-settings=cmake.define.OVERLAP_LICENCES="$scratch/licences" "$root/python" >&2
# Libraries that not every Linux has go inside, and the name says how new the C library must be.
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --strip --wheel-dir "$scratch/repaired" "$scratch"/linked/*.whl >&2
mkdir -p "$out"
cp "$scratch"/repaired/*.whl "$out"
echo "$out/$(basename -- "$scratch"/repaired/*.whl)"
