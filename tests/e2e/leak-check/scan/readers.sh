#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# readers.sh SCAN_DUMP [DIRECTORY...]: hostpin's readers of ELF files and archives agree with readelf and ar, for every
# such file below the directories. Default: the system's libraries, its compiler's, a toolkit's, and those of the lab's oldest and
# newest GCC.
scan=$(realpath "$1")
shift
directories=("$@")
only= # no case rests on another
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need_command readelf ar c++
export LC_ALL=C

# A line for each fact: file, kind, value; sorted.
facts_of_readelf() { # FILE-LIST
    { xargs -0 readelf -hldVnW -p .comment <"$1" 2>/dev/null || true; } | awk -v OFS='\t' '
        /^File: / { file = substr($0, 7); section = notes = ""; next }
        /\[Requesting program interpreter: / { sub(/.*interpreter: /, ""); sub(/\]$/, ""); print file, "interpreter", $0; next }
        /^ *0x[0-9a-f]+ \((NEEDED|SONAME|RUNPATH|RPATH)\)/ {
            kind = tolower($2); gsub(/[()]/, "", kind); value = $0; sub(/^[^[]*\[/, "", value); sub(/\]$/, "", value)
            print file, kind, value; next
        }
        /^Version needs section/ { section = "needs"; next }
        /^Version definition section/ { section = "definitions"; next }
        /^Version symbols section/ { section = ""; next }
        section == "needs" && / File: / { library = $5; next }
        section == "needs" && / Name: / && !/Flags: (BASE \| )?WEAK/ { print file, "needs", library "@" $3; next }
        section == "definitions" && /Rev: / && !/Flags: BASE/ { print file, "defines", $NF; next }
        /^Displaying notes found in: / { section = "notes"; notes = $5; next }
        /^String dump of section/ { section = "comment"; notes = ""; next }
        # readelf decodes the names of owners in .gnu.build.attributes
        section == "notes" && notes != ".gnu.build.attributes" && /^  [^ ].*0x[0-9a-f]+\t/ {
            owner = substr($0, 3, 20); sub(/ +$/, "", owner); match($0, /0x[0-9a-f]+\t/)
            print file, "note", notes " " owner " " tolower(substr($0, RSTART + 2, RLENGTH - 3)); next
        }
        section == "comment" && /^  \[ *[0-9a-f]+\]  / { sub(/^  \[ *[0-9a-f]+\]  /, ""); print file, "comment", $0; next }
    ' | sort -u
}
facts_of_ours() { # FILE-LIST
    { xargs -0 "$scan" --facts <"$1" || true; } | awk -F'\t' -v OFS='\t' '
        $1 == "elf" {
            for (i = 4; i <= NF; ++i) {
                key = $i; sub(/=.*/, "", key); value = substr($i, length(key) + 2)
                if (key ~ /^(needed|needs|defines)$/) {
                    n = split(value, all, ","); for (j = 1; j < n; ++j) print $2, key, all[j]
                } else if (key ~ /^(soname|interpreter)$/ && value != "" || key ~ /^(rpath|runpath)$/ && value != "-") {
                    print $2, key, value
                }
            }
        }
        $1 == "note" && $3 != ".gnu.build.attributes" { print $2, "note", $3 " " $4 " " sprintf("%08x", $6) }
        $1 == "comment" { print $2, "comment", $3 }
    ' | sort -u
}

# A relocatable object has no dynamic section, a file of debug information has an unreadable one.
elf_files_agree() { # DIRECTORY
    find "$1" -xdev -type f -size +0 ! -name '*.debug' -print0 | { xargs -0 -r "$scan" --facts || true; } | awk -F'\t' '
        $1 == "file" && $3 == "elf" { printf "%s%c", $2, 0 }' >files
    facts_of_readelf files >theirs
    facts_of_ours files >ours
    echo "$(tr -cd '\0' <files | wc -c) files, $(wc -l <theirs) facts"
    diff ours theirs >differences || fail "$(grep -c '^[<>]' differences) facts differ: $(head -n 20 differences)"
    [ -s theirs ] || skip "no ELF file in $1"
}
archives_agree() { # DIRECTORY
    find "$1" -xdev -type f -name '*.a' -print0 >files
    local file
    : >theirs
    while IFS= read -r -d '' file; do
        # thin archives contain no members, nor do linker scripts with such names
        cmp -s -n 8 "$file" <(printf '!<arch>\n') || continue
        printf '%s\0' "$file" >>archives
        ar tvO "$file" | sed -nE 's/^[^ ]+ [^ ]+ +([0-9]+) ... .. ..:.. .... (.*) 0x([0-9a-f]+)$/\1\t\2\t\3/p' |
            while IFS=$'\t' read -r size name at; do printf 'member\t%s\t%s\t%d\t%d\n' "$file" "$name" "0x$at" "$size"; done >>theirs
    done <files
    [ -s theirs ] || skip "no archive in $1"
    xargs -0 "$scan" --members <archives >ours
    echo "$(tr -cd '\0' <archives | wc -c) archives, $(wc -l <theirs) members"
    diff ours theirs >differences || fail "members differ: $(head -n 20 differences)"
}

if [ ${#directories[@]} -eq 0 ]; then
    directories=("$(dirname "$(realpath "$(c++ -print-file-name=libc.so.6)")")" "$(dirname "$(realpath "$(c++ -print-libgcc-file-name)")")")
    toolkit=$(dirname "$(dirname "$(realpath "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")
    [ ! -d "$toolkit/lib64" ] || directories+=("$toolkit/lib64/")
    for gcc in "$lab"/roots/{bullseye,sid}/usr/lib/gcc; do [ ! -d "$gcc" ] || directories+=("$gcc"); done
fi
for directory in "${directories[@]}"; do
    it "readelf tells the same of the ELF files in $directory" elf_files_agree "$directory"
    it "ar tells the same of the archives in $directory" archives_agree "$directory"
done
finish
