#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Manual pages: one for each command, with the options that the program itself knows, and no fault that mandoc sees.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_command mandoc
manual=$prefix/share/man/man1

commands_of() { sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'; }
commands() {
    local command
    for command in $("$hostpin" --help | commands_of); do if has_command "$command"; then echo "$command"; fi; done
}
# Rows and the usage line: `  --json`, `[--json]`, `--a | --b`, `-h,--help`.
told_options() { grep -oE '(^ +|\[|\| |,)--?[a-z][a-z-]*' | sed 's/^[^-]*//' | grep -vxE -e '-h|--help' | sort -u; }
page_options() { sed -n '/^\.It Fl /p' "$1" | grep -oE 'Fl [a-z-]+' | sed 's/^Fl /-/' | sort -u; }
help_of() {
    "$hostpin" "$1" --help
    if [ "$1" = stdlib-probe ]; then
        for question in gate facts libc why; do "$hostpin" stdlib-probe "$question" --help; done
    fi
    if [ "$1" = fatbin ]; then
        for change in slim slice merge repack prove; do "$hostpin" fatbin "$change" --help; done
    fi
    if [ "$1" = redist ] || [ "$1" = wheel ] || [ "$1" = matrix ]; then
        for command in $("$hostpin" "$1" --help | commands_of); do "$hostpin" "$1" "$command" --help; done
    fi
}

each_command_has_a_page() {
    local command
    for command in $(commands); do
        [ -e "$manual/hostpin-$command.1" ] || fail "no page for $command"
        grep -q "hostpin-$command" "$manual/hostpin.1" || fail "hostpin(1) does not name $command"
    done
}
pages_and_help_agree() {
    local command
    for command in $(commands); do
        # its page has the questions of another component
        if [ "$command" = stdlib-probe ] && ! is_built checks; then continue; fi
        same "$(page_options "$manual/hostpin-$command.1")" "$(help_of "$command" | told_options)"
    done
}
pages_are_sound() {
    mandoc -T lint -W warning "$manual"/hostpin*.1
    local page
    for page in "$manual"/hostpin*.1; do
        mandoc -T ascii "$page" >text
        [ "$(wc -l <text)" -gt 15 ] || fail "$page says nothing"
        if command -v groff >/dev/null; then same "$(groff -mdoc -ww -z "$page" 2>&1)" ""; fi
        # a macro takes the quotes of its words for its own
        ! grep -nE '^\.D[l1] .*(^|[^&])"' "$page" || fail "$page loses the quotes of an example"
    done
}
references_lead_somewhere() {
    local page
    while read -r page; do
        [ -e "$manual/$page.1" ] || ! has_command "${page#hostpin-}" || fail "a page refers to $page(1), which is none of ours"
    done < <(sed -n 's/^\.Xr \([^ ]*\) 1.*/\1/p' "$manual"/hostpin*.1 | sort -u)
}
it "each command has a page" each_command_has_a_page
it "pages have the options of --help and no others" pages_and_help_agree
it "pages are sound" pages_are_sound
it "references lead somewhere" references_lead_somewhere
finish
