# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""repack.py [--deb] DIRECTORY PACKAGE...: the installed packages, with all that they depend on, as package files in DIRECTORY: in turn a .deb,
a .pkg.tar.zst and a .rpm, or with --deb each as a .deb. They hold the real files; only what surrounds those is made for the test. Prints the
files' names."""
import functools
import io
import os
import re
import stat
import struct
import subprocess
import sys
import tarfile

NEEDLESS = re.compile(r"(perl|libperl|python|libpython|debconf|dpkg|tar|libc-bin|coreutils|systemd|mawk)")


FIELDS = ("Package", "Version", "Architecture", "Maintainer", "Description", "Depends")
LISTS = {}


@functools.cache
def database():
    """What dpkg has of each installed package, by one call: each reads everything."""
    form = "".join(f"{name}: ${{{name}}}\n" for name in FIELDS + ("Pre-Depends",)) + "${db:Status-Abbrev}\n\036"
    found = {}
    for text in subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout.split("\036"):
        fields = {name: value for name, value in re.findall(r"^([A-Za-z-]+): *(.*(?:\n .*)*)$", text, re.MULTILINE) if value}
        if text.rstrip().endswith("\nii"):
            found.setdefault(fields["Package"], fields)
    return found


def depends(package):
    fields = database()[package]
    text = fields.get("Depends", "") + "," + fields.get("Pre-Depends", "")
    return [re.split(r"[ (:|]", each.strip())[0] for each in text.split(",") if each.strip()]


def closure(packages):
    found, queue = [], list(packages)
    while queue:
        package = queue.pop(0)
        if package in found or NEEDLESS.match(package) or package not in database():
            continue
        found.append(package)
        queue += depends(package)
    text = subprocess.run(["dpkg-query", "-L", *found], capture_output=True, text=True, check=True).stdout
    LISTS.update(zip(found, text.split("\n\n"), strict=True))
    return found


def files(package):
    for path in LISTS[package].splitlines():
        if path.startswith("/") and path != "/." and os.path.lexists(path):
            yield path


def tar(package):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in files(package):
            archive.add(path, "." + path, recursive=False)
    return data.getvalue()


def control(package, among):
    """As a control.tar: what dpkg has of the package, without dependencies on others than those."""
    kept = {name: value for name, value in database()[package].items() if name in FIELDS}
    needs = [each.strip() for each in kept.pop("Depends", "").split(",")]
    needs = [each for each in needs if re.split(r"[ (:|]", each)[0] in among]
    if needs:
        kept["Depends"] = ", ".join(needs)
    content = "".join(f"{name}: {value}\n" for name, value in kept.items()).encode()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        member = tarfile.TarInfo("./control")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def deb(package, among=()):
    members = [("debian-binary", b"2.0\n"), ("control.tar", control(package, among))]
    content = tar(package)
    if len(content) < 1 << 20:
        members.append(("data.tar.xz", subprocess.run(["xz", "-0"], input=content, capture_output=True, check=True).stdout))
    else:
        members.append(("data.tar", content))
    whole = b"!<arch>\n"
    for name, content in members:
        whole += b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name.encode(), 0, 0, 0, 0o100644, len(content)) + content + b"\n" * (len(content) % 2)
    return whole


def zstd(content):
    return subprocess.run(["zstd", "-1", "-q"], input=content, capture_output=True, check=True).stdout


def pacman(package):
    return zstd(tar(package))


def cpio(package):
    """Of the newc format, where the last of a file's names has its content, as rpm writes it."""
    whole, names = [], {}
    for path in files(package):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            names.setdefault(status.st_ino, []).append(path)
    for path in list(files(package)) + ["TRAILER!!!"]:
        content, mode, inode, links = b"", 0, 0, 1
        name = path if path == "TRAILER!!!" else "." + path
        if name != path:
            status = os.lstat(path)
            mode, inode = status.st_mode, status.st_ino & 0xFFFFFFFF
            if stat.S_ISLNK(mode):
                content = os.readlink(path).encode()
            elif stat.S_ISREG(mode):
                links = len(names[status.st_ino])
                if names[status.st_ino][-1] == path:
                    with open(path, "rb") as file:
                        content = file.read()
        fields = [inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        header = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        whole += [header, b"\0" * (-len(header) % 4), content, b"\0" * (-len(content) % 4)]
    return b"".join(whole)


def rpm(package):
    lead = struct.pack(">4sBBhh66shh16s", b"\xed\xab\xee\xdb", 3, 0, 0, 1, package.encode(), 1, 5, b"")
    empty = b"\x8e\xad\xe8\x01" + bytes(4) + struct.pack(">II", 1, 4) + struct.pack(">IIII", 1000, 4, 0, 1) + bytes(4)
    return lead + empty + bytes(-len(empty) % 8) + empty + zstd(cpio(package))


def main():
    only_deb = sys.argv[1] == "--deb"
    directory, *names = sys.argv[2:] if only_deb else sys.argv[1:]
    packages = closure(names)
    forms = [("deb", lambda package: deb(package, packages))] + ([] if only_deb else [("pkg.tar.zst", pacman), ("rpm", rpm)])
    for index, package in enumerate(packages):
        suffix, form = forms[index % len(forms)]
        name = f"{directory}/{package}.{suffix}"
        with open(name, "wb") as file:
            file.write(form(package))
        print(name)


if __name__ == "__main__":
    main()
