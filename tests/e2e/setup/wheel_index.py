# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wheel_index.py INDEX SITE|RELEASE: a package index (PEP 503) in a directory, for python3 -m http.server, with NVIDIA's compiler wheels: those
that are installed in a site-packages, packed again, or small ones without a program; and the metapackage that requires them."""
import base64
import hashlib
import os
import re
import sys
import zipfile

EXTRAS = {"nvidia-cuda-nvcc": "nvcc", "nvidia-cuda-crt": "crt", "nvidia-nvvm": "nvvm", "nvidia-cuda-runtime": "cudart",
          "nvidia-cuda-nvrtc": "nvrtc", "nvidia-cuda-cccl": "cccl", "nvidia-cublas": "cublas"}


def metadata(name, version, requires=()):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    extras = sorted({extra for _, extra in requires})
    lines += [f"Provides-Extra: {extra}" for extra in extras]
    lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement, extra in requires]
    return "\n".join(lines) + "\n"


class Index:
    def __init__(self, root):
        self.root = root
        os.makedirs(f"{root}/files", exist_ok=True)

    def page(self, name, links):
        os.makedirs(f"{self.root}/simple/{name}", exist_ok=True)
        with open(f"{self.root}/simple/{name}/index.html", "w") as page:
            page.write("<!DOCTYPE html>\n" + "".join(f"{link}<br>\n" for link in links))

    def add(self, name, version, files, requires=(), modes=()):
        """A wheel of files: paths and bytes, or the paths of files with those bytes."""
        distribution = name.replace("-", "_")
        info = f"{distribution}-{version}.dist-info"
        files = dict(files)
        files.setdefault(f"{info}/METADATA", metadata(name, version, requires).encode())
        files.setdefault(f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.pop(f"{info}/RECORD", None)
        wheel = f"{distribution}-{version}-py3-none-any.whl"
        record = []
        with zipfile.ZipFile(f"{self.root}/files/{wheel}", "w") as archive:
            for path, content in sorted(files.items()):
                executable = path in modes
                if isinstance(content, str):
                    executable = os.access(content, os.X_OK)
                    with open(content, "rb") as file:
                        content = file.read()
                entry = zipfile.ZipInfo(path, (2025, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100755 if executable else 0o100644) << 16
                archive.writestr(entry, content)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                record.append(f"{path},sha256={digest},{len(content)}\n")
            archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
        with open(f"{self.root}/files/{wheel}", "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()
        self.page(name, [f'<a href="../../files/{wheel}#sha256={digest}">{wheel}</a>'])

    def metapackage(self, versions):
        nvcc = versions["nvidia-cuda-nvcc"]
        self.add("cuda-toolkit", ".".join(nvcc.split(".")[:2]) + ".1", {},
                 [(f"{name}=={version}.*", EXTRAS[name]) for name, version in versions.items() if name in EXTRAS])


def installed(index, site):
    versions = {}
    for info in sorted(os.listdir(site)):
        found = re.fullmatch(r"(.+)-([^-]+)\.dist-info", info)
        name = found and found[1].replace("_", "-")
        if name not in EXTRAS:
            continue
        with open(f"{site}/{info}/RECORD") as record:
            paths = [line.rsplit(",", 2)[0] for line in record]
        paths = [path for path in paths if os.path.basename(path) not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")]
        index.add(name, found[2], {path: f"{site}/{path}" for path in paths})
        versions[name] = found[2]
    if "nvidia-cuda-nvrtc" not in versions: # no program needs it to be built
        versions["nvidia-cuda-nvrtc"] = versions["nvidia-cuda-nvcc"]
        index.add("nvidia-cuda-nvrtc", versions["nvidia-cuda-nvrtc"], {"nvidia/cu13/lib/libnvrtc.txt": b""})
    index.metapackage(versions)


def small(index, release):
    versions = {name: f"{release}.{number}" for number, name in enumerate(EXTRAS, 20)}
    for name, version in versions.items():
        index.add(name, version, {f"nvidia/cu13/{EXTRAS[name]}": name.encode()})
    index.metapackage(versions)


if __name__ == "__main__":
    (installed if os.path.isdir(sys.argv[2]) else small)(Index(sys.argv[1]), sys.argv[2])
