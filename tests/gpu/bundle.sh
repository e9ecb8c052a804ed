#!/usr/bin/env bash
# Makes overlap-gpu-VERSION-x86_64.tar.gz: what a machine with a GPU needs for tests/gpu/run.sh, so that its time is not
# spent on installing. Inside are the programs, their modules for devices and MPI, every library that such a machine may
# lack, graphs and plans, and run.sh.
#
# Usage: tests/gpu/bundle.sh BUILD_FOLDER OUT_FOLDER
#
# The machine needs glibc 2.35 or newer (2.36 where it has no libstdc++), Python 3.9 or newer, a driver for CUDA 13, and CUDA's libraries: from a toolkit,
# or from a Python environment's nvidia packages. For several ranks it needs Open MPI 4 or 5, or MPICH or a relative. It needs no compiler, no Qt
# and no root.

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=packaging/licences.sh
source "$root/packaging/licences.sh"
build=$(realpath -- "${1:?the build folder}")
out=$(realpath -m -- "${2:?the folder for the archive}")
for tool in patchelf:patchelf readelf:binutils; do
    command -v "${tool%:*}" > /dev/null || {
        echo "bundle.sh: ${tool%:*} is missing; apt-get install ${tool#*:}" >&2
        exit 1
    }
done
for module in devices open-mpi; do
    [ -f "$build/bin/overlap-runner-$module.so" ] || {
        echo "bundle.sh: the build has no overlap-runner-$module.so; it was made without CUDA's toolkit or Open MPI" >&2
        exit 1
    }
done
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=overlap-gpu-$version-x86_64
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/$name
mkdir -p "$bundle"/{bin,lib,samples,licences}

# Reads what readelf -d tells.
needed() {
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}

cp "$build/bin"/overlap{,-runner} "$build/bin"/overlap-runner-*.so "$bundle/bin"
strip --strip-unneeded "$bundle/bin"/*

# The machine's own: the C library, MPI, and what the driver's version goes with. Those that run.sh looks for are listed.
glibc='^(ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread|util)\.so\.[0-9]+)$'
gcc='^lib(stdc\+\+|gcc_s)\.so\.[0-9]+$'
readelf -d "$bundle/bin/overlap-runner-devices.so" | needed | grep -E '^lib(cu|nccl)' > "$bundle/bin/cuda-libraries"
# What is loaded where it is: attention by cuDNN, which compiles kernels.
printf '%s\n' libcudnn.so.9 libnvrtc.so.13 > "$bundle/bin/cuda-libraries-if-there"
take_libraries() {
    local library file place
    while read -r library; do
        place=lib/$library
        # For machines without; it asks for a newer C library than all else (with-cuda).
        if [[ $library =~ $gcc ]]; then place=lib/gcc/$library; fi
        if [[ $library =~ $glibc ]] || [ -f "$bundle/$place" ]; then continue; fi
        file=$(ldd "$build/bin/overlap" "$build/bin/overlap-runner" | sed -n "s|.*$library => \(/[^ ]*\) .*|\1|p" | head -1)
        install -D -m 755 "$(realpath -- "$file")" "$bundle/$place"
        realpath -- "$file" >> "$scratch/taken"
    done < <(find "$bundle/bin/overlap" "$bundle/bin/overlap-runner" "$bundle/lib" -type f -exec readelf -d {} + | needed)
}
take_libraries
take_libraries  # what those need
while read -r library; do
    take_licence "$library" "$bundle/licences"
done < <(sort -u "$scratch/taken")
cp "$root/packaging/copyright" "$bundle/licences/overlap-studio"

# Everything finds its libraries by where it lies; the toolkit's folder on the machine that built is none of another's.
find "$bundle/bin" -type f ! -name 'cuda-libraries*' -exec patchelf --set-rpath '$ORIGIN/../lib' {} \;
find "$bundle/lib" -maxdepth 1 -name '*.so*' -exec patchelf --set-rpath '$ORIGIN' {} \;

cp "$root/resources/samples"/*.{gz,json} "$bundle/samples"
cp "$root/tests/data/graphs/llama3_8b_fsdp64.graph.json.gz" "$bundle/samples"
cp "$root/tests/gpu/gpu_figures.py" "$root/tests/gpu/figures_text.py" "$root/tests/gpu/scaled_products.graph.json" "$bundle/bin"
cp "$root/tests/gpu/bundle_with_cuda.sh" "$bundle/with-cuda"
cp "$root/tests/gpu/bundle_run.sh" "$bundle/run.sh"
sed -n '2,/^$/s/^# \{0,1\}//p' "$root/tests/gpu/bundle_run.sh" > "$bundle/README"
mkdir -p "$out"
tar -C "$scratch" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
