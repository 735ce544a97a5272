# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by Nix-style builders. Before configure it names the bound toolchain to CMake, Meson and make unless another is named;
# after fixup it repairs run paths and checks every output. Options of the caller's shell are not changed.
# What each switch does: hooks/nix/README.md.

# Values that `bind.nix` fills in. A derivation's own hostpinBinding and hostpinCommand take precedence.
_hostpinDefault() {
    case $2 in
    @*@) ;; # from an install: not filled in
    *) [ -n "${!1+x}" ] || printf -v "$1" %s "$2" ;; # an empty attribute of the derivation counts too
    esac
}
_hostpinDefault hostpinBinding '@binding@'     # bound directory
_hostpinDefault hostpinCommand '@hostpin@'     # hostpin itself
_hostpinDefault hostpinDriverDir '@driverDir@' # where libcuda.so.1 is on the machines that run it
_hostpinDefault hostpinCompatDir '@compatDir@' # cuda_compat's libcuda.so.1
_hostpinDefault hostpinPath '@path@'           # patchelf's directory
_hostpinDefault hostpinForbid '@forbid@'       # paths that no output may refer to, with blanks between them

# ------------------------------------------------------------------------------------------ attributes

# Attributes are strings, or with __structuredAttrs strings, arrays and associative arrays. No process is started for that,
# because every derivation runs this file.
_hostpinIs() { # on|named|array|map NAME
    case $1 in
    on) [[ -n ${!2:-} && ${!2} != 0 ]] ;;
    named) [[ -n ${!2+x} ]] ;;
    *)
        local -n _hostpinNamed=$2
        local -a _hostpinKinds=("${_hostpinNamed[@]@a}")
        case $1${_hostpinKinds[*]:0:1} in array*a* | map*A*) ;; *) return 1 ;; esac
        ;;
    esac
}

# The words of an attribute, in _hostpinReply.
_hostpinWords() { # NAME
    local name=$1 IFS=$' \t\n' # the builder may have changed it
    _hostpinReply=()
    if _hostpinIs array "$name"; then
        name+='[@]'
        _hostpinReply=(${!name+"${!name}"})
    elif [ -n "${!name:-}" ]; then
        read -r -d '' -a _hostpinReply <<<"${!name}" || true # several lines too; fails because no NUL ends it
    fi
}

# Exports the derivation's value, which with __structuredAttrs is only a shell variable, or else VALUE.
_hostpinExport() { # NAME VALUE
    if _hostpinIs array "$1"; then
        local joined=$1'[*]' IFS=' '
        local -r text=${!joined-}
        unset -v "$1"
        export "$1=$text"
    elif _hostpinIs named "$1"; then
        export "${1?}"
    elif [ -n "$2" ]; then
        export "$1=$2"
    fi
}

# ------------------------------------------------------------------------------------ before configure

# Called for every dependency. Nixpkgs marks its CUDA packages with a file; others are known by a header.
_hostpinSeeInput() { # STORE PATH
    if [ -e "$1/nix-support/include-in-cudatoolkit-root" ] || [ -e "$1/include/cuda_runtime_api.h" ]; then
        case ":${_hostpinCudaInputs:-}:" in
        *":$1:"*) ;;
        *) _hostpinCudaInputs=${_hostpinCudaInputs:+$_hostpinCudaInputs:}$1 ;;
        esac
    fi
}

# All flags of nvcc, CMake, Meson, make and configure, in _hostpinReply, one word each.
_hostpinFlags() {
    local name
    local -a flags=()
    for name in NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CUDAFLAGS NVCCFLAGS NVCC_FLAGS cmakeFlags cmakeFlagsArray mesonFlags mesonFlagsArray \
        makeFlags makeFlagsArray buildFlags buildFlagsArray configureFlags configureFlagsArray; do
        _hostpinWords "$name"
        flags+=(${_hostpinReply[@]+"${_hostpinReply[@]}"})
    done
    _hostpinReply=(${flags[@]+"${flags[@]}"})
}

# Whether a flag or variable that nvcc or CMake reads names a host compiler already.
_hostpinHostIsNamed() {
    local word
    if _hostpinIs named CUDAHOSTCXX || _hostpinIs named NVCC_CCBIN; then return 0; fi
    _hostpinFlags
    for word in ${_hostpinReply[@]+"${_hostpinReply[@]}"}; do
        case $word in
        *-ccbin* | *--compiler-bindir* | -DCMAKE_CUDA_HOST_COMPILER[:=]* | -DCUDA_HOST_COMPILER[:=]* | -Dcuda_ccbindir=* | CUDAHOSTCXX=*) return 0 ;;
        esac
    done
    return 1
}

