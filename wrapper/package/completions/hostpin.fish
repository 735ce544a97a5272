# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function __hostpin_complete
    set -l words (commandline -opc)
    set -l program (command -s -- $words[1])
    test -n "$program"; or return
    set -l current (commandline -ct)
    set -l answer (sh (dirname (realpath $program))/../libexec/hostpin/complete $program $words[2..] "$current")
    switch "$answer"
        case :files
            __fish_complete_path "$current"
        case :directories
            __fish_complete_directories "$current"
        case '*'
            printf '%s\n' $answer
    end
end
complete -c hostpin -f -a '(__hostpin_complete)'
