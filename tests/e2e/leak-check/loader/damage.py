# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages a shared library in one place at a time, has the loader open each copy, and compares with what `hostpin leak-check` reports.

usage: damage.py HOSTPIN LIBRARY DIRECTORY
LIBRARY: 64-bit and little-endian. Every refusal of the loader has to be reported, apart from those below with a reason; a file that
the loader opens must not be an error."""
import collections
import ctypes
import json
import os
import signal
import subprocess
import sys

LOAD, DYNAMIC, TLS, STACK, RELRO = 1, 2, 7, 0x6474E551, 0x6474E552
TYPE, FLAGS, OFFSET, ADDRESS, FILE_SIZE, SIZE, ALIGN = (0, 4), (4, 4), (8, 8), (16, 8), (32, 8), (40, 8), (48, 8)
NEEDED, STRTAB, SYMTAB, STRSZ, SYMENT, SONAME = 1, 5, 6, 10, 11, 14
RELA, RELASZ, RELAENT, PLTRELSZ, PLTREL, JMPREL, TEXTREL = 7, 8, 9, 2, 20, 23, 22
INIT_ARRAY, INIT_ARRAYSZ, FLAGS_, HASH, GNU_HASH, FLAGS_1 = 25, 27, 30, 4, 0x6FFFFEF5, 0x6FFFFFFB
VERSYM, VERDEF, VERNEED, VERNEEDNUM, RELR, RELRSZ, RELRENT = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE, 0x6FFFFFFF, 36, 35, 37
UNUSED = 0x6000000F  # a tag that nothing reads
FAR = 0x7F0000000  # an address outside the library

NO_ELF = "the file is no ELF file, and not taken for a library"
ELSEWHERE = "the file is for another machine, which is no error without a binding for it"
NO_IMAGE = "without a dynamic section nothing is loaded for the file, as for debug information"
CONTENT = "the content of relocations, symbols and code is not read"
ABSENT = "a library that it needs is absent, which is another rule"
CHAINS = "the buckets and chains of hash tables are not followed, and no symbol is looked up"


class Elf:
    def __init__(self, data):
        self.data = bytearray(data)
        self.table, self.count = self.number(32, 8), self.number(56, 2)
        self.segments = [self.table + i * 56 for i in range(self.count)]

    def number(self, at, size):
        return int.from_bytes(self.data[at : at + size], "little")

    def set(self, at, value, size):
        self.data[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
        return self

    def of_type(self, kind):
        return [at for at in self.segments if self.number(at, 4) == kind]

    def segment(self, kind, field, value, index=0):
        at = self.of_type(kind)[index]
        return self.set(at + field[0], value(self.number(at + field[0], field[1])) if callable(value) else value, field[1])

    def entries(self):
        at = self.number(self.of_type(DYNAMIC)[0] + OFFSET[0], 8)
        while True:
            yield at
            if self.number(at, 8) == 0:
                return
            at += 16

    def entry(self, tag, value, now=None):
        """Sets the value of a tag, and the tag itself."""
        at = next(one for one in self.entries() if self.number(one, 8) == tag)
        return self.set(at, tag if now is None else now, 8).set(at + 8, value, 8)

    def value(self, tag):
        return self.number(next(one for one in self.entries() if self.number(one, 8) == tag) + 8, 8)

    def place(self, tag):
        """The offset of a table."""
        address = self.value(tag)
        for at in self.of_type(LOAD):
            begin = self.number(at + ADDRESS[0], 8)
            if begin <= address < begin + self.number(at + FILE_SIZE[0], 8):
                return self.number(at + OFFSET[0], 8) + address - begin
        raise ValueError(tag)

    def cut(self, size):
        del self.data[size:]
        return self


def header():
    yield "unchanged", lambda elf: elf
    yield "magic", lambda elf: elf.set(1, 0x46, 1), NO_ELF
    yield "class-32", lambda elf: elf.set(4, 1, 1), ELSEWHERE
    yield "class-3", lambda elf: elf.set(4, 3, 1)
    yield "big-endian", lambda elf: elf.set(5, 2, 1), ELSEWHERE
    for value in (0, 2):
        yield "ident-version-%d" % value, lambda elf, value=value: elf.set(6, value, 1)
        yield "version-%d" % value, lambda elf, value=value: elf.set(20, value, 4)
    for value in (3, 6, 9, 64, 97, 255):
        yield "os-abi-%d" % value, lambda elf, value=value: elf.set(7, value, 1)
    for abi, value in ((0, 1), (3, 1), (3, 3), (3, 4), (3, 255)):
        yield "abi-version-%d-%d" % (abi, value), lambda elf, abi=abi, value=value: elf.set(7, abi, 1).set(8, value, 1)
    for at in (9, 15):
        yield "padding-%d" % at, lambda elf, at=at: elf.set(at, 1, 1)
    for value in (0, 1, 4):
        yield "type-%d" % value, lambda elf, value=value: elf.set(16, value, 2), NO_IMAGE
    yield "type-program", lambda elf: elf.set(16, 2, 2), "a program at a fixed address, which nothing opens"
    yield "machine-i386", lambda elf: elf.set(18, 3, 2), ELSEWHERE
    for at, name in ((52, "header-size"), (58, "section-size"), (60, "section-count")):
        yield name, lambda elf, at=at: elf.set(at, 0, 2)
    for value in (0, 32, 64):
        yield "segment-header-%d" % value, lambda elf, value=value: elf.set(54, value, 2)
    yield "segments-none", lambda elf: elf.set(56, 0, 2), NO_IMAGE
    yield "segments-many", lambda elf: elf.set(56, 0xFFFF, 2)
    yield "segments-outside", lambda elf: elf.set(32, 1 << 40, 8)
    for size in (0, 10, 63):
        yield "cut-%d" % size, lambda elf, size=size: elf.cut(size), NO_ELF if size < 16 else None
    yield "cut-64", lambda elf: elf.cut(64)
    yield "cut-half", lambda elf: elf.cut(len(elf.data) // 2)


def segments(elf):
    for i in range(len(elf.of_type(LOAD))):
        for value in (0, 1, 16, 0x10000):
            yield "load-%d-align-%d" % (i, value), lambda elf, i=i, value=value: elf.segment(LOAD, ALIGN, value, i)
        yield "load-%d-offset" % i, lambda elf, i=i: elf.segment(LOAD, OFFSET, lambda old: old + 16, i)
        yield "load-%d-address" % i, lambda elf, i=i: elf.segment(LOAD, ADDRESS, lambda old: old + 1, i)
    last = len(elf.of_type(LOAD)) - 1
    yield "load-last-first", lambda elf: elf.segment(LOAD, ADDRESS, lambda old: old % 4096 - 0x10000, last)
    yield "load-last-huge", lambda elf: elf.segment(LOAD, SIZE, 1 << 60, last)
    yield "load-last-past-end", lambda elf: elf.segment(LOAD, FILE_SIZE, 0x100000, last).segment(LOAD, SIZE, 0x200000, last)
    yield "load-last-read-only", lambda elf: elf.segment(LOAD, FLAGS, 4, last)
    yield "load-none", lambda elf: [elf.segment(LOAD, TYPE, 0) for _ in elf.of_type(LOAD)] and elf
    yield "dynamic-none", lambda elf: elf.segment(DYNAMIC, TYPE, 0), NO_IMAGE
    yield "dynamic-empty", lambda elf: elf.segment(DYNAMIC, FILE_SIZE, 0)
    yield "dynamic-outside", lambda elf: elf.segment(DYNAMIC, ADDRESS, FAR)
    yield "stack-executable", lambda elf: elf.segment(STACK, FLAGS, 7)
    yield "stack-none", lambda elf: elf.segment(STACK, TYPE, 0)
    yield "relro-huge", lambda elf: elf.segment(RELRO, SIZE, 1 << 30)
    yield "tls-align-0", lambda elf: elf.segment(TLS, ALIGN, 0)
    yield "tls-large", lambda elf: elf.segment(TLS, SIZE, 1 << 20)
    yield "tls-static-large", lambda elf: elf.segment(TLS, SIZE, 1 << 20).entry(SONAME, 0x10, FLAGS_)


def tables():
    for tag, name in ((STRTAB, "strings"), (SYMTAB, "symbols"), (RELA, "relocations"), (JMPREL, "plt"), (VERSYM, "version-symbols"), (VERNEED, "needs"), (INIT_ARRAY, "constructors")):
        yield name + "-outside", lambda elf, tag=tag: elf.entry(tag, FAR)
        yield name + "-none", lambda elf, tag=tag: elf.entry(tag, 0, UNUSED), CONTENT if tag in (RELA, VERNEED, INIT_ARRAY) else None
    yield "definitions-outside", lambda elf: elf.entry(VERDEF, FAR)
    yield "definitions-version", lambda elf: elf.set(elf.place(VERDEF), 2, 2)
    yield "needs-version", lambda elf: elf.set(elf.place(VERNEED), 2, 2)
    yield "needs-count", lambda elf: elf.entry(VERNEEDNUM, 0)
    for tag, name in ((RELASZ, "relocations"), (PLTRELSZ, "plt"), (INIT_ARRAYSZ, "constructors")):
        yield name + "-huge", lambda elf, tag=tag: elf.entry(tag, 24 << 16)
    for value in (0, 16):
        yield "relocation-size-%d" % value, lambda elf, value=value: elf.entry(RELAENT, value)
    yield "relocation-size-none", lambda elf: elf.entry(RELAENT, 0, UNUSED)
    for value in (0, 17):
        yield "plt-kind-%d" % value, lambda elf, value=value: elf.entry(PLTREL, value)
    yield "symbol-size", lambda elf: elf.entry(SYMENT, 0)
    yield "string-size", lambda elf: elf.entry(STRSZ, 0)
    yield "name-outside", lambda elf: elf.entry(NEEDED, FAR)
    yield "name-absent", lambda elf: elf.set(elf.place(STRTAB) + elf.value(NEEDED), ord("x"), 1), ABSENT
    yield "first-null", lambda elf: elf.set(next(elf.entries()), 0, 8)


def hashes():
    yield "gnu-hash-outside", lambda elf: elf.entry(GNU_HASH, FAR)
    yield "hash-outside", lambda elf: elf.entry(HASH, FAR).entry(GNU_HASH, 0, UNUSED)
    yield "hash-alone", lambda elf: elf.entry(GNU_HASH, 0, UNUSED)
    yield "hash-none", lambda elf: elf.entry(GNU_HASH, 0, UNUSED).entry(HASH, 0, UNUSED), CHAINS
    yield "gnu-hash-buckets-0", lambda elf: elf.set(elf.place(GNU_HASH), 0, 4), CHAINS
    yield "gnu-hash-buckets-huge", lambda elf: elf.set(elf.place(GNU_HASH), 1 << 30, 4)
    yield "gnu-hash-filter-3", lambda elf: elf.set(elf.place(GNU_HASH) + 8, 3, 4)
    yield "gnu-hash-filter-huge", lambda elf: elf.set(elf.place(GNU_HASH) + 8, 1 << 30, 4)
    yield "gnu-hash-shift", lambda elf: elf.set(elf.place(GNU_HASH) + 12, 0, 4)
    yield "hash-buckets-0", lambda elf: elf.entry(GNU_HASH, 0, UNUSED).set(elf.place(HASH), 0, 4), CHAINS
    yield "hash-chain", lambda elf: elf.entry(GNU_HASH, 0, UNUSED).set(elf.place(HASH) + 8, 1 << 30, 4), CHAINS


def flags():
    yield "no-open", lambda elf: elf.entry(SONAME, 0x40, FLAGS_1)
    yield "program", lambda elf: elf.entry(SONAME, 0x08000000, FLAGS_1), "a position-independent program, which nothing opens"
    yield "flags-all", lambda elf: elf.entry(SONAME, 0x20, FLAGS_1)
    yield "text-relocations", lambda elf: elf.entry(SONAME, 0, TEXTREL)
    yield "packed-size", lambda elf: elf.entry(SONAME, elf.value(STRTAB), RELR).entry(SYMENT, 4, RELRENT).entry(STRSZ, elf.value(STRSZ))
    yield "packed-without-version", lambda elf: elf.entry(SONAME, elf.value(STRTAB), RELR).entry(SYMENT, 8, RELRENT)


def content():
    for name, at, value, size in (("kind", 8, 200, 4), ("symbol", 12, 1 << 24, 4), ("offset", 0, FAR, 8)):
        yield "relocation-" + name, lambda elf, at=at, value=value, size=size: elf.set(elf.place(RELA) + at, value, size), CONTENT
    yield "constructor", lambda elf: elf.set(elf.place(INIT_ARRAY), FAR, 8), CONTENT


def opened(path):
    """What the loader answers, in a process of its own: empty if it opens the file."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
            os._exit(0)
        except OSError as error:
            os.write(writing, str(error).encode())
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        message = answer.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "" if status == 0 else message.replace(path + ": ", "") or "exit code %d" % os.WEXITSTATUS(status)


