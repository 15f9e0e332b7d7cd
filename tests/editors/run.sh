#!/usr/bin/env bash
# Drives real editors against the language server and reports one line per check.
#
#   run.sh [queries] [inline] [neovim] [neovim-warp] [neovim-screen] [helix] [typing] [emacs] [upstream] [vscode] [pictures] [install]      all of them when none is named
#   run.sh vscode-web                                              only by name: it needs server/web/build.sh
#
# PTX_ANALYZER  the server (target/release/ptx-analyzer by default)
# PTX_EDITORS   where setup.sh put the editors (~/.cache/ptx-editors by default); editors on PATH serve too
# OUT           where captures of the screens go (a scratch folder, removed at the end, by default)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
server=${PTX_ANALYZER:-$root/target/release/ptx-analyzer}
editors=${PTX_EDITORS:-$HOME/.cache/ptx-editors}
# shellcheck disable=SC2034 # for the tests
grammar=$root/tree-sitter-ptx

if [ ! -x "$server" ]; then
  echo "run.sh: there is no server at $server: build it, or set PTX_ANALYZER" >&2
  exit 2
fi
server=$(cd "$(dirname "$server")" && pwd)/$(basename "$server")
PATH=$editors/bin:$PATH

work=$(mktemp -d "${TMPDIR:-/tmp}/ptx-editors.XXXXXX")
out=${OUT:-$work/captures}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# shellcheck source=lib.sh
. "$here/lib.sh"
# shellcheck source=expectations.sh
. "$here/expectations.sh"

# shellcheck disable=SC2329 # called by the trap
cleanup() {
  local pid
  screen_cleanup
  # Kill only processes of this test: ids that the wrapper recorded and that still run it.
  if [ -e "$work/pids" ]; then
    while read -r pid; do
      if grep -qs ptx-analyzer "/proc/$pid/cmdline"; then kill "$pid" 2>/dev/null || true; fi
    done <"$work/pids"
  fi
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# A home folder without user settings, and a server that records its process id. Rust, which some packages need, stays
# in its folders.
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
mkdir -p "$work/bin" "$work/home" "$work/config" "$work/data" "$work/state" "$work/cache"
cat >"$work/bin/ptx-analyzer" <<WRAPPER
#!/bin/sh
[ \$# -gt 0 ] && [ "\$1" != --inline ] || echo \$\$ >>'$work/pids'
exec '$server' "\$@"
WRAPPER
chmod +x "$work/bin/ptx-analyzer"
export HOME=$work/home XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state
export XDG_CACHE_HOME=$work/cache LC_ALL=C.UTF-8 PATH=$work/bin:$PATH
unset NVIM NVIM_APPNAME VIMINIT TMUX

# plant FILE LINE REPLACEMENT: copies the kernel with one line replaced.
plant() {
  local text
  text=$(<"$here/fixture/saxpy.ptx")
  case $text in
    *"$2"*) printf '%s\n' "${text/"$2"/"$3"}" >"$1" ;;
    *) echo "run.sh: the kernel has no line '$2'" >&2 && exit 2 ;;
  esac
}

# Creates the initial files of every test.
fresh_project() {
  project=$work/project
  rm -rf "$project"
  mkdir -p "$project/.git" "$project/sub"
  cp "$here/fixture/article.ptx" "$project/"
  cp "$here/fixture/saxpy.ptx" "$project/clean.ptx"
  cp "$here/fixture/parting.ptx" "$project/"
  plant "$project/operand.ptx" "$OPERAND_LINE" "$OPERAND_PLANT"
  plant "$project/opcode.ptx" "$OPCODE_LINE" "$OPCODE_PLANT"
  export PROJECT=$project
}

# line_of FILE TEXT
line_of() { grep -nF -- "$2" "$1" | head -n 1 | cut -d : -f 1; }

# have PROGRAM...: checks that all programs exist. Otherwise the check fails: a test that did not run has not passed.
have() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    fail "there is $program (run tests/editors/setup.sh, or set PTX_EDITORS)"
    return 1
  done
}

tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(queries inline neovim neovim-warp neovim-screen helix typing emacs upstream vscode pictures install)
for name in "${tests[@]}"; do
  file=$here/$name.test.sh
  if [ ! -e "$file" ]; then
    echo "run.sh: there is no test '$name'" >&2
    exit 2
  fi
  echo "== $name (${SECONDS}s)"
  fresh_project
  forget_servers
  # shellcheck source=/dev/null
  . "$file"
done

if [ "$failures" -gt 0 ]; then
  echo "$failures checks failed"
  exit 1
fi
echo 'all checks passed'
