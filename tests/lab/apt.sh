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
  apt_configuration "$tree" >"$tree/apt.conf"
  quietly "package lists of $suite" persistently apt-get -qq -c "$tree/apt.conf" update
)

apt_configuration() { # TREE
  cat <<CONF
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$1/lists";
Dir::State::status "$1/status";
Dir::Cache "$1";
Dir::Cache::archives "archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
CONF
}

private_apt() (
  tree=$1
  shift
  apt-get -qq -y -c "$tree/apt.conf" "$@"
)

# wanted TREE COMMAND PACKAGE...: lines "FILE BYTES SHA256" of the packages that such a command of apt-get downloads, from the signed lists.
wanted() (
  tree=$1
  shift
  private_apt "$tree" -o "Dir::Cache::archives=$tree/none" -o Acquire::ForceHash=SHA256 --print-uris "$@" |
    awk '/^.[a-z+]+:/ { sub(/^SHA256:/, "", $4); print $2, $3, $4 }'
)

is_whole() { # FILE BYTES SHA256
  [ "$(stat -c %s "$1" 2>/dev/null)" = "$2" ] && printf '%s  %s\n' "$3" "$1" | sha256sum --status --check -
}

# lacking ARCHIVES, lines of `wanted` on stdin: prints the lines whose package is not there. A package that is cut off, damaged or of another
# version is removed.
lacking() (
  wanted=$(cat)
  line_end='
'
  for deb in "$1"/*.deb; do
    case $line_end$wanted in *"$line_end${deb##*/} "*) ;; *) rm -f "$deb" ;; esac
  done
  printf '%s\n' "$wanted" | while read -r name bytes hash; do
    is_whole "$1/$name" "$bytes" "$hash" || { rm -f "$1/$name" && printf '%s\n' "$name $bytes $hash"; }
  done
)

# take_whole ARCHIVES, lines of `wanted` on stdin: moves the packages from ARCHIVES/partial. apt-get writes them there under their own names,
# and resumes an interrupted download.
take_whole() {
  while read -r name bytes hash; do
    is_whole "$1/partial/$name" "$bytes" "$hash" || { rm -f "$1/partial/$name" && fail "$name is not what the package lists name"; } || return 1
    mv -f "$1/partial/$name" "$1/$name" || return 1
  done
}

download() ( # TREE ARCHIVES PACKAGE...
  tree=$1
  cd "$2/partial" || return 1
  shift 2
  persistently private_apt "$tree" download "$@"
)

# fetch LABEL TREE ARCHIVES COMMAND PACKAGE...: ARCHIVES/*.deb are then the packages that such a command downloads, each whole, and no others.
fetch() (
  label=$1 tree=$2 archives=$3
  shift 3
  mkdir -p "$archives/partial"
  wanted=$(wanted "$tree" "$@") || return 1
  [ -n "$wanted" ] || fail "$label: the package lists have no $*" || return 1
  lacking=$(printf '%s\n' "$wanted" | lacking "$archives")
  [ -n "$lacking" ] || { say "$label: fetched already" && return 0; }
  size=$(printf '%s\n' "$lacking" | awk '{ sum += $2 } END { print int(sum / 1000000) + 1 }')
  say "$label: fetching $size MB"
  # shellcheck disable=SC2046  # a list of package names
  GROWS=$archives GROWS_TO=$size quietly "$label: packages" \
    download "$tree" "$archives" $(printf '%s\n' "$lacking" | sed 's/_.*//') || return 1
  printf '%s\n' "$lacking" | take_whole "$archives"
)

# fetch_closure LABEL TREE ARCHIVES PACKAGE...: the packages with all that they depend on.
fetch_closure() (
  label=$1 tree=$2 archives=$3
  shift 3
  fetch "$label" "$tree" "$archives" install "$@"
)

# fetch_packages LABEL TREE ARCHIVES PACKAGE...: those packages alone.
fetch_packages() (
  label=$1 tree=$2 archives=$3
  shift 3
  fetch "$label" "$tree" "$archives" download "$@"
)

# unpack_some DEB DIRECTORY PATTERN...: the files that fit. tar reports a pattern that no file fits, which is no failure here.
unpack_some() (
  deb=$1 directory=$2
  shift 2
  errors=$({ dpkg-deb --fsys-tarfile "$deb" | LC_ALL=C tar -x -C "$directory" --wildcards "$@"; } 2>&1 |
    grep -vE ': Not found in archive$|: Exiting with failure status due to previous errors$' || true)
  [ -z "$errors" ] || fail "cannot unpack $deb: $errors"
)
