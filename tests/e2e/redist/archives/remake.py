# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""remake.py RELEASE PACKAGES LAB DIRECTORY small|toolkit|full: archives in NVIDIA's form and their manifest, see README.md.

PACKAGES has Debian's packages as ARCHITECTURE/NAME_*.deb. `remake.py --list RELEASE small|toolkit|full` prints the packages that it needs, as
PLATFORM ARCHITECTURE NAME[|NAME].
"""
import fnmatch
import glob
import hashlib
import io
import json
import lzma
import os
import sys
import tarfile
import tomllib

from debs import Deb

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORMS = {"linux-x86_64": ("amd64", "x86_64-linux-gnu"), "linux-sbsa": ("arm64", "aarch64-linux-gnu"),
             "linux-ppc64le": ("ppc64el", "powerpc64le-linux-gnu")}
PROFILE = """
TOP              = $(_HERE_)/..

NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice

LD_LIBRARY_PATH += $(TOP)/lib:
PATH            += $(TOP)/nvvm/bin:$(_HERE_):

INCLUDES        +=  "-I$(TOP)/$(_TARGET_DIR_)/include" $(_SPACE_)

LIBRARIES        =+ $(_SPACE_) "-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)/stubs" "-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)"

CUDAFE_FLAGS    +=
PTXAS_FLAGS     +=
"""
PKG_CONFIG = """cudaroot=/usr/local/cuda-{release}
libdir=${{cudaroot}}/targets/{target}/lib
includedir=${{cudaroot}}/targets/{target}/include

Name: {name}
Description: {description}
Version: {release}
Libs: -L${{libdir}} -l{name}
Cflags: -I${{includedir}}
"""


def platforms_of(package, release, size):
    """Which platforms of a package are made."""
    label = release["label"]
    if label not in package["versions"]:
        return []
    if size == "small" and "libraries" in release:
        return release["libraries-platforms"] if package["key"] in release["libraries"] else []
    if size != "full":
        return package.get("small", [])
    return package.get("platforms-of", {}).get(label, package.get("platforms", list(PLATFORMS)))


class Sources:
    """Debian's packages of one platform, opened when they are needed."""

    def __init__(self, directory, platform, toolkit):
        self.architecture, self.triple = PLATFORMS[platform]
        self.directory, self.toolkit, self.opened = directory, toolkit, {}

    def open(self, names):
        for name in names.split("|"):
            if name in self.opened:
                return self.opened[name]
            if found := glob.glob(f"{self.directory}/{self.architecture}/{name}_*.deb"):
                self.opened[name] = Deb(found[0])
                return self.opened[name]
        return None

    def files(self, names, base):
        """Path below `base` -> (entry of a tar archive, function that opens its content)."""
        if names == "lab":
            return self.lab_files(os.path.join(self.toolkit, base))
        deb = self.open(names)
        base = base.replace("LIB", "usr/lib/" + self.triple) + "/"
        return {} if deb is None else {path.removeprefix(base): (entry, lambda entry=entry: deb.content(entry))
                                       for path, entry in deb.entries.items() if path.startswith(base)}

    @staticmethod
    def lab_files(top):
        found = {}
        for directory, _, names in os.walk(top):
            for name in names:
                path = os.path.join(directory, name)
                entry = tarfile.TarInfo()
                entry.size, entry.mode = os.path.getsize(path), 0o644
                found[os.path.relpath(path, top)] = (entry, lambda path=path: open(path, "rb"))
        return found


def text(content):
    entry = tarfile.TarInfo()
    entry.size, entry.mode = len(content.encode()), 0o644
    return entry, lambda: io.BytesIO(content.encode())


def licence(sources):
    """Debian's description of the copyright; NVIDIA's archives have the text of its licence."""
    deb = sources.open("libnvjpeg12|libnvjpeg11")
    path = next(path for path in deb.entries if path.endswith("/copyright"))
    return text(deb.content(deb.entries[path]).read().decode())


def rows(package, platform, table, release, size):
    """Which rows of its files are used: of another machine no programs, if nothing runs them."""
    unused = table["unused"]
    for row in package["files"]:
        if size != "full" and row[0] not in package.get("small-directories", [row[0]]):
            continue
        if size != "full" and (row[0] in unused["foreign"] and platform != "linux-x86_64" or row[3] in unused["files"]):
            continue
        if size != "small" or row[1] not in release.get("without", []):
            yield row


