#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The gate of real toolkits, and of copies of their headers, as the command and a binding see it.
#   gate.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_split 12.4 13 15
real=$(cuda "$release") # $toolkit may have a lower limit
read -r _ most_gcc most_clang < <(grep "^$release"$'\t' "$repository/tests/e2e/matrix/limits.tsv") || skip "the limits of CUDA $release are not in matrix/limits.tsv"
fits=$(majors g++ "$most_gcc" | sed -n 1p)
# bounds ANSWER: the upper ones that were derived.
bounds() { echo "$(json "$1" derived gcc max) $(json "$1" derived clang max)"; }

every_toolkit_says_what_its_header_enforces() {
    local release
    while read -r release wanted; do
        if [ "$stands_in" = yes ] && [ ! -e "$lab/cuda-$release" ]; then continue; fi
        need_cuda "$release"
        "$hostpin" stdlib-probe gate "$(cuda "$release")" --json >answer
        same "$(bounds answer)" "$wanted"
        "$hostpin" stdlib-probe gate "$(cuda "$release")/bin/nvcc" --json >by-nvcc
        same "$(bounds by-nvcc)" "$wanted"
    done <<'END'
11.2 10 11
11.8 11 14
12.4 13 17
13.0 15 20
END
}

a_copied_header_alone_says_the_same() {
    mkdir empty && cp "$real/include/crt/host_config.h" empty/alone.h && cd empty
    env -i "$hostpin" stdlib-probe gate alone.h --json >../answer
    same "$(bounds ../answer)" "$most_gcc $most_clang"
    env -i "$hostpin" stdlib-probe gate alone.h --json --target aarch64 >../answer
    same "$(bounds ../answer)" "$most_gcc $most_clang"
    same "$(json ../answer target)" aarch64
    same "$(json ../answer release)" ""
}

# Printed text must name the location; the numbers are tested above.
the_text_names_the_lines() {
    call "$hostpin" stdlib-probe gate "$real"
    exits 0
    grep -qE "GCC +6-$most_gcc +up to $most_gcc +crt/host_config.h:[0-9]+" "$out"
    grep -qE "Clang +[0-9.]+-$most_clang +3.3-$most_clang +crt/host_config.h:[0-9]+" "$out"
}

what_is_no_gate_is_refused_by_name() {
    mkfifo fifo
    echo '#include "fifo"' >includes-fifo.h
    echo '#if __has_include("fifo")' >asks-for-fifo.h
    echo '#include "/dev/zero"' >zeros.h
    echo '#embed "/dev/zero"' >embedded-zeros.h
    head -c 2000000 /dev/zero | tr '\0' '\n' >long.h
    head -c 20000000 /dev/zero | tr '\0' '\n' >too-long-to-include.h
    echo '#include "too-long-to-include.h"' >includes-long.h
    for name in includes-fifo.h asks-for-fifo.h zeros.h embedded-zeros.h long.h includes-long.h; do
        call timeout 120 "$hostpin" stdlib-probe gate "$name"
        exits 2
        prints_nothing
        says "$name could not be evaluated: .*(not a regular file|2000000 bytes|larger than any)"
    done
    for name in nothing fifo /dev/zero .; do
        call timeout 120 "$hostpin" stdlib-probe gate "$name"
        exits 2
        prints_nothing
        says 'hostpin: error: '
    done
    printf '#include "self.h"\n' >self.h
    call timeout 120 "$hostpin" stdlib-probe gate self.h
    exits 2
    says 'self.h could not be evaluated: .*self.h:1: '
    # Each macro doubles the previous one: the seventieth would never end.
    { echo '#define M0 1'; for i in $(seq 70); do echo "#define M$i M$((i - 1)) + M$((i - 1))"; done; } >macros.h
    { cat macros.h; printf '#if M70 > 2\n#error x\n#endif\n'; } >condition.h
    { cat macros.h; echo M70; } >text.h
    for name in condition.h text.h; do
        call timeout 120 "$hostpin" stdlib-probe gate "$name"
        exits 2
        says 'hostpin: error: .*(more memory|longer to read than any real ones|expand without end)'
    done
    # The preprocessor reads conditions by recursion, and an argument of a macro before it is multiplied.
    { printf '#if '; head -c 900000 /dev/zero | tr '\0' '('; } >parentheses.h
    { printf '#if '; head -c 900000 /dev/zero | tr '\0' '!'; echo 1; } >negations.h
    { echo '#define F(x) x x x x x x x x'; printf 'F(%.0s' $(seq 20); printf 1; printf ')%.0s' $(seq 20); } >arguments.h
    for name in parentheses.h negations.h arguments.h; do
        call timeout 120 "$hostpin" stdlib-probe gate "$name"
        exits 2
        prints_nothing
        says 'hostpin: error: .*(nest deeper|more memory|longer to read|expand without end)'
    done
    for wrong in '' '--jsno x' 'a b' '--target mips x' '--release x y' 'x --target'; do
        # shellcheck disable=SC2086
        call "$hostpin" stdlib-probe gate $wrong
        exits 2
        says 'hostpin stdlib-probe gate --help'
    done
}

# A toolkit newer than this hostpin: a tree of links whose nvcc prints another release and that has its own header.
future_toolkit() {
    future=14
    if [ "$stands_in" = yes ]; then future=$older; fi
    need_lab "bin/g++-$future"
    cp -a "$(limited "$real" "$future")" future
    rm future/bin/nvcc
    cat >future/bin/nvcc <<END
#!/bin/sh
case "\$*" in
  *--version*) "$real/bin/nvcc" --version | sed 's/release $release, V$release/release 99.1, V99.1/' ;;
  *) exec -a "$PWD/future/bin/nvcc" "$real/bin/nvcc" "\$@" ;;
