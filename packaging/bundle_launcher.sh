#!/bin/sh
# Starts the program of this file's name with the libraries that lie beside it.
self=$(readlink -f -- "$0")
here=$(dirname -- "$self")
program=$(basename -- "$self")
file=$here/bin/$program
if [ -d "$here/fonts" ]; then
    FONTCONFIG_FILE=$here/fonts/fonts.conf
    GVBINDIR=$here/lib/graphviz
    export FONTCONFIG_FILE GVBINDIR
fi

# The runner takes CUDA's libraries from the machine; a dry run needs none.
with=
case $program\ $*\  in
    overlap-runner\ *--dry-run*) file=$here/runner/$program ;;
    overlap-runner\ *) file=$here/runner/$program with=$here/with-cuda ;;
esac
start() {
    if [ -n "$with" ]; then exec "$with" "$@"; fi
    exec "$@"
}

# The machine's own C library where it is at least the one that the programs were built with.
built_with=@GLIBC@
own=$(getconf GNU_LIBC_VERSION 2> /dev/null)
own=${own##* }
own_minor=${own#*.}
own_minor=${own_minor%%.*}
case ${own%%.*}.$own_minor in
    [0-9]*.[0-9]*)
        if [ "${own%%.*}" -gt "${built_with%%.*}" ] || { [ "${own%%.*}" -eq "${built_with%%.*}" ] &&
            [ "$own_minor" -ge "${built_with#*.}" ]; }; then
            start "$file" "$@"
        fi
        ;;
esac
start "$here/glibc/run" "$file" "$@"
