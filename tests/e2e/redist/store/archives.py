#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""archives.py good DIR | hostile NAME FILE | lock BASE DIR | manifest LABEL DIR: archives in NVIDIA's form, archives that nobody should
unpack, and a lock or manifest of what is in a directory, on standard output."""
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import struct
import sys
import tarfile
import zipfile
import zlib


def entry(name, content=b"", mode=0o644, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.type, info.linkname, info.mtime = len(content), mode, kind, link, 1700000000
    return info, content


def directory(name):
    return entry(name, mode=0o755, kind=tarfile.DIRTYPE)


def symbolic(name, target):
    return entry(name, kind=tarfile.SYMTYPE, link=target)


def hard(name, target):
    return entry(name, kind=tarfile.LNKTYPE, link=target)


def tar_bytes(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def tar_xz(members):
    return lzma.compress(tar_bytes(members), preset=0)


def zstd(blocks):
    """One frame of blocks (kind, size, bytes): kind 0 has the bytes, kind 1 one byte that is repeated. A window of 128 KB."""
    frame = bytes.fromhex("28b52ffd") + b"\0" + bytes([7 << 3])
    for number, (kind, size, content) in enumerate(blocks):
        frame += (size << 3 | kind << 1 | (number == len(blocks) - 1)).to_bytes(3, "little") + content
    return frame


def tar_zst(members):
    whole = tar_bytes(members)
    return zstd([(0, len(whole[at:at + 100_000]), whole[at:at + 100_000]) for at in range(0, len(whole), 100_000)])


def zst_bomb():
    """A tar with one member of 512 MB of zeros, in 16 KB."""
    info, _ = entry("top/zeros")
    info.size = 512 << 20
    head = info.tobuf(tarfile.GNU_FORMAT)
    return zstd([(0, len(head), head)] + [(1, 128 << 10, b"\0")] * 4097)


def package(top, noise, seed):
    """What a package contains: libraries with links, a program, a header, an empty file, odd names."""
    rng = random.Random(seed)
    return [
        directory(f"{top}/"), entry(f"{top}/LICENSE", b"text\n"), directory(f"{top}/lib"),
        entry(f"{top}/lib/libx.so.1.2", rng.randbytes(noise), 0o755), symbolic(f"{top}/lib/libx.so.1", "libx.so.1.2"),
        symbolic(f"{top}/lib/libx.so", "libx.so.1"), entry(f"{top}/bin/tool", b"#!/bin/sh\n", 0o755),
        symbolic(f"{top}/bin/up", "../lib/libx.so"), entry(f"{top}/include/x.h", b"int x;\n"), entry(f"{top}/include/empty.h"),
        entry(f"{top}/include/an odd\u00e9 name", b"1"), hard(f"{top}/include/same.h", f"{top}/include/x.h"),
        symbolic(f"{top}/lib/stubs", "nowhere"), directory(f"{top}/nothing"),
    ]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def good(root):
    """Three archives of different content and format, and one whose content is that of another."""
    def path(name, extension):
        return f"{root}/cuda/redist/{name}/linux-x86_64/{name}-linux-x86_64-1.0-archive.{extension}"

    write(path("large", "tar.xz"), tar_xz(package("large-linux-x86_64-1.0-archive", 12_000_000, 1)))
    write(path("small", "tar.gz"), gzip.compress(tar_bytes(package("small-linux-x86_64-1.0-archive", 300_000, 2)), mtime=0))
    write(path("twin", "tar.xz"), tar_xz(package("twin-linux-x86_64-1.0-archive", 300_000, 2)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("win-linux-x86_64-1.0-archive/bin/x.dll", b"MZ" * 1000)
        zipped.writestr("win-linux-x86_64-1.0-archive/LICENSE", b"text\n")
    write(path("win", "zip"), out.getvalue())


def sparse_claim():
    """A gzip of a tar whose one member says that it has 1 TB, nearly all of it a hole (GNU's old sparse format)."""
    header = bytearray(512)
    header[0:6] = b"top/f\0"
    header[100:108], header[108:116], header[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    header[124:136], header[136:148] = b"00000001000\0", b"14524770400\0"
    header[156:157], header[257:265] = b"S", b"ustar  \0"
    size = 1 << 40
    header[386:398], header[398:410] = b"\x80" + struct.pack(">Q", size - 512).rjust(11, b"\0"), b"00000001000\0"
    header[483:495] = b"\x80" + struct.pack(">Q", size).rjust(11, b"\0")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return gzip.compress(bytes(header) + b"x" * 512 + b"\0" * 1024)


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            zipped.writestr(info, content)
    return out.getvalue()


def zeros(compressor, head, size):
    """A tar with one member of so many zeros, compressed piece by piece."""
    info, _ = entry("top/zeros")
    info.size = size
    out = [compressor.compress(head + info.tobuf(tarfile.GNU_FORMAT))]
    piece = bytes(1 << 20)
    out += [compressor.compress(piece) for _ in range(size >> 20)]
    out += [compressor.compress(bytes(1024)), compressor.flush()]
    return b"".join(out)


def bomb_zip():
    """One member of 512 MB in some 500 KB."""
    return zip_of([("top/zeros", bytes(512 << 20), 0o100644)])


def hostile(name):
    one = entry("top/f", b"content")
    escape = "../" * 12 + "tmp/hostpin-escaped"
    table = {
        "dotdot": lambda: tar_xz([one, entry("top/../../escaped", b"x")]),
        "absolute": lambda: tar_xz([one, entry("/tmp/hostpin-escaped", b"x")]),
        "link-out": lambda: tar_xz([one, symbolic("top/l", escape)]),
        "link-absolute": lambda: tar_xz([one, symbolic("top/l", "/etc/passwd")]),
        "link-top": lambda: tar_xz([one, symbolic("top/l", "../f")]),
        "through-link": lambda: tar_xz([one, symbolic("top/l", "."), entry("top/l/escaped", b"x")]),
        "link-of-links": lambda: tar_xz([directory("top/a/b/c"), symbolic("top/a/b/c/up", "../../.."), symbolic("top/m", "a/b/c/up/..")]),
        "link-loop": lambda: tar_xz([symbolic("top/a", "b"), symbolic("top/b", "a")]),
        "hard-out": lambda: tar_xz([one, hard("top/h", "/etc/passwd")]),
        "hard-dotdot": lambda: tar_xz([one, hard("top/h", escape)]),
        "hard-later": lambda: tar_xz([hard("top/h", "top/f"), one]),
        "hard-to-link": lambda: tar_xz([one, symbolic("top/l", "f"), hard("top/h", "top/l")]),
        "device": lambda: tar_xz([one, entry("top/null", kind=tarfile.CHRTYPE)]),
        "block": lambda: tar_xz([one, entry("top/disk", kind=tarfile.BLKTYPE)]),
        "fifo": lambda: tar_xz([one, entry("top/pipe", kind=tarfile.FIFOTYPE)]),
        "setuid": lambda: tar_xz([entry("top/su", b"x", 0o4755)]),
        "setgid": lambda: tar_xz([entry("top/sg", b"x", 0o2755)]),
        "case": lambda: tar_xz([one, entry("top/Readme", b"1"), entry("top/README", b"2")]),
        "case-directory": lambda: tar_xz([entry("top/Lib/a", b"1"), entry("top/lib/b", b"2")]),
        "twice": lambda: tar_xz([one, one]),
        "file-and-directory": lambda: tar_xz([one, entry("top/f/g", b"x")]),
        "newline": lambda: tar_xz([entry("top/a\nb", b"x")]),
        "escape-sequence": lambda: tar_xz([entry("top/../\x1b[31m", b"x")]),
        "long": lambda: tar_xz([entry("top/" + "n" * 300, b"x")]),
        "empty": lambda: tar_xz([]),
        "nothing": lambda: b"",
        "text": lambda: b"<html>not found</html>\n",
        "plain-tar": lambda: tar_bytes([one]),
        "twice-xz": lambda: lzma.compress(tar_xz([one])),
        "many": lambda: lzma.compress(tar_bytes([entry(f"top/{i}") for i in range(100_001)]), preset=0),
        "xz-bomb": lambda: zeros(lzma.LZMACompressor(preset=0), b"", 512 << 20),
        "gz-bomb": lambda: zeros(zlib.compressobj(1, zlib.DEFLATED, 31), b"", 512 << 20),
        "zip-bomb": bomb_zip,
        "zst-bomb": zst_bomb,
        "sparse": sparse_claim,
        "zip-dotdot": lambda: zip_of([("top/../../escaped", b"x", 0o100644)]),
        "zip-link": lambda: zip_of([("top/l", b"/etc/passwd", 0o120777), ("top/f", b"x", 0o100644)]),
        "zip-cut": lambda: zip_of([("top/f", os.urandom(5000), 0o100644), ("top/g", os.urandom(5000), 0o100644)])[:6000],
        "cut": lambda: tar_xz(package("top", 200_000, 3))[:100_000],
        "cut-gz": lambda: gzip.compress(tar_bytes(package("top", 200_000, 3)))[:100_000],
        "cut-zst": lambda: tar_zst(package("top", 200_000, 3))[:150_000],
        "cut-tar": lambda: lzma.compress(tar_bytes(package("top", 200_000, 3))[:150_000]),
        "damaged": lambda: (lambda whole: whole[:90_000] + b"damage" + whole[90_006:])(tar_xz(package("top", 200_000, 3))),
    }
    return table[name]() if name else sorted(table)


def archives_below(root):
    """Path below `root`, SHA-256, MD5 and size of each."""
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(name for name in names if not name.endswith(".json")):
            path = os.path.relpath(os.path.join(folder, name), root)
            with open(os.path.join(root, path), "rb") as file:
                content = file.read()
            yield path, hashlib.sha256(content).hexdigest(), hashlib.md5(content).hexdigest(), len(content)


def lock(base, root):
    archives = [{"product": "cuda", "label": "1", "package": path.split("/")[0], "version": "1.0", "platform": "linux-x86_64",
                 "path": path, "sha256": sha256, "size": size} for path, sha256, _, size in archives_below(root)]
    json.dump({"schema": 1, "manifests": [{"product": "cuda", "label": "1", "sha256": "0" * 64, "base": base}],
               "archives": archives}, sys.stdout, indent=1)


def manifest(label, root):
    packages = {path.split("/")[0]: {
        "name": path.split("/")[0], "license": "CUDA Toolkit", "license_path": path.split("/")[0] + "/LICENSE.txt", "version": "1.0",
        "linux-x86_64": {"relative_path": path, "sha256": sha256, "md5": md5, "size": str(size)},
    } for path, sha256, md5, size in archives_below(root) if not path.endswith(".zip")}
    json.dump({"release_date": "2024-04-16", "release_label": label, "release_product": "cuda", **packages}, sys.stdout, indent=1)


if sys.argv[1] == "good":
    good(sys.argv[2])
elif sys.argv[1] == "lock":
    lock(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "manifest":
    manifest(sys.argv[2], sys.argv[3])
elif len(sys.argv) == 2:
    print("\n".join(hostile("")))
else:
    write(sys.argv[3], hostile(sys.argv[2]))
