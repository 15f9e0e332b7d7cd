# PTX in the strings of C++ and Python: real editors with two servers, ours beside clangd and pyright. VS Code does the
# same in vscode/suite/4-inline.test.js, which vscode.test.sh runs.
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
  # Eglot asks Git for the files of the project, and basedpyright ends if that fails.
  git init --quiet "$project"
  local kind
  for kind in cu py rs ll jl; do cp "$here/fixture/inline.$kind" "$project/clean.$kind"; done
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
  check 'inline: the correct files have no findings' inline_is_clean "$project"/clean.{cu,py,rs,ll,jl}
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
  neovim_scenario neovim_inline_test.lua evaluate "$project/clean.cu"
  neovim_scenario neovim_inline_test.lua other-servers-work "$project/clean.cu"
  check 'neovim, inline: no server is left behind' until_true 10 servers_gone
  inline_neovim_colours
  echo "vim.g.ptx_analyzer = { inline = { languages = { 'python' } } }" >>"$XDG_CONFIG_HOME/nvim/init.lua"
  neovim_scenario neovim_inline_test.lua not-chosen "$project/wrong.cu"
  echo 'vim.g.ptx_analyzer = { inline = { enable = false } }' >>"$XDG_CONFIG_HOME/nvim/init.lua"
  neovim_scenario neovim_inline_test.lua not-chosen "$project/wrong.py"
}

# PTX in strings by tree-sitter, with queries of C++ and CUDA that inherit those of C, as nvim-treesitter's do.
inline_neovim_colours() {
  local config=$XDG_CONFIG_HOME/nvim language
  if ! [ -e "$editors/grammars/cuda.so" ] || ! [ -e "$grammar/src/parser.c" ]; then
    fail 'neovim, inline: there are grammars (run setup-inline.sh)'
    return 0
  fi
  cp "$config/init.lua" "$work/init.lua"
  neovim_install <"$work/init.lua"
  mkdir -p "$config/parser" "$config/queries/cpp" "$config/queries/cuda" "$config/queries/python"
  for language in c cpp cuda python rust llvm julia; do cp "$editors/grammars/$language.so" "$config/parser/"; done
  echo '; inherits: c' >"$config/queries/cpp/injections.scm"
  echo '; inherits: cpp' >"$config/queries/cuda/injections.scm"
  neovim_scenario neovim_inline_test.lua colours-cuda "$project/clean.cu"
  neovim_scenario neovim_inline_test.lua colours-python "$project/clean.py"
  neovim_scenario neovim_inline_test.lua colours-rust "$project/clean.rs"
  neovim_scenario neovim_inline_test.lua colours-llvm "$project/clean.ll"
  neovim_scenario neovim_inline_test.lua colours-julia "$project/clean.jl"
}

# inline_helix_injections LANGUAGE: what the user's folder holds. The queries of Rust and Julia extend those of Helix.
inline_helix_injections() {
  local runtime
  case $1 in
    rust | julia)
      runtime=$(hx --health 2>/dev/null | sed -n 's/^Runtime directories: .*;//p')
      cat "$runtime/queries/$1/injections.scm"
      ;;
  esac
  cat "$root/editors/helix/queries/$1/injections.scm"
}

