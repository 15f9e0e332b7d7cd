-- Highlight groups. Each class of words has a group `Ptx…`, which tree-sitter captures and the server's semantic tokens
-- link to. A theme or a user may define any of them. Neovim's default colour scheme has one colour for most classes, so
-- there the groups have their own colours.

local M = {}

--- For each group: the group that it links to in other colour schemes, and its style in Neovim's default one. Colours
--- are those of the default colour scheme, by their names without `NvimLight` and `NvimDark`.
local groups = {
  PtxOpcode = { link = '@function.builtin', colour = 'Cyan', bold = true },
  PtxControlFlow = { link = '@keyword', colour = 'Magenta', bold = true },
  PtxStateSpace = { link = '@keyword.modifier', colour = 'Magenta' },
  PtxType = { link = '@type.builtin', colour = 'Blue' },
  PtxModifier = { link = '@attribute', colour = 'Green' },
  PtxRegister = { link = '@variable' },
  PtxPredicate = { link = '@boolean', colour = 'Yellow' },
  PtxSpecialRegister = { link = '@variable.builtin', colour = 'Red' },
  PtxParameter = { link = '@variable.parameter', colour = 'Blue', bold = true },
  PtxLabel = { link = '@label', colour = 'Yellow', bold = true },
  PtxNumber = { link = '@number', colour = 'Cyan' },
}

--- The group of each capture and semantic token.
local links = {
  ['@function.builtin.ptx'] = 'PtxOpcode',
  ['@keyword.ptx'] = 'PtxControlFlow',
  ['@keyword.return.ptx'] = 'PtxControlFlow',
  ['@keyword.modifier.space.ptx'] = 'PtxStateSpace',
  ['@type.builtin.ptx'] = 'PtxType',
  ['@attribute.modifier.ptx'] = 'PtxModifier',
  ['@variable.predicate.ptx'] = 'PtxPredicate',
  ['@variable.builtin.ptx'] = 'PtxSpecialRegister',
  ['@variable.parameter.ptx'] = 'PtxParameter',
  ['@label.ptx'] = 'PtxLabel',
  ['@number.ptx'] = 'PtxNumber',
  ['@number.float.ptx'] = 'PtxNumber',
  ['@lsp.type.opcode.ptx'] = 'PtxOpcode',
  ['@lsp.typemod.opcode.controlFlow.ptx'] = 'PtxControlFlow',
  ['@lsp.type.stateSpace.ptx'] = 'PtxStateSpace',
  ['@lsp.type.type.ptx'] = 'PtxType',
  ['@lsp.type.modifier.ptx'] = 'PtxModifier',
  ['@lsp.type.register.ptx'] = 'PtxRegister',
  ['@lsp.type.predicate.ptx'] = 'PtxPredicate',
  ['@lsp.type.specialRegister.ptx'] = 'PtxSpecialRegister',
  ['@lsp.type.parameter.ptx'] = 'PtxParameter',
  ['@lsp.type.label.ptx'] = 'PtxLabel',
  ['@lsp.type.number.ptx'] = 'PtxNumber',
  ['@lsp.mod.unavailable.ptx'] = 'DiagnosticUnnecessary',
}

--- The numbers of the colours in a 16-colour terminal.
local terminal = { Red = 1, Green = 2, Yellow = 3, Blue = 4, Magenta = 5, Cyan = 6 }

--- The definitions that this file has set, to distinguish them from those of a theme or a user.
local set = {}

local function define(name, colours)
  local now = vim.api.nvim_get_hl(0, { name = name })
  if next(now) == nil or vim.deep_equal(now, set[name]) then
    vim.api.nvim_set_hl(0, name, colours)
    set[name] = vim.api.nvim_get_hl(0, { name = name })
  end
end

local function link()
  local own = (vim.g.colors_name or 'default') == 'default'
  local shade = vim.o.background == 'light' and 'NvimDark' or 'NvimLight'
  for name, group in pairs(groups) do
    if own and group.colour then
      define(name, { fg = shade .. group.colour, ctermfg = terminal[group.colour], bold = group.bold })
    else
      define(name, { link = group.link })
    end
  end
  for name, to in pairs(links) do
    define(name, { link = to })
  end
end

--- Defines the groups now, after a theme has cleared them, and after a change of the background: Neovim learns it from
--- the terminal only after the start.
function M.define()
  link()
  local augroup = vim.api.nvim_create_augroup('ptx-analyzer-highlights', { clear = true })
  vim.api.nvim_create_autocmd('ColorScheme', { group = augroup, callback = link })
  vim.api.nvim_create_autocmd('OptionSet', { group = augroup, pattern = 'background', callback = link })
end

return M
