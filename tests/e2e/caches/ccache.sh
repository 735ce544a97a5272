#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ccache before our nvcc: as many hits as before the real one, and never an object of another selection.
#
#   HOSTPIN_FULL  1: every case with the newest release too
# shellcheck source=tests/e2e/caches/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
use_cache ccache "$@"

fresh() {
    export CCACHE_DIR=$PWD/store
    write_small_source a.cu
    settle
}
count() { "$cache" --print-stats | awk -v name="$1" '$1 == name { print $2 }'; }
hits() { echo $(($(count direct_cache_hit) + $(count preprocessed_cache_hit))); }
# hit COMMAND...: that it was answered from the cache; missed: that it was not.
hit() {
    local before
    before=$(hits)
    "$@"
    [ "$(hits)" -gt "$before" ] || fail "no hit: $*"
}
missed() {
    local before
    before=$(hits)
    "$@"
    same "$(hits)" "$before"
}
tell_ccache() { # [OPTION...]: as hostpin env does, but for the names of compilers
    eval "$("$hostpin" env --shell sh "$@" | grep CCACHE)"
}

# The control: without this the tests below could not fail.
ccache_is_blind_to_what_nvcc_chooses() {
    fresh
    NVCC_CCBIN=g++-12 build "$toolkit/bin/nvcc"
    made_by a.o gcc 12
    NVCC_CCBIN=g++-11 hit build "$toolkit/bin/nvcc"
    made_by a.o gcc 12
}

unbound_configuration() {
    fresh
    tell_ccache
    configure_host g++-12
    missed build "$our_nvcc"
    made_by a.o gcc 12
    hit build "$our_nvcc"
    made_by a.o gcc 12
    configure_host g++-11
    missed build "$our_nvcc"
    made_by a.o gcc 11
    HOSTPIN_HOST=g++-12 hit build "$our_nvcc"
    made_by a.o gcc 12
    NVCC_CCBIN=g++-12 missed build "$our_nvcc"
    made_by a.o gcc 12
}

unbound_update() {
    fresh
    tell_ccache
    make_updatable g++-unbound
    configure_host "$bin/g++-unbound"
    build "$our_nvcc"
    made_before_update a.o
    hit build "$our_nvcc"
    update g++-unbound
    missed build "$our_nvcc"
    made_after_update a.o
}

# Nobody told ccache how to look: it runs the compiler itself, and keeps nothing.
unbound_untold() {
    fresh
    configure_host g++-12
    build "$our_nvcc"
    made_by a.o gcc 12
    configure_host g++-11
    missed build "$our_nvcc"
    made_by a.o gcc 11
    same "$(count cache_miss)" 0
    # In depend mode ccache runs no preprocessor, and has no way back.
    call env CCACHE_DEPEND=1 "$cache" "$our_nvcc" -arch=sm_75 -MD -c a.cu -o a.o
    exits 2
    says 'ccache cannot see which compiler an unbound program selects' 'hint: set its compiler check: eval'
}

# ccache hashes the file of a host compiler, and that of an unbound c++ is the same whatever it chooses.
unbound_below_the_real_nvcc() {
    fresh
    tell_ccache
    configure_host g++-12
    build "$toolkit/bin/nvcc" -ccbin "$our_cxx"
    made_by a.o gcc 12
    configure_host g++-11
    missed build "$toolkit/bin/nvcc" -ccbin "$our_cxx"
    made_by a.o gcc 11
    same "$(count cache_miss)" 0
    bind_host one g++-12
    missed build "$toolkit/bin/nvcc" -ccbin "$PWD/one/c++"
    hit build "$toolkit/bin/nvcc" -ccbin "$PWD/one/c++"
    made_by a.o gcc 12
}

bound_without_settings() {
    fresh
    bind_host one g++-12
    missed build one/nvcc
    hit build one/nvcc
    bind_host two g++-12
    hit build two/nvcc # the same decision in another directory
    mv two "moved away"
    hit build "moved away/nvcc"
    bind_host one g++-11
    missed build one/nvcc
    made_by a.o gcc 11
    bind_host one g++-12
    hit build one/nvcc
    made_by a.o gcc 12
}

# As in Nix's store and in archives that are made to be reproducible.
bound_where_times_are_alike() {
    fresh
    bind_host one g++-12
    bind_host two g++-11
    touch -d @1 one/nvcc two/nvcc
    build one/nvcc
    missed build two/nvcc
    made_by a.o gcc 11
}

bound_update() {
    fresh
    make_updatable g++-bound
    bind_host one "$bin/g++-bound"
    build one/nvcc
    made_before_update a.o
    (
        tell_ccache --bound one
        build one/nvcc
        hit build one/nvcc
        update g++-bound
        call compile one/nvcc # not an old object, but the reason
        exits 2
        says "the binding in .*one depends on .*cc1plus, which has changed"
    )
    "$hostpin" bind --refresh one >/dev/null
    missed build one/nvcc
    made_after_update a.o
}

other_compilers_stay_as_they_are() {
    fresh
    bind_host one
    tell_ccache --bound one
    echo 'int f() { return 0; }' >b.cpp
    missed "$cache" g++-12 -c b.cpp -o b.o
    hit "$cache" g++-12 -c b.cpp -o b.o
    missed "$cache" g++-11 -c b.cpp -o b.o
    made_by b.o gcc 11
}

