#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostile.sh [WORDS]: archives that nobody should unpack are refused, with the reason, and leave nothing. 25 seconds of processor time.
# shellcheck disable=SC2119
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
only=${1:-}
need_hostpin
need_command python3
# shellcheck source=tests/e2e/redist/store/lib.sh
. "$(dirname "$0")/lib.sh"

# refused NAME PATTERN: an archive of archives.py with a right hash, next to one that is right.
refused() {
    local name=$1 pattern=$2
    mkdir -p files
    archives hostile "$name" "files/$name/n.tar.xz"
    archives lock "file://$PWD/files/" files >redist.lock
    call_within 400000 "$hostpin" redist fetch redist.lock --store store
    exits 2
    says "^hostpin: error: $name 1.0 linux-x86_64: $name/n.tar.xz: $pattern" '^0 fetched .*, 0 in the store, 1 failed$'
    ! grep -q $'\033' "$err" || fail 'a control character was printed'
    nothing_left
    absent escaped && absent store/escaped && absent store/tmp/escaped && absent /tmp/hostpin-escaped
}
# What is expected for each one of archives.py.
expected() {
    cat <<'TABLE'
dotdot             the member 'top/\.\./\.\./escaped' leaves its directory by '\.\.'
absolute           the member '/tmp/hostpin-escaped' has an absolute path
link-out           the symbolic link 'top/l' leads to '(\.\./)*tmp/hostpin-escaped', out of the archive's directory
link-absolute      the symbolic link 'top/l' leads to '/etc/passwd', which is not a relative path
link-top           the symbolic link 'top/l' leads to '\.\./f', out of the archive's directory
through-link       a member has a path through the symbolic link 'top/l'
link-of-links      the symbolic link 'top/m' leads to 'a/b/c/up/\.\.', out of the archive's directory
link-loop          the symbolic link 'top/a' leads back to itself
hard-out           the hard link 'top/h' leads to '/etc/passwd', which is not an earlier file
hard-dotdot        the hard link 'top/h' leads to '(\.\./)*tmp/hostpin-escaped', which is not an earlier file
hard-later         the hard link 'top/h' leads to 'top/f', which is not an earlier file
hard-to-link       the hard link 'top/h' leads to 'top/l', which is not an earlier file
device             the member 'top/null' is a device, FIFO or socket
block              the member 'top/disk' is a device, FIFO or socket
fifo               the member 'top/pipe' is a device, FIFO or socket
setuid             the member 'top/su' is setuid, setgid or sticky
setgid             the member 'top/sg' is setuid, setgid or sticky
case               the members 'top/Readme' and 'top/README' differ only in case
case-directory     the members 'top/Lib' and 'top/lib' differ only in case
twice              there are two members 'top/f'
file-and-directory there are two members 'top/f'
newline            the name of the member 'top/a\\nb' contains control characters
escape-sequence    the name of the member 'top/\.\./.*' contains control characters
long               cannot create top/n*: File name too long
empty              it contains no file and no directory
nothing            it is neither a tar\.xz, a tar\.gz, a tar\.zst nor a zip
text               it is neither a tar\.xz, a tar\.gz, a tar\.zst nor a zip
plain-tar          it is neither a tar\.xz, a tar\.gz, a tar\.zst nor a zip
twice-xz           it is (compressed more than once|damaged: )
many               it has more than 100000 members
xz-bomb            it unpacks to more than 268 MB, too much for its size
gz-bomb            it unpacks to more than [0-9]* MB, too much for its size
zip-bomb           it unpacks to more than 268 MB, too much for its size
zst-bomb           it unpacks to more than 268 MB, too much for its size
sparse             it 
zip-dotdot         the member 'top/\.\./\.\./escaped' leaves its directory by '\.\.'
zip-link           the symbolic link 'top/l' leads to '/etc/passwd', which is not a relative path
zip-cut            it is damaged: 
cut                it is damaged: 
cut-gz             it is damaged: 
cut-zst            it is damaged: 
cut-tar            it is damaged: 
damaged            it is damaged: 
TABLE
}
all_are_listed() { same "$(expected | cut -d' ' -f1 | sort)" "$(archives hostile)"; }
a_full_disk() {
    need_mounts
    archives good served
    archives lock "file://$PWD/served/cuda/redist/" served/cuda/redist >redist.lock
    mkdir small
    # Some 12 MB for the archive, and as many for its tree: full while it is downloaded, and while it is unpacked.
    for size in 8m 18m; do
        status=0
        unshare -m sh -c "mount -t tmpfs -o size=$size none small && '$hostpin' redist fetch redist.lock --store small/store
            code=\$?; find small/store/trees small/store/cas small/store/tmp small/store/partial -mindepth 1 -newer redist.lock >left; exit \$code" \
            2>"$err" >"$out" </dev/null || status=$?
        exits 2
        says '^hostpin: error: .* No space left on device' '^hint: free space on the store.s file system, or choose another store, and fetch again$'
        ! grep -E '/tmp/|/partial/|large' left || fail 'it left the above'
    done
}
two_processes_at_once() {
    local first
    need_command nix-hash
    serve
    make_archives
    archives lock "$server/slow/cuda/redist/" "$redist" >redist.lock
    "$hostpin" redist fetch redist.lock --store store 2>first.err &
    first=$!
    fetch redist.lock --store store
    exits 0
    wait "$first" || { cat first.err && fail 'the other one failed'; }
    all_stored
    no_remains
    # Each archive was transferred by one of them.
    same "$(requests .)" 4
    same "$(grep -h '^fetched ' first.err "$err" | sort -u | wc -l)" 4
}
wrong_usage() {
    fetch
    exits 2
    says 'fetch needs one lock'
    fetch redist.lock
    exits 2
    says 'fetch needs --store DIR'
    fetch absent --store store
    exits 2
    says 'absent: No such file'
    absent store
    echo '{}' >redist.lock
    fetch redist.lock --store store
    exits 2
    says '^hostpin: error: redist.lock: this is not a lock'
    absent store
    call "$hostpin" redist fetch --help
    exits 0
    grep -q 'usage: hostpin redist fetch LOCK --store DIR' "$out" || fail 'no usage'
}
a_store_that_cannot_be_made() {
    archives good served
    archives lock "file://$PWD/served/cuda/redist/" served/cuda/redist >redist.lock
    : >file
    fetch redist.lock --store file/store
    exits 2
    says 'cannot create the store.s directory file'
}

it 'every hostile archive has an expectation' all_are_listed
while read -r name pattern; do
    it "refused: $name" refused "$name" "$pattern"
done < <(expected)
it 'a full disk is reported once, and nothing half is left' a_full_disk
it 'two processes do nothing twice' two_processes_at_once
it 'wrong usage and locks that cannot be read make no store' wrong_usage
it 'a store that cannot be made is named' a_store_that_cannot_be_made
finish
