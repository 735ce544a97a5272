#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin report: what the page says against what the other commands say, and the page itself in a real browser.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
need_hostpin
need_command python3
need_split 12.4 13 16
only=${1:-}
# With a second toolkit and a Clang; of the machine's, where there is one.
clang=clang++-17 second=$(cuda 11.8)
if [ "$stands_in" = yes ]; then
    clang=clang++-$(majors clang++ | sed -n 1p) second=$(cuda "$release")
    [ -e "$lab/bin/$clang" ] || clang=g++-$older
fi
need_lab "bin/$clang"

# A driver that does not answer, in a place whose name would like to be markup.
odd="$work/<b>\"odd\" & 'it'</b>"
mkdir -p "$odd"
printf '#!/bin/sh\nexit 3\n' >"$odd/g++"
chmod +x "$odd/g++"
cat >"$HOSTPIN_CONFIG" <<TOML
toolkit = "$toolkit"
toolkits = ["$second"]
stdenv = "c++"
search = "named"
compilers = ["$host", "$stdenv", "$lab/bin/$clang", '''$odd/g++''']
TOML

# A tree with a program, a library of its own, one that leads to another libstdc++, and one that is nowhere.
other=$work/other # as that of a GCC in a prefix
mkdir "$other"
cp "$("$stdenv" -print-file-name=libstdc++.so.6)" "$other/"
tree=$work/tree
make_tree() {
    cd "$work"
    mkdir -p "$tree/bin" "$tree/lib/plugins"
    echo 'void core() { throw 1; }' >core.cpp
    echo 'void core(); int main() { core(); }' >app.cpp
    # shellcheck disable=SC2016
    local origin='$ORIGIN'
    c++ -shared -fPIC core.cpp -o "$tree/lib/libcore.so.1" -Wl,-soname,libcore.so.1
    c++ app.cpp -o "$tree/bin/app" "$tree/lib/libcore.so.1" "-Wl,-rpath,$origin/../lib" -Wl,--no-as-needed
    c++ -shared -fPIC core.cpp -o "$tree/lib/plugins/old.so" "-Wl,-rpath,$other"
    echo 'int plain() { return 1; }' | c++ -x c - -shared -fPIC -o "$tree/lib/plain.so" -nostdlib
    c++ -flto -c core.cpp -o "$work/ours.o"
    "$host" -flto -c core.cpp -o "$work/theirs.o"
}
(make_tree)
page=$work/page.html
whole() { "$hostpin" report -o "$1" --tree "$tree" --lto "$work/ours.o" "$work/theirs.o" >/dev/null; }
whole "$page"