# Helix with the files of editors/helix, as its README says.
inline_helix() {
  have hx tmux || return 0
  local config=$XDG_CONFIG_HOME/helix language
  printf '[editor]\ntrue-color = true\n' | helix_install
  cat "$root/editors/helix/inline.toml" >>"$config/languages.toml"
  for language in c cpp python rust julia; do
    mkdir -p "$config/runtime/queries/$language"
    inline_helix_injections "$language" >"$config/runtime/queries/$language/injections.scm"
    [ ! -e "$editors/grammars/$language.so" ] || cp "$editors/grammars/$language.so" "$config/runtime/grammars/"
    # The highlights of Helix belong to other versions of these grammars.
    echo '(identifier) @variable' >"$config/runtime/queries/$language/highlights.scm"
  done
  [ ! -e "$grammar/src/parser.c" ] || hx --grammar build >"$work/hx-build.log" 2>&1 || true

  # With an error of each server on the screen, both can answer.
  forget_servers
  inline_helix_open "$project/wrong.cu:$(line_of "$project/wrong.cu" "$INLINE_PTX_PLANT"):22"
  sees 'helix, inline: the PTX error is on the screen' hxi '`%1` is `.f32`' || true
  helix_says "$(line_of "$project/wrong.cu" "$INLINE_CPP_PLANT")"
  sees 'helix, inline: the C++ error is on the screen' hxi "$INLINE_CPP_MESSAGE" || true

  # Hover: each server answers for its part.
  helix_finds 'setp'
  keys hxi Space k
  # clangd has a hover for every string. Helix shows first what comes first.
  sees 'helix, inline: hover in the string' hxi '\[1/2\]|Compares two values' || true
  on_screen hxi 'Compares two values' || keys hxi M-n
  sees 'helix, inline: one of them is ours' hxi 'Compares two values' || true
  keep hxi helix-inline-hover
  escape hxi
  if [ -e "$config/runtime/grammars/cpp.so" ] && [ -e "$config/runtime/grammars/ptx.so" ]; then
    helix_says tree-sitter-subtree
    sees 'helix, inline: the string is PTX for tree-sitter' hxi '\(opcode|\(modifier' || true
    escape hxi
  else
    fail 'helix, inline: there are grammars (run setup-inline.sh)'
  fi
  helix_finds 'float value'
  keys hxi Space k
  sees 'helix, inline: hover on a C++ name is that of clangd' hxi 'Type: float' || true
  escape hxi
  # Renaming goes to clangd.
  keys hxi Space r
  sees 'helix, inline: clangd offers the name' hxi 'rename-to:.*value' || true
  keys hxi C-u
  type_text hxi scaled
  keys hxi Enter
  sees 'helix, inline: clangd renames' hxi 'float scaled = factor' || true
  keys hxi g s
  type_text hxi 'i   '
  escape hxi
  helix_says format
  sees 'helix, inline: clangd formats' hxi 'asm volatile\($' || true
  inline_helix_quit

  inline_helix_open "$project/wrong.py:$(line_of "$project/wrong.py" "$INLINE_PYTHON_PTX_PLANT"):11"
  sees 'helix, inline: the PTX error in Python is on the screen' hxi 'shll' || true
  sees 'helix, inline: with its message' hxi '`shll`' || true
  helix_says "$(line_of "$project/wrong.py" "$INLINE_PYTHON_PLANT")"
  sees 'helix, inline: the Python error is on the screen' hxi "$INLINE_PYTHON_MESSAGE" || true
  inline_helix_quit

  inline_helix_colours rs 'mov.u32' '\((opcode|modifier|type)' 'bar.sync' '\((opcode|modifier|type)' 'mov .0., rax' '\(string_content'
  inline_helix_colours jl 'shl' '\((opcode|modifier|type)' '=r,r' '\(content'
}

# inline_helix_colours KIND (REGEX NODE)…: which node a place in a string of clean.KIND is.
inline_helix_colours() {
  local kind=$1
  shift
  inline_helix_open "$project/clean.$kind"
  sees "helix, inline: clean.$kind opens" hxi "NOR .*clean.$kind" || true
  while [ $# -gt 0 ]; do
    helix_finds "$1"
    helix_says tree-sitter-subtree
    sees "helix, inline: '$1' in clean.$kind is $2" hxi "$2" || true
    escape hxi
    shift 2
  done
  inline_helix_quit
}

inline_helix_open() {
  screen_start hxi "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor hx --log '$work/hx.log' -v '$1'"
}

helix_says() {
  type_text hxi ":$1"
  keys hxi Enter
}

# helix_finds REGEX: selects the next match.
helix_finds() {
  type_text hxi "/$1"
  keys hxi Enter
}

inline_helix_quit() {
  escape hxi
  helix_says 'q!'
  check 'helix, inline: quits' screen_ends hxi
  check 'helix, inline: no server is left behind' until_true 10 servers_gone
}
# Emacs in batch mode: Flymake over the command line, beside Eglot.
inline_emacs() {
  have emacs || return 0
  local lisp=$work/emacs-inline code=0 log=$work/emacs-inline.log
  mkdir -p "$lisp"
  cp "$root/editors/emacs/ptx-mode.el" "$root/editors/emacs/ptx-inline.el" "$lisp/"
  if (cd "$lisp" && emacs -Q --batch -L . --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile ptx-inline.el) >"$log" 2>&1; then
    ok 'emacs, inline: the mode compiles without a warning'
  else
    fail 'emacs, inline: the mode compiles without a warning'
    sed 's/^/  | /' "$log"
  fi
  (cd "$lisp" && emacs -Q --batch --eval '(checkdoc-file "ptx-inline.el")') >"$log" 2>&1
  if [ -s "$log" ]; then
    fail 'emacs, inline: its documentation is as Emacs wants it'
    sed 's/^/  | /' "$log"
  else
    ok 'emacs, inline: its documentation is as Emacs wants it'
  fi
  (cd "$project" && timeout 180 emacs -Q --batch -L "$lisp" -l "$here/emacs_inline_test.el") 2>"$log" || code=$?
  if [ "$code" -ne 0 ]; then
    failures=$((failures + 1))
    echo "  emacs ended with status $code and said:"
    sed 's/^/  | /' "$log"
  fi
}

if have clangd basedpyright-langserver; then inline_tests; fi