def contents(used, sources, claimed):
    """Path in the archive -> file, of the files that no earlier package has."""
    found = {}
    for to, names, base, *patterns in used:
        for path, file in sources.files(names, base).items():
            key = (names, base.replace("LIB", "usr/lib/" + sources.triple) + "/" + path)
            if key not in claimed and any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
                claimed.add(key)
                found[f"{to}/{path}"] = file
    return found


def add_written(package, found, label, platform, sources):
    """What is not in Debian's packages in NVIDIA's form."""
    release, target = ".".join(label.split(".")[:2]), platform.removeprefix("linux-") + "-linux"
    found["LICENSE"] = licence(sources)
    if package.get("profile") and "bin/nvcc" in found:
        found["bin/nvcc.profile"] = text(PROFILE)
    if package.get("pkg-config"):
        for name, description in (("cuda", "CUDA Driver Library"), ("cudart", "CUDA Runtime Library")):
            found[f"pkg-config/{name}-{release}.pc"] = text(
                PKG_CONFIG.format(release=release, target=target, name=name, description=description))


def pack(path, top, found):
    """The same files give the same bytes: sorted, owned by root, of one time. The fastest compression."""
    with lzma.open(path, "wb", preset=0) as packed, tarfile.open(fileobj=packed, mode="w:", format=tarfile.GNU_FORMAT) as tar:
        directories = {top} | {os.path.dirname(f"{top}/{name}") for name in found}
        for directory in list(directories):
            while directory := os.path.dirname(directory):
                directories.add(directory)
        for name in sorted(directories | {f"{top}/{name}" for name in found}):
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.uname, entry.gname = 1712102400, "root", "root"
            if name in directories:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
                continue
            source, opened = found[name.removeprefix(top + "/")]
            if source.issym():
                entry.type, entry.linkname = tarfile.SYMTYPE, source.linkname.replace("lib/nvidia-cuda-toolkit/", "")
                tar.addfile(entry)
                continue
            entry.size, entry.mode = source.size, source.mode & 0o755
            with opened() as content:
                tar.addfile(entry, content)


def entry_of(path, relative):
    content = open(path, "rb").read()
    return {"relative_path": relative, "sha256": hashlib.sha256(content).hexdigest(),
            "md5": hashlib.md5(content).hexdigest(), "size": str(len(content))}


def remake(table, release, packages, lab, to, size):
    label = release["label"]
    manifest = {"release_date": release["date"], "release_label": label, "release_product": "cuda"}
    entries = {}
    for platform in PLATFORMS:
        sources, claimed = Sources(packages, platform, f"{lab}/{release['toolkit']}"), set()
        for package in table["package"]:
            key, version = package["key"], package["versions"].get(label)
            found = contents(rows(package, platform, table, release, size), sources, claimed)
            if platform not in platforms_of(package, release, size) or not found:
                continue
            add_written(package, found, label, platform, sources)
            top = f"{key}-{platform}-{version}-archive"
            relative = f"{key}/{platform}/{top}.tar.xz"
            os.makedirs(os.path.dirname(f"{to}/{relative}"), exist_ok=True)
            pack(f"{to}/{relative}", top, found)
            entries.setdefault(key, {"name": package["name"], "license": "CUDA Toolkit", "license_path": f"{key}/LICENSE.txt",
                                     "version": version})[platform] = entry_of(f"{to}/{relative}", relative)
    manifest.update(sorted(entries.items()))
    with open(f"{to}/redistrib_{label}.json", "w", encoding="ascii") as file:
        json.dump(manifest, file, indent=4)
        file.write("\n")


def needed(table, release, size):
    """(platform, architecture, package[|package]) of everything that is read."""
    found = set()
    for package in table["package"]:
        for platform in platforms_of(package, release, size):
            names = {row[1] for row in rows(package, platform, table, release, size)} | {"libnvjpeg12|libnvjpeg11"}
            found |= {(platform, PLATFORMS[platform][0], each) for each in names if each != "lab"}
    return sorted(found)


def main(arguments):
    with open(f"{HERE}/contents.toml", "rb") as file:
        table = tomllib.load(file)
    releases = {each["label"]: each for each in table["release"]}
    if arguments[0] == "--list":
        for row in needed(table, releases[arguments[1]], arguments[2]):
            print(*row)
        return
    label, packages, lab, to, size = arguments
    remake(table, releases[label], packages, lab, to, size)


if __name__ == "__main__":
    main(sys.argv[1:])
