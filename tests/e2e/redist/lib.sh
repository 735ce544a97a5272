# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after tests/e2e/lib.sh by the scripts of this folder.

# need_archives [RELEASE [--toolkit]]: archives in NVIDIA's form, see archives/README.md, as $archives, with their manifest as $manifest; those
# that a toolkit is composed of, where a release has others as well. Where there is no lab, or its archives cannot be made here, the case is
# skipped.
# shellcheck disable=SC2034,SC2154 # the scripts' own, and those of lib.sh
need_archives() {
    local release=${1:-12.4.1} kind=${2:-} log=$work/archives.log
    if [ "$release" = 12.4.1 ]; then kind=; fi
    archives=$lab/redist${kind#-}/$release manifest=$lab/redist${kind#-}/$release/redistrib_$release.json
    if [ "$full" = 1 ] && [ -e "$lab/redist-full/$release" ]; then
        archives=$lab/redist-full/$release manifest=$lab/redist-full/$release/redistrib_$release.json
    fi
    if [ -e "$manifest" ]; then return; fi
    if [ "$stands_in" = yes ]; then without_lab "no archives of CUDA $release"; fi
    HOSTPIN_LAB=$lab HOSTPIN_FULL=0 "$repository/tests/e2e/redist/archives/provide" ${kind:+"$kind"} "$release" >"$log" 2>&1 ||
        { cat "$log" && without_lab "no archives of CUDA $release"; }
}

# serve_archives: nginx on a port of the kernel's choice, with everything of its own in the test's directory. $www is what it serves, $base
# the address of the archives in it. It runs until the script ends.
# shellcheck disable=SC2034,SC2154
serve_archives() {
    www=$work/www
    port=$(free_ports 1)
    mkdir -p "$work/nginx" "$www/cuda/redist"
    ln -s "$archives"/* "$www/cuda/redist/"
    cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events {}
http {
    access_log $work/nginx/access.log;
    client_body_temp_path $work/nginx/body; proxy_temp_path $work/nginx/proxy; fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi; scgi_temp_path $work/nginx/scgi;
    server { listen 127.0.0.1:$port; root $www; location /logged { access_log off; return 204; } }
}
CONF
    chmod 755 "$work"
    local user='' i
    if [ "$(id -u)" = 0 ]; then user='user root;'; fi
    nginx -p "$work/nginx" -e "$work/nginx/error.log" -c "$work/nginx.conf" -g "$user" &
    server=$!
    trap stop_server EXIT
    for ((i = 0; i < 600; ++i)); do
        if [ -s "$work/nginx/pid" ]; then break; fi
        sleep 0.1
    done
    base=http://127.0.0.1:$port/cuda/redist/
}

stop_server() {
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    remove_work
}
