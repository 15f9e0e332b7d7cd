# Helix in a terminal.
# shellcheck shell=bash disable=SC2154 # run.sh sets the variables

# `hx --health` colours its output: remove the colours before a comparison.
health() { hx --health ptx 2>&1 | sed 's/\x1b\[[0-9;]*m//g'; }
health_says() { health | grep -qE -- "$1"; }

helix_open() {
  screen_start hx "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor hx --log '$work/hx.log' -v '$1'"
}

helix_quit() {
  escape hx
  type_text hx ':q!'
  keys hx Enter
  check 'helix: quits' screen_ends hx
  check 'helix: no server is left behind' until_true 10 servers_gone
}

# Prints the line and column (from 1) of a text in a file, in the form that `hx FILE:LINE:COLUMN` accepts.
at() {
  local line column
  line=$(line_of "$1" "$2")
  column=$(sed -n "${line}p" "$1" | awk -v text="$3" '{ print index($0, text) }')
  printf '%s:%s:%s' "$1" "$line" "$column"
}

helix_grammar() {
  if [ ! -e "$grammar/src/parser.c" ]; then
    skip 'helix: the grammar (it has no generated parser yet)'
    return
  fi
  hx --grammar build >"$work/hx-build.log" 2>&1 || true
  if [ -e "$XDG_CONFIG_HOME/helix/runtime/grammars/ptx.so" ]; then
    ok 'helix: hx --grammar build makes the grammar from a local path'
  else
    fail 'helix: hx --grammar build makes the grammar from a local path'
    sed 's/^/  | /' "$work/hx-build.log"
  fi
  if health_says 'Tree-sitter parser:.*✓'; then
    ok 'helix: the health check finds the parser'
  else
    fail 'helix: the health check finds the parser'
    health | sed 's/^/  | /'
  fi
}

# helix_command TEXT: types a command at the `:` prompt.
helix_command() {
  type_text hx ":$1"
  keys hx Enter
}

# Checks the grammar and the queries on the open file, with the cursor in the changed line.
helix_syntax() {
  keys hx g s
  helix_command tree-sitter-subtree
  sees 'helix: the opcode is one for the grammar' hx '\(opcode' || true
  escape hx
  helix_command tree-sitter-highlight-name
  # The popup may cover the text of a diagnostic, so the message need not be complete.
  sees 'helix: the opcode has a colour' hx ' (keyword|function|operator|constant|type)(\.[a-z]+)*( |$)' || true
  escape hx
  keys hx m a f
  # The function begins at its first linkage and ends at the last brace of the file.
  sees 'helix: a function can be selected' hx "1 sel +$(line_of "$project/operand.ptx" '}')" || true
  # A line opened after the brace has one level of indentation: the line number, two columns, a tab of width four.
  helix_command "goto $(line_of "$project/operand.ptx" '{')"
  keys hx o
  type_text hx 'exit;'
  sees 'helix: a new line in a function is indented' hx '[0-9] {6}exit;' || true
  escape hx
  keys hx u
  sees 'helix: and undone' hx '● 1' || true
  helix_command "goto $(line_of "$project/operand.ptx" "$OPERAND_PLANT")"
  if grep -iE 'query|queries|grammar' "$work/hx.log" | grep -E 'ERROR|WARN'; then
    fail 'helix: its log has no complaint about grammar or queries'
  else
    ok 'helix: its log has no complaint about grammar or queries'
  fi
}

# helix_asks_for_hints FILE: makes Helix request hints. It does so only after an edit, or when the view of a long file
# has moved.
helix_asks_for_hints() {
  helix_command "goto $(line_of "$1" 'rsqrt')"
  keys hx o
  escape hx
  keys hx u
}

# The list of actions shows a text (an extended regular expression). A server that has not answered `initialize` yet is not asked for
# actions, and Helix says so instead of waiting for it; nothing on the screen tells when a server is ready.
helix_lists() {
  local tries
  for tries in 1 2 3; do
    [ "$tries" -eq 1 ] || escape hx
    keys hx Space a
    if until_true 5 on_screen hx "$1"; then return 0; fi
  done
  return 1
}

