# The entries for other projects (editors/upstream) and the extension for Zed, as far as the editors here can try them.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

not_in() { ! grep -qF -- "$2" "$1"; }

# Neovim with the file for nvim-lspconfig and one line of configuration; Zed's queries on the grammar.
upstream_neovim() {
  local site=$XDG_DATA_HOME/nvim/site
  rm -rf "$XDG_DATA_HOME/nvim" "$XDG_CONFIG_HOME/nvim"
  mkdir -p "$site/pack/test/start" "$site/parser" "$XDG_CONFIG_HOME/nvim"
  cp -r "$root/editors/upstream/nvim-lspconfig" "$site/pack/test/start/"
  cc -O0 -shared -fPIC -I "$grammar/src" -o "$site/parser/ptx.so" "$grammar/src/parser.c" "$grammar/src/scanner.c"
  echo "vim.lsp.enable('ptx_analyzer')" >"$XDG_CONFIG_HOME/nvim/init.lua"
  forget_servers
  neovim_scenario upstream_test.lua nvim-lspconfig "$project/operand.ptx"
  check 'upstream: no server is left behind' until_true 10 servers_gone
  check 'upstream: the server has nothing to say of its settings' not_in "$work/neovim-nvim-lspconfig.log" 'the setting'
  neovim_scenario upstream_test.lua nvim-treesitter "$project/clean.ptx"
  neovim_scenario upstream_test.lua zed "$project/clean.ptx"
}

# Helix with the entry for its own languages.toml.
upstream_helix() {
  helix_install <<<''
  {
    echo 'use-grammars = { only = ["ptx"] }'
    sed "s|^source = { git = .*|source = { path = \"$grammar\" }|" "$root/editors/upstream/helix/languages.toml"
  } >"$XDG_CONFIG_HOME/helix/languages.toml"
  hx --grammar build >"$work/hx-build.log" 2>&1 || true
  local health line
  health=$(hx --health ptx 2>&1 | sed 's/\x1b\[[0-9;]*m//g')
  for line in '✓ ptx-analyzer: ' '✓ [^:]*/ptx-analyzer$' 'parser:.*✓' 'ighlight queries: *✓' 'extobject queries: *✓' 'ndent queries: *✓' 'ags queries: *✓' 'ainbow queries: *✓'; do
    if grep -qE -- "$line" <<<"$health"; then
      ok "upstream, helix: the health check says $line"
    else
      fail "upstream, helix: the health check says $line"
      printf '%s\n' "  | ${health//$'\n'/$'\n'  | }"
    fi
  done
}

# The parts that MELPA reads: the recipe, and the header of the file that it names.
upstream_emacs() {
  local log=$work/melpa.log
  if (cd "$root" && emacs -Q --batch -l "$here/upstream_test.el") >"$log" 2>&1; then
    ok 'upstream, emacs: the recipe names a package with a head'
  else
    fail 'upstream, emacs: the recipe names a package with a head'
    sed 's/^/  | /' "$log"
  fi
}

if have nvim cc; then upstream_neovim; fi
if have hx cc; then upstream_helix; fi
if have emacs; then upstream_emacs; fi
