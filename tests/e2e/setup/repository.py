# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""repository.py rpm|pacman DIRECTORY KEY COMPILER NAME VERSION: a repository in DIRECTORY that the real clients read, made by rpmbuild, rpmsign
and createrepo_c, or by repo-add. It has the installed package COMPILER of Debian with all that it depends on, repacked: what is the
compiler's own as NAME-VERSION, the C library as glibc and glibc-devel, binutils, and the rest as compiler-libs, each of which requires what
it needs. All are signed with KEY of the GnuPG directory in GNUPGHOME."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import repack

RELEASE = "1"


def parts(compiler):
    """Names of packages, with those of Debian that are in each and those that each requires."""
    major = compiler.rsplit("-", 1)[1]
    own = re.compile(rf"(g\+\+|gcc|cpp|libgcc|libstdc\+\+|clang|llvm|libclang.*|libllvm)-?{re.escape(major)}.*")
    groups = {"compiler": [], "binutils": [], "glibc": [], "glibc-devel": [], "compiler-libs": []}
    for package in repack.closure([compiler]):
        name = ("compiler" if own.fullmatch(package) else "binutils" if "binutils" in package else "glibc" if package == "libc6"
                else "glibc-devel" if package in ("libc6-dev", "linux-libc-dev", "libcrypt-dev") else "compiler-libs")
        groups[name].append(package)
    requires = {"compiler": ["binutils", "glibc-devel", "compiler-libs"], "binutils": ["compiler-libs"], "glibc": [],
                "glibc-devel": ["glibc"], "compiler-libs": ["glibc"]}
    return groups, requires


def files(packages):
    """Files and links; a directory that is a link on this machine belongs to no package."""
    seen = {}
    for package in packages:
        for path in repack.files(package):
            if os.path.islink(path) or os.path.isfile(path):
                if os.path.dirname(os.path.realpath(os.path.dirname(path))) and path not in ("/lib", "/lib64", "/bin", "/sbin"):
                    seen[os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path)] = None
    return list(seen)


def copy(paths, root):
    for path in paths:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        try:
            os.link(path, root + path, follow_symlinks=False)
        except OSError: # another file system
            shutil.copy2(path, root + path, follow_symlinks=False)


def rpm(directory, key, name, version, paths, requires):
    with tempfile.TemporaryDirectory() as top:
        root = top + "/root"
        copy(paths, root)
        spec = f"Name: {name}\nVersion: {version}\nRelease: {RELEASE}\nSummary: repacked for a test\nLicense: GPL-3.0-or-later\nAutoReqProv: no\n"
        spec += "".join(f"Requires: {each}\n" for each in requires)
        spec += "%description\nRepacked for a test.\n%files\n" + "".join(f'"{each}"\n' for each in paths)
        with open(top + "/spec", "w", encoding="utf-8") as file:
            file.write(spec)
        defines = {"_topdir": top, "_rpmdir": directory, "_build_name_fmt": "%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm",
                   "_binary_payload": "w1T0.zstdio", "__os_install_post": "%{nil}", "_build_id_links": "none", "debug_package": "%{nil}"}
        options = [word for each in defines.items() for word in ("--define", " ".join(each))]
        subprocess.run(["rpmbuild", "-bb", "--quiet", "--noclean", *options, "--buildroot", root, top + "/spec"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish_rpm(directory, key):
    packages = [f"{directory}/{each}" for each in os.listdir(directory) if each.endswith(".rpm")]
    subprocess.run(["rpmsign", "--define", f"_gpg_name {key}", "--define", f"__gpg {shutil.which('gpg')}", "--addsign", *packages], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["createrepo_c", "--quiet", directory], check=True)
    subprocess.run(["gpg", "--batch", "--local-user", key, "--armor", "--detach-sign", directory + "/repodata/repomd.xml"], check=True)


def pacman(directory, key, name, version, paths, requires):
    with tempfile.TemporaryDirectory() as top:
        copy(paths, top)
        with open(top + "/.PKGINFO", "w", encoding="utf-8") as file:
            file.write(f"pkgname = {name}\npkgver = {version}-{RELEASE}\npkgdesc = repacked for a test\npackager = A test <{key}>\nbuilddate = 0\nsize = 0\n"
                       "arch = x86_64\nlicense = GPL-3.0-or-later\n" + "".join(f"depend = {each}\n" for each in requires))
        package = f"{directory}/{name}-{version}-{RELEASE}-x86_64.pkg.tar.zst"
        subprocess.run(f"tar -C '{top}' -c .PKGINFO $(ls '{top}') | zstd -1 -q -T0 -o '{package}'", shell=True, check=True)
        subprocess.run(["gpg", "--batch", "--local-user", key, "--detach-sign", package], check=True)


def finish_pacman(directory, key):
    packages = [f"{directory}/{each}" for each in os.listdir(directory) if each.endswith(".zst")]
    subprocess.run(["repo-add", "--quiet", directory + "/test.db.tar.gz", *packages], check=True, stdout=subprocess.DEVNULL)


def main():
    form, directory, key, compiler, name, version = sys.argv[1:]
    make, finish = {"rpm": (rpm, finish_rpm), "pacman": (pacman, finish_pacman)}[form]
    groups, requires = parts(compiler)
    os.makedirs(directory)
    for each, packages in groups.items():
        make(os.path.abspath(directory), key, name if each == "compiler" else each, version, files(packages), requires[each])
    finish(directory, key)


if __name__ == "__main__":
    main()
