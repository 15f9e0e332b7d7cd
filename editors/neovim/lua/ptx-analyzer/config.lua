-- The options. They come from three places, and later ones take precedence: the defaults here, `vim.g.ptx_analyzer`,
-- `setup{ … }`.

local M = {}

---@class ptx_analyzer.Options
---@field cmd string[]? the server's command line; nil: `ptx-analyzer` from PATH, otherwise the one built in this checkout
---@field settings table the settings of the server, documented as `ptx-analyzer.*`, without that prefix
---@field root_markers string[] the nearest folder that contains one of these is the root, otherwise the file's own folder
---@field enable boolean start the server for PTX files
---@field filetype boolean distinguish PTX from PreTeXt by content
---@field treesitter boolean highlight with tree-sitter if the parser is installed
---@field evaluate ptx_analyzer.EvaluateOptions how an evaluation is shown
---@field inline ptx_analyzer.InlineOptions PTX in the strings of other languages
---@field dap boolean register the debug adapter with nvim-dap, if it is installed

---@class ptx_analyzer.EvaluateOptions
---@field window 'split'|'vsplit'|'float' where the grid opens
---@field follow boolean the cursor of the source follows the step, and the grid follows the cursor
---@field hints boolean enable inlay hints while a file is evaluated, because the values of a lane are hints

---@class ptx_analyzer.InlineOptions
---@field enable boolean start the server for PTX in strings
---@field languages string[] of `cuda-cpp`, `cpp`, `c`, `python`, `rust`, `llvm` and `julia`
---@field targets string[] architectures such as `sm_90a`; empty: those of compile_commands.json, or all

---@type ptx_analyzer.Options
local defaults = {
  cmd = nil,
  settings = {},
  root_markers = { '.git' },
  enable = true,
  filetype = true,
  treesitter = true,
  evaluate = { window = 'split', follow = true, hints = true },
  inline = { enable = true, languages = { 'cuda-cpp', 'cpp', 'c', 'python', 'rust', 'llvm', 'julia' }, targets = {} },
  dap = true,
}

local types = {
  cmd = 'table',
  settings = 'table',
  root_markers = 'table',
  enable = 'boolean',
  filetype = 'boolean',
  treesitter = 'boolean',
  evaluate = 'table',
  inline = 'table',
  dap = 'boolean',
}

-- Types of the options in `evaluate` and `inline`.
local nested_types = {
  evaluate = { window = 'string', follow = 'boolean', hints = 'boolean' },
  inline = { enable = 'boolean', languages = 'table', targets = 'table' },
}
local windows = { 'split', 'vsplit', 'float' }

---@type table
local given = {}

--- A message for every option that is misspelt or has the wrong type; empty if there is none.
---@param options table
---@return string[]
function M.problems(options)
  local found = {}
  for key, value in pairs(options) do
    local expected = types[key]
    if not expected then
      found[#found + 1] = ('there is no option `%s`'):format(tostring(key))
    elseif type(value) ~= expected then
      found[#found + 1] = ('option `%s` is a %s, expected a %s'):format(key, type(value), expected)
    end
  end
  for name, nested in pairs(nested_types) do
    for key, value in pairs(type(options[name]) == 'table' and options[name] or {}) do
      local expected = nested[key]
      if not expected then
        found[#found + 1] = ('there is no option `%s.%s`'):format(name, tostring(key))
      elseif type(value) ~= expected then
        found[#found + 1] = ('option `%s.%s` is a %s, expected a %s'):format(name, key, type(value), expected)
      end
    end
  end
  local evaluate = type(options.evaluate) == 'table' and options.evaluate or {}
  if type(evaluate.window) == 'string' and not vim.tbl_contains(windows, evaluate.window) then
    found[#found + 1] = ('option `evaluate.window` is `%s`, expected one of %s'):format(evaluate.window, table.concat(windows, ', '))
  end
  table.sort(found)
  return found
end

--- Stores the options passed to `setup`. Invalid options are reported and ignored.
---@param options table?
function M.set(options)
  given = {}
  local problems = M.problems(options or {})
  if #problems > 0 then
    vim.notify('ptx-analyzer: ' .. table.concat(problems, '; '), vim.log.levels.WARN)
  end
  for key, value in pairs(options or {}) do
    if type(value) == types[key] then
      given[key] = value
    end
  end
end

---@return ptx_analyzer.Options
function M.get()
  local global = type(vim.g.ptx_analyzer) == 'table' and vim.g.ptx_analyzer or {}
  return vim.tbl_deep_extend('force', defaults, global, given)
end

--- The folder that contains this plugin.
---@return string
function M.plugin_dir()
  local this = debug.getinfo(1, 'S').source:sub(2)
  return vim.fs.normalize(vim.fn.fnamemodify(this, ':p:h:h:h'))
end

--- The checkout of ptx-analyzer that contains this plugin, or nil.
---@return string?
function M.checkout()
  -- A plugin manager may link the folder: the checkout is around the target of the link.
  local real = vim.uv.fs_realpath(M.plugin_dir()) or M.plugin_dir()
  local top = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(real)))
  return vim.uv.fs_stat(top .. '/tree-sitter-ptx/src/parser.c') and top or nil
end

--- The server's command line.
---@return string[]
function M.command()
  local cmd = M.get().cmd
  if cmd then
    return cmd
  end
  if vim.fn.executable('ptx-analyzer') == 0 then
    local built = (M.checkout() or '') .. '/target/release/ptx-analyzer'
    if vim.fn.executable(built) == 1 then
      return { built }
    end
  end
  return { 'ptx-analyzer' }
end

--- The options about NVIDIA's assembler, or nil. They come only from the user, while other plugins may have merged the
--- settings of a client with files of the project.
---@return table?
function M.ptxas()
  local settings = M.settings()['ptx-analyzer']
  local own = type(settings) == 'table' and settings.ptxas
  if type(own) ~= 'table' or type(own.path) ~= 'string' or own.path == '' then
    return nil
  end
  return vim.tbl_extend('force', own, { path = vim.fs.normalize(own.path) })
end

--- The options about NVIDIA's disassembler, or nil, under the same rule.
---@return table?
function M.nvdisasm()
  local settings = M.settings()['ptx-analyzer']
  local own = type(settings) == 'table' and settings.nvdisasm
  if type(own) ~= 'table' or type(own.path) ~= 'string' or own.path == '' then
    return nil
  end
  return { path = vim.fs.normalize(own.path) }
end

--- The settings as the server receives them: in a section with the name of the server.
---@return table
function M.settings()
  local settings = M.get().settings
  if settings['ptx-analyzer'] then
    return settings
  end
  return { ['ptx-analyzer'] = vim.tbl_isempty(settings) and vim.empty_dict() or settings }
end

return M
