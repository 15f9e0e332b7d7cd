# Every feature once in a real editor, on a real kernel, with a capture of the screen that shows it.
# PICTURES=DIR keeps the captures as pictures (docs/editors/pictures is made so; needs Python and requirements.txt beside this).
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

# The kernel that is currently open.
kernel=mma_matmul.ptx

# picture EDITOR NAME TITLE: saves a picture of the current screen.
picture() {
  local session=$1 name=$2 title=$3
  keep "$session" "$name"
  [ -n "${PICTURES:-}" ] || return 0
  "${PYTHON:-python3}" "$here/picture.py" "$out/$name.ansi" "$PICTURES/$name.svg" --title "$title"
}

# scene SESSION NAME TITLE REGEX...: waits until all texts appear, and saves a picture of the screen.
scene() {
  local session=$1 name=$2 title=$3 regex seen=yes
  shift 3
  for regex in "$@"; do
    sees "$name: $title" "$session" "$regex" || seen=no
  done
  # The last parts of the screen, mainly colours, may be drawn slightly later.
  sleep 0.3
  [ $seen = no ] || picture "$session" "$name" "$title"
}

# place TEXT [COLUMNS]: prints line and column (from 1) of the first occurrence of a text in the kernel, moved right.
place() {
  local line column
  line=$(line_of "$project/$kernel" "$1")
  column=$(sed -n "${line}p" "$project/$kernel" | awk -v text="$1" '{ print index($0, text) }')
  echo "$line $((column + ${2:-0}))"
}

# open_kernel NAME: copies a kernel of the repository, which becomes the current one.
open_kernel() {
  kernel=$1
  cp "$root/tests/kernels/$kernel" "$project/$kernel"
}

nvim_prepare() {
  neovim_install <<'LUA'
vim.o.termguicolors = true
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.hlsearch = false
vim.o.completeopt = 'menu,menuone,noselect,popup,fuzzy'
vim.o.scrolloff = 6
vim.diagnostic.config({ virtual_text = true })
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    local client = assert(vim.lsp.get_client_by_id(event.data.client_id))
    if client:supports_method('textDocument/completion') then
      vim.lsp.completion.enable(true, client.id, event.buf, { autotrigger = true })
    end
    if client:supports_method('textDocument/inlayHint') then
      vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    end
    if client:supports_method('textDocument/codeLens') then
      vim.lsp.codelens.enable(true, { bufnr = event.buf })
    end
    if client:supports_method('textDocument/onTypeFormatting') then
      vim.lsp.on_type_formatting.enable(true, { client_id = client.id })
    end
    if client:supports_method('textDocument/foldingRange') then
      vim.wo.foldmethod, vim.wo.foldlevel = 'expr', 99
      vim.wo.foldexpr = 'v:lua.vim.lsp.foldexpr()'
    end
    vim.bo[event.buf].formatexpr = 'v:lua.vim.lsp.formatexpr()'
  end,
})
LUA
}

# nvim_at TEXT [COLUMNS]: opens the kernel in Neovim with the cursor at this text, and waits for the diagnostics.
nvim_at() {
  local line column
  read -r line column < <(place "$@")
  screen_start nv "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor nvim -n -i NONE '+call cursor($line, $column)' '+normal! zz' $kernel"
  sees "neovim: the kernel opens at '$1'" nv "$(literally "${1%%[,;]*}")" || true
  # Lenses and hints appear last.
  sleep 1.2
}

nvim_end() {
  escape nv
  type_text nv ':qa!'
  keys nv Enter
  screen_ends nv || true
}

# nvim_lua CODE: types Lua code as a user would.
nvim_lua() {
  type_text nv ":lua $1"
  keys nv Enter
}

# shellcheck source=pictures-neovim.sh
. "$here/pictures-neovim.sh"
# shellcheck source=pictures-helix.sh
. "$here/pictures-helix.sh"
# shellcheck source=pictures-emacs.sh
. "$here/pictures-emacs.sh"

# The files of other tests, with their signs and errors, must not appear in pickers.
rm -f "$project"/*.ptx
if [ -n "${PICTURES:-}" ]; then
  mkdir -p "$PICTURES"
  PICTURES=$(cd "$PICTURES" && pwd)
fi
# PICTURES_OF: restricts the test to some of the editors.
case " ${PICTURES_OF:-neovim helix emacs} " in *' neovim '*) if have nvim tmux; then neovim_pictures; fi ;; esac
case " ${PICTURES_OF:-neovim helix emacs} " in *' helix '*) if have hx tmux; then helix_pictures; fi ;; esac
case " ${PICTURES_OF:-neovim helix emacs} " in *' emacs '*) if have emacs tmux; then emacs_pictures; fi ;; esac
