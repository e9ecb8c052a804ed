#!/usr/bin/env bash
# Everything that needs a GPU: builds the runner, runs three plans of one graph, fits a cost model to one of them, and
# compares what it predicts of the others with what was measured.
#
#     tests/gpu/run.sh [--programs FOLDER] [--graph GRAPH --plan PLAN] [--iterations N]
#                      [--folder FOLDER] [-o FIGURES.json]
#
# FOLDER holds `overlap` and `overlap-runner` that were built already; without it they are built here, with the CUDA
# toolkit (13.0 or newer), NCCL (2.28 or newer), and the libraries that app/setup.sh lists. Nothing is downloaded.
# Of each plan N steps are measured, by default 20. Files of the runs go to the --folder, by default build/gpu, and
# figures to figures.json there, after each stage. Without a GPU this ends with a sentence and status 77.
#
# Exit status: 0 predictions are within their bounds, 1 they are not or something failed, 2 wrong usage, 77 no GPU.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
programs=
folder=$root/build/gpu
arguments=()
while [ $# -gt 0 ]; do
    case $1 in
        --programs) programs=${2:?--programs wants a folder}; shift ;;
        --folder) folder=${2:?--folder wants a folder}; shift ;;
        --graph | --plan | --iterations | -o) arguments+=("$1" "${2:?$1 wants a value}"); shift ;;
        -h | --help) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
        *) echo "tests/gpu/run.sh: unknown option $1; see tests/gpu/run.sh --help" >&2; exit 2 ;;
    esac
    shift
done

if [ -z "$programs" ]; then
    build=$root/build/gpu
    cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DOVERLAP_BUILD_APPLICATION=OFF \
        -DOVERLAP_BUILD_TESTS=OFF >&2
    cmake --build "$build" --parallel "$(nproc)" --target overlap overlap-runner >&2
    programs=$build/bin
fi
exec python3 -B "$root/tests/gpu/gpu_figures.py" "$programs" "$root/resources/samples" \
    --folder "$folder" "${arguments[@]}"
