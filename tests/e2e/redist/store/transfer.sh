#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# transfer.sh [WORDS]: archives of a lock arrive in a store, from a real server, whatever happens on the way. A minute, of which 20 seconds of processor time.
# shellcheck disable=SC2119
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
only=${1:-}
need_hostpin
need_command python3 nix-hash curl
# shellcheck source=tests/e2e/redist/store/lib.sh
. "$(dirname "$0")/lib.sh"
serve
make_archives
lock() { archives lock "$1/cuda/redist/" "$redist" >redist.lock; }

everything_arrives_once() {
    lock "$server"
    forget_requests
    fetch redist.lock --store store
    exits 0
    says '^fetched large 1.0 linux-x86_64 \(12 MB\)$' '^4 fetched \(12 MB\), 0 in the store, 0 failed$'
    prints_nothing
    all_stored
    no_remains
    same "$(requests '^200 ')" 4
    same "$(find store/cas -type f -perm /222)" ''
    same "$(stat -c %a store/trees/*/bin/tool | sort -u)" 555
    fetch redist.lock --store store
    exits 0
    says '^0 fetched \(0 bytes\), 4 in the store, 0 failed$'
    same "$(requests .)" 4
}
where_no_thread_can_be_made() {
    lock "$server"
    call without_threads "$hostpin" redist fetch redist.lock --store store
    exits 0
    all_stored
    call without_threads "$hostpin" redist fetch redist.lock --store other --mirror "$redist"
    exits 0
    all_stored other
}
small_ones_do_not_wait() { # the server logs a request once it is answered
    archives lock "$server/slow/cuda/redist/" "$redist" >redist.lock
    forget_requests
    fetch redist.lock --store store
    exits 0
    same "$(requests .)" 4
    contains "$(literally "$large")" < <(tail -n 1 "$served.log")
}
equal_content_is_stored_once() {
    lock "$server"
    fetch redist.lock --store store
    exits 0
    same "$(find store/trees -mindepth 1 | wc -l)" 4
    same "$(find store/cas -mindepth 1 -maxdepth 1 | wc -l)" 3
    same "$(cat store/tops/* | tr -s '\0' ' ' | grep -o '[a-z]*-linux-x86_64-1.0-archive' | wc -l)" 4
}
encrypted_and_by_http_2() {
    lock "$secure_server"
    fetch redist.lock --store store --retries 0
    exits 2
    says 'certificate'
    nothing_left
    forget_requests
    SSL_CERT_FILE=$work/nginx/cert.pem fetch redist.lock --store store
    exits 0
    all_stored
    same "$(requests 'HTTP/2')" 4
}
unreachable_is_said_once() {
    lock http://127.0.0.1:1 # where nobody listens
    fetch redist.lock --store store --retries 1
    exits 2
    says 'cannot download http://127.0.0.1:1/.* \(2 attempts in [0-9]* s\); 3 other archives of that server are missing too \[unreachable\]$' '^hint: check the connection' '^0 fetched .* 4 failed$'
    same "$(grep -c '^hostpin: error: ' "$err")" 1
}
files_and_mirrors() {
    lock http://127.0.0.1:1 # where nobody listens
    fetch redist.lock --store store --mirror "$served"
    exits 0
    all_stored
    fetch redist.lock --store other --mirror "$redist"
    exits 0
    all_stored other
    fetch redist.lock --store third --mirror "$server"
    exits 0
    all_stored third
    lock "file://$served"
    fetch redist.lock --store fourth
    exits 0
    all_stored fourth
}
a_mirror_without_an_archive() {
    lock "$server"
    cp -r "$redist" mirror
    rm "mirror/$small"
    fetch redist.lock --store store --mirror mirror
    exits 2
    says "small 1.0 linux-x86_64: there is neither $(literally "$small") nor cuda/redist/$(literally "$small") in mirror" '^3 fetched'
    no_remains
    fetch redist.lock --store empty --mirror /nonexistent
    exits 2
    nothing_left empty
}
# An archive in a directory is read there, and not copied; one with other bytes or another size is not unpacked.
a_directory_with_wrong_archives() {
    lock "$server"
    cp -r "$redist" mirror
    chmod u+w "mirror/$small" "mirror/$large" && echo more >>"mirror/$small" && damage "mirror/$large" 100
    fetch redist.lock --store store --mirror mirror
    exits 2
    says "mirror/$(literally "$small") has [0-9]* bytes, but the lock has " "mirror/$(literally "$large"): its SHA-256 is .*, but the lock has $(hash_of "$redist/$large")" \
        '^hint: the server has another archive' '^2 fetched .* 2 failed$'
    no_remains
    same "$(find store/partial -type f | wc -l)" 0
    rm "mirror/$small" "mirror/$large" && mkfifo "mirror/$small" && cp "$redist/$large" "mirror/$large"
    fetch redist.lock --store store --mirror mirror
    exits 2
    says "mirror/$(literally "$small") is not a regular file" '^1 fetched .* 2 in the store, 1 failed$'
}
# reached FILE BYTES PID: waits until a file has so many bytes; false if the process ended before.
reached() {
    until [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]; do
        kill -0 "$3" 2>/dev/null || return 1
        sleep 0.01
    done
}
killed_at_ten_points_it_continues() {
    local size point partial process
    mkdir one
    cp --parents -r "$redist/large" one
    archives lock "$server/slow/cuda/redist/" "one$redist" >redist.lock
    size=$(stat -c %s "$redist/$large") partial=store/partial/sha256-$(hash_of "$redist/$large")
    forget_requests
    for point in 1 2 3 4 5 6 7 8 9 10; do
        "$hostpin" redist fetch redist.lock --store store 2>/dev/null &
        process=$!
        reached "$partial" $((size * point / 20)) "$process" || fail "it ended before point $point"
        kill -KILL "$process"
        wait "$process" || true
        same "$(find store/trees -mindepth 1)" ''
    done
    [ "$(stat -c %s "$partial")" -ge $((size / 2)) ] || fail 'parts were not continued'
    fetch redist.lock --store store
    exits 0
    says '^fetched large .* of it earlier\)$'
    stored "$redist/$large"
    no_remains
    # The server logs an answer that was cut once it sees that: the last one of the ten is not waited for.
    [ "$(requests '^206 ')" -ge 9 ] || { cat "$served.log" && fail 'not continued by ranges'; }
    # What was in buffers when a process was killed is sent twice: at most 400 KB each time.
    [ "$(sent .)" -lt $((size + 4000000)) ] || { cat "$served.log" && fail "$(sent .) bytes were sent for $size"; }
}
killed_while_unpacking_it_continues() {
    local process
    lock "$server"
    for _ in 1 2 3; do
        "$hostpin" redist fetch redist.lock --store store --jobs 1 2>/dev/null &
        process=$!
        until [ -n "$(find store/tmp -path '*/lib/libx.so.1.2' 2>/dev/null)" ]; do kill -0 "$process" 2>/dev/null || break; done
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    fetch redist.lock --store store
    exits 0
    all_stored
    no_remains
}
a_part_is_damaged_at_rest() {
    local partial process
    archives lock "$server/slow/cuda/redist/" "$redist" >redist.lock
    partial=store/partial/sha256-$(hash_of "$redist/$large")
    "$hostpin" redist fetch redist.lock --store store 2>/dev/null &
    process=$!
    reached "$partial" 5000000 "$process" || fail 'it ended before'
    kill -KILL "$process"
    wait "$process" || true
    damage "$partial" 1234567
    lock "$server"
    sed -i "s|^$server/slow|$server|" "$partial.from"
    fetch redist.lock --store store
    exits 0
    says '^hostpin: warning: large 1.0 linux-x86_64: a first download was damaged from byte 1234567 on '
    all_stored
    no_remains
}
the_archive_is_replaced_while_a_part_is_there() {
    local partial process
    archives lock "$server/slow/cuda/redist/" "$redist" >redist.lock
    partial=store/partial/sha256-$(hash_of "$redist/$large")
    "$hostpin" redist fetch redist.lock --store store 2>/dev/null &
    process=$!
    reached "$partial" 3000000 "$process" || fail 'it ended before'
    kill -KILL "$process"
    wait "$process" || true
    # Another file under the same name, with another entity tag: the part is not continued, and here the content is right.
    touch -d '2001-01-01' "$redist/$large"
    forget_requests
    fetch redist.lock --store store
    exits 0
    all_stored
    same "$(requests "^200 .*$large .*bytes=")" 1
    same "$(requests "^206 ")" 0
}
a_replaced_archive_never_lands() {
    local file=$served/replaced/$large
    lock "$server"
    cp -r "$redist" "$served/replaced"
    sed -i "s|$server/cuda/redist/|$server/replaced/|" redist.lock
    damage "$file" 7654321
    fetch redist.lock --store store
    exits 2
    says "large 1.0 linux-x86_64: .*large.*: its SHA-256 is $(hash_of "$file") \([0-9]* bytes\), but the lock has $(hash_of "$redist/$large")" \
        '^hint: the server has another archive' '^3 fetched .* 1 failed$'
    no_remains
    printf 'more' >>"$file"
    forget_requests
    fetch redist.lock --store store
    exits 2
    says "has $(stat -c %s "$file") bytes, but the lock has $(stat -c %s "$redist/$large")"
    [ "$(sent .)" -lt 4000000 ] || fail 'an archive of another size was downloaded'
    absent "store/trees/sha256-$(hash_of "$redist/$large")"
    no_remains
    cp -p "$redist/$large" "$file"
    fetch redist.lock --store store
    exits 0
    all_stored
}
# proxy MODE: an HTTP proxy that changes a byte of the first answers: of one, or of all, each time another.
proxy() {
    python3 "$here/damaging_proxy.py" "$1" >proxy.port &
    proxy_process=$!
    until [ -s proxy.port ]; do sleep 0.02; done
    http_proxy=http://127.0.0.1:$(cat proxy.port)
    export http_proxy
}
a_byte_is_changed_on_the_way() {
    lock "$server"
    proxy once
    fetch redist.lock --store store
    kill "$proxy_process"
    exits 0
    says '^hostpin: warning: [a-z]* 1.0 linux-x86_64: a first download was damaged from byte 100 on .*; it was downloaded again'
    all_stored
    no_remains
}
bytes_are_changed_on_the_way_each_time() {
    lock "$server"
    proxy always
    fetch redist.lock --store store
    kill "$proxy_process"
    exits 2
    says 'its SHA-256 is .* differs from byte 100 on' '^hint: the connection, a proxy or this machine changes' '^0 fetched .* 4 failed$'
    nothing_left
}
a_server_that_fails() {
    archives lock "$server/failing/" "$redist" >redist.lock
    forget_requests
    fetch redist.lock --store store --retries 1
    exits 2
    says 'large 1.0 linux-x86_64: cannot download .*: the server.s answer is HTTP 503 \(2 attempts in [0-9]* s\)' '^hint: fetch again later'
    same "$(requests '^503 ')" 8
    archives lock "$server/refusing/" "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'HTTP 403$'
    same "$(requests '^403 ')" 4
    archives lock "$server/absent/" "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'HTTP 404$'
    archives lock "$server/cutting/" "$redist" >redist.lock
    fetch redist.lock --store store --retries 1
    exits 2
    says 'Empty reply from server \(2 attempts in [0-9]* s\)'
    archives lock http://127.0.0.1:1/ "$redist" >redist.lock
    fetch redist.lock --store store --retries 0
    exits 2
    says 'connect'
    nothing_left
}
a_server_that_stalls() {
    archives lock "$server/stalled/cuda/redist/" "$redist/small" >redist.lock
    sed -i 's|"path": "linux|"path": "small/linux|' redist.lock
    fetch redist.lock --store store --retries 0 --timeout 1
    exits 2
    says 'Operation too slow.* the last 1 seconds$' '^hint: fetch again later: it continues where it was'
    fetch redist.lock --store store --retries 1 --timeout 1
    exits 2
    says 'Operation too slow.* the last 1 seconds \(2 attempts in [0-9]* s\)$'
    lock "$server"
    fetch redist.lock --store store
    exits 0
    all_stored
}
a_server_that_sends_ranges_from_the_first_byte() {
    local partial
    archives lock "$server/from-zero/cuda/redist/" "$redist" >redist.lock
    partial=store/partial/sha256-$(hash_of "$redist/$large")
    mkdir -p store/partial
    head -c 3000000 "$redist/$large" >"$partial"
    printf '%s\n' 'hostpin part 1' "$server/from-zero/cuda/redist/$large" \
        "$(curl -sI "$server/cuda/redist/$large" | tr -d '\r' | sed -n 's/^ETag: //p')" >"$partial.from"
    forget_requests
    fetch redist.lock --store store
    exits 0
    all_stored
    no_remains
    same "$(requests "^206 .*/from-zero/.*$large bytes=3000000-")" 1
}
a_server_that_stops_and_comes_back() {
    local partial process
    archives lock "$server/slow/cuda/redist/" "$redist" >redist.lock
    partial=store/partial/sha256-$(hash_of "$redist/$large")
    "$hostpin" redist fetch redist.lock --store store 2>"$err" &
    process=$!
    reached "$partial" 3000000 "$process" || fail 'it ended before'
    stop_server
    start_server
    status=0
    wait "$process" || status=$?
    exits 0
    all_stored
    [ "$(requests '^206 ')" -ge 1 ] || fail 'not continued by a range'
}
redirects_only_on_the_same_server() {
    archives lock "$server/elsewhere/cuda/redist/" "$redist" >redist.lock
    forget_requests
    fetch redist.lock --store store
    exits 2
    says "it redirects to http://127.0.0.2:$port/.*, which is another server" '^hint: .*--mirror'
    same "$(requests .)" "$(requests '^302 ')"
    nothing_left
    archives lock "$server/circle/cuda/redist/" "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'more than 5 redirects'
    archives lock "$server/moved/cuda/redist/" "$redist" >redist.lock
    fetch redist.lock --store store
    exits 0
    all_stored
}
passwords_of_netrc() {
    archives lock "$server/private/cuda/redist/" "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'HTTP 401'
    (umask 077 && echo 'machine 127.0.0.1 login user password secret' >"$HOME/.netrc")
    fetch redist.lock --store store
    rm "$HOME/.netrc"
    exits 0
    all_stored
}
# The server redirects within itself, and libcurl returns the new URL with the password that it sent.
passwords_are_neither_printed_nor_stored() {
    local partial process url
    archives lock "$server/away/slow/cuda/redist/" "$redist" >redist.lock
    partial=store/partial/sha256-$(hash_of "$redist/$large")
    (umask 077 && echo 'machine 127.0.0.1 login user password secret' >"$HOME/.netrc")
    "$hostpin" redist fetch redist.lock --store store 2>/dev/null &
    process=$!
    reached "$partial" 1 "$process" || fail 'it ended before'
    kill -KILL "$process"
    wait "$process" || true
    contains "^$(literally "$server/slow/cuda/redist/$large")$" <"$partial.from"
    same "$(stat -c %a "$partial.from" "$partial" | sort -u)" 600
    call "$hostpin" redist check "$server/away/absent.json"
    rm "$HOME/.netrc"
    exits 2
    says "cannot download $(literally "$server/absent.json"): the server.s answer is HTTP 404"
    url=http://user:secret@127.0.0.1:$port
    fetch redist.lock --store other --mirror "$url/absent"
    exits 2
    says "cannot download $(literally "$server/absent")/.*: the server.s answer is HTTP 404"
    ! contains secret <"$err" || fail 'the password is printed'
    fetch redist.lock --store other --mirror "$url/away/private/cuda/redist"
    exits 0
    all_stored other
    call "$hostpin" redist lock "$redist/redistrib_1.0.json" --platforms linux-x86_64 --base "cuda=$url/cuda/redist"
    exits 2
    says 'a URL has a user or password' '^hint: write them to ~/.netrc'
    ! contains secret <"$err" || fail 'the password is printed'
    ! grep -r secret . || fail 'the password is stored'
}
unencrypted_only_where_it_was_named() {
    archives lock http://192.0.2.1/ "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'would be fetched without encryption' '^hint: use https, or name the server with --mirror'
    archives lock ftp://127.0.0.1/ "$redist" >redist.lock
    fetch redist.lock --store store
    exits 2
    says 'is neither an https nor a file URL'
    nothing_left
}
# publish LABEL: a manifest of the archives, where NVIDIA's server would have it, as $url.
publish() {
    archives manifest "$1" "$redist" >"$redist/redistrib_$1.json"
    url=$server/cuda/redist/redistrib_$1.json
}
manifests_by_url() {
    publish 1.0
    call "$hostpin" redist lock "$redist/redistrib_1.0.json" --platforms linux-x86_64 --base "cuda=$server/cuda/redist" -o by-file
    exits 0
    forget_requests
    call "$hostpin" redist check "$redist/redistrib_1.0.json"
    exits 0
    same "$(requests .)" 0
    call "$hostpin" redist check "$url"
    exits 0
    contains '^1 file, 0 errors' <"$out"
    call "$hostpin" redist lock "$url" --platforms linux-x86_64
    exits 0
    same "$(requests '^200 .*/redistrib_1.0.json')" 2
    same "$(grep -v '"url"' redist.lock)" "$(cat by-file)"
    contains "\"url\": \"$(literally "$url")\"" <redist.lock
    contains "\"sha256\": \"$(hash_of "$redist/redistrib_1.0.json")\"" <redist.lock
    fetch redist.lock --store store
    exits 0
    stored "$redist/$small"
    call "$hostpin" redist check "file://$redist/redistrib_1.0.json" --against redist.lock
    exits 0
    SSL_CERT_FILE=$work/nginx/cert.pem call "$hostpin" redist check "${url/$server/$secure_server}" --against redist.lock
    exits 0
    call "$hostpin" redist diff "$redist/redistrib_1.0.json" "$url"
    exits 0
}
a_manifest_is_replaced_in_place() {
    publish 1.0
    "$hostpin" redist lock "$url" --platforms linux-x86_64 2>/dev/null
    call "$hostpin" redist check "$url" --against redist.lock
    exits 0
    sed -i "s/$(hash_of "$redist/$small")/$(printf '%064d' 0)/" "$redist/redistrib_1.0.json"
    call "$hostpin" redist check "$url" --against redist.lock
    exits 1
    contains "^$(literally "$url"):1:1: error: .*\\[replaced-manifest\\]" <"$out"
    contains 'The SHA-256 of small 1.0 linux-x86_64 is 0000' <"$out"
    # Another release under the name that was locked.
    archives manifest 2.0 "$redist" >"$redist/redistrib_1.0.json"
    call "$hostpin" redist check "$url" --against redist.lock
    exits 1
    contains 'replaced-manifest' <"$out"
}
manifests_that_are_not_fetched() {
    local bad=$served/large.json
    refused() { # URL PATTERN...
        call "$hostpin" redist check "$1"
        exits 2
        says "${@:2}"
        prints_nothing
        call "$hostpin" redist lock "$1" --platforms linux-x86_64
        exits 2
        absent redist.lock
    }
    publish 1.0
    mkdir temporary
    export TMPDIR=$PWD/temporary
    refused "$server/elsewhere/cuda/redist/redistrib_1.0.json" "it redirects to http://127.0.0.2:$port/.*, which is another server"
    refused http://192.0.2.1/redistrib_1.0.json 'would be fetched without encryption' '^hint: use https'
    refused "$server/absent.json" "cannot download $(literally "$server/absent.json"): the server.s answer is HTTP 404"
    refused "$secure_server/cuda/redist/redistrib_1.0.json" 'certificate'
    refused "http://user:secret@127.0.0.1:$port/x.json" 'a URL has a user or password' '^hint: write them to ~/.netrc'
    ! contains secret <"$err" || fail 'the password is printed'
    truncate -s 65M "$bad"
    refused "$server/large.json" "$(literally "$server/large.json") has more than 67108864 bytes"
    [ "$(sent large.json)" -lt 8000000 ] || fail 'it was downloaded'
    rm "$bad"
    same "$(find temporary -mindepth 1)" ''
}