# helix_offers NAME REGEX
helix_offers() {
  if helix_lists "$2"; then
    ok "$1"
  else
    fail "$1"
    printf '  expected on the screen: %s\n' "$2"
    screen_report hx
  fi
}

# Requests from the list of actions and from the prompt.
helix_evaluation_tests() {
  forget_servers
  helix_open "$(at "$project/parting.ptx" '.visible .entry' parting)"
  sees 'helix: the kernel to evaluate opens' hx 'entry parting' || true
  helix_offers 'helix: an evaluation is offered' 'Evaluate warp'
  keys hx Enter
  sees 'helix: what came of it opens' hx 'Finished after [0-9]+ warp instructions' || true
  sees 'helix: the status line says it' hx '^parting: ' || true
  keys hx C-o
  sees 'helix: Ctrl-o goes back' hx 'NOR +.*parting.ptx' || true
  helix_asks_for_hints "$project/parting.ptx"
  sees 'helix: values stand at the ends of lines' hx '%root = inf' || true
  helix_command 'lsp-workspace-command ptx-analyzer.evaluateWarp {"line": 9, "focus": {"lane": 5}}'
  sleep 1
  helix_asks_for_hints "$project/parting.ptx"
  sees 'helix: another lane by the prompt' hx '%root = 1.41' || true
  helix_command 'lsp-workspace-command ptx-analyzer.clearEvaluation'
  sleep 1
  helix_asks_for_hints "$project/parting.ptx"
  loses 'helix: and all of it goes' hx '%root = ' || true
  helix_command 'lsp-workspace-command ptx-analyzer.evaluateWarp {"entry": "nowhere", "show": true}'
  sees 'helix: what cannot be evaluated is said' hx '[^"]nowhere' || true
  helix_quit

  forget_servers
  helix_open "$project/parting.ptx"
  sees 'helix: the kernel to debug opens' hx 'Lanes that part' || true
  helix_command "debug-start kernel $project/parting.ptx"
  sees 'helix: the debugger stops at the first instruction' hx "▶ +$(line_of "$project/parting.ptx" 'ld.param.u32')" || true
  keys hx Space G n
  escape hx
  sees 'helix: a step' hx "▶ +$(line_of "$project/parting.ptx" 'ld.param.u64')" || true
  keys hx Space G v
  sees 'helix: the variables' hx 'n: \.u32 = 124' || true
  escape hx
  escape hx
  helix_quit
}

helix_coloured() {
  tm capture-pane -p -e -t hx-colours >"$work/hx-colours.ansi" && python3 "$here/helix_colours.py" "$work/hx-colours.ansi" >"$work/hx-colours.log" 2>&1
}

# Checks that the default theme distinguishes the classes of words.
helix_colours() {
  cp "$here/fixture/colours.ptx" "$project/"
  screen_start hx-colours hx "$project/colours.ptx"
  if until_true 10 helix_coloured; then
    ok 'helix: ten classes of words are told apart in the default theme'
  else
    fail 'helix: ten classes of words are told apart in the default theme'
    sed 's/^/  | /' "$work/hx-colours.log"
  fi
  keep hx-colours helix-colours
  keys hx-colours : q ! Enter
  screen_ends hx-colours || fail 'helix: the colours are closed'
}

