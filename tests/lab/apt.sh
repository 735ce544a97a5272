# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
# Private apt trees: another suite's packages, from the machine's own mirror and checked with the machine's own keys,
# while its package lists and its dpkg stay as they are. Sourced after lib.sh.

codename() {
  # shellcheck source=/dev/null
  (. /etc/os-release && printf '%s' "$VERSION_CODENAME")
}

# Where the distribution's own packages come from: "URI<space>file:stanza". Third parties use the same suite names, but no
# component called main with the distribution's origin.
own_source() ( # [APT OPTION...]
  # shellcheck disable=SC2016  # apt's own variables
  apt-get "$@" indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN) $(SOURCESENTRY)' 'Created-By: Packages' |
    awk -v suite="$(codename)" '$2 == suite && $3 == "main" && ($4 == "Debian" || $4 == "Ubuntu") { print $1, $5; exit }'
)

# The key file that the source's entry names, or else the distribution's.
own_key() ( # FILE:STANZA
  key=$(grep -hiEo '(Signed-By: *|signed-by=)/[^] ]+' "${1%:*}" 2>/dev/null | sed -n 1p | sed -E 's#^[^/]*##')
  for key in "$key" /usr/share/keyrings/debian-archive-keyring.gpg /usr/share/keyrings/ubuntu-archive-keyring.gpg; do
    [ -n "$key" ] && [ -r "$key" ] && printf '%s' "$key" && return 0
  done
  fail "no key to check this machine's packages with; install debian-archive-keyring or ubuntu-keyring"
)

components() {
  # shellcheck source=/dev/null
  case $(. /etc/os-release && printf '%s' "$ID") in
    ubuntu) printf 'main universe restricted multiverse' ;;
    *) printf 'main contrib non-free' ;;
  esac
}

# apt_tree SUITE DIRECTORY: makes or refreshes a tree there; private_apt DIRECTORY ... then works in it.
# Its dpkg status is empty, so a dependency closure is complete and holds nothing of this machine.
apt_tree() (
  suite=$1 tree=$2
  mkdir -p "$tree/lists/partial" "$tree/archives/partial"
  : >"$tree/status"
  found=$(own_source)
  if [ -z "$found" ]; then
    mkdir -p "$tree/own/partial"
    quietly "package lists of this machine" persistently apt-get -o "Dir::State::lists=$tree/own" update || return 1
    found=$(own_source -o "Dir::State::lists=$tree/own")
  fi
  [ -n "$found" ] || fail "apt knows no source of $(codename)'s own packages; add one to /etc/apt/sources.list" || return 1
  key=$(own_key "${found#* }") || return 1
  printf 'deb [signed-by=%s] %s %s %s\n' "$key" "${found%% *}" "$suite" "$(components)" >"$tree/sources.list"
  cat >"$tree/apt.conf" <<CONF
Dir::Etc::sourcelist "$tree/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$tree/lists";
Dir::State::status "$tree/status";
Dir::Cache "$tree";
Dir::Cache::archives "archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
CONF
  quietly "package lists of $suite" persistently apt-get -qq -c "$tree/apt.conf" update
)

private_apt() (
  tree=$1
  shift
  apt-get -qq -y -c "$tree/apt.conf" "$@"
)

# The sum of what a command would still download, in megabytes.
megabytes_to_fetch() (
  private_apt "$@" --print-uris 2>/dev/null | awk '/^.[a-z+]+:/ { sum += $3 } END { print int(sum / 1000000) + 1 }'
)

# fetch_closure LABEL TREE ARCHIVES PACKAGE...: the packages with all that they depend on.
fetch_closure() (
  label=$1 tree=$2 archives=$3
  shift 3
  mkdir -p "$archives/partial"
  set -- -o "Dir::Cache::archives=$archives" --download-only install "$@"
  size=$(megabytes_to_fetch "$tree" "$@")
  say "$label: fetching $size MB"
  GROWS=$archives GROWS_TO=$size quietly "$label: packages" persistently private_apt "$tree" "$@"
)

# fetch_packages LABEL TREE ARCHIVES PACKAGE...: those packages alone.
fetch_packages() (
  label=$1 tree=$2 archives=$3
  shift 3
  mkdir -p "$archives"
  cd "$archives" || return 1
  size=$(megabytes_to_fetch "$tree" download "$@")
  say "$label: fetching $size MB"
  GROWS=$archives GROWS_TO=$size quietly "$label: packages" persistently private_apt "$tree" download "$@"
)
