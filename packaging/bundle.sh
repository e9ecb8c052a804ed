#!/usr/bin/env bash
# Makes overlap-studio-VERSION-x86_64.tar.gz: the window and the command line with everything that they need, for any
# x86-64 Linux, without root, network or packages. CUDA, NCCL and MPI belong to the machine: the runner loads them where
# it finds them, and makes dry runs without.
#
# Usage: packaging/bundle.sh [--command-line] BUILD_FOLDER OUT_FOLDER. With --command-line it is overlap-VERSION-x86_64,
# without the window and what only the window needs.

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=packaging/licences.sh
source "$root/packaging/licences.sh"
window=yes
if [ "${1:-}" = --command-line ]; then
    window=
    shift
fi
build=$(realpath -- "${1:?the build folder}")
out=$(realpath -m -- "${2:?the folder for the archive}")
for tool in patchelf:patchelf icupkg:icu-devtools qmake6:qmake6 readelf:binutils gcc:gcc; do
    command -v "${tool%:*}" > /dev/null || {
        echo "bundle.sh: ${tool%:*} is missing; apt-get install ${tool#*:}" >&2
        exit 1
    }
done
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=overlap${window:+-studio}-$version-x86_64
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/$name
loader=$(realpath /lib64/ld-linux-x86-64.so.2)

# take FILE TARGET: copies a file of the machine, whose licence then belongs to the bundle.
take() {
    install -D -m 755 "$(realpath -- "$1")" "$bundle/$2"
    realpath -- "$1" >> "$scratch/taken"
}

# What cmake installs for a machine without MPI.
take_programs() {
    local component
    for component in command_line studio runner; do
        cmake --install "$build" --prefix "$scratch/installed" --component "$component" > /dev/null
    done
    mkdir -p "$bundle"/{bin,lib,glibc,licences}
    cp "$scratch/installed/bin/overlap" "$bundle/bin"
    [ -z "$window" ] || take_runner
    cp -r "$scratch/installed/share" "$bundle/share"
    [ -z "$window" ] ||
        cp "$scratch/installed/bin/overlap-studio" "$scratch/installed/libexec/overlap-studio/overlap-layout" "$bundle/bin"
}

# The runner with the modules that this build has, and what finds CUDA's libraries on the machine. In a folder of its
# own, since the window starts the one that lies beside it, which is to be the launcher.
take_runner() {
    local modules
    mkdir "$bundle/runner"
    cp "$scratch/installed/bin/overlap-runner" "$bundle/runner"
    modules=("$scratch"/installed/libexec/overlap-studio/overlap-runner-*.so)
    [ ! -f "${modules[0]}" ] || cp "${modules[@]}" "$bundle/runner"
    cp "$root/tests/gpu/bundle_with_cuda.sh" "$bundle/with-cuda"
    { [ ! -f "$bundle/runner/overlap-runner-devices.so" ] || readelf -d "$bundle/runner/overlap-runner-devices.so"; } |
        sed -n 's/.*(NEEDED).*\[\(lib\(cu\|nccl\).*\)\]/\1/p' | sort -u > "$bundle/bin/cuda-libraries"
    printf '%s\n' libcudnn.so.9 libnvrtc.so.13 > "$bundle/bin/cuda-libraries-if-there"
}

# Qt's, as far as a window needs them, Wayland's where this machine has them; Graphviz's one that places boxes.
take_plugins() {
    local folder plugin
    folder=$(qmake6 -query QT_INSTALL_PLUGINS)
    for plugin in platforms/libq{xcb,offscreen,minimal,wayland-egl,wayland-generic} \
        xcbglintegrations/libqxcb-{glx,egl}-integration \
        platforminputcontexts/lib{compose,ibus}platforminputcontextplugin \
        iconengines/libqsvgicon imageformats/libq{svg,jpeg,ico,gif} \
        wayland-shell-integration/libxdg-shell wayland-decoration-client/libbradient \
        wayland-graphics-integration-client/libqt-plugin-wayland-egl; do
        if [ -f "$folder/$plugin.so" ]; then take "$folder/$plugin.so" "plugins/$plugin.so"; fi
    done
    folder=$(ldd "$bundle/bin/overlap-layout" | sed -n 's|.* => \(/.*\)/libgvc\.so\.6 .*|\1|p')/graphviz
    take "$folder/libgvplugin_dot_layout.so.6" lib/graphviz/libgvplugin_dot_layout.so.6
    # Of Graphviz's list of plugins the one that is inside.
    sed -n '/^libgvplugin_dot_layout/,/^}/p' "$folder/config6a" > "$bundle/lib/graphviz/config6a"
}

# All libraries that these need; the C library's own apart, for machines with an older one.
take_libraries() {
    local own='^(ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread|resolv|util|nss_[a-z]+)\.so\.[0-9]+)$' library file
    # Not what modules of the runner need, which is the machine's.
    find "$bundle" -type f \( -perm -u+x -o -name '*.so*' \) ! -name 'overlap-runner-*' ! -name with-cuda -print0 | xargs -0 -n 1 ldd 2> /dev/null |
        sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u > "$scratch/needed"
    while read -r library; do
        file=$(basename -- "$library")
        [[ $file =~ $own ]] || take "$library" "lib/$file"
    done < "$scratch/needed"
    take "$loader" glibc/ld-linux-x86-64.so.2
    for file in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2; do
        take "$(dirname -- "$loader")/$file" "glibc/$file"
    done
}

