#!/usr/bin/env bash
# Makes every picture of the documentation with the application itself, from the sample graph and its plan.
# Usage: docs/pictures.sh [FOLDER], where FOLDER has a built overlap-studio; without one it is built first.

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
programs=${1:-$("$root/app/run.sh" --build-only | tail -n 1)}
samples=$root/resources/samples
export QT_QPA_PLATFORM=offscreen
# Nobody's session or settings may show in a picture.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch XDG_CACHE_HOME=$scratch

picture() {
    local name=$1
    shift
    "$programs/overlap-studio" "$samples/llama3_8b_fsdp64.prebucket.graph.json.gz" "$samples/llama3_8b_fsdp64.plan.json" \
        --screenshot "$root/docs/$name.png" "$@"
    echo "docs/$name.png"
}

picture window --size 1600x1000 --select bucket:2
picture graph --size 1600x1000 --view graph --select module:layers.0.attention.inner_attention
picture mesh --size 1900x1400 --view mesh
