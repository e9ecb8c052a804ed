#!/bin/sh
# What tests/gpu/run.sh does, with the programs of this folder: runs three plans of one graph on this machine's GPUs,
# fits a cost model to one of them, and compares what it predicts of the others with what was measured.
#
#     ./run.sh [--graph GRAPH --plan PLAN] [--iterations N] [--folder FOLDER] [-o FIGURES.json]
#     ./with-cuda bin/overlap-runner GRAPH --pipeline PLAN -o run.json --trace trace.json    # one run of your own
#
# It needs glibc 2.35 or newer, Python 3.9 or newer, a driver for CUDA 13 and CUDA's libraries: those of a toolkit
# (CUDA_HOME, /usr/local/cuda), or `pip install nvidia-cuda-runtime nvidia-cublas nvidia-cuda-cupti nvidia-nccl-cu13`.
# Attention runs by cuDNN 9 where it is found (`pip install nvidia-cudnn-cu13`), else as products.
# Several ranks need Open MPI 4 or 5, or MPICH or a relative. Figures go to results/figures.json, after each stage; bring that file back.
#
# Exit status: 0 predictions are within their bounds, 1 they are not or something failed, 2 wrong usage, 77 no GPU.

set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
case " $* " in
    *' --folder '*) ;;
    *) set -- --folder "$here/results" "$@" ;;
esac
exec "$here/with-cuda" python3 -B "$here/bin/gpu_figures.py" "$here/bin" "$here/samples" "$@"