helix_tests() {
  hx --version
  helix_install <<'TOML'
[editor]
true-color = true
end-of-line-diagnostics = "hint"
[editor.inline-diagnostics]
cursor-line = "hint"
other-lines = "hint"
[editor.lsp]
display-inlay-hints = true
TOML
  if health_says 'ptx-analyzer:.*bin/ptx-analyzer'; then
    ok 'helix: the health check finds the server'
  else
    fail 'helix: the health check finds the server'
    health | sed 's/^/  | /'
  fi
  local kind
  for kind in Highlight Textobject Indent Tags Rainbow; do
    check "helix: there are queries: $kind" health_says "$kind queries:.*✓"
  done
  helix_grammar

  # A wrong operand is reported and explained; an edit fixes it, and undo restores it.
  helix_open "$(at "$project/operand.ptx" "$OPERAND_PLANT" "$OPERAND_TOKEN")"
  sees 'helix: the file opens' hx "$(literally "$OPERAND_PLANT")" || true
  # The message is below its line; the status line contains the count: ● 1 is one error.
  sees 'helix: the diagnostic is on the screen' hx '└|┘|╰' || true
  sees 'helix: the status line counts one error' hx '● 1' || true
  keep hx helix-diagnostic
  check 'helix: the server was started' server_was_started

  if [ -e "$XDG_CONFIG_HOME/helix/runtime/grammars/ptx.so" ]; then
    helix_syntax
    helix_colours
  fi

  keys hx g s # the first character of the line that is not blank: the opcode
  keys hx Space k
  if sees 'helix: hover says what the opcode does' hx "$HOVER_SUMMARY"; then keep hx helix-hover; fi
  escape hx

  # Select the line, select the token in it, and replace it.
  keys hx x s
  type_text hx "$OPERAND_TOKEN"
  keys hx Enter c
  type_text hx "$OPERAND_FIX"
  escape hx
  sees 'helix: the line is repaired' hx "$(literally "$OPERAND_LINE")" || true
  loses 'helix: typing the error away takes the diagnostic away' hx '● 1|└|┘|╰' || true
  keys hx u
  sees 'helix: undo brings it back' hx '● 1' || true
  keys hx Space s
  sees 'helix: the symbol picker lists the kernel' hx "function +$SYMBOL" || true
  escape hx
  helix_quit

  forget_servers
  helix_open "$(at "$project/opcode.ptx" "$OPCODE_PLANT" "$OPCODE_TOKEN")"
  sees 'helix: a misspelt opcode is reported' hx '● 1' || true
  sees 'helix: with a message at its line' hx '└|┘|╰' || true
  keys hx Space a
  if sees 'helix: a code action is offered' hx "$(literally "$OPCODE_FIX")"; then keep hx helix-code-action; fi
  keys hx Enter
  sees 'helix: it repairs the line' hx "$(literally "$OPCODE_LINE")" || true
  loses 'helix: and takes the diagnostic away' hx '● 1|└|┘|╰' || true
  keys hx u
  sees 'helix: undo brings it back' hx '● 1' || true
  helix_quit

  helix_evaluation_tests

  # Configure an assembler in the user's own configuration.
  fake_ptxas
  cat >>"$XDG_CONFIG_HOME/helix/languages.toml" <<TOML
[language-server.ptx-analyzer.config]
workspaceTrusted = true
[language-server.ptx-analyzer.config.ptx-analyzer.ptxas]
path = "$HOME/ptxas"
TOML
  forget_servers
  # With a launch above the kernel, the action that writes one is not offered. It would be the first one.
  sed -i 's|^\.visible \.entry|//! launch: grid=1 block=32\n&|' "$project/clean.ptx"
  helix_open "$(at "$project/clean.ptx" '.entry' "$SYMBOL")"
  sees 'helix: the kernel opens' hx "entry $SYMBOL" || true
  check 'helix: the server was started with an assembler' until_true 10 server_was_started
  helix_offers 'helix: a comparison is offered' "Compare the registers of .$SYMBOL. with ptxas"
  keys hx Enter
  sees 'helix: the status line tells what came of it' hx "$SYMBOL: 12 registers \\(estimated [0-9]+\\)" || true
  helix_quit

  # Helix detects languages only by the extension: the server itself must report nothing for a PreTeXt document.
  forget_servers
  helix_open "$project/article.ptx"
  sees 'helix: a PreTeXt document opens' hx 'shares the extension' || true
  check 'helix: the server was started for it' until_true 10 server_was_started
  if until_true 2 on_screen hx '● [0-9]|▲ [0-9]'; then
    fail 'helix: a PreTeXt document has no diagnostics'
    screen_report hx
  else
    ok 'helix: a PreTeXt document has no diagnostics'
  fi
  helix_quit
}

if have hx tmux; then helix_tests; fi
