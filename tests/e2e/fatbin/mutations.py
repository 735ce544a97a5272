# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutations.py HOSTPIN LOADER LIBRARY SLICE KEPT OTHER FIRST COUNT WORKERS: runs slim, merge and repack on mutations of a library.

Each has to be refused with exit code 1 or 2 and a message, or to write a file that loads where its input loads, and that `hostpin fatbin
prove` accepts where it accepts the input compared with itself. A mutation depends on its number alone. Bytes that are executed are not
changed, and neither are tables of hashes and versions, because the loader searches past the end of damaged ones, in whatever follows them.
Mutations that break a rule stay in the current directory, as NUMBER.so.
"""
import concurrent.futures, os, random, shutil, struct, subprocess, sys, tempfile

hostpin, loader, library, slice_, kept, other = sys.argv[1:7]
first, count, workers = map(int, sys.argv[7:10])
source = open(library, 'rb').read()
LIMIT = 60  # seconds, on a loaded machine


def fields(begin, size, layout):
    """The fields of a table's rows, as (offset, size)."""
    row = sum(layout)
    for at in range(begin, begin + size - row + 1, row):
        for width in layout:
            yield at, width
            at += width


def tables(data):
    """By name, the fields that can be changed, and the rows of those tables in which rows can change places."""
    phoff, shoff = struct.unpack_from('<QQ', data, 32)
    phnum, _, shnum, shstrndx = struct.unpack_from('<HHHH', data, 56)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, shoff + 64 * i) for i in range(shnum)]
    names = sections[shstrndx][4]
    named = {data[names + s[0]:data.index(b'\0', names + s[0])].decode(): s for s in sections}
    all_of = {
        'ELF header': list(fields(0, 64, (4, 1, 1, 1, 1, 8, 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2))),
        'program header': list(fields(phoff, 56 * phnum, (4, 4, 8, 8, 8, 8, 8, 8))),
        'section header': list(fields(shoff, 64 * shnum, (4, 4, 8, 8, 8, 8, 4, 4, 8, 8))),
    }
    rows = {'program header': (phoff, 56, phnum), 'section header': (shoff, 64, shnum)}
    segment, fatbins = named['.nvFatBinSegment'], named['.nv_fatbin']
    all_of['wrapper'] = list(fields(segment[4], segment[5], (4, 4, 8, 8)))
    for name, layout in (('.dynamic', (8, 8)), ('.rela.dyn', (8, 4, 4, 8)), ('.relr.dyn', (8,)), ('.dynsym', (4, 1, 1, 2, 8, 8))):
        if name in named:
            offset, size = named[name][4:6]
            all_of[name] = list(fields(offset, size, layout))
            rows[name] = (offset, sum(layout), size // sum(layout))
    if '.rela.dyn' in named:  # those of wrappers
        offset, size = named['.rela.dyn'][4:6]
        at = [row for row in range(offset, offset + size - 23, 24)
              if segment[3] <= struct.unpack_from('<Q', data, row)[0] < segment[3] + segment[5]]
        all_of['relocation of a wrapper'] = [one for row in at for one in fields(row, 24, (8, 4, 4, 8))]
    device = data[fatbins[4]:fatbins[4] + fatbins[5]]
    headers, entries, at = [], [], device.find(b'\x50\xed\x55\xba')
    while at >= 0:
        begin = fatbins[4] + at
        _, size, content = struct.unpack_from('<HHQ', data, begin + 4)
        headers += fields(begin, 16, (4, 2, 2, 8))
        entry = begin + size
        while entry + 64 <= begin + size + content:
            header, length = struct.unpack_from('<IQ', data, entry + 4)
            entries += fields(entry, 64, (2, 2, 4, 8, 4, 4, 4, 4, 8, 8, 8, 8))
            entry += header + length
        at = device.find(b'\x50\xed\x55\xba', at + 1)
    all_of['fatbin'], all_of['entry of a fatbin'] = headers, entries
    all_of['device code'] = [(fatbins[4], fatbins[5])]
    null, hashes, no_bytes, gnu_hashes, definitions, needs, versions = 0, 5, 8, 0x6ffffff6, 0x6ffffffd, 0x6ffffffe, 0x6fffffff
    left_out, executable = (null, hashes, no_bytes, gnu_hashes, definitions, needs, versions), 4
    all_of['bytes'] = [(s[4], s[5]) for s in sections if s[1] not in left_out and s[5] and not s[2] & executable]
    return {name: of for name, of in all_of.items() if of}, {name: row for name, row in rows.items() if row[2] > 1}


every, with_rows = tables(source)
kinds = list(every) + ['exchanged rows', 'cut', 'appended', 'zeros']


def changed_value(chance, data, at, width, alike):
    old = int.from_bytes(data[at:at + width], 'little')
    neighbour, its_width = chance.choice(alike)
    return chance.choice([
        0, -1, old ^ 1 << chance.randrange(8 * width), old + 1, old - 1, old + 8, old - 8, old + 4096, old - 4096, 2 * old,
        len(data), chance.getrandbits(8 * width), int.from_bytes(data[neighbour:neighbour + its_width], 'little'),
    ]) & ((1 << 8 * width) - 1)


def mutate(chance, data):
    """Changes data in one way; what it did, as text."""
    kind = chance.choice(kinds)
    if kind == 'cut':
        size = chance.randrange(len(data))
        del data[size:]
        return f'cut to {size} bytes'
    if kind == 'appended':
        data += chance.randbytes(chance.choice([1, 28, 4096]))
        return 'bytes appended'
    if kind == 'exchanged rows':
        name = chance.choice(list(with_rows))
        begin, size, number = with_rows[name]
        a, b = (begin + size * i for i in chance.sample(range(number), 2))
        data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]
        return f'exchanged {name} at {a:#x} and {b:#x}'
    at, width = chance.choice(every['bytes' if kind == 'zeros' else kind])
    if kind in ('device code', 'bytes', 'zeros'):
        at += chance.randrange(width)
        width = min(at + (chance.choice([8, 64, 512]) if kind == 'zeros' else 1), len(data)) - at
        data[at:at + width] = bytes(width) if kind == 'zeros' else chance.randbytes(width)
        return f'{kind} at {at:#x}'
    alike = [one for one in every[kind] if one[1] == width]
    value = changed_value(chance, data, at, width, alike)
    data[at:at + width] = value.to_bytes(width, 'little')
    return f'{kind} at {at:#x}: {value:#x}'