# -D names it before the toolchain file is read.
the_toolchain_file_tells_ccache() {
    fresh
    make_updatable g++-cmake
    bind_host 'a b' "$bin/g++-cmake"
    cat >look.cmake <<'CMAKE'
include("a b/toolchain.cmake")
include("a b/toolchain.cmake") # as often as CMake likes
foreach(word IN LISTS CMAKE_CUDA_COMPILER_LAUNCHER)
  file(APPEND words "${word}\n")
endforeach()
CMAKE
    cmake "-DCMAKE_CUDA_COMPILER_LAUNCHER=$cache" -P look.cmake
    mapfile -t launcher <words
    same "${#launcher[@]}" 3
    same "${launcher[2]}" "$cache"
    rm a.o 2>/dev/null || true
    "${launcher[@]}" 'a b/nvcc' -arch=sm_75 -c a.cu -o a.o
    hit "${launcher[@]}" 'a b/nvcc' -arch=sm_75 -c a.cu -o a.o
    update g++-cmake
    call "${launcher[@]}" 'a b/nvcc' -arch=sm_75 -c a.cu -o a.o
    exits 2
    rm words
    CCACHE_COMPILERCHECK=content cmake "-DCMAKE_CUDA_COMPILER_LAUNCHER=$cache" -P look.cmake
    same "$(cat words)" "$cache" # whoever says how to look at compilers is obeyed
}

# Configured twice, each in a directory of its own: the second build hits wherever the real nvcc's does.
a_project_hits_as_with_bare_nvcc() {
    fresh
    cp -r "$repository/samples/saxpy" project
    bind_host toolchain
    local bare
    project() { # DIRECTORY OPTION...
        cmake -S project -B "$1" -G Ninja -DCMAKE_CUDA_ARCHITECTURES=75 "-DCMAKE_CUDA_COMPILER_LAUNCHER=$cache" \
            -DCMAKE_CXX_COMPILER=g++-12 "${@:2}"
        cmake --build "$1"
    }
    project bare "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc"
    bare=$(hits)
    project bare-again "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc"
    bare=$(($(hits) - bare))
    [ "$bare" -gt 0 ] || fail "even bare nvcc has no hits"
    "$cache" --zero-stats
    project ours "-DCMAKE_TOOLCHAIN_FILE=$PWD/toolchain/toolchain.cmake"
    same "$(hits)" 0
    project ours-again "-DCMAKE_TOOLCHAIN_FILE=$PWD/toolchain/toolchain.cmake"
    same "$(hits)" "$bare"
}

# Nobody listens on port 1.
a_server_that_is_down() {
    fresh
    bind_host one
    export CCACHE_REMOTE_STORAGE=http://127.0.0.1:1
    build one/nvcc
    made_by a.o gcc 12
    hit build one/nvcc # the local half goes on
}

env_respects_what_is_set() {
    bind_host one
    call env CCACHE_COMPILERCHECK=content "$hostpin" env --bound one
    exits 0
    ! grep -q CCACHE "$out" || fail "overruled"
    says 'CCACHE_COMPILERCHECK is already set to content'
    mkdir 'a b'
    mv one 'a b/'
    call "$hostpin" env --bound 'a b/one' # ccache would split the path; any program of ours can answer
    grep -q "CCACHE_COMPILERCHECK=.$prefix/libexec/hostpin/nvcc --hostpin-fingerprint %compiler%" "$out" ||
        { show_call && fail "no check"; }
}

a_fingerprint_is_of_what_is_there() {
    call "$our_nvcc" --hostpin-fingerprint "$PWD/nowhere"
    exits 2
    says "cannot examine .*nowhere"
    echo x >file
    call "$our_nvcc" --hostpin-fingerprint file
    exits 0
    same "$(cat "$out")" "$(stat -c '2 %Y' file).$(stat -c %y file | sed -E 's/.*\.0*([0-9]+) .*/\1/')"
}

also "without us ccache hands out the object of another host compiler" ccache_is_blind_to_what_nvcc_chooses
also "an unbound nvcc is cached by what configuration and environment choose" unbound_configuration
also "an unbound nvcc misses after an update behind it" unbound_update
also "an unbound nvcc is not cached where ccache cannot see it" unbound_untold
it "an unbound c++ below the real nvcc is not cached, a bound one is" unbound_below_the_real_nvcc
it "a bound nvcc is cached by its binding, without any setting" bound_without_settings
also "bindings are told apart where all times are alike" bound_where_times_are_alike
it "a bound nvcc is not answered from the cache after an update behind it" bound_update
also "other compilers hit and miss as before" other_compilers_stay_as_they_are
also "CMake's toolchain file tells ccache" the_toolchain_file_tells_ccache
if [ "$full" = 1 ]; then
    it "a project that is built twice hits as often as with bare nvcc" a_project_hits_as_with_bare_nvcc
fi
also "a server that is down costs hits alone" a_server_that_is_down
also "env leaves a user's own check alone, and paths that ccache would split" env_respects_what_is_set
also "a fingerprint is of what is there" a_fingerprint_is_of_what_is_there
finish
