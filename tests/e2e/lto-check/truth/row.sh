#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# row.sh LTO-CHECK NAME WHOLE COMMAND...: judges a link, runs it, and compares. COMMAND writes `out` in a directory for this row.
# WHOLE is the test whether that is complete: `runs`, `exports:SYMBOL`, `defines:SYMBOL`, `kernel:NAME`, `exists`. One line on stdout:
#   agree|MISSED|REFUSED|LOST|UNCHECKED <tab> verdict <tab> what the link did <tab> name [<tab> first message of the linker]
set -u
lto_check=$1 name=$2 whole=$3
shift 3
row=$PWD/row.$$
mkdir "$row" && cd "$row" || exit 1

whole() {
    case $whole in
    runs) ./out >/dev/null 2>&1 ;;
    kernel:*) # of a device link, in the files of nvcc -keep or nvlink
        for file in *.cubin; do readelf -sW "$file" 2>/dev/null; done | grep -v UND | grep -q "FUNC .*${whole#kernel:}" ;;
    exports:*) nm -D --defined-only out 2>/dev/null | grep -qw "${whole#exports:}" ;;
    defines:*) nm --defined-only out 2>/dev/null | grep -qw "${whole#defines:}" ;;
    exists) [ -s out ] ;;
    esac
}

# There are hundreds of rows, so that the shell itself looks for text.
"$lto_check" --json -- "$@" >judged.json 2>judged.err
code=$?
judged=$(<judged.json) verdict=none
for candidate in ok risky unreadable mismatch silent-loss; do
    if [[ $judged = *"\"verdict\": \"$candidate\""* ]]; then verdict=$candidate; fi
done

"$@" >link.out 2>link.err
status=$?
if [ "$status" -ne 0 ]; then did=fails; elif whole; then did=works; else did=loses; fi

case $code-$did in
2-*) result=UNCHECKED ;;
0-works | 1-fails) result=agree ;;
1-loses) if [ "$verdict" = silent-loss ]; then result=agree; else result=LOST; fi ;;
1-works) if [ "$verdict" = risky ]; then result=agree; else result=REFUSED; fi ;;
0-loses) result=LOST ;;
0-fails) # a link that fails needs a member that was judged as not needed
    if [ "$verdict" = risky ] && [[ $judged != *'nothing in this link seems to need'* ]]; then result=agree; else result=MISSED; fi ;;
*) result=UNCHECKED ;;
esac
said=
[ "$result" = agree ] || said=$'\t'$(cat judged.err link.err link.out | head -n 3 | tr '\n\t' '  ' | cut -c 1-300)
printf '%s\t%s\t%s\t%s%s\n' "$result" "$verdict/$code" "$did" "$name" "$said"
cd / && rm -rf "$row"
