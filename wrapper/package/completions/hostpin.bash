# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
_hostpin() {
    local program answer
    program=$(type -P -- "${COMP_WORDS[0]}") || return 0
    COMPREPLY=()
    answer=$(sh "$(dirname -- "$(readlink -f -- "$program")")/../libexec/hostpin/complete" "$program" \
        "${COMP_WORDS[@]:1:COMP_CWORD}") || return 0
    case $answer in
    :*) compopt -o filenames 2>/dev/null ;; # fails where it is called by hand
    esac
    case $answer in
    :files) mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}") ;;
    :directories) mapfile -t COMPREPLY < <(compgen -d -- "${COMP_WORDS[COMP_CWORD]}") ;;
    *)
        local line
        while IFS= read -r line; do
            if [[ -n $line && $line == "${COMP_WORDS[COMP_CWORD]}"* ]]; then COMPREPLY+=("$line"); fi
        done <<<"$answer"
        ;;
    esac
}
complete -F _hostpin hostpin