def reported(hostpin, directory):
    run = subprocess.run([hostpin, "leak-check", "--no-binding", "--json", directory], stdout=subprocess.PIPE, check=False)
    report = json.loads(run.stdout)
    severities = collections.defaultdict(set)
    for one in report["findings"]:
        severities[one["path"]].add(one["severity"] + " " + one["rule"])
    for one in report["unseen"]:
        severities[one["path"]].add("unseen " + one["reason"])
    return severities


def main():
    hostpin, library, directory = sys.argv[1:]
    with open(library, "rb") as file:
        original = file.read()
    if original[:6] != b"\x7fELF\2\1":
        sys.exit("skipped: not a 64-bit little-endian library")
    os.mkdir(directory)
    cases = [*header(), *segments(Elf(original)), *tables(), *hashes(), *flags(), *content()]
    answers = {}
    for name, damage, *_ in cases:
        path = os.path.join(os.path.abspath(directory), name + ".so")
        with open(path, "wb") as file:
            file.write(damage(Elf(original)).data)
        answers[name] = opened(path)
    found = reported(hostpin, directory)
    wrong = []
    for name, _, *reason in cases:
        reason = reason[0] if reason else None
        mine = {one for one in found[name + ".so"] if not one.startswith("note missing-library")}
        answer = answers[name]
        if os.environ.get("HOSTPIN_FULL"):
            print("%-26s %-60s %s" % (name, answer or "opened", sorted(mine) or reason or ""))
        if answer and not mine and not reason:
            wrong.append("%s: not reported, and the loader answers: %s" % (name, answer))
        if not answer and any(one.startswith("error") for one in mine):
            wrong.append("%s: reported, and the loader opens it: %s" % (name, sorted(mine)))
    refused = [name for name, answer in answers.items() if answer]
    missed = [name for name in refused if not found[name + ".so"]]
    print("%d files, %d refused, %d of them reported" % (len(cases), len(refused), len(refused) - len(missed)))
    if answers["unchanged"] or len(refused) < 50:
        wrong.append("too few files say anything: %s" % answers)
    sys.exit("\n".join(wrong) or 0)


main()
