# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
_hostpin() {
    local program answer word current words=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do # bash splits --option=VALUE into three
        current=
        [[ ${#words[@]} -eq 0 ]] || current=${words[-1]}
        if [[ $current == --*= || ($word == = && $current == --*) ]]; then words[-1]+=$word; else words+=("$word"); fi
    done
    current=${words[-1]}
    [[ $current != --*=* ]] || current=${current#*=}
    program=$(type -P -- "${COMP_WORDS[0]}") || return 0
    COMPREPLY=()
    answer=$(sh "$(dirname -- "$(readlink -f -- "$program")")/../libexec/hostpin/complete" "$program" \
        "${words[@]}") || return 0
    case $answer in
    :*) compopt -o filenames 2>/dev/null ;; # fails if called outside completion
    esac
    case $answer in
    :files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :directories) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *)
        local line
        while IFS= read -r line; do
            if [[ -n $line && $line == "$current"* ]]; then COMPREPLY+=("$line"); fi
        done <<<"$answer"
        ;;
    esac
}
complete -F _hostpin hostpin
