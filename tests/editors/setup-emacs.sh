#!/usr/bin/env bash
# Installs Emacs (29.1 or newer, without windows) beside the editors of setup.sh, which calls this: into the same release of Debian, made to run here.
#
#   setup-emacs.sh DIR      afterwards DIR/bin holds emacs
set -euo pipefail

dir=${1:?usage: setup-emacs.sh DIR}
dir=$(cd "$dir" && pwd)
tree=$dir/forky

die() {
  printf 'setup-emacs.sh: %s\n' "$*" >&2
  exit 1
}
emacs_runs() { "$dir/bin/emacs" -Q --batch --eval "(require 'eglot)" >/dev/null 2>&1; }

if emacs_runs; then
  exit 0
fi
[ -d "$tree/etc/apt" ] || die "there is no Debian in $tree: run setup.sh"

log=$dir/emacs-install.log
in_tree() { DEBIAN_FRONTEND=noninteractive chroot "$tree" "$@" >>"$log" 2>&1; }
: >"$log"
if [ ! -x "$tree/usr/bin/emacs-nox" ]; then
  printf 'setup-emacs.sh: installing Emacs\n'
  # Packages in the tree are fetched with the same configuration as on this system.
  for file in /etc/apt/apt.conf.d/*; do
    if grep -qi '^acquire' "$file"; then cp -L "$file" "$tree/etc/apt/apt.conf.d/"; fi
  done
  if ! { in_tree apt-get update -qq && in_tree apt-get install -y -qq --no-install-recommends emacs-nox; }; then
    tail -n 20 "$log" >&2
    die "apt-get failed; all of its output is in $log"
  fi
fi

patchelf --set-interpreter "$tree/usr/lib64/ld-linux-x86-64.so.2" --force-rpath \
  --set-rpath "$tree/usr/lib/x86_64-linux-gnu:$tree/usr/lib" "$tree/usr/bin/emacs-nox"

# Variables tell Emacs where its files are, and an option where its memory image is.
mkdir -p "$dir/bin"
cat >"$dir/bin/emacs" <<LAUNCHER
#!/bin/sh
for lisp in "$tree"/usr/share/emacs/[0-9]*; do :; done
for parts in "$tree"/usr/libexec/emacs/[0-9]*/*; do :; done
export EMACSLOADPATH="\$lisp/lisp" EMACSDATA="\$lisp/etc" EMACSDOC="\$lisp/etc" EMACSPATH="\$parts"
exec "$tree/usr/bin/emacs-nox" --dump-file "\$parts"/emacs-*.pdmp "\$@"
LAUNCHER
chmod +x "$dir/bin/emacs"
emacs_runs || die "Emacs was installed but does not run; try $dir/bin/emacs --version"
printf 'setup-emacs.sh: %s, in %s\n' "$("$dir/bin/emacs" --version | head -n 1)" "$dir/bin"
