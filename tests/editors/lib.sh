# Helpers of the tests that look at a terminal: a tmux server of our own, waiting by polling, and the report.
# shellcheck shell=bash disable=SC2154,SC2001
# Needs: $work (scratch folder), $out (captures). Sets: failures.

failures=0
tmux_socket=ptx-editors-$$

ok() { printf 'ok   %s\n' "$1"; }
skip() { printf 'skip %s\n' "$1"; }
fail() {
  printf 'FAIL %s\n' "$1"
  failures=$((failures + 1))
}

# check NAME COMMAND...
check() {
  local name=$1
  shift
  if "$@"; then ok "$name"; else fail "$name"; fi
}

# until_true SECONDS COMMAND...: polls ten times per second.
until_true() {
  local tries=$(($1 * 10))
  shift
  while ! "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
}

tm() { tmux -u -L "$tmux_socket" -f /dev/null "$@"; }

# screen_start SESSION COMMAND...: runs a command in a terminal of 120 by 40 cells. tmux passes on the current
# environment.
screen_start() {
  local session=$1
  shift
  tm new-session -d -s "$session" -x 120 -y 40 "$*"
  tm set-option -g escape-time 0
}

keys() {
  local session=$1
  shift
  tm send-keys -t "$session" "$@"
}

# escape SESSION: waits after the Escape key, because an immediately following key would be read as Alt with that key.
escape() {
  keys "$1" Escape
  sleep 0.3
}

# type_text SESSION TEXT: types the text literally, without key names. tmux would treat a semicolon at the end as its
# own separator.
type_text() { tm send-keys -t "$1" -l -- "${2/%;/\\;}"; }

screen_text() { tm capture-pane -p -t "$1" 2>/dev/null || true; }

# Prints the screen for a report: indented, without empty lines.
screen_report() { screen_text "$1" | sed -e '/^[[:space:]]*~\{0,1\}[[:space:]]*$/d' -e 's/^/  | /'; }

# literally TEXT: prints a regular expression that matches exactly this text.
literally() { sed 's/[][().*^$?+{}|\\]/\\&/g' <<<"$1"; }

on_screen() { screen_text "$1" | grep -qE -- "$2"; }
not_on_screen() { ! on_screen "$1" "$2"; }
session_gone() { ! tm has-session -t "=$1" 2>/dev/null; }

# sees NAME SESSION REGEX: waits until the text appears. On failure it prints the screen.
sees() {
  if until_true 15 on_screen "$2" "$3"; then
    ok "$1"
  else
    fail "$1"
    printf '  expected on the screen: %s\n' "$3"
    screen_report "$2"
    return 1
  fi
}

# loses NAME SESSION REGEX: waits until the text disappears.
loses() {
  if until_true 15 not_on_screen "$2" "$3"; then
    ok "$1"
  else
    fail "$1"
    printf '  still on the screen: %s\n' "$3"
    screen_report "$2"
    return 1
  fi
}

# keep SESSION NAME: saves the screen as text and with its colours.
keep() {
  screen_text "$1" >"$out/$2.txt"
  tm capture-pane -p -e -t "$1" >"$out/$2.ansi" 2>/dev/null || true
}

# Whether all servers have ended. The server's wrapper records the process id of every server that an editor starts.
servers_gone() {
  local pid
  [ -e "$work/pids" ] || return 0
  while read -r pid; do
    if kill -0 "$pid" 2>/dev/null; then return 1; fi
  done <"$work/pids"
}

server_was_started() { [ -s "$work/pids" ]; }

# forget_servers: later checks consider only servers that start from now on.
forget_servers() { rm -f "$work/pids"; }

# screen_ends SESSION: true if its program ends by itself; otherwise the session is killed.
screen_ends() {
  if until_true 10 session_gone "$1"; then return 0; fi
  screen_report "$1"
  tm kill-session -t "=$1" 2>/dev/null || true
  return 1
}

screen_cleanup() { tm kill-server 2>/dev/null || true; }

