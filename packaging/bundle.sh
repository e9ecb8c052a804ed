#!/usr/bin/env bash
# Makes overlap-studio-VERSION-x86_64.tar.gz: the window and the command line with everything that they need, for any
# x86-64 Linux from glibc 2.34 on, without root, network or packages. Usage: packaging/bundle.sh BUILD_FOLDER OUT_FOLDER.
# CUDA, NCCL and MPI belong to the machine; the runner, which needs them, is not inside.

set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$(realpath -- "${1:?the build folder}")
out=$(realpath -m -- "${2:?the folder for the archive}")
for tool in patchelf:patchelf icupkg:icu-devtools qmake6:qmake6 readelf:binutils gcc:gcc; do
    command -v "${tool%:*}" > /dev/null ||
        { echo "bundle.sh: ${tool%:*} is missing; apt-get install ${tool#*:}" >&2; exit 1; }
done
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=overlap-studio-$version-x86_64
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bundle=$scratch/$name

# What cmake installs for a machine without MPI.
cmake --install "$build" --prefix "$scratch/installed" --component studio > /dev/null
mkdir -p "$bundle"/{bin,lib/graphviz,glibc,plugins,fonts,licences}
cp "$scratch/installed/bin/"{overlap,overlap-studio} "$scratch/installed/libexec/overlap-studio/overlap-layout" "$bundle/bin"
cp -r "$scratch/installed/share" "$bundle/share"

# Qt's plugins, as far as a window needs them; Wayland's where this machine has them.
qt_plugins=$(qmake6 -query QT_INSTALL_PLUGINS)
for kind in platforms/libqxcb platforms/libqoffscreen platforms/libqminimal platforms/libqwayland-egl \
    platforms/libqwayland-generic xcbglintegrations/libqxcb-glx-integration xcbglintegrations/libqxcb-egl-integration \
    platforminputcontexts/libcomposeplatforminputcontextplugin platforminputcontexts/libibusplatforminputcontextplugin \
    iconengines/libqsvgicon imageformats/libqsvg imageformats/libqjpeg imageformats/libqico imageformats/libqgif \
    wayland-shell-integration/libxdg-shell wayland-decoration-client/libbradient \
    wayland-graphics-integration-client/libqt-plugin-wayland-egl; do
    [ -f "$qt_plugins/$kind.so" ] || continue
    install -D -m 644 "$qt_plugins/$kind.so" "$bundle/plugins/$kind.so"
done
graphviz=$(ldd "$bundle/bin/overlap-layout" | sed -n 's|.* => \(/.*\)/libgvc\.so\.6 .*|\1|p')/graphviz
cp -L "$graphviz/libgvplugin_dot_layout.so.6" "$bundle/lib/graphviz"
# Of Graphviz's list of plugins the one that is inside.
sed -n '/^libgvplugin_dot_layout/,/^}/p' "$graphviz/config6a" > "$bundle/lib/graphviz/config6a"

# All libraries that these need, but for the C library's own, which are only for older machines.
glibc='^(ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread|resolv|util|nss_[a-z]+)\.so\.[0-9]+)$'
loader=$(realpath /lib64/ld-linux-x86-64.so.2)
find "$bundle" -type f \( -perm -u+x -o -name '*.so*' \) -print0 | xargs -0 -n 1 ldd 2> /dev/null |
    sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u > "$scratch/needed"
while read -r library; do
    file=$(basename -- "$library")
    if [[ $file =~ $glibc ]]; then folder=glibc; else folder=lib; fi
    cp -L "$library" "$bundle/$folder/$file"
    echo "$library" >> "$scratch/from"
done < "$scratch/needed"
cp -L "$loader" "$bundle/glibc/ld-linux-x86-64.so.2"
for library in libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2; do
    cp -L "$(dirname -- "$loader")/$library" "$bundle/glibc/$library"
done

