#!/usr/bin/env bash
# Makes every picture of the documentation with the application itself: most from the sample graph
# llama3_8b_fsdp128.prebucket, its plan and a trace of the tests, Memory from the sample graph
# deepseek_v3_16b_fsdp32_ep32, Job from the sample job llama3_8b_pp8, the import of logs from logs of the tests.
# Usage: docs/pictures.sh [FOLDER], where FOLDER has a built overlap-studio; without one it is built first.
# Pictures have 256 colours, which nobody tells from all of them, and a third of the bytes: the bundle has these pages. A
# picture that would show it keeps all of its colours. This needs pngquant (Debian and Ubuntu: apt-get install pngquant).

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
command -v pngquant > /dev/null || {
    echo "pictures.sh: pngquant is missing; apt-get install pngquant" >&2
    exit 1
}
programs=${1:-$("$root/app/run.sh" --build-only | tail -n 1)}
graph=$root/resources/samples/llama3_8b_fsdp128.prebucket.graph.json.gz
plan=$root/resources/samples/llama3_8b_fsdp128.plan.json
trace=$root/tests/data/traces/hta_nccl_data.json.gz
export QT_QPA_PLATFORM=offscreen
# Nobody's session or settings may show in a picture.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch XDG_CACHE_HOME=$scratch

# picture NAME [OPTION…] -- FILE…
picture() {
    local name=$1 options=()
    shift
    while [ "$1" != "--" ]; do
        options+=("$1")
        shift
    done
    shift
    "$programs/overlap-studio" "$@" --screenshot "$scratch/$name.png" "${options[@]}"
    with_fewer_colours "$scratch/$name.png" "$root/docs/$name.png"
    echo "docs/$name.png"
}

# with_fewer_colours PICTURE TARGET
with_fewer_colours() {
    local status=0
    pngquant --quality 85-100 --speed 1 --strip --force --output "$2" "$1" || status=$?
    case $status in
        0) ;;
        99) # 256 colours are too few
            cp "$1" "$2"
            echo "pictures.sh: $(basename -- "$2") keeps all of its colours" >&2
            ;;
        *) return "$status" ;;
    esac
}

# Each view in both themes: the second one in a small window.
both() {
    local name=$1 options=()
    shift
    while [ "$1" != "--" ]; do
        options+=("$1")
        shift
    done
    picture "$name" --size 1600x1000 "${options[@]}" "$@"
    picture "$name-small" --size 1024x640 --theme light "${options[@]}" "$@"
}

both window --select bucket:2 -- "$graph" "$plan"
both graph --view graph --select module:layers.0.attention.inner_attention -- "$graph" "$plan"
both timeline --view timeline --zoom 0.05 -- "$graph" "$plan"
both drag --select node:all_gather_into_tensor_20 --drag -20 -- "$graph"
picture refused --size 1600x1000 --drag -12 -- "$graph" "$plan"
both measured --zoom 0.1 -- "$graph" "$plan" "$trace"
both compare --select compare --zoom 0.05 -- "$graph" "$plan"
both collectives --view collectives -- "$graph" "$plan"
both advice --view advice -- "$graph" "$plan"
both plans --view plans -- "$graph" "$plan"
both memory --view memory -- "$root/resources/samples/deepseek_v3_16b_fsdp32_ep32.graph.json.gz"
both passes --view passes -- "$graph" "$plan"
both groups --view groups -- "$graph" "$plan"
picture mesh --size 1900x1400 --view mesh -- "$graph" "$plan"
picture mesh-small --size 1024x640 --theme light --view mesh -- "$graph" "$plan"
job=$root/resources/samples/llama3_8b_pp8.job.json
both job -- "$job"
both statistics --view statistics -- "$graph" "$plan" "$trace"
logs=$root/tests/data/structured_logs/schedule_rank
both import -- "${logs}_0.log"
picture chooser --theme light --view chooser -- "${logs}_0.log" "${logs}_1.log" "${logs}_2.log"
both run --view run -- "$graph" "$plan"
