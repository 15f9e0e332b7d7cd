#!/usr/bin/env bash
# Installs the editors that the tests here drive: Neovim (0.12 or newer) and Helix (25.07 or newer), Emacs, tmux, and VS Code with Chromium;
# and the servers of other languages that run beside ours.
#
#   setup.sh [DIR]      ~/.cache/ptx-editors by default; afterwards DIR/bin holds nvim, hx, emacs and vscode-server
#
# For Debian, as root. Neovim, Helix and Emacs come from Debian's release "forky", unpacked into a folder of its own, and are patched
# to use the libraries of that folder; so they run beside anything this system has, and can start a server that was built
# here. Takes a minute or two the first time and nothing once both run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
release=forky
dir=${1:-$HOME/.cache/ptx-editors}

say() { printf 'setup.sh: %s\n' "$*"; }
die() {
  printf 'setup.sh: %s\n' "$*" >&2
  exit 1
}

editors_run() {
  "$dir/bin/nvim" --version >/dev/null 2>&1 && "$dir/bin/hx" --version >/dev/null 2>&1
}

tools_missing() {
  local tool
  for tool in tmux cc; do
    command -v "$tool" >/dev/null || return 0
  done
  return 1
}

report() {
  say "$("$dir/bin/nvim" --version | head -n 1), $("$dir/bin/hx" --version), $(tmux -V), in $dir/bin"
}

if editors_run && ! tools_missing; then
  report
  "$here/setup-emacs.sh" "$dir"
  "$here/setup-vscode.sh" "$dir"
  exec "$here/setup-inline.sh" "$dir"
fi

# Prints the mirror from which this system takes its packages, without the security archive; prints nothing if it cannot
# be determined.
mirror_of_this_system() {
  local lists=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources)
  local list
  for list in "${lists[@]}"; do
    [ -r "$list" ] || continue
    sed 's/#.*//' "$list"
  done | grep -oE 'https?://[^][:space:]]*/debian/?([[:space:]]|$)' | tr -d '[:blank:]' | head -n 1 || true
}

[ "$(id -u)" -eq 0 ] || die 'must run as root: it installs packages and unpacks a release with debootstrap'
command -v apt-get >/dev/null || die 'this system has no apt-get; install Neovim and Helix some other way and put them on PATH'
[ "$(uname -m)" = x86_64 ] || die "only x86_64 has been made to work, this is $(uname -m)"

say 'installing the tools that are needed'
export DEBIAN_FRONTEND=noninteractive
packages=(debootstrap patchelf tmux)
command -v cc >/dev/null || packages+=(gcc libc6-dev)
apt-get update -qq || die 'apt-get update failed'
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null || die "apt-get could not install ${packages[*]}"

mkdir -p "$dir/bin"
dir=$(cd "$dir" && pwd)
tree=$dir/$release

if [ ! -x "$tree/usr/bin/nvim" ] || [ ! -x "$tree/usr/lib/hx/hx" ]; then
  # debootstrap has a script for each release; the scripts for all newer Debian releases are the same.
  scripts=/usr/share/debootstrap/scripts
  [ -e "$scripts/$release" ] || ln -s sid "$scripts/$release"
  mirror=$(mirror_of_this_system)
  say "unpacking $release from ${mirror:-the mirror debootstrap knows}"
  rm -rf "$tree"
  log=$dir/debootstrap.log
  if ! debootstrap --variant=minbase --include=neovim,hx "$release" "$tree" ${mirror:+"$mirror"} >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "debootstrap failed; all of its output is in $log"
  fi
fi

say 'making the editors run here'
for program in usr/bin/nvim usr/lib/hx/hx; do
  patchelf --set-interpreter "$tree/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
    --set-rpath "$tree/usr/lib/x86_64-linux-gnu:$tree/usr/lib" "$tree/$program"
done

# launcher NAME VARIABLE RUNTIME PROGRAM
launcher() {
  printf '#!/bin/sh\nexport %s="%s"\nexec "%s" "$@"\n' "$2" "$tree/$3" "$tree/$4" >"$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
launcher nvim VIMRUNTIME usr/share/nvim/runtime usr/bin/nvim
launcher hx HELIX_RUNTIME usr/lib/hx/runtime usr/lib/hx/hx

editors_run || die "the editors were installed but do not run; try $dir/bin/nvim --version"
report
"$here/setup-emacs.sh" "$dir"
"$here/setup-vscode.sh" "$dir"
"$here/setup-inline.sh" "$dir"
