#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# docs.sh PAGE [WORDS]: runs every fenced block of shell in a page (README.md or docs/*.md), in order, and compares the output shown.
#
#   ```sh             the commands have to succeed; with `sh exit=N` they have to end with N
#   ```text           right after such a block: what it prints, on stdout and stderr; a line `...` stands for any number of lines,
#                     ` ...` at the end of one for its rest
#   <!-- not run: REASON -->        on the line before: the block is not run here, and the reason is printed
#   <!-- not compared: REASON -->   on the line before: the output is not compared
#   <!-- needs: COMMAND... -->      on the line before: the block is skipped where one of these is missing; `module` is a function of the shell
#
# The reader's project is a copy of the saxpy sample; the home directory is empty. c++ is g++-15 and g++-13 exists too, from the lab or
# its substitute (need_split), and nvcc on PATH accepts only the older one. Output is compared with the lab only: it names releases.
modules_init=${HOSTPIN_MODULES_INIT-}
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
page=$1
only=${2:-}
passed_file= # each block rests on those before it
need_hostpin
need_command cmake make git
case $page in */caches.md) need_command ccache ;; esac
need_split 12.4 13 15
[ -f "$repository/$page" ] || { echo "FAIL: no $page" && exit 1; }

app=$work/app
mkdir -p "$bin" "$work/home"
cp -r "$repository/samples/saxpy" "$app"
for name in c++ g++ g++-15; do ln -s "$stdenv" "$bin/$name"; done
for name in cc gcc gcc-15; do ln -s "${stdenv/g++/gcc}" "$bin/$name"; done
ln -s "$host" "$bin/g++-13"
case $page in */redist.md | */redist-emit.md) # stand-ins for what is downloaded
    # shellcheck source=tests/e2e/redist/small.sh
    . "$repository/tests/e2e/redist/small.sh"
    (cd "$app" && both_products && small_manifest cuda 12.4.1 "$(small_package cuda_cccl 12.4.127 linux-x86_64)" \
        "$(small_package cuda_cudart 12.4.127 linux-x86_64)" "$(small_package cuda_nvcc 12.4.131 linux-x86_64)" && mv cuda/redistrib_12.4.1.json .)
    ;;
esac
export HOME=$work/home PATH=$prefix/bin:$bin:$toolkit/bin:$plain_path SHELL=/bin/bash
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS HOSTPIN_CACHE_DIR
printf 'search = "named"\ncompilers = ["g++-13"]\n' >"$HOSTPIN_CONFIG"

