# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# Shared by bootstrap and the lab's scripts: progress, logs, stamps, packages. Sourced, never run. Functions
# with a body in ( ) have local variables, which POSIX sh offers no other way.

: "${HOSTPIN_STARTED:=$(date +%s)}" "${HOSTPIN_LOGS:=${TMPDIR:-/tmp}}" "${HOSTPIN_INSTALL:=yes}"
export HOSTPIN_STARTED HOSTPIN_LOGS HOSTPIN_INSTALL

say() {
  printf '%4ss  %s\n' "$(($(date +%s) - HOSTPIN_STARTED))" "$*"
}

fail() {
  printf 'hostpin: error: %s\n' "$*" >&2
  return 1
}

# A mirror's address can contain a user name and password, and the reader does not need it.
hide_addresses() {
  sed -E 's#[a-z+]+://[^ ]*/#<mirror>/#g'
}

megabytes() {
  du -sm "$1" 2>/dev/null | cut -f1
}

# The last line that a command printed, shortened.
last_line() { # LOG
  tail -n 1 "$1" 2>/dev/null | hide_addresses | tr -cd '[:print:]' | cut -c 1-72 | grep . || echo "still at work"
}

# Runs in the background until it is killed. The parent may be killed by SIGKILL, so the loop checks that it exists; the
# sleep, which outlives the loop for ten seconds at most, must hold neither the output nor the lab's lock (9).
heartbeat() { # LABEL LOG [DIRECTORY MEGABYTES]
  while sleep 10 >/dev/null 2>&1 9>&- && kill -0 $$ 2>/dev/null; do
    case $# in
      4) say "$1: $(megabytes "$3") of $4 MB" ;;
      *) say "$1: $(last_line "$2")" ;;
    esac
  done
}

# quietly LABEL COMMAND...: output goes to a log; only after a failure its end is printed. GROWS (a directory)
# and GROWS_TO (megabytes) make the heartbeat show progress.
quietly() (
  label=$1
  shift
  mkdir -p "$HOSTPIN_LOGS"
  log=$HOSTPIN_LOGS/hostpin-$(printf '%s' "$label" | tr -c 'A-Za-z0-9.+\n' -).log
  : >"$log"
  if [ -n "${GROWS:-}" ]; then heartbeat "$label" "$log" "$GROWS" "$GROWS_TO" & else heartbeat "$label" "$log" & fi
  beat=$!
  status=0
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$beat" 2>/dev/null
  [ "$status" -eq 0 ] && return 0
  printf 'hostpin: error: %s failed (exit code %s); the end of %s:\n' "$label" "$status" "$log" >&2
  tail -n 30 "$log" | hide_addresses | sed 's/^/    /' >&2
  return "$status"
)

# persistently COMMAND...: three times at most: a mirror may be in the middle of an update, or its network away for a moment.
persistently() {
  "$@" || { sleep 20 && "$@"; } || { sleep 60 && "$@"; }
}

# fingerprint WORDS FILE...: changes if the words or a file's content do.
fingerprint() (
  words=$1
  shift
  { printf '%s\n' "$words"; cat -- "$@" /dev/null; } | cksum | tr ' ' -
)

# A stamp marks a complete piece. It is written last and atomically, so a kill never leaves a false one.
stamped() { # FILE FINGERPRINT
  [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]
}

stamp() { # FILE FINGERPRINT
  mkdir -p "${1%/*}" && printf '%s\n' "$2" >"$1.new" && mv -f "$1.new" "$1"
}

missing_packages() (
  for package; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf '%s\n' "$package" ;;
    esac
  done
)

has_candidate() { # PACKAGE
  apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@"
}

# A run that was killed can leave packages half configured, and an old list can name files that are gone.
install_or_repair() {
  apt_get --no-install-recommends install "$@" && return 0
  as_root dpkg --configure -a
  persistently apt_get update
  persistently apt_get --no-install-recommends install "$@"
}

lists_are_there() (
  for package; do has_candidate "$package" || return 1; done
)

# install_packages LABEL PACKAGE...: skips those that are installed.
install_packages() (
  label=$1
  shift
  wanted=$(missing_packages "$@" | tr '\n' ' ')
  wanted=${wanted% }
  if [ -z "$wanted" ]; then
    say "$label: all present"
    return 0
  fi
  command="apt-get install --no-install-recommends $wanted"
  if [ "$HOSTPIN_INSTALL" = no ]; then
    fail "$label: packages are missing and --no-install was given; run, as root: $command"
    return 1
  fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "$label: packages are missing, and there is neither root nor sudo; run, as root: $command"
    return 1
  fi
  say "$label: installing $wanted"
  # shellcheck disable=SC2086  # a list of package names
  set -- $wanted
  lists_are_there "$@" || quietly "package lists" persistently apt_get update || return 1
  quietly "$label" install_or_repair "$@"
)
