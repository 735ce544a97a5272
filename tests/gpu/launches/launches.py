#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the NVIDIA driver loads of a fatbin, measured on the GPU of this machine: see README.md of the folder above.

launches.py [TABLE]: launches a kernel for each row of the table that was measured on such a GPU, and prints the row with what was
measured. Exit 1: a row differs. `?` as a result is a row to measure first. LAUNCHES_VERBOSE=1 prints each way to launch it.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
default_table = os.path.join(here, "../../unit/toolchains/fatbin/launches.txt")
name_of_entry = re.compile(r"(sm|compute|lto)_(\d+[af]?)(?:@([\d.]+))?((?:\+[\w.]+)*)")

PTX = """.version {isa}
.target sm_{sm}
.address_size 64
.visible .entry who(.param .u64 out) {{
  .reg .b64 %rd<3>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, {number};
  st.global.u32 [%rd2], %r1;
  ret;
}}
"""


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def environment_of(pairs, **more):
    return dict(os.environ, CUDA_CACHE_DISABLE="1", **dict(pair.split("=") for pair in pairs), **more)


def first_isa(sm):
    """The oldest PTX ISA version, of those that ptxas of 13.0 reads, that knows the target."""
    digits = int(re.match(r"\d+", sm)[0])
    if not sm.isdigit():
        return "8.0" if digits == 90 else "8.8"
    return "6.0" if digits < 75 else "7.0" if digits <= 80 else "7.8" if digits <= 90 else "8.8"


class Maker:
    """Makes a fatbin."""

    def __init__(self, folder):
        self.folder = folder

    def fatbin(self, entries, name):
        """A file with these entries in this order; the kernel of each writes its number."""
        content = b"".join(self.entry(text, i + 1) for i, text in enumerate(entries))
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(b"\x50\xed\x55\xba\x01\x00\x10\x00" + len(content).to_bytes(8, "little") + content)
        return path

    def entry(self, text, number):
        kind, sm, isa, options = name_of_entry.fullmatch(text).groups()
        options = options.split("+")[1:]
        stem = os.path.join(self.folder, f"{text}.{number}")
        image = getattr(self, kind)(stem, sm, isa or first_isa(sm), number, options)
        mode = "size" if "zstd" in options else "speed" if "lz4" in options else "none"
        run("fatbinary", "--create", stem + ".fatbin", "-64", "--compress-all", "--compress-mode", mode, "--image3=" + image)
        with open(stem + ".fatbin", "rb") as file:
            entry = bytearray(file.read()[16:])
        if "family" in options:  # in the header only: nvcc has no such code for 9.0
            entry[0x2A] = entry[0x2A] & ~0x10 | 0x20
        if "kind16" in options:
            entry[0] = 16
        return bytes(entry)

    def compute(self, stem, sm, isa, number, _):
        with open(stem + ".ptx", "w") as file:
            file.write(PTX.format(isa=isa, sm=sm, number=number))
        return f"kind=ptx,sm={sm},file={stem}.ptx"

    def sm(self, stem, sm, isa, number, options):
        self.compute(stem, sm, isa, number, options)
        run("ptxas", "-arch", f"sm_{sm}", *(["-c"] if "relocatable" in options else []), stem + ".ptx", "-o", stem + ".cubin")
        return f"kind=elf,sm={sm},file={stem}.cubin"

    def lto(self, stem, sm, _, number, __):
        with open(stem + ".cu", "w") as file:
            file.write(f'extern "C" __global__ void who(int* out) {{ *out = {number}; }}\n')
        run("nvcc", "-ltoir", "-rdc=true", f"-gencode=arch=compute_{sm},code=lto_{sm}", stem + ".cu", "-o", stem + ".ltoir")
        return f"kind=nvvm,sm={sm},file={stem}.ltoir"


def flags(entries):
    return ["-gencode=arch=compute_%s,code=%s" % (name_of_entry.fullmatch(e)[2], e.split("+")[0]) for e in entries]


