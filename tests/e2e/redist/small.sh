# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after tests/e2e/lib.sh: small archives in NVIDIA's form, and manifests of them. Made in the current directory, in milliseconds.

# small_archive PACKAGE VERSION PLATFORM [VARIANT]: an archive with a header and a license, below redist/ as on NVIDIA's server. Prints the
# part of a manifest that describes it.
small_archive() {
    local name=$1-$3-$2${4:+_$4}-archive
    local path=$1/$3/$name.tar.xz
    mkdir -p "tree/$name/include" "redist/$1/$3"
    echo "#define VERSION \"$1 $2 $3 ${4:-}\"" >"tree/$name/include/$1.h"
    echo "license of $1" >"tree/$name/LICENSE"
    tar -C tree --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cJf "redist/$path" "$name"
    printf '{"relative_path": "%s", "sha256": "%s", "md5": "%s", "size": "%s"}' "$path" "$(sha256sum "redist/$path" | cut -d' ' -f1)" \
        "$(md5sum "redist/$path" | cut -d' ' -f1)" "$(stat -c %s "redist/$path")"
}
# small_package PACKAGE VERSION PLATFORM...: with one archive for each platform.
small_package() {
    local package=$1 version=$2 platform
    shift 2
    printf '"%s": {"name": "%s", "license": "CUDA Toolkit", "license_path": "%s/LICENSE.txt", "version": "%s"' \
        "$package" "$package" "$package" "$version"
    for platform in "$@"; do printf ', "%s": %s' "$platform" "$(small_archive "$package" "$version" "$platform")"; done
    printf '}'
}
# small_manifest PRODUCT LABEL PART...: PRODUCT/redistrib_LABEL.json of the packages that the parts describe.
small_manifest() {
    local product=$1 label=$2
    shift 2
    mkdir -p "$product"
    {
        printf '{"release_date": "2024-04-16", "release_label": "%s", "release_product": "%s"' "$label" "$product"
        printf ',\n %s' "$@"
        printf '\n}\n'
    } >"$product/redistrib_$label.json"
}
# both_products: cuda 12.4.1 for three platforms, and cudnn 9.1.1 for two CUDA majors.
both_products() {
    small_manifest cuda 12.4.1 "$(small_package cuda_cudart 12.4.127 linux-x86_64 linux-sbsa)" \
        "$(small_package cuda_nvcc 12.4.131 linux-x86_64 linux-sbsa)" "$(small_package cuda_compat 12.4.3 linux-aarch64)"
    small_manifest cudnn 9.1.1 "$(printf '"cudnn": {"license": "cudnn", "version": "9.1.1.17", "cuda_variant": ["11", "12"]')$(
        printf ', "linux-x86_64": {"cuda11": %s, "cuda12": %s}}' "$(small_archive cudnn 9.1.1.17 linux-x86_64 cuda11)" \
            "$(small_archive cudnn 9.1.1.17 linux-x86_64 cuda12)"
    )"
}
