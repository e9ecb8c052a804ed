# shellcheck shell=bash
# What app/run.sh and tests/run.sh share: installing what is missing, and building. To be sourced.
#
# The caller sets script_name. All messages go to stderr. Whatever fails, the last line names the step.

# shellcheck disable=SC2034  # variables that the sourcing script uses
# shellcheck disable=SC2154  # script_name is the sourcing script's

set -Eeuo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
step="start"

# use_preset PRESET: the preset of CMakePresets.json that is built, in a separate folder.
use_preset() {
    preset=$1
    build=$root/build/$preset
    programs=$build/bin
}
use_preset release

# Debian 12's own packages, nothing else.
packages=(
    build-essential cmake ninja-build ccache                            # building
    qt6-base-dev qt6-svg-dev libgl-dev fonts-inter                      # the window
    libgraphviz-dev pkg-config                                          # the layout helper
    libopenmpi-dev openmpi-bin libmpich-dev mpich                       # several ranks of the runner
    libcli11-dev libsimdjson-dev nlohmann-json3-dev zlib1g-dev          # core and the command line
    libgtest-dev libbenchmark-dev python3 python3-venv                  # tests and benchmarks
    help2man desktop-file-utils                                         # manual pages, a check of the desktop entry
    patchelf icu-devtools qt6-wayland fonts-dejavu-core busybox-static  # the bundle, and a root to try it in
)

say() { printf '%s\n' "$*" >&2; }

begin_step() {
    step=$1
    say "== $step"
}

fail() {
    say "$script_name: step \"$step\" failed: $*"
    exit 1
}

trap 'say "$script_name: step \"$step\" failed; the lines above say why"' ERR

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo -- "$@"
    else
        fail "installing packages needs root: run it as root, install sudo, or install these first: ${missing[*]}"
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" < /dev/null >&2
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# A bare machine has no package lists yet, and an old one may name versions that the mirror no longer has.
install_missing() {
    begin_step "install what is missing"
    local package wanted=("${packages[@]}") missing=()
    if [ -n "${WAYLAND_DISPLAY:-}" ] && [ -z "${DISPLAY:-}" ]; then wanted+=(qt6-wayland); fi
    if ! command -v dpkg-query > /dev/null; then
        say "no dpkg here: expecting the equivalents of: ${wanted[*]}"
        return
    fi
    for package in "${wanted[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2> /dev/null)" ] ||
        ! apt install --no-install-recommends "${missing[@]}"; then
        apt update
        apt install --no-install-recommends "${missing[@]}"
    fi
}

# build_targets [TARGET...]: configures, builds the targets or everything. Two runs at once take turns.
build_targets() {
    begin_step "prepare the build folder"
    mkdir -p "$build" || fail "$build cannot be made"
    [ -w "$build" ] || fail "$build belongs to $(stat -c %U "$build"); run as that user or remove it"
    exec 9> "$build/.lock"
    flock 9
    begin_step "configure"
    local fresh=() targets=()
    # A build folder that was copied or moved with the project refers to the old place.
    if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
        fresh=(--fresh)
    fi
    (cd "$root" && cmake "${fresh[@]}" --preset "$preset" -Wno-dev) >&2
    begin_step "build"
    [ $# -eq 0 ] || targets=(--target "$@")
    cmake --build "$build" --parallel "$(nproc)" "${targets[@]}" >&2
    exec 9>&-
}
