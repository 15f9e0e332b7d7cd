# What Helix shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

helix_prepare() {
  helix_install <<'TOML'
theme = "onedark"
[editor]
true-color = true
end-of-line-diagnostics = "hint"
completion-timeout = 5
[editor.inline-diagnostics]
cursor-line = "hint"
[editor.lsp]
display-inlay-hints = true
TOML
  hx --grammar build >"$work/hx-build.log" 2>&1 || true
}

# helix_at TEXT [COLUMNS]
helix_at() {
  local line column
  read -r line column < <(place "$@")
  screen_start hx "cd '$project' && exec env TERM=xterm-256color COLORTERM=truecolor hx '$project/$kernel:$line:$column'"
  sees "helix: the kernel opens at '$1'" hx "$(literally "${1%%[,;]*}")" || true
  sleep 1.2
}

helix_end() {
  escape hx
  escape hx
  type_text hx ':q!'
  keys hx Enter
  screen_ends hx || true
}

helix_pictures() {
  helix_prepare
  [ "${PICTURES_PARTS:-}" = inline ] || helix_features
  case " ${PICTURES_PARTS:-inline} " in *' inline '*) if have clangd; then helix_inline; fi ;; esac
}

helix_features() {
  open_kernel mma_matmul.ptx

  helix_at 'mad.lo.u32          %st_tile, %row, 48'
  keys hx Space k
  scene hx helix-hover 'hover: an instruction, its operands, its modifiers' 'mad\.lo\.u32 d, a, b, c'
  helix_end

  helix_at '{%acc0, %acc1, %acc2, %acc3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}' 31
  scene hx helix-hints 'inlay hints: values of literals, shapes of matrices' '8×8'
  keys hx Space k
  scene hx helix-fragment 'hover: which lane of a warp holds which element of a matrix' 'lane'
  helix_end

  printf '\n[language-server.ptx-analyzer.config.ptx-analyzer.inlayHints]\nregisters = "all"\n' >>"$XDG_CONFIG_HOME/helix/languages.toml"
  helix_at 'ldmatrix.sync.aligned.m8n8.x4.trans'
  scene hx helix-pressure 'how many registers hold a value in each line' 'peak: [0-9]+ live' '◀ 2[0-9] live'
  helix_end
  sed -i '/inlayHints\]$/,$d' "$XDG_CONFIG_HOME/helix/languages.toml"

  helix_at 'stage_b;'
  keys hx gd
  scene hx helix-definition 'definition of a label' '^ *[0-9]+ +stage_b:'
  helix_end

  helix_at '.reg .b32   %n, %k' 12
  keys hx gr
  scene hx helix-references 'references in a picker' 'mma_matmul.ptx:[0-9]+'
  helix_end

  helix_at 'setp.lt.u32         %p_loads_a' 21
  keys hx Space h
  scene hx helix-highlight 'all places of a register selected' 'p_loads_a'
  helix_end

  helix_at 'setp.lt.u32         %p_loads_a' 21
  keys hx Space r
  sleep 0.5
  keys hx C-u
  type_text hx '%p_first_warps'
  keys hx Enter
  scene hx helix-rename 'rename' '@!%p_first_warps bra'
  helix_end

  helix_at '.visible .entry mma_matmul'
  keys hx Space s
  scene hx helix-symbols 'document symbols' 'stage_b'
  helix_end

  helix_at '.visible .entry mma_matmul'
  keys hx Space S
  sleep 0.5
  type_text hx 'mma'
  scene hx helix-workspace-symbols 'symbols of the workspace' 'function +mma_matmul'
  helix_end

  helix_evaluation

  open_kernel mma_matmul.ptx
  helix_at 'setp.lt.u32         %p_loads_a'
  keys hx o
  type_text hx 'cvt.'
  scene hx helix-completion 'completion: the modifiers that lead to a legal form' 'rni'
  helix_end

  helix_at 'setp.lt.u32         %p_loads_a'
  keys hx o
  type_text hx 'fma.rn.f32 %acc0, '
  scene hx helix-signature 'signature help with the active operand' 'fma\.rn\.f32 d, a, b, c'
  helix_end

  helix_at 'shl.b32             %block_col'
  keys hx x s
  type_text hx ', 5;'
  keys hx Enter c
  type_text hx ',5   ;'
  escape hx
  type_text hx ':format'
  keys hx Enter
  scene hx helix-format 'formatting' 'shl\.b32 +%block_col, %block_col, 5;'
  helix_end

  helix_at 'mov.u64             %src_step, 32' 31
  keys hx Space a
  scene hx helix-actions 'code actions on a literal' '0x20'
  helix_end

  helix_at 'and.b32             %lane, %tid_x' 4
  keys hx c
  type_text hx 'u'
  escape hx
  scene hx helix-diagnostic 'a diagnostic' '● 1'
  helix_end
}

