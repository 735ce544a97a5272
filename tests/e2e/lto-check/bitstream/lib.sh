# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Shared by the scripts in this directory: the readers under test, and code for every compiler.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
# shellcheck disable=SC2034 # cuts is the scripts' own
streams=$1 cuts=$2

# told FILE...: what hostpin reads, without the names of directories.
told() { "$streams" "$@" | sed "s,$PWD/,,g"; }
# lines NAME FIELD...: the expected lines, fields separated by tabs.
line() { (IFS=$'\t' && echo "$*"); }

write_code() {
    cat >small.c <<'C'
int counter;
int next(void) { return ++counter; }
C
    cat >large.cpp <<'CPP'
struct Shape { virtual ~Shape(); virtual int sides() const; };
Shape::~Shape() {}
int Shape::sides() const { return 0; }
template <int N> struct Polygon : Polygon<N - 1> { int sides() const override { return N; } };
template <> struct Polygon<0> : Shape {};
int sides(const Shape& shape) { return shape.sides() + Polygon<20>().sides(); }
CPP
    : >empty.c
}
