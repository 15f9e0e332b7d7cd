# What Neovim shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

neovim_pictures() {
  nvim_prepare
  local part
  for part in ${PICTURES_PARTS:-reading moving writing evaluating inline}; do "neovim_$part"; done
}

neovim_reading() {
  open_kernel mma_matmul.ptx
  nvim_at 'mad.lo.u32          %st_tile, %row, 48'
  scene nv neovim-colours 'semantic tokens colour each word by what it is' 'mad.lo.u32'
  keys nv K
  scene nv neovim-hover 'hover: an instruction, its operands, its modifiers' 'mad\.lo\.u32 d, a, b, c'
  nvim_end

  nvim_at '{%acc0, %acc1, %acc2, %acc3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}' 31
  keys nv K
  scene nv neovim-fragment 'hover: which lane of a warp holds which element of a matrix' 'lane'
  nvim_end

  nvim_at 'shr.u32             %warp' 21
  keys nv K
  scene nv neovim-register 'hover: a register, who writes and reads it' 'warp'
  nvim_end

  nvim_at 'mov.f32             %acc0'
  scene nv neovim-hints 'inlay hints: values of literals, shapes of matrices' '0f00000000 = 0' '8×8'
  nvim_end

  nvim_at 'mma_matmul(' 3
  keys nv K
  scene nv neovim-kernel 'hover: how many registers a kernel needs, and what holds them' 'Registers: about' 'Live there'
  nvim_end

  nvim_at 'ldmatrix.sync.aligned.m8n8.x4.trans'
  type_text nv ':PtxPressure'
  keys nv Enter
  scene nv neovim-pressure 'how many registers hold a value in each line' 'peak: [0-9]+ live' '[0-9]+ █████'
  nvim_end

  open_kernel indirect_call.ptx
  nvim_at '.func'
  scene nv neovim-lens 'code lenses: how often a function is used' '[0-9] (use|call)' '≈ [0-9]+ registers'
  nvim_end
}

neovim_moving() {
  open_kernel mma_matmul.ptx
  nvim_at 'stage_b;'
  nvim_lua 'vim.lsp.buf.definition()'
  scene nv neovim-definition 'definition of a label' '^ *[0-9]+ stage_b:'
  nvim_end

  nvim_at '.reg .b32   %n, %k' 12
  keys nv grr
  scene nv neovim-references 'references in the quickfix list' 'mma_matmul.ptx\|[0-9]+ col'
  nvim_end

  nvim_at 'setp.lt.u32         %p_loads_a' 21
  nvim_lua 'vim.lsp.buf.document_highlight()'
  scene nv neovim-highlight 'what reads and writes the register under the cursor' 'p_loads_a'
  nvim_lua 'vim.lsp.buf.rename("%p_first_warps")'
  scene nv neovim-rename 'rename' '@!%p_first_warps bra'
  nvim_end

  nvim_at '.visible .entry mma_matmul'
  keys nv gO
  scene nv neovim-symbols 'document symbols' 'stage_b'
  nvim_end

  nvim_at 'ldmatrix.sync.aligned.m8n8.x4.shared' 50
  keys nv v
  for _ in 1 2 3; do
    keys nv an
    sleep 0.4
  done
  scene nv neovim-selection 'the selection grows with the syntax' 'ldmatrix'
  nvim_end

  nvim_at 'next_k:'
  keys nv zM
  sleep 0.3
  keys nv zr
  scene nv neovim-folding 'folding' '[0-9]+ lines|··|--'
  nvim_end

  open_kernel indirect_call.ptx
  nvim_at 'clip(.param .f32 value)'
  nvim_lua 'vim.lsp.buf.incoming_calls()'
  scene nv neovim-calls 'who calls a function' 'apply_direct'
  nvim_end

  nvim_at '.func' 0
  nvim_lua 'vim.lsp.buf.workspace_symbol("")'
  scene nv neovim-workspace-symbols 'symbols of the workspace' 'indirect_call.ptx\|'
  nvim_end
}

neovim_writing() {
  open_kernel mma_matmul.ptx
  nvim_at 'setp.lt.u32         %p_loads_a'
  keys nv o
  type_text nv 'cvt.'
  scene nv neovim-completion 'completion: the modifiers that lead to a legal form' 'rni'
  nvim_end

  nvim_at 'setp.lt.u32         %p_loads_a'
  keys nv o
  type_text nv 'fma.rn.f32 %acc0, '
  keys nv C-s
  scene nv neovim-signature 'signature help, and registers by how they fit' 'fma\.rn\.f32 d, a, b, c' 'acc1'
  nvim_end

  nvim_at 'shl.b32             %block_col'
  type_text nv ':s/, 5;/,5 ;/ | s/  */ /g'
  keys nv Enter
  nvim_lua 'vim.lsp.buf.format()'
  scene nv neovim-format 'formatting' 'shl\.b32 +%block_col, %block_col, 5;'
  nvim_end

  nvim_at 'mov.u64             %src_step, 32' 31
  keys nv gra
  scene nv neovim-actions 'code actions on a literal' '0x20'
  keys nv q
  nvim_end

  nvim_at 'and.b32             %lane, %tid_x'
  type_text nv ':s/b32/u32/'
  keys nv Enter
  scene nv neovim-diagnostic 'a diagnostic' '■ .*and'
  nvim_end
}

