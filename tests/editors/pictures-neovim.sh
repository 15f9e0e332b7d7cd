# What Neovim shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

neovim_pictures() {
  nvim_prepare

  nvim_at 'mad.lo.u32          %st_tile, %row, 48'
  scene nv neovim-colours 'semantic colours' 'mad.lo.u32'
  keys nv K
  scene nv neovim-hover 'hover on an opcode' 'mad\.lo\.u32 d, a, b, c'
  nvim_end

  nvim_at 'mma.sync.aligned' 44
  keys nv K
  scene nv neovim-fragment 'hover on an operand of mma: which lane holds what' 'lane'
  nvim_end

  nvim_at '.reg .b32   %n, %k' 12
  type_text nv ':lua vim.lsp.buf.references()'
  keys nv Enter
  scene nv neovim-references 'references in the quickfix list' 'mma_matmul.ptx\|[0-9]+ col'
  nvim_end

  nvim_at '@!%p_loads_a bra' 4
  type_text nv ':lua vim.lsp.buf.document_highlight()'
  keys nv Enter
  scene nv neovim-highlight 'document highlight of a predicate' 'p_loads_a'
  type_text nv ':lua vim.lsp.buf.rename("%p_first_warps")'
  keys nv Enter
  scene nv neovim-rename 'rename' '@!%p_first_warps bra'
  nvim_end

  nvim_at 'stage_b;'
  type_text nv ':lua vim.lsp.buf.definition()'
  keys nv Enter
  scene nv neovim-definition 'definition of a label' '^ *[0-9]+ stage_b:'
  nvim_end

  nvim_at 'setp.lt.u32         %p_loads_a'
  keys nv o
  type_text nv 'cvt.'
  scene nv neovim-completion 'completion of a modifier' 'rn'
  nvim_end

  nvim_at 'setp.lt.u32         %p_loads_a'
  keys nv o
  type_text nv 'fma.rn.f32 %acc0, '
  keys nv C-s
  scene nv neovim-signature 'signature help with the active operand' 'fma'
  nvim_end

  nvim_at 'shl.b32             %block_col'
  type_text nv ':s/, 5;/,5 ;/ | s/  */ /g'
  keys nv Enter
  type_text nv ':lua vim.lsp.buf.format()'
  keys nv Enter
  scene nv neovim-format 'formatting' 'shl\.b32 +%block_col, %block_col, 5;'
  nvim_end

  nvim_at 'mov.u64             %src_step, 32' 30
  type_text nv ':lua vim.lsp.buf.code_action()'
  keys nv Enter
  scene nv neovim-actions 'code actions on an immediate' '0x20'
  nvim_end

  nvim_at '.visible .entry mma_matmul'
  scene nv neovim-lens 'code lenses and inlay hints' 'mma_matmul'
  keys nv gO
  scene nv neovim-symbols 'document symbols' 'stage_b'
  nvim_end
}
