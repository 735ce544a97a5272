#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Slurm distributes whole nvcc calls: a controller and two nodes, all on this machine and removed afterwards. A node that dies
# meanwhile loses nothing.
#   slurm.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
need_split 12.4 13 14
# shellcheck source=tests/e2e/spread/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/cluster.sh"
if [ "${1:-}" != inside ]; then in_own_machine inside "$0" "$@"; fi
only=${2:-}
launch=$prefix/libexec/hostpin/slurm-launch

# ---------------------------------------------------------------------------------------------- the project

# `note` records which node compiled; the node that is to be lost does not return from its first call.
write_project() {
    local name
    mkdir -p "$work/project"
    cd "$work/project"
    cat >note <<NOTE
#!/bin/sh
echo "\${SLURMD_NODENAME:-none}" >>"$work/nodes"
if [ "\${SLURMD_NODENAME:-}" = n2 ] && [ -e "$work/lose" ]; then
    rm "$work/lose"
    : >"$work/started"
    sleep 600
fi
exec "\$@"
NOTE
    chmod +x note
    for name in a b c d; do
        cat >$name.cu <<CU
__global__ void kernel_$name(int* out) { *out = 1; }
int $name() { return kernel_$name != nullptr; }
CU
    done
    cat >main.cu <<'CU'
#include <cstdio>
int a(), b(), c(), d();
int main() { std::printf("%d\n", a() + b() + c() + d()); }
CU
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(spread LANGUAGES CUDA)
add_executable(spread main.cu a.cu b.cu c.cu d.cu)
CMAKE
    "$hostpin" bind --toolkit "$toolkit" --stdenv "$stdenv" "$work/toolchain"
    cmake -G Ninja -S . -B build -DCMAKE_CUDA_COMPILER="$work/toolchain/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75-virtual \
        -DCMAKE_CUDA_COMPILER_LAUNCHER="$launch;$PWD/note"
}
# The content of the objects, without the names of nvcc's temporary files.
substance() { find "$work/project/build" -name '*.o' | sort | xargs -I {} objdump -s -j .text -j .nv_fatbin {}; }
builds() { # COMMAND...: builds all with it
    : >"$work/nodes"
    ninja -C "$work/project/build" -t clean
    call "$@"
    exits 0
    same "$("$work/project/build/spread")" 4
}

builds_outside_of_an_allocation() {
    builds ninja -C "$work/project/build" -j 1
    same "$(sort -u "$work/nodes")" none
    substance >"$work/expected"
}
expect() { [ -e "$work/expected" ] || builds_outside_of_an_allocation; }
spreads_over_the_nodes() {
    expect
    builds allocated ninja -C "$work/project/build" -j 2
    same "$(sort -u "$work/nodes" | xargs)" 'n1 n2'
    same "$(wc -l <"$work/nodes")" 5
    substance | cmp - "$work/expected"
    same "$(find "$work/project/build" -name '.slurm-launch*')" ''
}
# n2 is killed as soon as it has begun a step; then runs THEN...
loses_n2() { # [THEN...]
    until_true 300 node_is n1 idle
    node_is n2 idle || { return_node n2 && until_true 300 node_is n2 idle; }
    rm -f "$work/started"
    : >"$work/lose"
    {
        until_true 300 test -e "$work/started"
        lose_node n2
        "${@:-true}"
    } >"$work/killer" 2>&1 &
}
survives_a_node() {
    expect
    loses_n2
    builds allocated ninja -C "$work/project/build" -j 2
    grep -q 'slurm-launch: note: the step was lost' "$out" || { show_call && fail "no step was lost"; }
    same "$(grep -c n2 "$work/nodes")" 1
    same "$(wc -l <"$work/nodes")" 6
    substance | cmp - "$work/expected"
}
ends_with_its_allocation() {
    loses_n2 scontrol update nodename=n2 state=down reason=lost # as a site's health check does
    call allocated_until_a_loss --nodelist=n2 "$launch" "$work/project/note" true
    exits 1
    says 'slurm-launch: error: 2 steps were lost' 'slurm-launch: hint: .*--no-kill'
}
leaves_errors_alone() {
    echo 'int broken() { return nothing; }' >broken.cu
    : >"$work/nodes"
    call "$work/toolchain/nvcc" -c broken.cu
    local code=$status
    call allocated "$launch" "$work/project/note" "$work/toolchain/nvcc" -c broken.cu
    exits "$code"
    says 'identifier "nothing" is undefined'
    says_not 'slurm-launch' 'Exited with'
    same "$(wc -l <"$work/nodes")" 1
}
(start_cluster) >"$work/cluster.log" 2>&1 || { cat "$work/cluster.log" && fail 'no cluster'; }
(write_project) >"$work/project.log" 2>&1 || { cat "$work/project.log" && fail 'no project'; }
it 'without an allocation the launcher runs its command here' builds_outside_of_an_allocation
it 'whole nvcc calls spread over the nodes of an allocation' spreads_over_the_nodes
it "a compiler's own failure is neither hidden nor tried again" leaves_errors_alone
it 'a node that dies in the middle loses nothing' survives_a_node
it "an allocation that ends with its lost node is a compiler's failure" ends_with_its_allocation
(stop_cluster) >/dev/null 2>&1
finish