def mutated(number):
    chance, data, what = random.Random(number), bytearray(source), []
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        try:
            what.append(mutate(chance, data))
        except (IndexError, OverflowError, ValueError):  # of what an earlier one cut off
            pass
        if len(data) < len(source):
            break
    return bytes(data), '; '.join(what)


def run(*command):
    """The exit code, and standard error; the code is None where it does not end."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT)
        return done.returncode, done.stderr.decode(errors='replace')
    except subprocess.TimeoutExpired:
        return None, ''


def loads(path):
    return run(loader, path)[0] == 0


def proves(before, after, gpus):
    code, text = run(hostpin, 'fatbin', 'prove', before, after, '--gpus', gpus)
    return code, text


class Case:
    """One mutation and the files of it, in a directory."""

    def __init__(self, number, directory):
        self.number, self.directory = number, directory
        self.counts = dict.fromkeys(('mutations', 'refused', 'outputs', 'loading', 'proved'), 0)
        self.counts['mutations'] = 1
        self.broken = []

    def check(self):
        data, self.what = mutated(self.number)
        self.input = os.path.join(self.directory, 'input.so')
        with open(self.input, 'wb') as file:
            file.write(data)
        self.loads = None
        self.itself = {}
        for command, gpus in ((('slim', self.input, '--keep', kept), kept), (('merge', self.input, slice_), f'{kept};{other}'),
                              (('repack', self.input, '--compress', 'none'), f'{kept};{other}')):
            self.one(command, gpus)
        if self.broken:
            shutil.copy(self.input, f'{self.number}.so')
        return self

    def one(self, command, gpus):
        output = os.path.join(self.directory, f'{command[0]}.so')
        code, text = run(hostpin, 'fatbin', *command, '-o', output)
        if code in (1, 2) and text.strip() and not os.path.exists(output):
            self.counts['refused'] += 1
            return
        if code != 0 or not os.path.exists(output):
            self.breaks(command, f'exit code {code}, {"an" if os.path.exists(output) else "no"} output; {text[-300:]}')
            return
        self.counts['outputs'] += 1
        self.compare(command, output, gpus)
        os.unlink(output)

    def compare(self, command, output, gpus):
        if self.loads is None:
            self.loads = loads(self.input)
        if self.loads:
            if loads(output):
                self.counts['loading'] += 1
            # Addresses are random, so that some files load now and then.
            elif all(loads(self.input) for _ in range(9)) and not any(loads(output) for _ in range(9)):
                self.breaks(command, 'its input loads, and its output does not: ' + run(loader, output)[1])
        if gpus not in self.itself:
            self.itself[gpus] = proves(self.input, self.input, gpus)[0]
        if self.itself[gpus] not in (0, 1, 2):
            self.breaks(command, f'prove ends with {self.itself[gpus]} for the input and itself')
        if self.itself[gpus] == 0:
            code, text = proves(self.input, output, gpus)
            if code == 0:
                self.counts['proved'] += 1
            else:
                self.breaks(command, f'prove ends with {code}: {text[-600:]}')

    def breaks(self, command, text):
        self.broken.append(f'{self.number} ({self.what}), {command[0]}: {text.strip()}')


def check(number):
    with tempfile.TemporaryDirectory(dir='.') as directory:
        return Case(number, directory).check()


total, broken = {}, 0
with concurrent.futures.ThreadPoolExecutor(workers) as pool:
    for case in pool.map(check, range(first, first + count)):
        for name, value in case.counts.items():
            total[name] = total.get(name, 0) + value
        for text in case.broken:
            broken += 1
            print(text, flush=True)
print(', '.join(f'{value} {name}' for name, value in total.items()))
sys.exit(1 if broken else 0)