helix_evaluation() {
  open_kernel saxpy.ptx
  helix_at '.visible .entry saxpy'
  keys hx Space a
  scene hx helix-evaluate-action 'the code action that evaluates a warp' 'Evaluate warp'
  keys hx Enter
  scene hx helix-evaluate 'what came of the evaluation' 'Finished after 84' '8 of 8 expectations'
  keys hx C-o
  sees 'helix: back in the kernel' hx 'NOR +saxpy.ptx' || true
  # Helix requests hints after an edit, or when the view of a long file has moved.
  keys hx C-d o
  escape hx
  keys hx u
  scene hx helix-evaluate-values 'the values of a lane at the ends of lines' '%n = 100'
  helix_end

  sed -i 's/y=f32\[100\]:const(1)/y=f32[10]:const(1)/' "$project/$kernel"
  helix_at '.visible .entry saxpy'
  keys hx Space a
  sees 'helix: the action is offered' hx 'Evaluate warp' || true
  keys hx Enter
  sees 'helix: a fault is told' hx 'past the end of' || true
  keys hx C-o
  sees 'helix: back in the kernel' hx 'NOR +saxpy.ptx' || true
  keys hx ']' d
  scene hx helix-evaluate-fault 'a fault is a diagnostic' 'reads 4 bytes'
  helix_end

  helix_at 'setp.ge.u32         %p_outside'
  keys hx Space G b
  escape hx
  type_text hx ":debug-start kernel $project/$kernel"
  keys hx Enter
  sees 'helix: the debugger stops' hx '▶ +29' || true
  keys hx Space G c
  escape hx
  sees 'helix: and at the breakpoint' hx '▶ +37' || true
  keys hx Space G v
  escape hx
  keys hx Space G v
  scene hx helix-debug 'the debugger: a breakpoint, the variables of a warp' 'Uniform registers'
  helix_end
}

# PTX in a string of C++, with clangd beside our server.
helix_inline() {
  local config=$XDG_CONFIG_HOME/helix language
  cat "$root/editors/helix/inline.toml" >>"$config/languages.toml"
  for language in c cpp; do
    mkdir -p "$config/runtime/queries/$language"
    cp "$root/editors/helix/queries/$language/injections.scm" "$config/runtime/queries/$language/"
    cp "$editors/grammars/$language.so" "$config/runtime/grammars/"
    # The highlights of Helix belong to other versions of these grammars.
    cat >"$config/runtime/queries/$language/highlights.scm" <<'SCM'
(primitive_type) @type.builtin
(string_literal) @string
(number_literal) @constant.numeric
(function_declarator declarator: (identifier) @function)
(identifier) @variable
[ "#define" "asm" (gnu_asm_qualifier) ] @keyword
SCM
  done
  printf '%s\n' -xcuda --cuda-gpu-arch=sm_80 --cuda-device-only -nocudainc -nocudalib >"$project/compile_flags.txt"

  kernel=inline.cu
  sed -e 's/inside, %2, %3/inside, %1, %3/' -e 's/(float)lane/(float)lame/' "$here/fixture/inline.cu" >"$project/$kernel"
  helix_at '%1, %3'
  scene hx helix-inline-diagnostic 'PTX in a string of C++: an error at its operand, beside one of clangd' '`%1` is `.f32`' 'undeclared identifier'
  helix_end

  sed 's/(float)lane/(float)lame/' "$here/fixture/inline.cu" >"$project/$kernel"
  helix_at '[%0], %1' 1
  # Both servers can answer then.
  sees 'helix: clangd has read the file' hx 'undeclared identifier' || true
  cp "$here/fixture/inline.cu" "$project/$kernel"
  type_text hx ':reload'
  keys hx Enter
  loses 'helix: the error is gone' hx 'undeclared identifier' || true
  keys hx Space k
  # Helix shows first what comes first.
  sees 'helix: hovers of both servers' hx '\[1/2\]' || true
  on_screen hx '\] ptx-analyzer-inline' || keys hx M-n
  scene hx helix-inline-hover 'PTX in a string of C++: an operand with its expression' '\] ptx-analyzer-inline'
  helix_end
}
