# shellcheck shell=bash
# To be sourced: what packages of others that go into ours are under.

# take_licence FILE FOLDER: the copyright file of the package that FILE belongs to, under the package's name.
take_licence() {
    local file=$1 folder=$2 owner
    # Packages may still name a file by its place before /usr was merged.
    owner=$(dpkg-query -S "$file" 2> /dev/null || dpkg-query -S "${file#/usr}" 2> /dev/null) || {
        echo "${0##*/}: $file belongs to no package, so its licence is not known" >&2
        exit 1
    }
    owner=${owner%%:*}
    cp -L "/usr/share/doc/$owner/copyright" "$folder/$owner"
}
