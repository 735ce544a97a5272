# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hostpin_complete
    set -l words (commandline -opc)
    set -l program (command -s -- $words[1])
    test -n "$program"; or return
    set -l current (commandline -ct)
    set -l answer (sh (dirname (realpath $program))/../libexec/hostpin/complete $program $words[2..] "$current")
    # For --option=VALUE the answer contains only the values.
    set -l option (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$answer"
        case :files
            __fish_complete_path "$value" | string replace -r -- '^' "$option"
        case :directories
            __fish_complete_directories "$value" | string replace -r -- '^' "$option"
        case '*'
            printf '%s\n' "$option"$answer
    end
end
complete -c hostpin -f -a '(__hostpin_complete)'