esac
END
    sed -i '1s/sh/bash/' future/bin/nvcc
    chmod +x future/bin/nvcc
}

a_toolkit_unknown_to_the_table_works_by_its_gate_alone() {
    future_toolkit
    call "$hostpin" bind bound --toolkit "$PWD/future" --stdenv "$stdenv"
    exits 0
    says 'note: CUDA 99.1 is not in this hostpin.s tables: only the toolkit.s own gate was evaluated'
    grep -q "compiles.*GCC $future" "$out"
}

without_the_probe_the_documented_range_is_used_and_told() {
    cp -a "$prefix" broken
    rm broken/libexec/hostpin/stdlib-probe
    call broken/bin/hostpin bind bound --toolkit "$real" --stdenv "$stdenv"
    exits 0
    says "note: CUDA $release was judged by its documented range alone: .*stdlib-probe is missing"
    grep -q "compiles.*GCC $fits" "$out"
}

an_answer_is_remembered_until_the_header_changes() {
    need_command strace
    future_toolkit
    settle
    "$hostpin" doctor --json --toolkit "$PWD/future" >first || true
    strace -f --seccomp-bpf -e trace=execve -o trace "$hostpin" doctor --json --toolkit "$PWD/future" >second || true
    cmp first second
    ! grep -q 'libexec/hostpin/stdlib-probe' trace || fail "the probe ran again"
    settle
    sed -i "s/__GNUC__ > $future/__GNUC__ > 9/" future/include/crt/host_config.h
    "$hostpin" doctor --json --toolkit "$PWD/future" >third || true
    same "$(json third toolkits 0 derived gcc max)" 9
}

# gates TRACE: how often the probe was started for a gate.
gates() { grep -c 'libexec/hostpin/stdlib-probe", \["[^"]*", "gate"' "$1" || true; }
trace() { strace -f --seccomp-bpf -s 300 -e trace=execve -o "$@" >out || true; }

doctor_asks_every_toolkit_once() {
    need_command strace
    local second=$toolkit
    if [ "$stands_in" = no ]; then need_cuda 11.8 && second=$(cuda 11.8); fi
    printf 'toolkits = ["%s", "%s"]\n' "$real" "$second" >two.toml
    export HOSTPIN_CONFIG=$PWD/two.toml HOSTPIN_CACHE_DIR=$PWD/cache
    trace cold "$hostpin" doctor --json
    same "$(gates cold)" "$(json out length toolkits)"
    trace warm "$hostpin" doctor --json
    same "$(gates warm)" 0
    HOSTPIN_CACHE_DIR=/proc/nowhere trace cacheless "$hostpin" doctor --json
    same "$(gates cacheless)" "$(json out length toolkits)"
}

# The release is in a file next to it; running nvcc would need a host compiler.
a_real_nvcc_is_not_run() {
    need_command strace
    trace nvcc "$hostpin" stdlib-probe gate "$real/bin/nvcc" --json
    same "$(json out release)" "$release"
    ! grep -q '"[^"]*nvcc", \[' nvcc || fail "nvcc ran"
}

documented_and_enforced_stand_side_by_side() {
    call "$hostpin" doctor --toolkit "$real"
    grep -qE "CUDA $release.*  documented: GCC 6-$most_gcc, Clang [0-9.]+-$most_clang +enforced: GCC up to $most_gcc, Clang 3.3-$most_clang" "$out"
    call "$hostpin" bind bound --toolkit "$real" --stdenv "g++-$fits"
    exits 0
    grep -qE "accepts +documented: GCC 6-$most_gcc, Clang [0-9.]+-$most_clang +enforced: GCC up to $most_gcc, Clang 3.3-$most_clang" "$out"
}

a_bound_call_never_starts_the_probe() {
    cp -a "$prefix" trapped
    trapped/bin/hostpin bind bound --toolkit "$toolkit" --stdenv "$stdenv" >/dev/null
    printf '#!/bin/sh\necho asked >"%s"\nexit 2\n' "$PWD/asked" >trapped/libexec/hostpin/stdlib-probe
    write_source a.cu
    HOSTPIN_CACHE_DIR=$PWD/fresh bound/nvcc -arch=sm_75 a.cu -o a
    bound/c++ --version >/dev/null
    absent asked
}

it "every toolkit gives what its header enforces" every_toolkit_says_what_its_header_enforces
it "a copied header alone gives the same" a_copied_header_alone_says_the_same
it "the text names the lines" the_text_names_the_lines
it "a file that is not a gate is refused by name" what_is_no_gate_is_refused_by_name
it "a toolkit unknown to the table works by its gate alone" a_toolkit_unknown_to_the_table_works_by_its_gate_alone
it "without the probe the documented range is used, with a note" without_the_probe_the_documented_range_is_used_and_told
it "an answer is cached until the header changes" an_answer_is_remembered_until_the_header_changes
it "doctor asks every toolkit once" doctor_asks_every_toolkit_once
it "a real nvcc is not run" a_real_nvcc_is_not_run
it "documented and enforced are side by side" documented_and_enforced_stand_side_by_side
it "a bound call never starts the probe" a_bound_call_never_starts_the_probe
finish