class Row:
    def __init__(self, number, match, gpu, driver):
        self.name = str(number)
        self.source, environment, entries, self.expected = match
        self.environment, self.entries = environment.split(), entries.split()
        self.line = f"{self.source} {gpu} {driver}{environment}: {entries}=>"
        self.ways, self.crashed = {}, False

    def measure(self, folder):
        maker = Maker(tempfile.mkdtemp(dir=folder))
        try:
            self.run_linked(folder) if self.source == "linked" else self.run_fatbin(folder, maker)
        except subprocess.CalledProcessError as error:
            self.ways["not made"] = f"{error}"

    def run_fatbin(self, folder, maker):
        path = maker.fatbin(self.entries, self.name + ".row")
        for mode in ("LAZY", "EAGER"):
            self.launch(os.path.join(folder, "launch"), path, mode)
        if self.nvcc_makes():
            program = os.path.join(folder, self.name + ".program")
            run("nvcc", "-o", program, *flags(self.entries), os.path.join(here, "who.cu"))
            self.run_program(program, "LAZY")

    def launch(self, launch, path, mode):
        done = subprocess.run([launch, path], env=environment_of(self.environment, CUDA_MODULE_LOADING=mode), text=True, stdout=subprocess.PIPE)
        words = done.stdout.split()
        self.crashed = self.crashed or done.returncode != 0
        for way, result in zip(words[1::2], words[2::2]):
            self.ways[f"{way} {mode}"] = result

    def run_program(self, program, mode):
        """The number of the entry of the capability that the program printed."""
        ran = run(program, env=environment_of(self.environment, CUDA_MODULE_LOADING=mode)).strip()
        fitting = [i + 1 for i, e in enumerate(self.entries) if name_of_entry.fullmatch(e)[2] == ran]
        mine = [w for w in self.ways.values() if w.isdigit() and int(w) in fitting]
        self.ways["program " + mode] = ran if ran.startswith("!") or not fitting else mine[0] if mine else str(fitting[-1])

    def nvcc_makes(self):
        """nvcc makes no two of a capability, and no code of other options."""
        pattern = r"(sm|compute)_(75|[89]\d|90a|1\d\d)"
        return self.entries and len(set(self.entries)) == len(self.entries) and all(re.fullmatch(pattern, e) for e in self.entries)

    def run_linked(self, folder):
        """A program of two files by a device link. `+unlinked` is in the objects only, `+link` in the link only."""
        objects, compiled = [], [e for e in self.entries if "+link" not in e]
        for source in ("linked.cu", "value.cu"):
            objects.append(os.path.join(folder, f"{self.name}.{source}.o"))
            run("nvcc", "-dc", *flags(compiled), os.path.join(here, source), "-o", objects[-1])
        program = os.path.join(folder, self.name + ".program")
        linked = [e for e in self.entries if "+unlinked" not in e and not e.startswith("lto")]
        lto = ["-dlto"] if any(e.startswith("lto") for e in compiled) else []
        run("nvcc", "-o", program, *lto, *flags(linked), *objects)
        for mode in ("LAZY", "EAGER"):
            self.run_program(program, mode)

    def result(self):
        """The number of the entry that all ways ran, or none."""
        results = {"none" if r.startswith("!") else r for r in self.ways.values()}
        return "crash" if self.crashed else results.pop() if len(results) == 1 else "differ"


def rows_of(path, gpu, driver):
    for number, line in enumerate(open(path)):
        match = re.fullmatch(r"(\S+) (\S+) \S+((?: \w+=\w+)*): (.*)=> (\S+)", line.rstrip("\n"))
        if not line.startswith("#") and match and match[1] != "documented" and match[2] == gpu:
            yield Row(number, (match[1], match[3], match[4], match[5]), gpu, driver)


def main():
    table = sys.argv[1] if len(sys.argv) > 1 else default_table
    query = run("nvidia-smi", "--query-gpu=compute_cap,driver_version", "--format=csv,noheader").splitlines()[0]
    gpu, driver = query.replace(" ", "").split(",")
    folder = tempfile.mkdtemp()
    run("nvcc", "-o", os.path.join(folder, "launch"), os.path.join(here, "launch.cpp"), "-lcuda")
    rows, wrong = list(rows_of(table, gpu, driver)), 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda row: row.measure(folder), rows))
    for row in rows:
        bad = row.expected not in ("?", row.result()) or row.result() in ("differ", "crash")
        wrong += bad
        print(row.line, row.result())
        if bad or "LAUNCHES_VERBOSE" in os.environ:
            print("#  ", *(f"{way}: {r}" for way, r in row.ways.items()))
    print(f"# {len(rows)} launches, {wrong} differ")
    shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
