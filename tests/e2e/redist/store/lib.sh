# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after tests/e2e/lib.sh by the scripts of this folder.
# shellcheck disable=SC2154 # its variables

here=$repository/tests/e2e/redist/store
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
export HOME=$work/home # no ~/.netrc of the user
mkdir -p "$HOME"
archives() { python3 "$here/archives.py" "$@"; }
fetch() { call "$hostpin" redist fetch "$@"; }

# serve: nginx on loopback, as $server, for the directory $served; what it sends is in $served.log: status, bytes of bodies, path,
# range. It is stopped when the script ends.
served=$work/served
# shellcheck disable=SC2034 # the scripts' own
serve() {
    need_command nginx openssl
    read -r port secure < <(free_ports 2)
    server=http://127.0.0.1:$port secure_server=https://127.0.0.1:$secure
    mkdir -p "$served" "$work/nginx"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/nginx/key.pem" -out "$work/nginx/cert.pem" -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    printf 'user:%s\n' "$(openssl passwd -apr1 secret)" >"$work/nginx/users"
    cat >"$work/nginx/conf" <<CONF
$([ "$(id -u)" != 0 ] || echo 'user root;')
pid $work/nginx/pid;
error_log $work/nginx/error;
events {}
http {
    log_format line '\$status \$body_bytes_sent \$uri \$http_range \$server_protocol';
    access_log $served.log line;
    client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy; fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi; scgi_temp_path $work/nginx/scgi;
    map \$http_range \$from_zero { default bytes=0-; '' ''; }
    server {
        listen 127.0.0.1:$port; listen 127.0.0.2:$port; listen 127.0.0.1:$secure ssl http2;
        ssl_certificate $work/nginx/cert.pem; ssl_certificate_key $work/nginx/key.pem;
        location / { root $served; }
        location /logged { access_log off; return 204; }
        location /slow/ { alias $served/; limit_rate 6m; sendfile off; output_buffers 1 32k; }
        location /stalled/ { alias $served/; limit_rate 300; limit_rate_after 20000; }
        location /failing/ { return 503; }
        location /refusing/ { return 403; }
        location /cutting/ { return 444; }
        location /elsewhere/ { rewrite ^/elsewhere/(.*) http://127.0.0.2:$port/\$1 redirect; }
        location /moved/ { rewrite ^/moved/(.*) http://127.0.0.1:$port/\$1 redirect; }
        location /away/ { absolute_redirect off; rewrite ^/away/(.*) /\$1 redirect; }
        location /from-zero/ { proxy_pass http://127.0.0.1:$port/; proxy_set_header Range \$from_zero; }
        location /circle/ { return 302 \$uri; }
        location /private/ { alias $served/; auth_basic x; auth_basic_user_file $work/nginx/users; }
    }
}
CONF
    start_server
    trap 'stop_server; remove_work' EXIT
}
# It writes its process number after the command has returned.
start_server() {
    nginx -c "$work/nginx/conf" -p "$work/nginx" 2>>"$work/nginx/error" || { cat "$work/nginx/error" && fail 'nginx does not start'; }
    wait_for_server [ -s "$work/nginx/pid" ]
}
# All of its processes at once, so that connections are cut. nginx forgets a signal that arrives before it waits for signals.
stop_server() { wait_for_server has_stopped; }
has_stopped() {
    local process
    process=$(cat "$work/nginx/pid" 2>/dev/null) && [ -n "$process" ] || return 0
    kill -TERM "$process" 2>/dev/null || true
    return 1
}
wait_for_server() { # CONDITION...: for half a minute at most
    local i
    for ((i = 0; i < 1500; i++)); do
        if "$@"; then return; fi
        sleep 0.02
    done
    cat "$work/nginx/error" && fail "nginx is not ready after half a minute: $*"
}
forget_requests() { : >"$served.log"; }
# requests PATTERN: how many answers match; sent PATTERN: bytes of their bodies.
requests() { is_logged "$port" && awk -v pattern="$1" '$0 ~ pattern' "$served.log" | wc -l; }
sent() { is_logged "$port" && awk -v pattern="$1" '$0 ~ pattern { sum += $2 } END { print sum + 0 }' "$served.log"; }

# make_archives: those of archives.py in $served/cuda/redist, with $large and $small as their paths there.
# shellcheck disable=SC2034 # the scripts' own
make_archives() {
    archives good "$served"
    redist=$served/cuda/redist
    large=large/linux-x86_64/large-linux-x86_64-1.0-archive.tar.xz
    small=small/linux-x86_64/small-linux-x86_64-1.0-archive.tar.gz
}
hash_of() { sha256sum "$1" | cut -d' ' -f1; }
# stored ARCHIVE [STORE]: the tree of an archive is complete, by Nix's own hash of what GNU tar unpacks.
stored() {
    local tree into
    tree=${2:-store}/trees/sha256-$(hash_of "$1")
    [ -d "$tree/" ] || { show_call && fail "no tree of $1"; }
    into=$(mktemp -d "$work/unpacked.XXXXXX")
    case $1 in *.zip) python3 -m zipfile -e "$1" "$into" ;; *) tar -xf "$1" -C "$into" ;; esac
    same "$(nix-hash --type sha256 "$tree/")" "$(nix-hash --type sha256 "$into"/*)"
    same "sha256-$(nix-hash --type sha256 "$tree/")" "$(basename "$(realpath "$tree")")"
    chmod -R u+w "$into" && rm -r "$into"
}
# shellcheck disable=SC2120
all_stored() {
    local archive
    while IFS= read -r archive; do stored "$archive" "$@"; done < <(find "$redist" -type f)
}
# nothing_left [STORE]: no tree, no part, nothing that was being unpacked.
# shellcheck disable=SC2120
nothing_left() {
    same "$(find "${1:-store}"/{trees,cas,tmp,partial,tops} -mindepth 1 | head)" ''
}
# shellcheck disable=SC2120
no_remains() { same "$(find "${1:-store}"/{tmp,partial} -mindepth 1)" ''; }
