-- Options for PTX buffers. To change one, set it in after/ftplugin/ptx.lua.
if vim.b.ptx_analyzer_ftplugin then
  return
end
vim.b.ptx_analyzer_ftplugin = true
vim.b.did_ftplugin = 1 -- Neovim's own file for PTX sets only 'commentstring'

local set = vim.opt_local
set.commentstring = '// %s'
set.comments = 's1:/*,mb:*,ex:*/,://'
set.iskeyword = '@,48-57,_,$,%'
set.suffixesadd = '.ptx'
set.indentexpr = "v:lua.require'ptx-analyzer.indent'.get(v:lnum)"
set.indentkeys = '0{,0},0),0=@,:,o,O,!^F'
-- Do not continue a comment on the next line automatically: the user types code there.
set.formatoptions:remove('tro')
set.formatoptions:append('cql')

local undo = {
  'setlocal commentstring< comments< iskeyword< suffixesadd< indentexpr< indentkeys< formatoptions<',
  'unlet! b:ptx_analyzer_ftplugin',
  'call v:lua.vim.treesitter.stop()',
}
if vim.b.undo_ftplugin then
  table.insert(undo, 1, vim.b.undo_ftplugin)
end
vim.b.undo_ftplugin = table.concat(undo, ' | ')

require('ptx-analyzer.parser').start(vim.api.nvim_get_current_buf())
