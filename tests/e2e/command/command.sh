#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bind, doctor, explain and env as users call them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_split 12.4 13 15
only=${1:-}
bind() { "$hostpin" bind "$1" --toolkit "$toolkit" --stdenv "g++-$newer" >/dev/null; }

same_inputs_give_the_same_bytes() {
    bind one
    bind two
    for file in nvcc c++ binding.toml plan toolchain.cmake; do cmp "one/$file" "two/$file"; done
    local before
    before=$(stat -c %i one/nvcc)
    bind one
    same "$(stat -c %i one/nvcc)" "$before" # a second bind does not replace a running program's file
    cmp one/plan two/plan
}

a_bound_directory_moves() {
    bind here
    local moved="$PWD/far away/it's (grün) & more/binding"
    mkdir -p "$(dirname "$moved")"
    mv here "$moved"
    write_source a.cu
    env -i PATH=/usr/bin:/bin "$moved/nvcc" -arch=sm_75 -c a.cu -o a.o
    made_by a.o gcc "$older"
    env -i PATH=/usr/bin:/bin "$moved/nvcc" -arch=sm_75 a.o -o a
    readelf -p .comment a | contains " $newer\."
}

# nvcc itself would pass the path to a shell, so it cannot work.
a_path_that_a_shell_would_run_is_refused() {
    bind here
    # shellcheck disable=SC2016
    mkdir 'a$(touch ran)'
    mv here a*/
    write_host_source a.cpp
    call a*/here/nvcc -c a.cpp -o a.o
    exits 2
    says 'nvcc cannot be given .*: nvcc passes that path to a shell unescaped' 'hint: move the bound directory'
    absent ran
    absent a.o
}

# Neither could be called, so neither is written; for a symlink its target's path counts.
such_a_path_is_not_bound() {
    local name
    # shellcheck disable=SC2016
    for name in 'a"b' $'a\nb' 'a$b' 'a`b' 'a\b'; do
        mkdir "$name"
        call "$hostpin" bind "$name/bound" --toolkit "$toolkit" --stdenv "g++-$newer"
        exits 2
        says 'cannot be bound: nvcc passes the path of its host compiler, .*/bound/c\+\+, to a shell unescaped; nothing was written$' \
            '^hint: name a directory without " \$ ` \\ and line ends in its path$'
        same "$(ls -A "$name")" ""
        ln -s "$name" plain
        call "$hostpin" bind plain/bound --toolkit "$toolkit" --stdenv "g++-$newer"
        exits 2
        same "$(ls -A "$name")" ""
        rm plain
    done
    mkdir clean
    ln -s ../clean "$name/link"
    bind "$name/link/bound"
    write_host_source a.cpp
    "$name/link/bound/nvcc" -c a.cpp -o a.o
    made_by a.o gcc "$older"
}

what_is_not_ours_is_left_alone() {
    mkdir mine
    echo precious >mine/file
    call "$hostpin" bind mine --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 2
    says 'mine holds files that are not a binding; nothing was written'
    same "$(ls mine)" file
    echo precious >file
    call "$hostpin" bind file --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 2
    same "$(cat file)" precious
    call "$hostpin" bind /proc/nowhere/dir --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 2
    says 'cannot create /proc/nowhere' '^hint: name a writable directory with enough free space'
}

an_empty_directory_is_taken() {
    mkdir empty
    bind empty
    empty/nvcc --version >/dev/null
}

refresh_decides_again_by_the_recorded_names() {
    need_third
    compiler g++-old "$host"
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer" --host "$bin/g++-old" >/dev/null
    compiler g++-old "$lab/bin/g++-$third"
    call bound/nvcc --version
    exits 2
    says "the binding in .*bound depends on $(literally "$bin/g++-old"), which has changed" "hint: .*bind --refresh"
    call "$hostpin" bind --refresh bound
    exits 0
    write_host_source a.cpp
    bound/nvcc -c a.cpp -o a.o
    made_by a.o gcc "$third"
}

# A named driver is searched again if PATH has another one of that name.
a_name_is_looked_up_anew() {
    mkdir -p early
    export PATH=$PWD/early:$PATH
    bind bound
    write_host_source a.cpp
    bound/nvcc -ccbin "g++-$older" -c a.cpp -o a.o
    made_by a.o gcc "$older"
    printf '#!/bin/sh\n: >%q\nexec %q "$@"\n' "$PWD/ran" "$host" >"early/g++-$older"
    chmod +x "early/g++-$older"
    bound/nvcc -ccbin "g++-$older" -c a.cpp -o a.o
    made_by a.o gcc "$older"
    [ -e ran ] || fail "$PWD/early/g++-$older was not run"
}