# `dontCompressFatbin` is Nixpkgs' name for this switch, `dontCompressCudaFatbin` that of its successors. An option of nvcc
# or fatbinary about compression, in any variable for flags, takes precedence.
_hostpinCompress() {
    _hostpinExport NVCC_PREPEND_FLAGS ''
    _hostpinExport NVCC_APPEND_FLAGS ''
    if _hostpinIs on dontCompressCudaFatbin || _hostpinIs on dontCompressFatbin; then return 0; fi
    local -r option='(^|[^[:alnum:]_-])--?(no-)?compress(-all|-mode)?($|[^[:alnum:]_-])'
    _hostpinFlags
    if [[ "${_hostpinReply[*]-}" =~ $option ]]; then return 0; fi
    export NVCC_PREPEND_FLAGS="-Xfatbin=-compress-all${NVCC_PREPEND_FLAGS:+ $NVCC_PREPEND_FLAGS}"
}

# Makes `nvcc` on PATH the bound one. Usually it is already, because the package of this hook is an input. Only nvcc: a c++ before
# the stdenv's would compile files other than CUDA with an older compiler.
_hostpinLeadPath() {
    local bin=$hostpinBinding/../bin found
    found=$(type -P nvcc) || found=
    if [ "$found" -ef "$hostpinBinding/nvcc" ]; then return 0; fi
    if ! [ "$bin/nvcc" -ef "$hostpinBinding/nvcc" ]; then
        bin=${NIX_BUILD_TOP:-$PWD}/.hostpin-path
        mkdir -p "$bin" && ln -sf "$hostpinBinding/nvcc" "$bin/nvcc" || return
    fi
    export PATH="$bin${PATH:+:$PATH}"
}

hostpinPreConfigure() {
    _hostpinConfigured=1
    if [ -z "${hostpinBinding:-}" ] || _hostpinIs on dontHostpinSetup || _hostpinIs on dontSetupCUDAToolkitCompilers; then return 0; fi
    local roots=${_hostpinCudaInputs:-} toolkit='' line
    if ! [ -r "$hostpinBinding/binding.toml" ]; then
        echo "hostpin: error: $hostpinBinding is not a bound directory: it has no binding.toml; see hostpinBinding, or dontHostpinSetup = true" >&2
        return 1
    fi
    while read -r line; do
        case $line in 'root = "'*'"') toolkit=${line#root = \"} toolkit=${toolkit%\"} && break ;; esac
    done <"$hostpinBinding/binding.toml" || return
    # in an environment variable CMake uses the system's separator, and takes a semicolon as part of the path
    case ":$roots:" in
    *":$toolkit:"*) ;;
    *) roots=$toolkit${roots:+:$roots} ;;
    esac
    if ! _hostpinHostIsNamed; then
        export CUDAHOSTCXX=$hostpinBinding/c++
    else
        _hostpinExport CUDAHOSTCXX ''
        _hostpinExport NVCC_CCBIN ''
    fi
    _hostpinExport CUDACXX "$hostpinBinding/nvcc"
    _hostpinExport NVCC "$hostpinBinding/nvcc" # Meson's name, and that of many makefiles
    _hostpinExport CUDAToolkit_ROOT "$roots"
    _hostpinExport CUDA_PATH "$toolkit"
    _hostpinExport CUDA_HOME "$toolkit"
    _hostpinCompress
    _hostpinLeadPath
}

# With dontConfigure the build is the first to need it.
hostpinPreBuild() {
    if [ -z "${_hostpinConfigured:-}" ]; then hostpinPreConfigure; fi
}

# ---------------------------------------------------------------------------------------- after fixup

# The repairs, each with its own switch; Nixpkgs has names for some of them.
_hostpinRepairs() {
    _hostpinReply=()
    local rule switch
    local -a kept=()
    if ! _hostpinIs on dontUseAutoAddDriverRunpath && [ -n "${hostpinDriverDir:-}" ]; then
        _hostpinReply+=(--driver-dir "$hostpinDriverDir")
    fi
    if ! _hostpinIs on dontAutoAddCudaCompatRunpath && [ -n "${hostpinCompatDir:-}" ]; then
        _hostpinReply+=(--compat-dir "$hostpinCompatDir")
    fi
    while read -r switch rule; do
        if _hostpinIs on "$switch"; then kept+=(--no-fix "$rule"); fi
    done <<'SWITCHES'
dontUseAutoAddDriverRunpath driver-runpath
dontAutoAddCudaCompatRunpath cuda-compat-order
dontRemoveStubsFromRunpath cuda-stub-runpath
dontNvccRunpathFixup forbidden-runpath
dontNvccRunpathFixup forbidden-reference
SWITCHES
    if ! _hostpinIs on dontHostpinFix && ! _hostpinIs on dontFixup; then _hostpinReply+=(--fix ${kept[@]+"${kept[@]}"}); fi
}

# Names and paths of the existing outputs, alternating in _hostpinReply.
_hostpinOutputs() {
    local output path
    local -a names=()
    _hostpinReply=()
    if _hostpinIs map outputs; then
        names=("${!outputs[@]}") # with __structuredAttrs
    elif _hostpinIs named outputs; then
        _hostpinWords outputs
        names=(${_hostpinReply[@]+"${_hostpinReply[@]}"})
        _hostpinReply=()
    else
        names=(out)
    fi
    for output in ${names[@]+"${names[@]}"}; do
        path=${!output:-}
        if [ -z "$path" ] && _hostpinIs map outputs; then path=${outputs[$output]}; fi
        if [ -e "$path" ] || [ -L "$path" ]; then _hostpinReply+=("$output" "$path"); fi
    done
}

