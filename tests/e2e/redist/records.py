#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A toolkit that was unpacked from Python wheels, as archives in a store, and a composed tree compared with the wheels' own records.

records.py store TOOLKIT STORE LOCK [PACKAGE...]   trees of the packages (default: all), and a lock of them
records.py compare TOOLKIT COMPOSED                every file against owner, SHA-256 and size in the RECORD that lists it
"""
import base64
import csv
import hashlib
import json
import os
import pathlib
import shutil
import sys

PLATFORM = "linux-x86_64"
# Names of wheels where the manifest's name of the package is another.
NAMES = {
    "cuda_runtime": "cuda_cudart", "cublas": "libcublas", "cufft": "libcufft", "curand": "libcurand", "cusolver": "libcusolver",
    "cusparse": "libcusparse", "nvjitlink": "libnvjitlink", "nvvm": "libnvvm", "nvtx": "cuda_nvtx", "cudnn_cu13": "cudnn",
    "nccl_cu13": "nccl",
}


def records(toolkit):
    """Package, version, and path below the archive -> (sha256, size)."""
    for directory in sorted((toolkit / "dist-info").iterdir()):
        name, version = directory.name.removesuffix(".dist-info").rsplit("-", 1)
        name = name.removeprefix("nvidia_")
        files = {}
        with open(directory / "RECORD", newline="") as record:
            for path, digest, size in csv.reader(record):
                parts = path.split("/")
                if parts[0] != "nvidia" or parts[2] not in ("bin", "include", "lib", "nvvm") or not size:
                    continue
                encoded = digest.removeprefix("sha256=")
                files["/".join(parts[2:])] = (base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).hex(), int(size))
        yield NAMES.get(name, name), version, files


def nar(path, feed):
    """Feeds the Nix archive of a tree, whose SHA-256 names the tree in a store."""

    def text(data):
        feed(len(data).to_bytes(8, "little") + data + bytes(-len(data) % 8))

    def node(path):
        text(b"(")
        text(b"type")
        if path.is_symlink():
            for word in (b"symlink", b"target", os.fsencode(os.readlink(path))):
                text(word)
        elif path.is_dir():
            text(b"directory")
            for name in sorted(os.listdir(os.fsencode(path))):
                for word in (b"entry", b"(", b"name", name, b"node"):
                    text(word)
                node(path / os.fsdecode(name))
                text(b")")
        else:
            text(b"regular")
            if path.stat().st_mode & 0o100:
                text(b"executable")
                text(b"")
            text(b"contents")
            text(path.read_bytes())
        text(b")")

    text(b"nix-archive-1")
    node(path)


def make_store(toolkit, store, lock, wanted):
    for name in ("trees", "cas", "tops"):
        (store / name).mkdir(parents=True, exist_ok=True)
    archives = []
    for package, version, files in records(toolkit):
        if wanted and package not in wanted:
            continue
        # No archive was ever there: its digest is that of the record.
        identity = hashlib.sha256(repr((package, version, sorted(files.items()))).encode()).hexdigest()
        tree = store / "cas" / "new"
        for path in files:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(toolkit / path, tree / path)
            # The links that archives have, and wheels do not.
            name = tree / path
            if name.name.startswith("lib") and ".so." in name.name and (toolkit / path).parent.name == "lib":
                link = name.with_name(name.name.split(".so.")[0] + ".so")
                if not os.path.lexists(link):
                    link.symlink_to(name.name)
        digest = hashlib.sha256()
        nar(tree, digest.update)
        tree.rename(store / "cas" / f"sha256-{digest.hexdigest()}")
        os.symlink(f"../cas/sha256-{digest.hexdigest()}", store / "trees" / f"sha256-{identity}")
        (store / "tops" / f"sha256-{identity}").write_text(package)
        archives.append({"product": "cuda", "label": "13.0.2", "package": package, "version": version, "platform": PLATFORM,
                         "path": f"{package}-{version}.tar.xz", "sha256": identity})
    manifest = {"product": "cuda", "label": "13.0.2", "sha256": "0" * 64, "base": "https://example.org/"}
    lock.write_text(json.dumps({"schema": 1, "manifests": [manifest], "archives": archives}))
    print(len(archives), "packages")


def compare(toolkit, composed):
    origin = json.loads((composed / "origin.json").read_text())
    entries = {entry["path"]: entry for entry in origin["entries"]}
    selected = {archive["package"] for archive in origin["archives"]}
    target = "targets/x86_64-linux/"
    wrong, compared = [], 0
    for package, _, files in records(toolkit):
        if package not in selected:
            continue
        for path, (digest, size) in files.items():
            place = target + path if path.split("/")[0] in ("include", "lib") else path
            entry = entries.pop(place, None)
            content = (composed / place).read_bytes() if (composed / place).is_file() else b""
            owner = origin["archives"][entry["archive"]]["package"] if entry and "archive" in entry else None
            compared += 1
            if owner != package or len(content) != size or hashlib.sha256(content).hexdigest() != digest or entry["sha256"] != digest:
                wrong.append(place)
    wrong += [path for path, entry in entries.items() if "link" not in entry and path != "version.json"]
    print(compared, "files compared,", len(wrong), "differ", *wrong[:10])
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    toolkit = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "store":
        make_store(toolkit, pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), set(sys.argv[5:]))
    else:
        sys.exit(compare(toolkit, pathlib.Path(sys.argv[3])))
