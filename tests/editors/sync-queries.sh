#!/usr/bin/env bash
# Makes the editors' copies of the grammar's queries, with which an unchanged checkout works on every system. The copies for
# Neovim and Zed are identical; those for Helix use its capture names. Edit tree-sitter-ptx/queries, run this, commit both.
#
#   sync-queries.sh            write the copies
#   sync-queries.sh --check    only report whether they are up to date
#
# Helix's indents.scm, textobjects.scm and rainbows.scm and Zed's other queries are written by hand: they use their own dialects.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
grammar=${PTX_QUERIES:-$root/tree-sitter-ptx/queries}
check=
case ${1-} in
  '') ;;
  --check) check=yes ;;
  *) echo "usage: sync-queries.sh [--check]" >&2 && exit 2 ;;
esac

neovim=(highlights folds injections locals)
helix=(highlights injections locals tags)
zed=(highlights)

# The captures with different names: the name in the grammar, then the name in Helix's themes. A longer name must
# precede its prefix. Helix's default theme has eight colours for code. It gives types and functions the same colour,
# and variables and parameters too. The chosen scopes make opcodes, types, spaces, modifiers, registers, predicates and
# parameters distinguishable in that theme.
helix_names=(
  'keyword.modifier.space namespace'
  'attribute.modifier string.special.symbol'
  'type.builtin keyword.storage.type'
  'variable.predicate markup.bold'
  'variable.parameter markup.italic'
  'number.float constant.numeric.float'
  'number constant.numeric'
  'boolean constant.builtin.boolean'
  'character constant.character'
  'string.escape constant.character.escape'
  'variable.member variable.other.member'
  'property variable.other.member'
  'module namespace'
  'keyword.modifier keyword.storage.modifier'
  'keyword.type keyword.storage.type'
  'keyword.import keyword.control.import'
  'keyword.return keyword.control.return'
  'function.call function'
  'type.definition type'
)

header() {
  printf '; Made from tree-sitter-ptx/queries/%s by tests/editors/sync-queries.sh: edit that file, not this one.\n\n' "$1"
}

to_helix() {
  local script=() pair
  for pair in "${helix_names[@]}"; do
    # A name ends where no further part follows. Two steps prevent a result from being renamed again.
    script+=(-e "s/@${pair% *}([^a-z.]|\$)/@=${pair#* }\\1/g")
  done
  # Captures for spell checking and concealment exist only in Neovim.
  sed -E "${script[@]}" -e 's/@=/@/g' -e 's/ @(spell|nospell)([^a-z.]|$)/\2/g'
}

stale=0
# put FILE: writes the text on stdin into the file; with --check, compares it, and the status reports a difference.
put() {
  local fresh
  fresh=$(mktemp)
  cat >"$fresh"
  if cmp -s "$fresh" "$1"; then
    rm "$fresh"
  elif [ -n "$check" ]; then
    rm "$fresh"
    echo "out of date: ${1#"$root"/}" >&2
    return 1
  else
    cat "$fresh" >"$1"
    rm "$fresh"
    echo "wrote ${1#"$root"/}"
  fi
}

# copy EDITOR NAME FILTER...: copies one query for one editor. If the grammar no longer has it, the copy is deleted.
copy() {
  local editor=$1 source=$grammar/$2.scm file=$2.scm folder=queries/ptx copy
  [ "$editor" != zed ] || folder=languages/ptx
  copy=$root/editors/$editor/$folder/$file
  shift 2
  if [ -e "$source" ]; then
    { header "$file" && "$@" <"$source"; } | put "$copy" || stale=1
  elif [ -e "$copy" ] && [ -n "$check" ]; then
    echo "has no original: editors/$editor/$folder/$file" >&2
    stale=1
  elif [ -e "$copy" ]; then
    rm "$copy"
    echo "removed editors/$editor/$folder/$file"
  fi
}

for name in "${neovim[@]}"; do copy neovim "$name" cat; done
for name in "${helix[@]}"; do copy helix "$name" to_helix; done
for name in "${zed[@]}"; do copy zed "$name" cat; done

if [ "$stale" -ne 0 ]; then
  echo 'run tests/editors/sync-queries.sh' >&2
  exit 1
fi