it 'all archives arrive, once, read-only, and the second time nothing is done' everything_arrives_once
it 'all archives arrive where no thread can be made' where_no_thread_can_be_made
it 'over HTTP/1.1 small archives do not wait for a large one' small_ones_do_not_wait
it 'equal content of two archives is stored once' equal_content_is_stored_once
it 'over HTTPS certificates are verified, and HTTP/2 is used' encrypted_and_by_http_2
it 'a server that cannot be reached is reported once, with the number of archives' unreachable_is_said_once
it 'archives come from directories, mirrors and files' files_and_mirrors
it 'archives of a directory are verified there, and not copied' a_directory_with_wrong_archives
it 'an archive that a mirror lacks is named, the others are fetched' a_mirror_without_an_archive
it 'killed at ten points, it continues, and little is sent twice' killed_at_ten_points_it_continues
it 'killed while it unpacks, it leaves nothing that looks complete' killed_while_unpacking_it_continues
it 'a part that was damaged at rest is noticed, and where' a_part_is_damaged_at_rest
it 'a part of another file is not continued' the_archive_is_replaced_while_a_part_is_there
it 'an archive that was replaced on the server never lands' a_replaced_archive_never_lands
it 'a byte that is changed on the way is noticed, and where' a_byte_is_changed_on_the_way
it 'bytes that are changed each time never land' bytes_are_changed_on_the_way_each_time
it 'a server that fails is tried again, one that refuses is not' a_server_that_fails
it 'a server that stalls is given up' a_server_that_stalls
it 'a server that answers a range from the first byte on sends the whole archive' a_server_that_sends_ranges_from_the_first_byte
it 'a server that stops and comes back costs nothing twice' a_server_that_stops_and_comes_back
it 'redirects lead to no other server' redirects_only_on_the_same_server
it 'passwords are those of ~/.netrc' passwords_of_netrc
it 'a password is neither printed nor stored, wherever it comes from' passwords_are_neither_printed_nor_stored
it 'nothing is fetched without encryption unless it was named' unencrypted_only_where_it_was_named
it 'manifests are checked and locked by URL, and the lock has it' manifests_by_url
it 'a manifest that was replaced in place is found, also by another release' a_manifest_is_replaced_in_place
it 'what is not fetched is refused with its URL' manifests_that_are_not_fetched
finish
