#!/bin/sh
# Starts a program with the folders of CUDA's libraries in LD_LIBRARY_PATH, wherever this machine has them.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")

# found_in FOLDER...: the first of the folders that has $library; what the loader finds by itself needs none.
found_in() {
    for folder in "$@"; do
        if [ -e "$folder/$library" ]; then
            case :$found: in *":$folder:"*) ;; *) found=$found${found:+:}$folder ;; esac
            return 0
        fi
    done
    ldconfig -p 2> /dev/null | grep -qF "$library "
}

# folders_of TOOLKIT...: where toolkits have their libraries.
folders_of() {
    for toolkit in "$@"; do
        for folder in lib64 lib targets/x86_64-linux/lib extras/CUPTI/lib64; do
            [ -z "$toolkit" ] || echo "$toolkit/$folder"
        done
    done
}
chosen=$(folders_of "${CUDA_HOME:-}" "${CUDA_PATH:-}")
packages=$(python3 -c 'import glob, nvidia
print(*(folder for place in nvidia.__path__ for folder in sorted(glob.glob(place + "/*/lib"))))' 2> /dev/null || :)
usual=$(folders_of /usr/local/cuda /usr/local/cuda-13*)
given=$(IFS=:; set -- ${LD_LIBRARY_PATH:-}; echo "$@")

found=
missing=
while read -r library; do
    # shellcheck disable=SC2086  # words, one a folder
    found_in $given $chosen $packages $usual || missing="$missing $library"
done < "$here/bin/cuda-libraries"
while read -r library; do
    # shellcheck disable=SC2086
    found_in $given $chosen $packages $usual || :
done < "$here/bin/cuda-libraries-if-there"
[ -z "$missing" ] || echo "with-cuda: not found:$missing; set LD_LIBRARY_PATH or CUDA_HOME to where they are" >&2
# C++'s library is the machine's own, which its C library goes with; the folder's where it has none.
own=
for folder in /lib /lib64 /usr/lib /usr/lib64 /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu; do
    [ ! -e "$folder/libstdc++.so.6" ] || own=yes
done
[ -n "$own" ] || found=$found${found:+:}$here/lib/gcc
# No empty entry, which would mean the current folder.
LD_LIBRARY_PATH=${found:+$found${LD_LIBRARY_PATH:+:}}${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH
exec "$@"
