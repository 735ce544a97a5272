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
# is_whole COMMAND: all that its page describes is installed; two questions of stdlib-probe are in another component.
is_whole() { has_command "$1" && { [ "$1" != stdlib-probe ] || is_built checks; }; }
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
        is_whole "$command" || continue
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
        # a macro takes the quotes and full stops of its words for its own, and wraps long lines
        ! grep -nE '^\.D[l1] ' "$page" || fail "$page has an example outside of .Bd -literal"
    done
}
references_lead_somewhere() {
    local page
    while read -r page; do
        [ -e "$manual/$page.1" ] || ! has_command "${page#hostpin-}" || fail "a page refers to $page(1), which is none of ours"
    done < <(sed -n 's/^\.Xr \([^ ]*\) 1.*/\1/p' "$manual"/hostpin*.1 | sort -u)
}
# Programs that write their arguments down; a line that was wrapped or split starts something else.
prepare_examples() {
    local name
    mkdir stubs
    for name in hostpin cmake find make pip; do
        # shellcheck disable=SC2016 # the stub's own
        printf '#!/bin/sh\n{ printf %%s "%s"; printf " <%%s>" "$@"; echo; } >>"$calls"\n' $name >stubs/$name
    done
    chmod +x stubs/*
}
# examples_run TEXT: the section EXAMPLES of a page as a reader sees it.
examples_run() {
    sed -n '/^EXAMPLES/,/^SEE ALSO/p' "$1" | grep -E '^ {6,}' >block || return 0
    ! grep -nP '[^\x00-\x7f]' block || fail "$1: other characters than a shell's"
    awk 'length > 100 { exit 1 }' block || fail "$1: an example is too long for a line"
    rm -rf there calls
    mkdir -p there/.github/workflows
    : >calls
    (cd there && HOME=$PWD calls=$OLDPWD/calls PATH=$OLDPWD/stubs "$(command -v sh)" -eu ../block) 2>errors || fail "$1: $(cat errors)"
    [ -s calls ] || grep -q '^ *export ' block || fail "$1 runs nothing"
    ! grep -E '<[^<>]*[a-z]\.>|^cmake <-S><[^.]' calls || fail "$1: a full stop stuck to a word"
    local shown option
    while read -r shown option; do
        is_whole "$shown" || continue
        [ -e "help-$shown" ] || help_of "$shown" >"help-$shown"
        contains -E -e "$option\\b" <"help-$shown" || fail "$1: hostpin $shown has no $option"
    done < <(sed -E 's/ <--> .*//' calls | awk -F'[ <>]+' '$1 == "hostpin" { for (i = 3; i <= NF; ++i) if ($i ~ /^--/) print $2, $i }' | sort -u)
}
examples_can_be_pasted() {
    prepare_examples
    local page
    for page in "$manual"/hostpin*.1; do
        mandoc -T utf8 "$page" | col -b >"$(basename "$page").mandoc"
        examples_run "$(basename "$page").mandoc"
        command -v groff >/dev/null || continue
        groff -mdoc -Tutf8 -P-cbou "$page" >"$(basename "$page").groff"
        examples_run "$(basename "$page").groff"
    done
}
it "each command has a page" each_command_has_a_page
it "pages have the options of --help and no others" pages_and_help_agree
it "pages are sound" pages_are_sound
it "examples can be pasted" examples_can_be_pasted
it "references lead somewhere" references_lead_somewhere
finish