# Everything finds its libraries by where it lies: through the environment other programs would find them too.
let_find_each_other() {
    find "$bundle/bin" ${window:+"$bundle/runner"} -type f ! -name 'cuda-libraries*' -exec patchelf --set-rpath '$ORIGIN/../lib' {} \;
    find "$bundle/lib" -maxdepth 1 -name '*.so*' -exec patchelf --set-rpath '$ORIGIN' {} \;
    find "$bundle/lib/" -mindepth 2 -name '*.so*' -exec patchelf --set-rpath '$ORIGIN/..' {} \;
    find "$bundle" -path '*/plugins/*.so' -exec patchelf --set-rpath '$ORIGIN/../../lib' {} \;
    find "$bundle" -type f \( -path '*/bin/*' -o -path '*/runner/*' -o -name '*.so*' \) ! -path '*/glibc/*' ! -name 'cuda-libraries*' -exec strip --strip-unneeded {} +
}

# Of ICU's data, 30 MB, what Qt asks for: how text is compared. Converters, names of places and currencies stay behind.
shrink_icu_data() {
    local data address bytes symbol start offset package
    data=$(echo "$bundle"/lib/libicudata.so.*)
    read -r address bytes symbol < <(readelf --dyn-syms -W "$data" | awk '/OBJECT/ {print "0x" $2, $3, $8}')
    read -r start offset < <(readelf -SW "$data" | sed 's/^ *\[ *[0-9]*\]//' |
        awk '$1 == ".rodata" {print "0x" $3, "0x" $4}')
    package=$scratch/${symbol%_dat}l.dat
    tail -c +$((offset + address - start + 1)) "$data" > "$package"
    truncate -s $((bytes)) "$package"
    icupkg -l "$package" |
        grep -E '[.]cnv$|^(translit|curr|lang|region|unit|rbnf|brkitr|zone)/|^coll/[a-z]|^[A-Za-z0-9_]+[.]res$' |
        grep -vE '^(coll/)?(root|pool|res_index|ucadata)[.]|^(en|en_US|icustd|icuver|metadata|numberingSystems)[.]' |
        grep -vE '^(supplementalData|likelySubtags|keyTypeData)[.]' > "$scratch/unused.txt"
    icupkg -r "$scratch/unused.txt" "$package" "$scratch/icu.dat"
    cat > "$scratch/icu.s" << END
.section .rodata
.globl $symbol
.type $symbol, @object
.balign 16
$symbol: .incbin "$scratch/icu.dat"
.size $symbol, . - $symbol
.section .note.GNU-stack, "", @progbits
END
    gcc -shared -nostdlib -Wl,-soname,"$(basename -- "$data")" -o "$data" "$scratch/icu.s"
}

# The window's fonts; those of the machine come behind them.
take_fonts() {
    local font
    for font in /usr/share/fonts/opentype/inter/Inter-{Regular,Medium,SemiBold,Bold}.otf \
        /usr/share/fonts/truetype/dejavu/DejaVuSansMono{,-Bold}.ttf; do
        [ -f "$font" ] || {
            echo "bundle.sh: $font is missing; apt-get install fonts-inter fonts-dejavu-core" >&2
            exit 1
        }
        take "$font" "fonts/$(basename -- "$font")"
    done
    cat > "$bundle/fonts/fonts.conf" << 'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
END
}

# The machine's C library is taken where it is as new as the one that this was built with, else the bundle's.
make_launchers() {
    local program needed file
    needed=$(ldd --version | sed -n '1s/.* //p')
    for program in overlap ${window:+overlap-studio overlap-runner}; do
        sed "s/@GLIBC@/$needed/" "$root/packaging/bundle_launcher.sh" > "$bundle/$program"
        chmod 755 "$bundle/$program"
    done
    cat > "$bundle/glibc/run" << 'END'
#!/bin/sh
# Starts a program with this folder's C library. Libraries of the machine that LD_LIBRARY_PATH names come last.
here=$(dirname -- "$0")
exec "$here/ld-linux-x86-64.so.2" --library-path "$here:$here/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
END
    chmod 755 "$bundle/glibc/run"
    [ -n "$window" ] || return 0
    # With the bundle's loader the window takes the loader's folder for its own, and looks for its helpers there.
    printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' | tee "$bundle/bin/qt.conf" > "$bundle/glibc/qt.conf"
    printf '#!/bin/sh\nexec "$(dirname -- "$0")/run" "$(dirname -- "$0")/../bin/overlap-layout" "$@"\n' > "$bundle/glibc/overlap-layout"
    printf '#!/bin/sh\nexec "$(dirname -- "$0")/../overlap-runner" "$@"\n' | tee "$bundle/bin/overlap-runner" > "$bundle/glibc/overlap-runner"
    chmod 755 "$bundle/bin/overlap-runner" "$bundle"/glibc/overlap-{layout,runner}
    # So does the runner with its modules.
    for file in "$bundle"/runner/*.so; do
        [ ! -f "$file" ] || ln -s "../runner/$(basename -- "$file")" "$bundle/glibc"
    done
}

# The copyright file of each package that anything was taken from.
take_licences() {
    local file
    while read -r file; do
        take_licence "$file" "$bundle/licences"
    done < <(sort -u "$scratch/taken")
    cp "$root/packaging/copyright" "$bundle/licences/overlap-studio"
}

take_programs
if [ -n "$window" ]; then take_plugins; fi
take_libraries
let_find_each_other
if [ -n "$window" ]; then
    shrink_icu_data
    take_fonts
fi
make_launchers
take_licences
mkdir -p "$out"
tar -C "$scratch" --owner=0 --group=0 --sort=name -cf - "$name" | gzip -9 > "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
