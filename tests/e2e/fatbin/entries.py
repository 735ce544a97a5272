#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""entries.py FILE [host]: what a fatbin, object or linked file holds, entry by entry in the order of the wrappers, read without
hostpin: the kind, the architecture, the flags and a checksum of each. With `host`, the other loaded sections of an object instead.
Of machine code the note with nvlink's command line is left out, which is another one for several GPUs."""
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()


def sections(elf):
    table, = struct.unpack_from("<Q", elf, 0x28)
    entry, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * entry) for i in range(count)]
    for head in heads:
        begin = heads[names][4] + head[0]
        content = b"" if head[1] in (0, 8) else elf[head[4]:head[4] + head[5]]
        yield elf[begin:elf.index(b"\0", begin)].decode(), head, content


def code_sum(kind, code):
    if kind != 2 or code[:4] != b"\x7fELF":
        return zlib.crc32(code)
    kept = [(name, content) for name, _, content in sections(code) if name != ".note.nv.tkinfo"]
    return zlib.crc32(repr(sorted(kept)).encode())


def show(code, at):
    header, content = struct.unpack_from("<HQ", code, at + 6)
    entry, end = at + header, at + header + content
    print("fatbin")
    while entry < end:
        kind, _, size, payload = struct.unpack_from("<HHIQ", code, entry)
        arch, = struct.unpack_from("<I", code, entry + 0x1C)
        flags, = struct.unpack_from("<Q", code, entry + 0x28)
        texts = code[entry + 0x40:entry + size]
        print(" ", kind, arch, hex(flags), zlib.crc32(texts), code_sum(kind, code[entry + size:entry + size + payload]))
        entry += size + payload
    return end


def in_order(code):
    at = 0
    while at < len(code):
        at = show(code, at) if code[at:at + 4] == b"\x50\xed\x55\xba" else at + 8


def by_wrappers(found):
    file_type, = struct.unpack_from("<H", data, 16)
    code = [(head[3], content) for name, head, content in found if name in (".nv_fatbin", "__nv_relfatbin")]
    wrappers = [(head[3], content) for name, head, content in found if name == ".nvFatBinSegment"]
    if file_type == 1 or not wrappers:
        return [in_order(content) for _, content in code]
    addends = {}
    for name, head, content in found:
        if head[1] == 4 and head[2] & 2:  # loaded relocations
            for at in range(0, len(content), 24):
                place, _, addend = struct.unpack_from("<QQq", content, at)
                addends[place] = addend
    first, bytes_of_all = wrappers[0]
    for at in range(8, len(bytes_of_all), 24):
        pointer = addends.get(first + at) or struct.unpack_from("<Q", bytes_of_all, at)[0]
        for address, content in code:
            if address <= pointer < address + len(content):
                show(content, pointer - address)


if data[:4] != b"\x7fELF":
    in_order(data)
elif len(sys.argv) > 2:
    device = (".nv_fatbin", "__nv_relfatbin")
    for name, head, content in sections(data):
        if head[2] & 2 and name not in device:
            print(name, head[1], head[2], zlib.crc32(content))
else:
    by_wrappers(list(sections(data)))