# fake_ptxas: installs scripts in the home folder that pose as NVIDIA's assembler and disassembler and print their output
# for the kernel. The assembler refuses a module with the word `bogus`.
fake_ptxas() {
  local samples=$root/server/nvidia/src/disassembly/samples
  cat >"$HOME/ptxas" <<PTXAS
#!/bin/sh
if [ "\$*" = --version ]; then
  echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'
  echo 'Cuda compilation tools, release 13.5, V13.5.37'
elif grep -q bogus module.ptx; then
  echo "ptxas module.ptx, line 42; error   : Unknown opcode 'bogus'"
  exit 255
else
  echo "ptxas info    : Compiling entry function '$SYMBOL' for 'sm_80'"
  echo 'ptxas info    : Used 12 registers, used 0 barriers, 380 bytes cmem[0]'
  echo object >module.o
fi
PTXAS
  cat >"$HOME/nvdisasm" <<NVDISASM
#!/bin/sh
case "\$*" in
--version)
  echo 'nvdisasm: NVIDIA (R) CUDA disassembler'
  echo 'Cuda compilation tools, release 13.5, V13.5.37' ;;
*life-range*) cat '$samples/13-saxpy-live.txt' ;;
*) cat '$samples/13-saxpy-lines.txt' ;;
esac
NVDISASM
  chmod +x "$HOME/ptxas" "$HOME/nvdisasm"
}

# neovim_plugin: installs the plugin from the repository, without a parser or a configuration.
neovim_plugin() {
  local pack=$XDG_DATA_HOME/nvim/site/pack/test/start
  rm -rf "$XDG_DATA_HOME/nvim" "$XDG_CONFIG_HOME/nvim"
  mkdir -p "$pack" "$XDG_CONFIG_HOME/nvim"
  cp -r "$root/editors/neovim" "$pack/ptx-analyzer"
  rm -rf "$pack/ptx-analyzer/parser"
}

# neovim_scenario TEST NAME FILE [ARGUMENT...]: runs one scenario of a test in a Neovim without a screen.
neovim_scenario() {
  local test=$1 name=$2 file=$3 code=0 log=$work/neovim-$2.log report=$work/neovim-$2.report
  shift 3
  : >"$report"
  HERE=$here GRAMMAR=$grammar ROOT=$root SCENARIO=$name REPORT=$report timeout 120 nvim --headless -n -i NONE "$@" "$file" \
    -c "luafile $here/$test" >"$log" 2>&1 </dev/null || code=$?
  cat "$report"
  if [ "$code" -ne 0 ] || ! [ -s "$report" ]; then
    failures=$((failures + 1))
    grep -q '^FAIL ' "$report" || printf 'FAIL neovim, %s: the editor ended with status %s\n' "$name" "$code"
    sed 's/^/  | /' "$log"
  fi
}

# neovim_install: installs the plugin and its parser; standard input is the configuration.
neovim_install() {
  neovim_plugin
  cat >"$XDG_CONFIG_HOME/nvim/init.lua"
  [ -e "$grammar/src/parser.c" ] || return 0
  nvim --headless -n -i NONE +"PtxBuildParser $grammar" \
    +"lua vim.wait(100000, function() return #vim.api.nvim_get_runtime_file('parser/ptx.so', false) > 0 end, 50)" \
    +qall >"$work/nvim-build.log" 2>&1 </dev/null || true
}

# helix_install: installs as described in the README.md of editors/helix; standard input is the configuration.
helix_install() {
  local config=$XDG_CONFIG_HOME/helix
  rm -rf "$config"
  mkdir -p "$config/runtime/queries" "$config/runtime/grammars"
  cp -r "$root/editors/helix/queries/ptx" "$config/runtime/queries/"
  # As for a user with a checkout: a folder replaces the repository. `use-grammars` restricts the build to this grammar.
  {
    echo 'use-grammars = { only = ["ptx"] }'
    sed "s|^source = { git = .*|source = { path = \"$grammar\" }|" "$root/editors/helix/languages.toml"
  } >"$config/languages.toml"
  cat >"$config/config.toml"
}

# vscode_quietly NAME COMMAND...: runs a check and shows its output only on failure.
vscode_quietly() {
  local name=$1 log=$work/vscode-quiet.log
  shift
  if "$@" >"$log" 2>&1; then ok "$name"; else
    fail "$name"
    tail -n 60 "$log" | sed 's/^/  | /'
    return 1
  fi
}

# Runs a program that prints a line for each check.
vscode_report() {
  local lines=$work/vscode-report.log
  "$@" 2>&1 | tee "$lines" || true
  local failed
  failed=$(grep -c '^FAIL' "$lines" || true)
  grep -q '^ok ' "$lines" || failed=$((failed + 1))
  failures=$((failures + failed))
}

# Installs the packages of package-lock.json, unless they exist.
vscode_modules() {
  (
    cd "$1" || exit 1
    [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts
  )
}
