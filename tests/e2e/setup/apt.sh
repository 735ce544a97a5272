#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# apt.sh [WORDS]: hostpin setup with a compiler from a signed apt repository, served by nginx: bad and expired signatures, wrong hashes, files
# that are gone, a mirror that vanishes, proxies. Its packages are the machine's own g++, repacked, which the machine is made not to have.
# Half a minute; HOSTPIN_FULL=1 completes the setup after each of the errors, five minutes.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154,SC2317 # variables of the libraries; functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/store/lib.sh
. "$(dirname "$0")/../redist/store/lib.sh"
here=$repository/tests/e2e/setup
need_hostpin
need_command apt-get apt-ftparchive gpg gpgv nginx tinyproxy python3 dpkg-query
need_toolkit 12.4 13
major=$(PATH=$plain_path g++ -dumpversion)
major=${major%%.*}
dpkg-query -W "g++-$major" >/dev/null 2>&1 || skip "g++ $major is no package of Debian's"
[ "$gcc" -gt "$major" ] || skip "the machine has no other GCC than its g++ $major"
only=${1:-}

# The machine without its own compilers, and with this one.
mkdir "$work/programs"
ln -s /usr/bin/* "$work/programs/"
rm -f "$work"/programs/{*g++*,*gcc*,c++*,cc,c[89]9*,clang*}
machine_path=$prefix/bin:$work/programs
export HOSTPIN_STDENV=$host CUDAToolkit_ROOT=$toolkit APT_CONFIG=$work/apt.conf

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
architecture=$(dpkg --print-architecture)
touch "$APT_CONFIG"
export GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
# key NAME [GPG OPTION...]: a key that signs, as $work/NAME.gpg.
key() {
    gpg --batch --quiet "${@:2}" --passphrase '' --quick-generate-key "$1" rsa2048 sign "${expires:-never}" 2>/dev/null
    gpg --batch --export "$1" >"$work/$1.gpg"
}
key archive
expires=1d key expired --faked-system-time 20240101T000000

# The repository, whose files a case may change: $served/debian.
pool=$served/debian/pool index=$served/debian/dists/$suite
mkdir -p "$pool" "$index/main/binary-$architecture"
python3 "$here/repack.py" --deb "$pool" "g++-$major" >"$work/list"
(cd "$served/debian" && apt-ftparchive packages pool) >"$work/Packages"
# publish [KEY]: as it is in $work/Packages.
publish() {
    cp "$work/Packages" "$index/main/binary-$architecture/"
    rm -f "$index"/*Release*
    apt-ftparchive -o APT::FTPArchive::Release::Origin=Debian -o "APT::FTPArchive::Release::Codename=$suite" -o APT::FTPArchive::Release::Suite=stable \
        -o "APT::FTPArchive::Release::Architectures=$architecture" -o APT::FTPArchive::Release::Components=main release "$index" >"$work/Release"
    gpg --batch --quiet --yes "${@:2}" --local-user "${1:-archive}" --clear-sign --output "$index/InRelease" "$work/Release"
}
cat >"$work/apt.conf" <<CONF
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$work/lists";
Acquire::Retries::Delay "false";
CONF
mkdir -p "$work/lists/partial"
# begin ADDRESS [KEY]: the machine's own source, whose lists it has, as a machine does.
begin() {
    publish
    sources "$@"
    call apt-get -qq -o APT::Sandbox::User=root update
    exits 0
}
sources() { echo "deb [signed-by=$work/${2:-archive}.gpg] $1 $suite main" >"$work/sources.list"; }
serve

set_up() { call env PATH="$machine_path" hostpin setup "$PWD/set up" --gcc "$major" --yes; }
# refused CODE WORDS...: and nothing that could be taken for a toolchain is left.
refused() {
    exits "$1"
    says "${@:2}"
    absent 'set up/setup.toml'
    absent 'set up/toolchain'
    absent "set up/compilers/gcc-$major"
}
completes() {
    set_up
    exits 0
    contains -E 'check +a program was built with it: its host half ran' <"$out"
    "set up/compilers/gcc-$major/bin/g++-$major" --version | contains "$major\\."
    absent 'set up/.work'
}
# then_completes: the error is gone; that takes long.
then_completes() {
    begin "$server/debian"
    if [ "$full" = 1 ]; then completes; fi
}

listed() { # for a machine without a network
    local python=python3
    $python -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
    $python -c 'import jsonschema' 2>/dev/null || skip "no jsonschema for Python (./bootstrap test installs it)"
    begin "$server/debian"
    env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --dry-run --json >setup.json
    $python "$repository/tests/e2e/redist/check/schemas.py" "$prefix/share/hostpin/schema/setup-plan.schema.json" --valid setup.json
    same "$($python -c 'import json; print(sum(len(piece["files"]) for piece in json.load(open("setup.json"))["pieces"]))')" "$(wc -l <"$work/list")"
    absent 'set up'
}
# stanza NAME VERSION [DEPENDS]: a package of the index that nothing fetches.
stanza() {
    printf '%s\n' '' "Package: $1" "Version: $2" "Architecture: $architecture" "Filename: pool/$1.deb" 'Size: 1' "SHA256: $(printf '%064d' 1)" \
        'Maintainer: A test' 'Description: for a list' ${3:+"Depends: $3"} >>"$work/Packages"
}
# names KIND: packages of a piece of the list.
names() {
    python3 -c 'import json, sys
print(*(file["name"] for piece in json.load(open("setup.json"))["pieces"] if piece["kind"] == sys.argv[1] for file in piece["files"]))' "$1"
}
with_more() { # what a compiler or a toolkit does not need, and is of use
    local cuda='12.4.127~12.4.1-2' blas='12.4.5.8~12.4.1-2'
    cp "$work/Packages" before
    stanza clang-17 1:17.0.6-22
    stanza libclang-rt-17-dev 1:17.0.6-22
    stanza nvidia-cuda-toolkit '12.4.131~12.4.1-2'
    stanza nvidia-cuda-dev "$cuda" "libcudart12 (= $cuda), libcublas12 (= $blas), libcublaslt12 (= $blas), libcufft11 (= 11.2.1.3~12.4.1-2), libcupti-dev (= $cuda)"
    stanza libcudart12 "$cuda"
    stanza libcublas12 "$blas"
    stanza libcublaslt12 "$blas"
    begin "$server/debian"
    mv before "$work/Packages"
    env PATH="$machine_path" hostpin setup 'set up' --clang 17 --dry-run --json >setup.json
    same "$(names compiler)" 'clang-17 libclang-rt-17-dev'
    env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --cuda 12.4 --from distribution --libraries cublas --dry-run --json >setup.json
    same "$(names toolkit | tr ' ' '\n' | LC_ALL=C sort | xargs)" 'libcublas12 libcublaslt12 libcudart12 nvidia-cuda-dev nvidia-cuda-toolkit'
    call env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --cuda 12.4 --from distribution --libraries cufile --dry-run
    refused 2 'the packages of CUDA 12.4.131 in .* have no libcufile' '--from redist'
}
nothing_that_fits() { # as hostpin bind refuses
    begin "$server/debian"
    call env PATH="$machine_path" hostpin setup 'set up' --gcc 5 --dry-run
    refused 1 'GCC 5 does not fit CUDA 12\.4|no suite has GCC 5'
    call env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --suite no-such-suite --cuda 12.4 --from distribution --dry-run
    refused 2 'the suite no-such-suite that --suite names cannot be used: ' 'without --suite, these are searched: '
    # also where another suite has everything
    call env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --suite no-such-suite --dry-run
    refused 2 'the suite no-such-suite that --suite names cannot be used: '
}
without_compiler() { # not even for links; GCC 12 is also what CUDA 12.4 takes
    cp "$work/Packages" before
    stanza g++ "4:$major.2.0-3" "g++-$major"
    begin "$server/debian"
    mv before "$work/Packages"
    call env -u HOSTPIN_STDENV PATH="$machine_path" hostpin setup "$PWD/set up" --yes
    exits 0
    contains -E "stdenv +none" <"$out"
    contains -E 'check +a program was built with it: its host half ran' <"$out"
    contains -E "links +GCC $major\." <"$out"
    contains -E "runs with +this machine.s C library" <"$out"
    same "$(sed -nE 's/^stdenv-driver = "(.*)"$/\1/p' 'set up/setup.toml')" "$PWD/set up/stdenv/bin/g++-$major"
    absent 'set up/compilers'
    call env -u HOSTPIN_STDENV PATH="$machine_path" hostpin setup "$PWD/set up"
    exits 0
    contains -F "PATH='$PWD/set up/stdenv/bin'" <"$out"
}
bad_signature() {
    begin "$server/debian"
    sed -i 's/^Origin: .*/&x/' "$index/InRelease"
    set_up
    refused 2 "the index of $suite is not signed by a key of $work/archive.gpg" BADSIG 'name its key file with --keyring'
    then_completes
}
expired_key() {
    begin "$server/debian"
    publish expired --faked-system-time 20240101T000100
    sources "$server/debian" expired
    set_up
    refused 2 "the key of $work/expired.gpg that signed the index of $suite has expired" EXPKEYSIG
    then_completes
}
another_key() {
    begin "$server/debian"
    key other
    sources "$server/debian" other
    set_up
    refused 2 'NO_PUBKEY' 'keyring'
    sources "$server/debian"
    call env PATH="$machine_path" hostpin setup "$PWD/set up" --gcc "$major" --yes --keyring "$work/no-such.gpg"
    refused 2 "$work/no-such.gpg: no such file"
    then_completes
}
unsigned_where_apt_allows_it() {
    local setting
    begin "$server/debian"
    rm "$index/InRelease"
    cp "$work/Release" "$index/"
    cp "$APT_CONFIG" allowing
    for setting in Acquire::AllowInsecureRepositories Acquire::AllowWeakRepositories Acquire::AllowDowngradeToInsecureRepositories \
        APT::Get::AllowUnauthenticated; do
        echo "$setting \"true\";" >>allowing
    done
    APT_CONFIG=$PWD/allowing set_up
    refused 2 "the index of $suite is not signed by a key of $work/archive.gpg" 'name its key file with --keyring'
    then_completes
}
other_index() { # a mirror in the middle of its update
    begin "$server/debian"
    echo >>"$index/main/binary-$architecture/Packages"
    set_up
    refused 2 "a file of $suite is not what its signed index says" 'Hash Sum mismatch|unexpected size'
    then_completes
}
damaged_package() {
    local each=$pool/g++-$major.deb
    begin "$server/debian"
    cp "$each" whole
    damage "$each" 5000
    set_up
    cp whole "$each"
    refused 2 "a file of $suite is not what its signed index says" "Failed to fetch .*/g%2b%2b-$major.deb +Hash Sum mismatch" 'what was fetched is kept'
    then_completes
}
gone() { # the index names a file that the mirror has removed, also after an update
    local each=$pool/gcc-$major.deb
    begin "$server/debian"
    mv "$each" aside
    forget_requests
    set_up
    mv aside "$each"
    refused 2 "the mirror of $suite lacks a file that its index names" "Failed to fetch .*/gcc-$major.deb +404" 'the mirror is out of date'
    same "$(requests "^404 .*/gcc-$major.deb")" 2
    same "$(requests '^(200|304) .*/InRelease')" 2
    then_completes
}
# changed OTHER-VERSION WHAT...: the mirror has another file, OTHER-VERSION or not, as soon as the index for the plan was fetched from it.
changed() {
    local each=$pool/libmpc3.deb other=$pool/libmpc3-again.deb version
    [ -f "$each" ] || skip 'this g++ needs no libmpc3'
    begin "$server/debian"
    version=$(dpkg-deb -f "$each" Version)
    cp -r "$index" old-index
    cp "$each" old.deb
    cp "$work/Packages" Packages
    python3 - "$each" "$other" "$1" <<'PYTHON'
import sys
old, new, is_newer = sys.argv[1:]
content = open(old, "rb").read()
at = content.index(b"\nVersion: " if is_newer == "yes" else b"\nMaintainer: ")
end = content.index(b"\n", at + 1)
open(new, "wb").write(content[:end - 1] + b"9" + content[end:])
PYTHON
    mv "$each" gone.deb
    if [ "$1" = no ]; then mv "$other" "$each"; fi
    (cd "$served/debian" && apt-ftparchive packages pool) >"$work/Packages"
    publish
    mv "$index" new-index
    mv old-index "$index"
    mkdir new-pool
    mv "$pool"/libmpc3* new-pool/
    cp old.deb "$each"
    cat >change <<CHANGE
[ -d '$PWD/new-index' ] || exit 0
rm -r '$index' '$each'
mv '$PWD/new-index' '$index'
find '$index' -type f -exec touch -d '+1 minute' {} +
mv '$PWD'/new-pool/* '$pool/'
CHANGE
    { cat "$APT_CONFIG" && echo "APT::Update::Post-Invoke-Success { \"sh '$PWD/change'\"; };"; } >with-change
    APT_CONFIG=$PWD/with-change set_up
    refused 2 "$suite changed on the mirror since the plan was made: libmpc3 $(literally "$version") is ${*:2}" 'run the same command again' 'what was fetched is kept'
    absent new-index
    if [ "$full" = 1 ]; then completes; fi
    rm -rf 'set up'
    env PATH="$machine_path" hostpin setup 'set up' --gcc "$major" --dry-run --json >setup.json
    contains "$(sha256sum "$pool"/libmpc3* | cut -d' ' -f1)" <setup.json
    rm "$pool"/libmpc3*
    mv old.deb "$each"
    mv Packages "$work/Packages"
}
vanished() {
    local run i
    begin "$server/slow/debian"
    env PATH="$machine_path" hostpin setup "$PWD/set up" --gcc "$major" --yes >"$out" 2>"$err" </dev/null &
    run=$!
    for ((i = 0; i < 3000; i++)); do
        if compgen -G 'set up/.work/files/*/*.deb' >/dev/null; then break; fi
        kill -0 "$run" 2>/dev/null || break
        sleep 0.01
    done
    stop_server
    status=0
    wait "$run" || status=$?
    refused 2 "apt cannot reach the mirror of $suite" 'check the network and http_proxy' 'what was fetched is kept'
    set_up # it is gone still
    refused 2 "apt cannot reach the mirror of $suite" '--from DIR takes them'
    start_server
    forget_requests
    then_completes
}
# proxy [CONF LINE]: tinyproxy as $proxy, for one call.
proxy() {
    local i
    proxy_port=$(free_ports 1)
    printf '%s\n' "Port $proxy_port" 'Listen 127.0.0.1' 'Timeout 60' 'MaxClients 20' 'LogLevel Connect' "LogFile \"$PWD/proxy.log\"" "PidFile \"$PWD/proxy.pid\"" \
        "$@" >proxy.conf
    tinyproxy -c proxy.conf
    for ((i = 0; i < 1000; i++)); do
        if [ -s proxy.pid ]; then break; fi
        sleep 0.05
    done
}
through_proxies() {
    trap 'kill "$(cat proxy.pid)" 2>/dev/null || true' EXIT
    proxy 'BasicAuth user Sesame-4711'
    begin "$server/debian"
    forget_requests
    http_proxy=http://127.0.0.1:$proxy_port set_up
    refused 2 "the mirror of $suite, or a proxy before it, wants another name and password" 'http://NAME:PASSWORD@HOST:PORT'
    same "$(requests .)" 0
    http_proxy=http://user:wrong@127.0.0.1:$proxy_port set_up
    refused 2 'or a proxy before it, wants another name and password'
    ! grep -rqF wrong "$out" "$err" || fail 'the password was printed'
    same "$(requests .)" 0
    http_proxy=http://user:Sesame-4711@127.0.0.1:$proxy_port completes
    ! grep -rqF Sesame-4711 "$out" "$err" 'set up' || fail 'the password is in a file'
    grep -q 'Request.*/InRelease' proxy.log || fail 'the proxy was not used'
    kill "$(cat proxy.pid)" # and it is gone
    http_proxy=http://127.0.0.1:$proxy_port
    export http_proxy
    mv 'set up' before && set_up
    refused 2 'apt cannot reach' 'http_proxy'
}

it 'the list of files is as its schema says, and has all packages' listed
it 'sanitizers of Clang and libraries of the toolkit are in the list' with_more
it 'what nothing fits has another exit code than what could not be read' nothing_that_fits
it 'without a C++ compiler the stdenv is fetched, and links' without_compiler
it 'an index that was changed after it was signed is refused' bad_signature
it 'an expired key is refused' expired_key
it 'another key and a missing one are refused' another_key
it 'an unsigned index is refused, also where the configuration of apt allows it' unsigned_where_apt_allows_it
it 'an index of another time than its signature is refused' other_index
it 'a package with another content than its index says makes no compiler' damaged_package
it 'a package that is gone from the mirror is asked for once more' gone
it 'a package that is replaced after the plan by a newer one is named, and the next plan has that' changed yes no longer there
seldom 'a package whose content is replaced after the plan is named, and the next plan has that' changed no another file now
it 'when the mirror vanishes, the next run goes on' vanished
it 'a proxy is used, and its password is not printed' through_proxies
finish