# Everything finds its libraries by where it lies, so that nothing is told to other programs through the environment.
for program in "$bundle"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib' "$program"; done
for library in "$bundle"/lib/*.so*; do patchelf --set-rpath '$ORIGIN' "$library"; done
find "$bundle/plugins" -name '*.so' -exec patchelf --set-rpath '$ORIGIN/../../lib' {} +
patchelf --set-rpath '$ORIGIN/..' "$bundle/lib/graphviz/"*.so*
find "$bundle" -type f \( -path '*/bin/*' -o -name '*.so*' \) ! -path '*/glibc/*' -exec strip --strip-unneeded {} + 2> /dev/null
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' | tee "$bundle/bin/qt.conf" > "$bundle/glibc/qt.conf"

# Of ICU's data, 30 MB, what Qt asks for: how text is compared. Converters, names of places and currencies stay behind.
data=$(echo "$bundle"/lib/libicudata.so.*)
read -r address bytes symbol < <(readelf --dyn-syms -W "$data" | awk '/OBJECT/ {print "0x" $2, $3, $8}')
read -r start offset < <(readelf -SW "$data" | sed 's/^ *\[ *[0-9]*\]//' | awk '$1 == ".rodata" {print "0x" $3, "0x" $4}')
package=${symbol%_dat}l.dat
tail -c +$((offset + address - start + 1)) "$data" > "$scratch/$package"
truncate -s $((bytes)) "$scratch/$package"
icupkg -l "$scratch/$package" |
    grep -E '[.]cnv$|^(translit|curr|lang|region|unit|rbnf|brkitr|zone)/|^coll/[a-z]|^[A-Za-z0-9_]+[.]res$' |
    grep -vE '^(coll/(root|res_index|ucadata|pool)|root|pool|res_index|en|en_US|supplementalData|metadata|likelySubtags|keyTypeData|numberingSystems|icustd|icuver)[.]' \
    > "$scratch/unused.txt"
icupkg -r "$scratch/unused.txt" "$scratch/$package" "$scratch/icu.dat"
cat > "$scratch/icu.s" <<END
.section .rodata
.globl $symbol
.type $symbol, @object
.balign 16
$symbol: .incbin "$scratch/icu.dat"
.size $symbol, . - $symbol
.section .note.GNU-stack, "", @progbits
END
gcc -shared -nostdlib -Wl,-soname,"$(basename -- "$data")" -o "$data" "$scratch/icu.s"

# The window's fonts; those of the machine come behind them.
for font in /usr/share/fonts/opentype/inter/Inter-{Regular,Medium,SemiBold,Bold,Italic}.otf \
    /usr/share/fonts/truetype/dejavu/DejaVuSansMono{,-Bold}.ttf; do
    [ -f "$font" ] || { echo "bundle.sh: $font is missing; apt-get install fonts-inter fonts-dejavu-core" >&2; exit 1; }
    cp "$font" "$bundle/fonts"
    echo "$font" >> "$scratch/from"
done
cat > "$bundle/fonts/fonts.conf" <<'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
END

# Launchers: the machine's C library where it is as new as the one that this was built with, else that one.
needed=$(ldd --version | sed -n '1s/.* //p')
cp "$root/packaging/bundle_launcher.sh" "$bundle/overlap"
sed -i "s/@GLIBC@/$needed/" "$bundle/overlap"
chmod 755 "$bundle/overlap"
cp "$bundle/overlap" "$bundle/overlap-studio"
# With the other loader the window takes the loader's folder for its own, and looks for its helper there.
cat > "$bundle/glibc/overlap-layout" <<'END'
#!/bin/sh
glibc=$(dirname -- "$0")
exec "$glibc/ld-linux-x86-64.so.2" --library-path "$glibc:$glibc/../lib" "$glibc/../bin/overlap-layout" "$@"
END
chmod 755 "$bundle/glibc/overlap-layout"

# Whose all of it is: the copyright file of each package that anything came from.
{ cat "$scratch/from"; find "$bundle/plugins" -name '*.so' -printf "$qt_plugins/%P\n"; echo "$graphviz/libgvplugin_dot_layout.so.6"; echo "$loader"; } |
    while read -r file; do realpath -- "$file"; done | sort -u > "$scratch/files"
while read -r file; do
    owner=$(dpkg-query -S "$file" 2> /dev/null || dpkg-query -S "/usr$file" 2> /dev/null || dpkg-query -S "${file#/usr}" 2> /dev/null) ||
        { echo "bundle.sh: $file belongs to no package, so its licence is not known" >&2; exit 1; }
    echo "${owner%%:*}"
done < "$scratch/files" | sort -u > "$scratch/packages"
while read -r package; do cp -L "/usr/share/doc/$package/copyright" "$bundle/licences/$package"; done < "$scratch/packages"
cp "$root/packaging/copyright" "$bundle/licences/overlap-studio"

tar -C "$scratch" --owner=0 --group=0 --sort=name -czf "$out/$name.tar.gz" "$name"
echo "$out/$name.tar.gz"
