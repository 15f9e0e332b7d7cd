# PTX in the strings of C++ and Python: real editors with two servers, ours beside clangd and pyright.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

# replaced FILE LINE REPLACEMENT: prints the file with a text replaced.
replaced() {
  local text
  text=$(<"$1")
  case $text in
    *"$2"*) printf '%s\n' "${text/"$2"/"$3"}" ;;
    *) echo "run.sh: $1 has no '$2'" >&2 && exit 2 ;;
  esac
}

# inline_project: a project with correct files, and with files in which a line for each server is wrong.
inline_project() {
  cp "$here/fixture/inline.cu" "$project/clean.cu"
  cp "$here/fixture/inline.py" "$project/clean.py"
  replaced "$here/fixture/inline.cu" "$INLINE_PTX_LINE" "$INLINE_PTX_PLANT" >"$work/half"
  replaced "$work/half" "$INLINE_CPP_LINE" "$INLINE_CPP_PLANT" >"$project/wrong.cu"
  replaced "$here/fixture/inline.py" "$INLINE_PYTHON_PTX_LINE" "$INLINE_PYTHON_PTX_PLANT" >"$work/half"
  replaced "$work/half" "$INLINE_PYTHON_LINE" "$INLINE_PYTHON_PLANT" >"$project/wrong.py"
  # clangd needs no CUDA then.
  printf '%s\n' -xcuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib >"$project/compile_flags.txt"
  printf 'BasedOnStyle: Google\nColumnLimit: 120\n' >"$project/.clang-format"
  # There is no triton here.
  printf '[tool.basedpyright]\nreportMissingImports = false\ntypeCheckingMode = "standard"\n' >"$project/pyproject.toml"
}

inline_is_clean() { ptx-analyzer check --inline "$@" >"$work/inline.log" 2>&1; }

inline_tests() {
  inline_project
  clangd --version | head -n 1
  basedpyright --version
  check 'inline: the correct files have no findings' inline_is_clean "$project/clean.cu" "$project/clean.py"
  inline_neovim
  inline_helix
  inline_emacs
}

inline_neovim() {
  have nvim || return 0
  neovim_plugin
  cat >"$XDG_CONFIG_HOME/nvim/init.lua" <<'LUA'
vim.lsp.config('clangd', { cmd = { 'clangd', '--log=error' }, filetypes = { 'c', 'cpp', 'cuda' }, root_markers = { '.git' } })
vim.lsp.config('basedpyright', { cmd = { 'basedpyright-langserver', '--stdio' }, filetypes = { 'python' }, root_markers = { '.git' } })
vim.lsp.enable({ 'clangd', 'basedpyright' })
LUA
  forget_servers
  neovim_scenario neovim_inline_test.lua cuda "$project/wrong.cu"
  neovim_scenario neovim_inline_test.lua python "$project/wrong.py"
  neovim_scenario neovim_inline_test.lua clean "$project/clean.cu"
  neovim_scenario neovim_inline_test.lua other-servers-work "$project/clean.cu"
  check 'neovim, inline: no server is left behind' until_true 10 servers_gone
  echo "vim.g.ptx_analyzer = { inline = { languages = { 'python' } } }" >>"$XDG_CONFIG_HOME/nvim/init.lua"
  neovim_scenario neovim_inline_test.lua not-chosen "$project/wrong.cu"
  echo 'vim.g.ptx_analyzer = { inline = { enable = false } }' >>"$XDG_CONFIG_HOME/nvim/init.lua"
  neovim_scenario neovim_inline_test.lua not-chosen "$project/wrong.py"
}

inline_helix() { :; }
inline_emacs() { :; }

if have clangd basedpyright-langserver; then inline_tests; fi
