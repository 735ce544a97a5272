# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of a Debian package, without decompressing all of it.

dpkg compresses in blocks of some 24 MB, and of a package of a gigabyte only a few blocks have files that are wanted. A block, after a
stream header, is the beginning of a stream that Python decompresses (and checks); the index at the end of the file has the sizes.
"""
import lzma
import os
import tarfile


def members(file):
    """The members of an ar archive: name -> (offset, size)."""
    found = {}
    file.seek(8)
    while header := file.read(60):
        size = int(header[48:58])
        found[header[:16].decode().rstrip(" /")] = (file.tell(), size)
        file.seek(size + size % 2, os.SEEK_CUR)
    return found


def number(data, at):
    """A number of variable length of the .xz format, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at


class Blocks:
    """A decompressed .xz stream as a file that can be read at any offset. Eight blocks are kept in memory."""

    def __init__(self, file, begin, size):
        self.file, self.cached, self.at = file, {}, 0
        file.seek(begin)
        self.header = file.read(12)
        file.seek(begin + size - 12)
        footer = file.read(12)
        if self.header[:6] != b"\xfd7zXZ\0" or footer[10:] != b"YZ":
            raise ValueError("not a single .xz stream")
        index_size = (int.from_bytes(footer[4:8], "little") + 1) * 4
        file.seek(begin + size - 12 - index_size)
        index = file.read(index_size)
        count, at = number(index, 1)
        self.blocks, packed_at, self.size = [], begin + 12, 0
        for _ in range(count):
            packed, at = number(index, at)
            unpacked, at = number(index, at)
            packed = (packed + 3) // 4 * 4
            self.blocks.append((self.size, unpacked, packed_at, packed))
            packed_at, self.size = packed_at + packed, self.size + unpacked

    def block(self, number_of_it):
        if number_of_it not in self.cached:
            begin, size, packed_at, packed = self.blocks[number_of_it]
            self.file.seek(packed_at)
            content = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(self.header + self.file.read(packed))
            if len(content) != size:
                raise ValueError("a block of another size than the index says")
            if len(self.cached) == 8:
                del self.cached[next(iter(self.cached))]
            self.cached[number_of_it] = (begin, content)
        return self.cached[number_of_it]

    def read(self, size=-1):
        size = self.size - self.at if size < 0 else min(size, self.size - self.at)
        parts = []
        while size > 0:
            low, high = 0, len(self.blocks)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if self.blocks[middle][0] <= self.at else (low, middle)
            begin, content = self.block(low)
            part = content[self.at - begin : self.at - begin + size]
            parts.append(part)
            self.at, size = self.at + len(part), size - len(part)
        return b"".join(parts)

    def seek(self, offset, whence=os.SEEK_SET):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def tell(self):
        return self.at


class Deb:
    """The files of a package: path without `./` -> its entry in the tar archive."""

    def __init__(self, path):
        self.file = open(path, "rb")
        self.tar = tarfile.open(fileobj=Blocks(self.file, *members(self.file)["data.tar.xz"]), mode="r:")
        self.entries = {entry.name.removeprefix("./"): entry for entry in self.tar if not entry.isdir()}

    def content(self, entry):
        return self.tar.extractfile(entry)