need_browser() {
    local program
    for program in chromium chromium-browser google-chrome chromium-headless-shell; do
        if command -v "$program" >/dev/null; then return; fi
    done
    if [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then fail "no Chromium, which ./bootstrap test installs"; fi
    skip "no Chromium on PATH (./bootstrap test installs it)"
}
look() { PYTHONDONTWRITEBYTECODE=1 timeout 900 python3 "$here/look.py" "$@"; }

it_looks_right() {
    need_browser
    local root
    while read -r root; do
        "$hostpin" doctor --json --toolkit "$root" >"${root##*/}.json" || [ $? = 1 ] # nothing fits
    done < <(sed -n 's/.*<th scope="col"[^>]*>CUDA .*<span class="path">\([^ ]*\)<\/span><\/th>/\1/p' "$page" | sed 's/<wbr>//g')
    for root in "$toolkit" "$second"; do [ -s "$(basename "$root").json" ] || fail "no $root on the page"; done
    contains '"verdict": "broken"' <"$(basename "$toolkit").json"
    look verdicts "$page" cuda-*.json and keyboard "$page" and access "$page" and narrow "$page" and labels "$page" \
        and paper "$page" page.pdf and scriptless "$page"
    [ "$(head -c 5 page.pdf)" = %PDF- ]
    if command -v pdftotext >/dev/null; then
        pdftotext -layout page.pdf - | contains 'Sources of the verdicts'
    fi
}

# What the page says of each file against that file's own loader.
the_graph_is_the_loaders() {
    local file wanted loader
    loader=$(readelf -l "$tree/bin/app" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
    for file in bin/app lib/libcore.so.1 lib/plugins/old.so; do
        wanted=$("$loader" --list "$tree/$file" | sed -n 's/^[[:space:]]*libstdc++[^ ]* => \([^ ]*\) .*/\1/p' | xargs realpath)
        python3 "$here/graph.py" "$page" "$(realpath "$tree/$file")" "$wanted"
    done
    python3 "$here/graph.py" "$page" "$(realpath "$tree/lib/plain.so")" none
    contains 'by way of <span class="path">.*libcore.so.1' <"$page"
    contains 'another one' <"$page"
}

link_time_code_is_judged() {
    contains 'data-verdict="ok".*ours.o' <"$page"
    contains 'data-verdict="mismatch".*theirs.o' <"$page"
    "$hostpin" report -o linked.html -- c++ -flto "$work/theirs.o" -o app
    contains 'data-verdict="mismatch".*theirs.o' <linked.html
    echo "'$work/ours.o' '$work/theirs.o'" >list
    "$hostpin" report -o listed.html --lto @list
    contains 'data-verdict="mismatch".*theirs.o' <listed.html
    # what the command makes itself, and places that need not be there
    echo 'int main() {}' >main.cpp
    "$hostpin" report -o made.html -- c++ -flto main.cpp "$work/theirs.o" -Wl,-rpath,/nowhere -Wl,-R,/nowhere -o app
    contains 'data-verdict="mismatch".*theirs.o' <made.html
    echo '__global__ void f() {} int main() { f<<<1, 1>>>(); }' >main.cu
    "$hostpin" report -o made.html -- "$toolkit/bin/nvcc" -rdc=true -ccbin "g++-$older" main.cu -o app
}

pages_are_valid() {
    local python=python3
    # the distribution's packages are the distribution's Python's
    if ! $python -c 'import html5lib' 2>/dev/null; then python=/usr/bin/python3; fi
    $python -c 'import html5lib' 2>/dev/null || skip "no html5lib for Python (./bootstrap test installs it)"
    "$hostpin" report -o plain.html
    python3 "$here/cells.py" now.json
    "$hostpin" report -o cells.html --matrix now.json
    local one
    for one in "$page" plain.html cells.html; do
        $python -c 'import html5lib, sys; html5lib.HTMLParser(strict=True).parse(open(sys.argv[1], encoding="utf-8"))' "$one"
    done
}

ten_thousand_findings_stay_smooth() {
    need_browser
    python3 "$here/findings.py" tree "$work/old-compiler"
    call "$hostpin" leak-check --json --no-binding --fail-on warning --forbid "$work/old-compiler" tree
    exits 1
    cp "$out" leaks.json
    "$hostpin" report -o many.html --leaks leaks.json
    python3 "$here/findings.py" --hostile >hostile.json
    "$hostpin" report -o hostile.html --leaks hostile.json
    look many many.html 10000 and hostile hostile.html 10 and narrow hostile.html
}

ten_thousand_cells_stay_smooth() {
    need_browser
    python3 "$here/cells.py" before.json now.json
    "$hostpin" report -o cells.html --matrix now.json --before before.json
    look cells cells.html 10000 and access cells.html and narrow cells.html
    "$hostpin" report -o - --matrix now.json >one.html
    if contains 'id="group".*broken' <one.html; then fail "something is broken compared with nothing"; fi
    call "$hostpin" report -o no.html --matrix cells.html
    exits 2
    says 'matrix printed no result: cells.html cannot be read'
    call "$hostpin" report -o no.html --matrix now.json --before missing.json
    exits 2
    says 'error: there is no missing.json$' 'hint: name a file that hostpin matrix merge wrote$'
    call "$hostpin" report -o no.html --matrix now.json --toolkit "$toolkit"
    exits 2
    absent no.html
}

same_input_same_bytes() {
    whole again.html
    cmp again.html "$page"
    (cd / && "$hostpin" report -o - --tree "$tree" --lto "$work/ours.o" "$work/theirs.o") >streamed.html
    cmp streamed.html "$page"
}

a_bound_directory_is_shown() {
    "$hostpin" bind bound --host "g++-$older" --stdenv "g++-$newer" >/dev/null
    "$hostpin" report -o bound.html --bound bound
    contains "class=\"verdict good chosen\" data-verdict=\"fits\" data-driver=\"[^\"]*g++-$older\"" <bound.html
    call "$hostpin" report -o other.html --bound bound --host "g++-$newer"
    exits 2
    says '--host cannot be combined with --bound'
    absent other.html
}

what_is_not_ours_is_left_alone() {
    echo precious >mine
    mkdir directory
    mkfifo fifo
    local one
    for one in mine directory fifo; do
        call "$hostpin" report -o "$one"
        exits 2
        says 'nothing was written'
    done
    same "$(cat mine)" precious
    "$hostpin" report -o page.html
    echo '<!-- edited -->' >>page.html
    "$hostpin" report -o page.html
    if contains edited <page.html; then fail "the older report is still there"; fi
    same "$(find . -name 'page.html*')" ./page.html
    # shellcheck disable=SC2016
    call sh -c '"$hostpin" report -o - >/dev/full'
    exits 2
}

nothing_fits_is_a_page_too() {
    "$hostpin" report -o none.html --host "g++-$newer"
    contains 'Nothing can be bound' <none.html
    contains "does not fit CUDA $release" <none.html
    if "$hostpin" report -o none.html --toolkit /nowhere; then contains 'Nothing can be bound' <none.html; fi
}

bad_input_writes_nothing() {
    echo '{"schema": 1}' >half.json
    call "$hostpin" report -o page.html --leaks half.json
    exits 2
    says 'half.json does not contain output of leak-check --json'
    call "$hostpin" report -o page.html --leaks missing.json
    exits 2
    says 'error: there is no missing.json$' '^hint: name a file with the output of leak-check --json'
    call "$hostpin" report -o page.html --tree missing
    exits 2
    says 'error: there is no missing$' '^hint: name an installed tree or a file with --tree$'
    call "$hostpin" report -o page.html --lto missing.o
    exits 2
    says 'error: there is no missing.o$' '^hint: name objects and archives with --lto$'
    echo "'$work/ours.o' missing.o" >list
    call "$hostpin" report -o page.html --lto @list
    exits 2
    says 'error: there is no missing.o$' '^hint: name objects and archives with --lto$'
    call "$hostpin" report -o page.html --lto @nolist
    exits 2
    says 'error: there is no @nolist$'
    local driver
    for driver in "g++-$older" "$clang" "$toolkit/bin/nvcc"; do
        call "$hostpin" report -o page.html -- "$driver" "$work/ours.o" missing.o -o app
        exits 2
        says 'error: there is no missing.o$' '^hint: name a link command after -- whose inputs exist$'
    done
    local option
    for option in --tree --leaks --lto; do
        call "$hostpin" report -o page.html "$option" ''
        exits 2
        says "error: $option has an empty name$" "^hint: name .* $option$"
    done
    call "$hostpin" report -o ''
    exits 2
    says 'error: the page has no name$' '^hint: name a file to write, or - for standard output$'
    call "$hostpin" report -o no/such/page.html
    exits 2
    says 'error: cannot write no/such/page.html: there is no directory no/such$' '^hint: make that directory'
    absent no
    call "$hostpin" report -o page.html tree
    exits 2
    says 'report does not accept tree' 'hint: a tree follows --tree'
    call "$hostpin" report
    exits 2
    absent page.html
}

it "a browser shows what doctor says, to everybody, on paper and without scripts" it_looks_right
it "the graph says what the loader says" the_graph_is_the_loaders
it "link-time code is judged for the binding's linker, or a link command" link_time_code_is_judged
it "pages are valid HTML" pages_are_valid
it "10,000 findings stay smooth, and hostile ones stay text" of checks ten_thousand_findings_stay_smooth
it "10,000 cells of a matrix stay smooth, differences first" ten_thousand_cells_stay_smooth
it "the same input gives the same bytes, from anywhere" same_input_same_bytes
it "a bound directory is shown as it was decided" a_bound_directory_is_shown
it "what is not ours is left alone, and a report is replaced" what_is_not_ours_is_left_alone
it "that nothing fits is a page, too" nothing_fits_is_a_page_too
it "bad input is an error and writes nothing" bad_input_writes_nothing
finish