# toml.1 is the first block of TOML. block.N, with block.N.exit (its exit code), block.N.not-run (the reason), block.N.output (the output shown) and
# block.N.not-compared (the reason); and unknown, with whatever is marked otherwise.
awk -v to="$work/block" '
    function reason(line) { sub(/^[^:]*: */, "", line); sub(/ *-->$/, "", line); return line }
    inside && /^```$/ { inside = 0; file = ""; next }
    inside { if (file) print > file; next }
    /^<!-- not run: .+ -->$/ { not_run = reason($0); next }
    /^<!-- needs: .+ -->$/ { needs = reason($0); next }
    /^<!-- not compared: .+ -->$/ { not_compared = reason($0); next }
    /^```(sh( exit=[0-9]+)?|text)$/ {
        inside = 1
        if ($1 == "```sh") {
            file = to "." ++n; shown = 0
            split($2, parts, "="); print (parts[2] == "" ? 0 : parts[2]) > (file ".exit")
            if (not_run != "") print not_run > (file ".not-run")
            if (needs != "") print needs > (file ".needs")
            printf "" > file
            after = n
        } else if (after) {
            file = to "." after ".output"
            if (not_compared != "") print not_compared > (to "." after ".not-compared")
            printf "" > file
            after = 0
        }
        not_run = not_compared = needs = ""
        next
    }
    /^```toml$/ && !toml++ { inside = 1; after = 0; file = to; sub(/block$/, "toml.1", file); next }
    /^```(toml|cmake|nix|)$/ { inside = 1; after = 0; next }
    /^```/ { inside = 1; print > (to ".unknown"); next }
    not_run needs not_compared != "" {
        print "a mark with no block right after it: " not_run needs not_compared > (to ".unknown"); not_run = not_compared = needs = ""
    }
    NF { after = 0 }' "$repository/$page"

# What differs from machine to machine, as the pages show it; columns are as wide as such paths.
as_shown() {
    sed -E -e "s#$app#/home/me/saxpy#g" -e "s#$work/home#/home/me#g" -e "s#$bin/#/usr/bin/#g" -e "s#$toolkit#/usr/local/cuda#g" \
        -e "s#$prefix#/opt/hostpin#g" -e "s#$lab/bin/#/usr/bin/#g" -e "s#$lab/roots/[a-z]+/#/#g" \
        -e 's/(GCC|Clang) ([0-9]+)\.[0-9.]+/\1 \2.x/g' -e 's/[[:space:]]+$//' -e 's/([^ ])  +/\1  /g'
}
# matches SHOWN PRINTED
matches() {
    awk '
        NR == FNR { shown[++n] = $0; next }
        { printed[++m] = $0 }
        function same(line, text) {
            if (sub(/ \.\.\.$/, "", line)) return index(text, line) == 1
            return line == text
        }
        function fits(i, j) {
            if (i > n) return j > m
            if (shown[i] == "...") { for (; j <= m + 1; ++j) if (fits(i + 1, j)) return 1; return 0 }
            return j <= m && same(shown[i], printed[j]) && fits(i + 1, j + 1)
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

# `module` is defined by a file that login shells read: of Lmod, of Modules, or HOSTPIN_MODULES_INIT.
modules_init() {
    local one
    for one in "$modules_init" /usr/share/lmod/lmod/init/bash /usr/share/modules/init/bash /etc/profile.d/modules.sh; do
        if [ -r "$one" ]; then echo "$one" && return; fi
    done
    return 1
}
works() { # BLOCK
    local needed init
    cd "$app"
    need_what_it_runs "$1"
    : >"$1.run"
    if [ -e "$1.needs" ]; then
        # shellcheck disable=SC2013 # words
        for needed in $(cat "$1.needs"); do
            if [ "$needed" = module ]; then
                init=$(modules_init) || skip 'no command module: neither Lmod nor Modules is installed'
                # it uses variables that need not be set
                printf "set +eu\n. '%s'\nset -e\n" "$init" >"$1.run"
            else
                need_command "$needed"
            fi
        done
    fi
    # The toolkit, wherever it is here.
    sed "s#/usr/local/cuda\b#$toolkit#g" "$1" >>"$1.run"
    status=0
    bash -eu "$1.run" >"$1.printed" 2>&1 </dev/null || status=$?
    as_shown <"$1.printed" >"$1.as-shown"
    [ "$status" -eq "$(cat "$1.exit")" ] || {
        tail -n 40 "$1.as-shown"
        fail "exit code $status instead of $(cat "$1.exit") of: $(cat "$1")"
    }
}
prints_what_is_shown() { # BLOCK
    [ ! -e "$1.not-compared" ] || skip "not compared: $(cat "$1.not-compared")"
    [ "$stands_in" = no ] || skip "the output shown is that of the lab's compilers (./bootstrap lab provides them)"
    [ -e "$1.as-shown" ] || fail "the block was not run"
    as_shown <"$1.output" >"$1.expected"
    matches "$1.expected" "$1.as-shown" || {
        diff "$1.expected" "$1.as-shown" || true
        fail "$page shows another output (<) than there is (>)"
    }
}
# Every key and value is known; named files need not exist.
the_configuration_is_read() {
    call env HOSTPIN_CONFIG="$work/toml.1" hostpin doctor
    says_not "toml\.1(:[0-9:]+)?: .*(known keys|must be)" 'unknown key'
    sed 's/^search/serach/' "$work/toml.1" >"$work/misspelt"
    call env HOSTPIN_CONFIG="$work/misspelt" hostpin doctor
    exits 2
}
the_exceptions_are_read() {
    call hostpin leak-check --no-binding --exceptions "$work/toml.1" "$app"
    exits 0
    says 'toml\.1:'
}
no_unknown_block() {
    [ ! -e "$work/block.unknown" ] || { cat "$work/block.unknown" && fail "neither shell, output, nor text that this test knows"; }
}

it "$page: every block is of a known kind" no_unknown_block
case $page in
*/configuration.md) it "$page: the configuration that is shown is read" the_configuration_is_read ;;
*/leaks.md) it "$page: the exceptions that are shown are read" the_exceptions_are_read ;;
esac
for ((i = 1; ; ++i)); do
    block=$work/block.$i
    [ -e "$block" ] || break
    first=$(head -n 1 "$block")
    if [ -e "$block.not-run" ]; then
        echo "not run $page: $first: $(cat "$block.not-run")"
        continue
    fi
    it "$page: $first" works "$block"
    if [ -e "$block.output" ]; then it "$page: $first: prints what is shown" prints_what_is_shown "$block"; fi
done
finish
