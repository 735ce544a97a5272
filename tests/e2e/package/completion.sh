#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion in bash, zsh and fish: the same words, and those that this machine really has.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
export PATH=$prefix/bin:$PATH

in_bash() { # WORD...
    # shellcheck disable=SC2016 # expanded by the inner shell
    bash --norc -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _hostpin; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$prefix/share/bash-completion/completions/hostpin" "$@" | sort
}
in_fish() { # LINE
    # shellcheck disable=SC2016 # expanded by fish
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$prefix/share/fish/vendor_completions.d/hostpin.fish" "$1" | sort
}
# zsh completes in its line editor alone: here compadd, where completion ends, prints what it is given.
in_zsh() { # WORD...
    # shellcheck disable=SC2016 # expanded by zsh
    zsh -f -c 'compadd() { shift; print -rl -- $@ }; compset() { :; }; _files() { print files }; words=("${@:2}"); CURRENT=$#words; source $1' \
        zsh "$prefix/share/zsh/site-functions/_hostpin" "$@" | sort
}
rules() { "$hostpin" leak-check --rules | sed -n 's/^\([a-z-]*\) (.*/\1/p' | sort; }

bash_completes() {
    same "$(in_bash hostpin doc)" doctor
    same "$(in_bash hostpin env --shell "")" "$(printf '%s\n' cmake csh fish sh)"
    mkdir -p one/two && : >one/file
    same "$(in_bash hostpin bind one/)" one/two
    same "$(in_bash hostpin explain -- nvcc -c one/f)" one/file
    if is_built checks; then same "$(in_bash hostpin leak-check --no-fix "")" "$(rules)"; fi
    # which may be one as well as the other
    local words all=('bind --pack' 'bind --with')
    if is_built report; then all+=('report --tree'); fi
    for words in "${all[@]}"; do
        read -r -a words <<<"$words"
        same "$(in_bash hostpin "${words[@]}" one/)" "$(printf '%s\n' one/file one/two)"
    done
}
commands_of_fatbin_are_completed() {
    same "$(in_bash hostpin fatbin --ex)" --expect
    mkdir -p one/two && : >one/file
    same "$(in_bash hostpin fatbin one/)" "$(printf '%s\n' one/file one/two)"
    same "$(in_bash hostpin fatbin sl)" "$(printf '%s\n' slice slim)"
    same "$(in_bash hostpin fatbin slim --ke)" --keep
    same "$(in_bash hostpin fatbin slim x.so --ptx "")" "$(printf '%s\n' all newest none)"
    same "$(in_bash hostpin fatbin repack x.so --compress s)" "$(printf '%s\n' size speed)"
    : >slow.so
    same "$(in_bash hostpin fatbin slo)" slow.so
    same "$(in_bash hostpin fatbin slim slo)" slow.so
}
commands_of_redist_are_completed() {
    same "$(in_bash hostpin redist che)" check
    same "$(in_bash hostpin redist audit --to)" --toolkit
    same "$(in_bash hostpin redist check --ag)" --against
    same "$(in_bash hostpin redist check x.json --fail-on n)" "$(printf '%s\n' never note)"
    : >redistrib_1.json
    same "$(in_bash hostpin redist check redist)" redistrib_1.json
}
values_behind_an_equals_sign_are_completed_too() {
    same "$(in_bash hostpin env --shell = c)" "$(printf '%s\n' cmake csh)"
    same "$(in_bash hostpin env --shell =)" "$(in_bash hostpin env --shell "")"
    mkdir -p one/two
    same "$(in_bash hostpin bind --toolkit one/)" one/two
    same "$(in_bash hostpin bind --toolkit = one/)" one/two
    if is_built devicecode; then
        in_bash hostpin fatbin --expect = all >answer
        same "$(cat answer)" "$(printf '%s\n' all all-major)"
    fi
    if command -v fish >/dev/null; then
        same "$(in_fish 'hostpin env --shell=c')" "$(printf '%s\n' --shell=cmake --shell=csh)"
        same "$(in_fish 'hostpin bind --toolkit=one/' | cut -f 1)" --toolkit=one/two/
    fi
    if command -v zsh >/dev/null; then
        same "$(in_zsh hostpin env --shell=c)" "$(in_bash hostpin env --shell "")"
    fi
}
lists_have_what_the_toolkit_takes() {
    "$hostpin" capabilities >taken || skip "no toolkit"
    in_bash hostpin fatbin --expect "" >answer
    contains -x 8.0 <answer
    if contains -w 9.0a <taken; then contains -x 9.0a <answer; fi
}
drivers_and_toolkits_are_those_found() {
    "$hostpin" doctor --json >found || true
    same "$(in_bash hostpin bind --host "")" "$(sed -n 's/^ *"driver": "\(.*\)",\{0,1\}$/\1/p' found | sort -u)"
    [ -n "$(in_bash hostpin bind --host "")" ] || fail "no driver was found, not even that of the stdenv"
    same "$(in_bash hostpin bind --toolkit "")" "$(sed -n 's/^ *"root": "\(.*\)",$/\1/p' found | sort -u)"
}
other_shells_complete_the_same() { # in_fish | in_zsh
    local line words
    for line in 'leak-check --no-fix ' 'env --shell ' 'capabilities --format ' 'bind --host ' 'stdlib-probe '; do
        read -r -a words <<<"$line"
        if [ "$1" = in_fish ]; then in_fish "hostpin $line" >answer; else in_zsh hostpin "${words[@]}" "" >answer; fi
        same "$(cat answer)" "$(in_bash hostpin "${words[@]}" "")"
    done
}
in_fish_too() { need_command fish && other_shells_complete_the_same in_fish; }
in_zsh_too() {
    need_command zsh
    other_shells_complete_the_same in_zsh
    same "$(in_zsh hostpin lto-check "")" files
}
it "bash completes commands, options, values and files" bash_completes
it "the commands of fatbin and their options are completed" of devicecode commands_of_fatbin_are_completed
it "the commands of redist and their options are completed" of redist commands_of_redist_are_completed
it "values behind an equals sign are completed too" values_behind_an_equals_sign_are_completed_too
it "lists have what the toolkit takes" of devicecode lists_have_what_the_toolkit_takes
it "drivers and toolkits are those found" drivers_and_toolkits_are_those_found
it "fish completes the same" in_fish_too
it "zsh completes the same" in_zsh_too
finish
