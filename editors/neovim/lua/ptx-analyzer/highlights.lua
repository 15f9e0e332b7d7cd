-- Colours for what the server says of each word, where Neovim has none: its kinds beyond those of the protocol. Themes may have their own.

local M = {}

local links = {
  ['@lsp.type.opcode.ptx'] = '@function.builtin',
  ['@lsp.typemod.opcode.controlFlow.ptx'] = '@keyword',
  ['@lsp.type.register.ptx'] = '@variable',
  ['@lsp.type.predicate.ptx'] = '@boolean',
  ['@lsp.type.specialRegister.ptx'] = '@variable.builtin',
  ['@lsp.type.stateSpace.ptx'] = '@keyword.modifier',
  ['@lsp.type.label.ptx'] = '@label',
  ['@lsp.mod.unavailable.ptx'] = 'DiagnosticUnnecessary',
}

local function link()
  for name, to in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = to, default = true })
  end
end

--- Sets them now and whenever a theme has cleared them.
function M.define()
  link()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('ptx-analyzer-highlights', { clear = true }),
    callback = link,
  })
end

return M