# links_without_pie HOST STDENV [OPTION...]: the host compiler makes no position independent programs by default, that stdenv does.
links_without_pie() {
    "$hostpin" bind bound --toolkit "$toolkit" --host "$1" --stdenv "$2" "${@:3}" >/dev/null
    write_source a.cu
    bound/nvcc -arch=sm_75 a.cu -o a
    same "$(./a)" 'hello from the host half'
    bound/nvcc -arch=sm_75 -Xcompiler -fno-pie -c a.cu -o a.o
    readelf -r a.o | contains R_X86_64_32 || fail "the user's -fno-pie was overruled"
}
a_gcc_without_pie_does_not_break_the_link() {
    compiler no-pie "$host" -fno-pie
    links_without_pie "$bin/no-pie" "g++-$newer"
}
# As Debian's compilers are configured.
an_older_default_does_not_break_the_link() {
    need_lab bin/clang++-13 bin/clang++-19
    links_without_pie clang++-13 clang++-19 --allow-unsupported
}

# The toolkit is not the first that is found.
bind_takes_a_release_of_a_toolkit() {
    local path=$lab/cuda-12.4/bin
    [ -x "$path/nvcc" ] && [ "$release" != 12.4 ] || path=$toolkit/bin
    local version
    version=$("$path/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
    call env PATH="$PATH:$path" "$hostpin" bind bound --toolkit "$version"
    exits 0
    contains "binds CUDA $version" <"$out" || { show_call && fail "another toolkit"; }
    call env PATH="$PATH:$path" "$hostpin" bind bound --toolkit 1.0
    exits 1
    contains 'names CUDA 1.0, which was not found; found:' <"$err" || { show_call && fail "no list"; }
    contains "CUDA $version" <"$err" || { show_call && fail "not in the list"; }
}
doctor_json_holds_its_schema() {
    all_compilers
    call "$hostpin" doctor --json --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    same "$(json "$out" toolkits 0 root)" "$toolkit"
    same "$(json "$out" toolkits 0 derived gcc max)" "$older"
    same "$(json "$out" toolkits 0 documented clang max)" "$(awk -v release="$release" '$1 == release { print $3 }' "$repository/tests/e2e/matrix/limits.tsv")"
    same "$(json "$out" stdenv driver)" "$stdenv"
    local library
    library=$(json "$out" stdenv libstdcxx path)
    same "$(json "$out" stdenv libstdcxx glibcxx)" "$(readelf -V "$library" | sed -n 's/.*GLIBCXX_\(3\.4\.[0-9]*\).*/\1/p' | sort -V | tail -n 1)"
    same "$(json "$out" selection driver)" "$host"
    json "$out" each candidates verdict >verdicts
    [ "$(wc -l <verdicts)" -ge "$({ majors g++ && majors clang++; } | wc -l)" ] || fail "only these candidates: $(cat verdicts)"
    ! grep -vxE 'fits|too-new|too-old|broken|unknown' verdicts || fail 'another verdict'
    for key in driver family version reason source; do json "$out" each candidates "$key" >/dev/null; done
}

doctor_is_plain_where_no_terminal_is() {
    call "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    ! grep -q $'\x1b' "$out" || fail "escape sequences in a file"
    grep -qE "^ +\* +fits +GCC $older\." "$out" || { show_call && fail "the chosen one is not marked"; }
    grep -qE "too-new +GCC $newer\..*crt/host_config.h:[0-9]+$" "$out" || { show_call && fail "no reason for GCC $newer"; }
}

doctor_suggests_newest_first() {
    call "$hostpin" doctor --suggest --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    same "$(head -n 2 "$out" | tr '\n' ' ')" "g++-$older g++-$((older - 1)) "
    call "$hostpin" doctor --suggest --json
    exits 2
}

doctor_names_the_target_of_cross_compilers() {
    all_compilers
    PATH=$plain_path command -v aarch64-linux-gnu-g++-11 >/dev/null || skip 'no cross compiler (./bootstrap test installs one)'
    call env COLUMNS=200 "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    contains -E 'other-target .*/aarch64-linux-gnu-g\+\+-11 +makes programs for aarch64-linux-gnu, not for ' <"$out" ||
        { show_call && fail "target"; }
    call "$hostpin" doctor --json --toolkit "$toolkit" --stdenv "g++-$newer"
    json "$out" each candidates driver >drivers
    json "$out" each candidates other_target >targets
    paste drivers targets | contains -E '/aarch64-linux-gnu-g\+\+-11.ON$' || fail "JSON: $(paste drivers targets)"
    paste drivers targets | contains -E "/g\+\+-$newer.OFF$" || fail "JSON: $(paste drivers targets)"
}
doctor_names_what_an_mpi_wrapper_runs() {
    PATH=$plain_path command -v mpicxx >/dev/null || skip 'no mpicxx'
    call env PATH="$plain_path" "$hostpin" doctor --toolkit "$toolkit" --host mpicxx
    contains -E '/mpicxx .*a wrapper of /' <"$out" || { show_call && fail "wrapper"; }
    ! grep -E '/(c|g)\+\+(-[0-9]+)? .*a wrapper of' "$out" || fail "a plain compiler is no wrapper"
}
doctor_verify_finds_every_verdict_right() {
    export HOSTPIN_CONFIG=$PWD/config.toml
    only_compilers "$host" "$stdenv"
    call "$hostpin" doctor --verify --json --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    local i target targets checked=0
    target=$("g++-$newer" -dumpmachine)
    mapfile -t targets < <(json "$out" each candidates target)
    for i in "${!targets[@]}"; do
        # Cross compilers are not: nvcc would give them this machine's headers.
        [ "${targets[i]}" = "$target" ] || continue
        same "$(json "$out" candidates "$i" verified agrees)" ON
        checked=$((checked + 1))
    done
    [ "$checked" -gt 1 ] || fail "$checked candidates were verified"
}

explain_says_who_compiles_and_links() {
    call "$hostpin" explain --toolkit "$toolkit" --stdenv "g++-$newer" -- nvcc -c a.cu
    exits 0
    grep -qE "^compiles +GCC $older\..*newest fitting GCC" "$out" || { show_call && fail "compiles"; }
    grep -qE "^skipped +GCC $newer\..*newer than $older" "$out" || { show_call && fail "not skipped"; }
    grep -qE "^runs +$toolkit/bin/nvcc -ccbin [^ ]+/c\+\+ -c a.cu" "$out" || { show_call && fail "runs"; }
    call env NVCC_APPEND_FLAGS="-ccbin g++-$older" "$hostpin" explain --toolkit "$toolkit" --stdenv "g++-$newer" -- -c a.cu
    grep -qE "^named +g\+\+-$older +by NVCC_APPEND_FLAGS" "$out" || { show_call && fail "named"; }
    call "$hostpin" explain --toolkit "$toolkit" --stdenv "g++-$newer" -- c++ a.o -o a
    grep -qE "^this call +links" "$out" || { show_call && fail "links"; }
    grep -qE "^runs +$lab/bin/g\+\+-$newer a.o -o a" "$out" || { show_call && fail "runs"; }
}
explain_for_programs() {
    local request=(--json --toolkit "$toolkit" --stdenv "g++-$newer")
    call "$hostpin" explain "${request[@]}" -- nvcc -c a.cu
    exits 0
    same "$(json "$out" toolkit root) $(json "$out" selection driver)" "$toolkit $host"
    same "$(json "$out" runs 0) $(json "$out" runs 1) $(json "$out" runs 3)" "$toolkit/bin/nvcc -ccbin -c"
    same "$(json "$out" stdenv driver)" "$stdenv"
    call "$hostpin" explain "${request[@]}" -- c++ a.o -o a
    exits 0
    same "$(json "$out" role) $(json "$out" runs 0) $(json "$out" runs 1)" "links $stdenv a.o"
    call "$hostpin" explain "${request[@]}" -- c++ -flto -c a.cpp
    exits 0
    json "$out" refused message | contains 'cannot be linked'
    call "$hostpin" explain "${request[@]}" -- nvcc -ccbin "$stdenv" -c a.cu
    exits 1
    says '^hostpin: error: .*does not fit'
    same "$(json "$out" call named) $(json "$out" call exit_code)" "$stdenv 1"
    json "$out" selection error | contains 'does not fit'
    same "$(json "$out" length runs)" 0
}

# The binding has the answers: no compiler, toolkit or linker is run for any call, nor for a refused one.
explain_runs_nothing_for_a_bound_directory() {
    need_command strace
    bind b
    local each
    alone() { # CODE ARGUMENT...
        call strace -f --seccomp-bpf -qq -e trace=execve -o trace "$hostpin" explain "${@:2}"
        exits "$1"
        same "$(grep -c ' execve(' trace)" 1
    }
    for each in 'nvcc -c a.cu' 'c++ a.o -o a' "nvcc -ccbin $PWD/b/c++ -c a.cu" "nvcc -ccbin $host -c a.cu"; do
        # shellcheck disable=SC2086 # its words
        alone 0 --bound b -- $each
    done
    alone 0 --bound b --json -- nvcc -c a.cu
    same "$(json "$out" selection driver) $(json "$out" stdenv driver)" "$host $stdenv"
    alone 0 -- b/nvcc -c a.cu
    grep -qE "^compiles +GCC $older\..*newest fitting GCC" "$out" || { show_call && fail 'compiles'; }
    grep -qE "^skipped +GCC $newer\..*newer than $older" "$out" || { show_call && fail 'not skipped'; }
    alone 1 --bound b -- nvcc -ccbin '' -c a.cu
    HOSTPIN_LTO=maybe alone 2 --bound b -- nvcc -c a.cu
}

# Where such a variable would have decided, another toolkit is not used silently.
toolkit_variables_that_lead_nowhere() {
    local value ignored
    ln -s "$toolkit" cuda
    mkdir empty
    export PATH=$PWD/cuda/bin:$PATH CXX=g++-$newer
    write_host_source x.cpp
    for value in ../cuda "$PWD/gone" "$PWD/empty"; do
        export CUDA_HOME=$value
        ignored="\\\$CUDA_HOME is ignored: $(literally "$value") (is not an absolute path|does not exist|has no bin/nvcc); CUDA $release\..* is used instead, found by PATH: /"
        call "$our_nvcc" -c x.cpp -o x.o
        exits 0
        says "^hostpin: note: $ignored"
        call "$our_nvcc" -c x.cpp -o x.o # as decided
        says_not hostpin:
        call "$hostpin" bind bound
        exits 0
        says "^hostpin: note: $ignored"
        call bound/nvcc -c x.cpp -o x.o
        says_not hostpin:
        for call in doctor 'explain -- nvcc -c x.cpp'; do
            # shellcheck disable=SC2086 # words
            call "$hostpin" $call
            exits 0
            grep -qE "$ignored" "$out" || { show_call && fail "$call does not say it"; }
        done
        # one that is searched first
        CUDAToolkit_ROOT=$toolkit call "$our_nvcc" -c x.cpp -o x.o
        says_not hostpin:
        call "$hostpin" bind bound --toolkit "$toolkit"
        says_not ignored
    done
    CUDA_HOME=$toolkit CUDAToolkit_ROOT=gone call "$hostpin" bind bound
    says "^hostpin: note: \\\$CUDAToolkit_ROOT is ignored: gone is not an absolute path; CUDA .*, found by \\\$CUDA_HOME: "
}

# The exported values must survive the shell that evaluates them.
env_speaks_sh() {
    bind "a 'quoted' dir"
    (
        SHELL=/bin/bash
        eval "$("$hostpin" env --bound "a 'quoted' dir")"
        same "$CUDACXX" "$PWD/a 'quoted' dir/cuda/bin/nvcc"
        "$CUDACXX" --version >/dev/null
        [ -x "${CCACHE_COMPILERCHECK%% *}" ]
    )
    "$hostpin" env --bound "a 'quoted' dir" --shell cmake >env.cmake
    cat >>env.cmake <<'CMAKE'
if(NOT EXISTS "$ENV{CUDAHOSTCXX}")
  message(FATAL_ERROR "no $ENV{CUDAHOSTCXX}")
endif()
CMAKE
    cmake -P env.cmake
}
# As documented in its page and --help.
env_judges_nothing() {
    call "$hostpin" env --host no-such-compiler --shell sh
    exits 0
    grep -qx 'export HOSTPIN_HOST=no-such-compiler' "$out" || { show_call && fail "not passed on"; }
    "$hostpin" env --help >help.txt
    grep -q 'env does not' help.txt
    ! grep -q -e --allow-unsupported help.txt || fail "offered, and always refused"
    call "$hostpin" env --allow-unsupported
    exits 2
    says '--allow-unsupported applies to a call or a binding' '^hint: .*hostpin bind --allow-unsupported toolchain'
}

wrong_usage_says_so() {
    call "$hostpin"
    exits 2
    call "$hostpin" bind
    exits 2
    says 'bind needs the directory' "^hint: for example: $(literally "$hostpin") bind toolchain$"
    call "$hostpin" doctor --frobnicate
    exits 2
    says frobnicate
    call "$hostpin" bind --refresh "$work/nowhere"
    exits 2
    says 'nowhere is not a bound directory' '^hint: make one: hostpin bind .*/nowhere$'
    mkdir others && touch others/file
    call "$hostpin" bind --refresh others
    exits 2
    says '^hint: make one: hostpin bind .*/others/toolchain$'
    call "$hostpin" explain --bound "$work/nowhere" -- -c a.cu
    exits 2
    call "$hostpin" --toolkit /nowhere doctor
    exits 2
    says 'hostpin has no option --toolkit' 'options follow the command: hostpin doctor'
    if is_built report; then
        call "$hostpin" report --out "$PWD/page.html"
        exits 2
        says 'report has no option --out'
    fi
    call "$hostpin" explain nvcc -c a.cu
    exits 2
    says 'explain has no option -c' '^hint: the call follows --: hostpin explain -- nvcc -c \.\.\.;'
    local program
    for program in gcc "$lab/bin/g++-$newer" icpx; do
        call "$hostpin" explain -- "$program" -c a.c
        exits 2
        says "^hostpin: error: $(literally "$program") is no nvcc" '^hint: .*explain -- nvcc ARGS, or .*explain -- c\+\+ ARGS$'
    done
    call "$hostpin" capabilities 9.0 8.0 8.6
    exits 2
    says "capabilities does not accept '8.0'" "^hint: quote the list, so that it is one argument: hostpin capabilities '9.0;8.0;8.6'$"
    local option
    for option in --toolkit --stdenv --host; do
        call env CUDA_HOME="$toolkit" "$hostpin" bind bound "$option" ''
        exits 1
        says "^hostpin: error: $option is empty" "^hint: name a "
    done
    absent bound
}

# Commands to be pasted are not wrapped, and words are not split.
tables_fit_the_terminal() {
    local width
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer" >/dev/null
    for width in 80 120; do
        export COLUMNS=$width
        {
            "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer"
            "$hostpin" explain --toolkit "$toolkit" --stdenv "g++-$newer" -- -c a.cu
            "$hostpin" capabilities --toolkit "$toolkit"
            "$hostpin" capabilities --toolkit "$toolkit" "8.0;9.0"
            "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer"
            "$hostpin" --help
            "$hostpin" bind --help
        } >wide
        # No word is split: a path that is longer than its column ends the line.
        ! grep -vE '^ *([^ ]+|(runs|links|next:|nvcc|nccl) .*|(\* +)?[a-z-]+ +(GCC|Clang) [0-9.]+ +/[^ ]+)$' wide | grep -E "^.{$((width + 1))}" || fail "wider than $width"
        grep -qE "^ +\\* +fits +GCC $older\\." wide
    done
    unset COLUMNS # 80 if there is no terminal
    "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer" >narrow
    COLUMNS=80 "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer" | cmp - narrow
}
what_was_meant_is_suggested() {
    call "$hostpin" docter
    exits 2
    says "hostpin has no command 'docter'" '^hint: did you mean doctor\?'
    call "$hostpin" doctor --toolkt x
    exits 2
    says '^hint: did you mean --toolkit\?'
    export HOSTPIN_CONFIG=$PWD/config.toml
    printf 'stdnev = "g++"\n' >config.toml
    call "$hostpin" doctor
    exits 2
    says "error: $PWD/config.toml:1:1: unknown key .stdnev." '^hint: did you mean .stdenv.\?'
}
errors_of_the_configuration_have_a_place() {
    export HOSTPIN_CONFIG=$PWD/config.toml
    local row
    for row in 'toolkit = "/nowhere"' 'stdenv = "no-such-compiler"' 'host = "no-such-compiler"'; do
        printf '# a comment\n%s\n' "$row" >config.toml
        call env CUDA_HOME="$toolkit" CXX="g++-$newer" "$hostpin" bind bound
        exits 2
        grep -qF "$PWD/config.toml:2:" "$err" || { show_call && fail "no place: $row"; }
    done
    printf '\n[runtime]\ncovrage = "refuse"\n' >config.toml
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 2
    says "error: $PWD/config.toml:3:11: \[runtime\] knows no feature" '^hint: did you mean coverage\?'
    absent bound
    printf 'host = "g++-%s"\n' "$newer" >config.toml # it exists, and does not fit
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 1
    says "config.toml:1:"
}
unknown_commands_have_no_help() {
    for arguments in 'docter --help' 'help docter' '--help docter' 'docter --version'; do
        # shellcheck disable=SC2086 # several arguments
        call "$hostpin" $arguments
        exits 2
        says "hostpin has no command 'docter'" '^hint: did you mean doctor\? hostpin --help'
    done
    for program in redist matrix wheel fatbin; do
        if has_command "$program"; then
            call "$hostpin" "$program" nosuch --help
            exits 2
            says "$program has no command 'nosuch'" "hostpin $program --help"
            same "$(cat "$out")" ''
        fi
    done
}
help_and_version_have_their_usual_names() {
    call "$hostpin"
    exits 2
    says '^hostpin: error: hostpin needs a command' '^ +bind  ' '^ +doctor  ' '^ +leak-check  '
    same "$("$hostpin" help)" "$("$hostpin" --help)"
    same "$("$hostpin" help bind)" "$("$hostpin" bind --help)"
    same "$("$hostpin" help lto-check)" "$("$hostpin" lto-check --help)"
    same "$("$hostpin" version)" "$("$hostpin" --version)"
    same "$("$hostpin" -V)" "$("$hostpin" --version)"
}
a_refresh_without_a_change_writes_nothing() {
    bind bound
    # an automatic choice keeps its wording
    PATH=$toolkit/bin:$PATH CXX="g++-$newer" "$hostpin" bind found >/dev/null
    cp -a found before
    "$hostpin" bind --refresh found >/dev/null
    diff -r --no-dereference before found
    "$hostpin" bind --view view --toolkit "$toolkit" --stdenv "g++-$newer" >/dev/null
    local before
    before=$(find bound view -exec stat -c '%n %i %y %z' {} + | sort)
    "$hostpin" bind --refresh bound >/dev/null
    "$hostpin" bind --refresh view >/dev/null
    same "$(find bound view -exec stat -c '%n %i %y %z' {} + | sort)" "$before"
}

it "the same inputs give the same bytes" same_inputs_give_the_same_bytes
it "a bound directory works from anywhere, without an environment" a_bound_directory_moves
it "a path that nvcc's shell would run is refused" a_path_that_a_shell_would_run_is_refused
it "a path that nvcc's shell would change is not bound" such_a_path_is_not_bound
it "a directory that is not ours is left alone" what_is_not_ours_is_left_alone
it "an empty directory is taken" an_empty_directory_is_taken
it "refresh decides again by the recorded names" refresh_decides_again_by_the_recorded_names
it "a named driver is looked up anew when PATH changes" a_name_is_looked_up_anew
it "a GCC without default PIE links with a stdenv that has it" a_gcc_without_pie_does_not_break_the_link
it "a Clang without default PIE links with a stdenv that has it" an_older_default_does_not_break_the_link
it "bind takes a release of a toolkit" bind_takes_a_release_of_a_toolkit
it "doctor --json holds its schema" doctor_json_holds_its_schema
it "doctor is plain text where no terminal is" doctor_is_plain_where_no_terminal_is
it "doctor --suggest names drivers, newest first" doctor_suggests_newest_first
it "doctor names the target of cross compilers" doctor_names_the_target_of_cross_compilers
it "doctor names the compiler that an MPI wrapper runs" doctor_names_what_an_mpi_wrapper_runs
it "doctor --verify finds every verdict right" doctor_verify_finds_every_verdict_right
it "explain says who compiles, who links and who was skipped" explain_says_who_compiles_and_links
it "explain --json says the same to programs" explain_for_programs
it "explain runs no program for a call that a binding decides" explain_runs_nothing_for_a_bound_directory
it "a toolkit variable that leads nowhere is reported by each decision that it would have made" toolkit_variables_that_lead_nowhere
it "env quotes for the shell it speaks to" env_speaks_sh
it "env passes names on and judges none" env_judges_nothing
it "wrong usage says so" wrong_usage_says_so
it "tables fit the terminal" tables_fit_the_terminal
it "what was meant is suggested" what_was_meant_is_suggested
it "errors of the configuration have a place" errors_of_the_configuration_have_a_place
it "a command that does not exist has no help" unknown_commands_have_no_help
it "help and version have their usual names" help_and_version_have_their_usual_names
it "a refresh without a change writes nothing" a_refresh_without_a_change_writes_nothing
finish
