# What Neovim shows. Sourced by pictures.test.sh.
# shellcheck shell=bash disable=SC2154

neovim_pictures() {
  nvim_prepare

  nvim_at 'mad.lo.u32          %st_tile, %row, 48'
  scene nv neovim-colours 'colours of semantic tokens, inlay hints' 'mad.lo.u32'
  nvim_end
}