# nvim_command TEXT: types a command as a user would.
nvim_command() {
  type_text nv ":$1"
  keys nv Enter
}

neovim_evaluating() {
  # The lens must be visible before the grid opens.
  open_kernel saxpy.ptx
  nvim_at '.visible .entry saxpy'
  scene nv neovim-evaluate-lens 'a lens above a kernel that evaluates it' 'Evaluate warp'
  nvim_end

  nvim_at 'fma.rn.f32'
  nvim_command PtxEvaluate
  sees 'neovim: the grid opens' nv '^%xi +.f32 +0.0' || true
  keys nv l
  scene nv neovim-evaluate 'a grid of registers and lanes, and the values of one in the text' 'step 25 of' '%axpy += '
  type_text nv '/%axpy'
  keys nv Enter
  keys nv K
  scene nv neovim-evaluate-register 'a register in all lanes and readings' 'lane +Hexadecimal +Signed'
  keys nv q
  nvim_command 'PtxMemory out'
  sees 'neovim: memory opens' nv 'out  at step' || true
  keys nv f f f
  keys nv 2 l
  scene nv neovim-evaluate-memory 'memory beside it, which follows the steps' 'as f32' '000000 +1.0 +3.0'
  nvim_end

  cp "$here/fixture/parting.ptx" "$project/"
  kernel=parting.ptx
  nvim_at 'add.u32 %sum, %sum'
  nvim_command PtxEvaluate
  sees 'neovim: the grid opens' nv 'step [0-9]+ of' || true
  keys nv n n
  scene nv neovim-evaluate-divergence 'lanes that part: those that wait are dim' 'step 18 of' 'next +lanes [0-9, –…]+ at line'
  keys nv 3 ']w' '$'
  keys nv 2 h
  nvim_command 'PtxLane 31'
  # Hints appear shortly after the last step.
  sleep 1
  scene nv neovim-evaluate-exited 'the last warp: lanes that have ended' 'CTA 1,0,0' 'ended lanes 28–31'
  nvim_end

  open_kernel saxpy.ptx
  sed -i 's/y=f32\[100\]:const(1)/y=f32[10]:const(1)/' "$project/$kernel"
  nvim_at '.visible .entry saxpy'
  nvim_command PtxEvaluate
  scene nv neovim-evaluate-fault 'a fault: the grid opens where it happens' 'fault reads 4 bytes' 'E:1'
  keys nv g '?'
  scene nv neovim-evaluate-keys 'the keys of the grid' 'A step forward'
  keys nv q
  nvim_command PtxResult
  scene nv neovim-evaluate-result 'what came of it, as a document' 'past the end of'
  nvim_end

  open_kernel mma_matmul.ptx
  nvim_at 'mma.sync.aligned'
  nvim_command PtxEvaluate
  sees 'neovim: the grid opens' nv 'step 57 of' || true
  nvim_command 'PtxFilter %a'
  scene nv neovim-evaluate-mma 'the operands of mma, lane by lane' 'only +%a' 'step 57 of'
  nvim_end
}

# PTX in a string of C++, with our server alone.
neovim_inline() {
  kernel=inline.cu
  sed 's/inside, %2, %3/inside, %1, %3/' "$here/fixture/inline.cu" >"$project/$kernel"
  nvim_at 'setp.lt.s32'
  scene nv neovim-inline-diagnostic 'PTX in a string of C++: an error at its operand' '%1.* is .*f32'
  nvim_end

  cp "$here/fixture/inline.cu" "$project/$kernel"
  nvim_at '[%0], %1' 1
  keys nv K
  scene nv neovim-inline-hover 'PTX in a string of C++: an operand with its expression' 'out \+ lane'
  nvim_end

  nvim_at 'setp.lt.s32'
  type_text nv ':PtxEvaluate'
  keys nv Enter
  scene nv neovim-inline-evaluate 'PTX in a string of C++: the statement as a kernel, and its warp' 'statement  step [0-9]+ of' '%ptx_lane  .s32'
  nvim_end
}