# The options for all outputs, in _hostpinReply.
_hostpinRules() {
    local path
    local -a words=(--no-binding)
    if [ -n "${hostpinBinding:-}" ]; then words=(--binding "$hostpinBinding" --forbid "$hostpinBinding"); fi
    if [ -n "${NIX_BUILD_TOP:-}" ]; then words+=(--build-dir "$NIX_BUILD_TOP"); fi
    if [ -n "${NIX_STORE:-}" ]; then words+=(--store "$NIX_STORE"); fi
    _hostpinWords hostpinForbid
    for path in ${_hostpinReply[@]+"${_hostpinReply[@]}"}; do words+=(--forbid "$path"); done
    _hostpinRepairs
    words+=(${_hostpinReply[@]+"${_hostpinReply[@]}"})
    _hostpinWords hostpinLeakCheckFlags
    _hostpinReply=("${words[@]}" ${_hostpinReply[@]+"${_hostpinReply[@]}"})
}

hostpinLeakCheck() {
    if _hostpinIs on dontHostpinLeakCheck || _hostpinIs on dontNvccRunpathCheck; then return 0; fi
    local output path code first failed=0
    local -a rules=() outputsThere=() where=()
    _hostpinOutputs
    outputsThere=(${_hostpinReply[@]+"${_hostpinReply[@]}"})
    _hostpinRules
    rules=("${_hostpinReply[@]}")
    set -- ${outputsThere[@]+"${outputsThere[@]}"}
    while [ $# -gt 0 ]; do
        output=$1 path=$2 code=0 where=()
        shift 2
        echo "hostpin leak-check: output $output, $path"
        # an output may be empty, and leak-check treats a tree without files as a mistake
        if [ -d "$path" ] && [ ! -L "$path" ]; then
            first=$(find "$path" ! -type d -print -quit) || first=unknown
            if [ -z "$first" ]; then continue; fi
        fi
        # an output that is a symlink is checked as such; its target belongs to another output
        if [ -L "$path" ]; then where=(--below "${path%/*}"); fi
        PATH=$PATH${hostpinPath:+:$hostpinPath} "${hostpinCommand:-hostpin}" leak-check \
            "${rules[@]}" ${where[@]+"${where[@]}"} -- "$path" || code=$?
        if [ "$code" -ne 0 ]; then
            echo "hostpin: error: output $output ($path) did not pass leak-check, exit code $code" >&2
            [ "$failed" -ge "$code" ] || failed=$code
        fi
    done
    hostpinLeakCheckDone=1
    if [ "$failed" -ne 0 ]; then
        echo "hint: fix the findings above, accept them with hostpinLeakCheckFlags = \"--exceptions FILE\", or disable the check with dontHostpinLeakCheck = true" >&2
    fi
    return "$failed"
}

# With dontFixup nothing after the install would run the check, and nothing is to be changed.
hostpinPostInstall() {
    if _hostpinIs on dontFixup; then hostpinLeakCheck; fi
}

# Without a fixup phase this is the first check.
hostpinPostInstallCheck() {
    if [ -z "${hostpinLeakCheckDone:-}" ]; then hostpinLeakCheck || return; fi
}

# ------------------------------------------------------------------------------------- registration

# Hooks that are sourced later may change run paths after fixup too, so this one is added after all of them.
_hostpinGoLast() {
    local hook
    local -a others=()
    for hook in ${postFixupHooks[@]+"${postFixupHooks[@]}"}; do
        if [ "$hook" != hostpinLeakCheck ]; then others+=("$hook"); fi
    done
    postFixupHooks=(${others[@]+"${others[@]}"} hostpinLeakCheck)
}

# A build has no home: the wrapper's cache, for host compilers that calls name, is in the build directory.
if [ -n "${NIX_BUILD_TOP:-}" ] && [ -z "${HOSTPIN_CACHE_DIR:-}" ]; then export HOSTPIN_CACHE_DIR=$NIX_BUILD_TOP/.hostpin; fi

# Sourcing it again changes nothing: a propagated hook may come several times.
if [ -z "${_hostpinSourced:-}" ]; then
    _hostpinSourced=1
    preConfigureHooks+=(hostpinPreConfigure)
    preBuildHooks+=(hostpinPreBuild)
    preFixupHooks+=(_hostpinGoLast)
    postFixupHooks+=(hostpinLeakCheck)
    postInstallHooks+=(hostpinPostInstall)
    postInstallCheckHooks+=(hostpinPostInstallCheck)
    # CUDA inputs are tools (nvcc) and libraries (cudart), whichever of the two this hook is
    if declare -F addEnvHooks >/dev/null; then
        addEnvHooks -1 _hostpinSeeInput
        addEnvHooks 0 _hostpinSeeInput
    fi
fi
