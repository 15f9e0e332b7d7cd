-- The tree-sitter parser: whether Neovim has one, and how to build it from the grammar's generated C source.

local config = require('ptx-analyzer.config')

local M = {}

--- Whether Neovim can load a parser for PTX; otherwise the reason.
---@return boolean available, string? problem
function M.available()
  local ok, loaded, problem = pcall(vim.treesitter.language.add, 'ptx')
  if not ok then
    return false, tostring(loaded)
  end
  -- Neovim 0.10 raises an error if there is no parser, and returns nothing if there is one.
  return loaded == true or vim.fn.has('nvim-0.11') == 0, problem
end

--- Highlights a buffer with tree-sitter if possible. Otherwise Neovim's own syntax file stays active.
---@param bufnr integer
function M.start(bufnr)
  if config.get().treesitter and (M.available()) then
    pcall(vim.treesitter.start, bufnr, 'ptx')
  end
end

--- The beginning of a command line for the C compiler.
---@return string[]?
function M.compiler()
  local wanted = vim.env.CC
  if wanted and wanted ~= '' then
    return vim.split(wanted, ' +', { trimempty = true })
  end
  for _, name in ipairs({ 'cc', 'gcc', 'clang' }) do
    if vim.fn.executable(name) == 1 then
      return { name }
    end
  end
  return vim.fn.executable('zig') == 1 and { 'zig', 'cc' } or nil
end

--- The destination of the parser: beside this plugin or, if that folder is read-only, under the data folder.
---@return string
local function target_dir()
  local own = config.plugin_dir()
  if vim.uv.fs_access(own, 'W') then
    return own .. '/parser'
  end
  return vim.fs.normalize(vim.fn.stdpath('data')) .. '/site/parser'
end

--- The folder with parser.c. The user may give the grammar's folder or its src folder.
---@param given string?
---@return string? folder, string? problem
local function source_dir(given)
  local top = given and vim.fs.normalize(vim.fn.fnamemodify(given, ':p')):gsub('/$', '')
    or (config.checkout() and config.checkout() .. '/tree-sitter-ptx')
  if not top then
    return nil, 'this plugin does not lie in a checkout of ptx-analyzer: name the folder tree-sitter-ptx'
  end
  for _, dir in ipairs({ top .. '/src', top }) do
    if vim.uv.fs_stat(dir .. '/parser.c') then
      return dir
    end
  end
  return nil, ('there is no parser.c in %s/src'):format(top)
end

--- Compiles the parser and installs it where Neovim finds it.
---@param options { source?: string, target?: string }?
---@param on_done fun(problem: string?, path: string?) called in the main loop
function M.build(options, on_done)
  options = options or {}
  local source, problem = source_dir(options.source)
  if not source then
    return on_done(problem)
  end
  local cc = M.compiler()
  if not cc then
    return on_done('no C compiler was found: install one, or name it in $CC')
  end
  local dir = options.target or target_dir()
  vim.fn.mkdir(dir, 'p')

  -- Neovim loads `.so` on every system. A parser in use must be replaced instead of overwritten.
  local path = dir .. '/ptx.so'
  local fresh = ('%s.%d'):format(path, vim.uv.os_getpid())
  local command = vim.list_extend(vim.deepcopy(cc), { '-O2', '-std=c11', '-shared' })
  if vim.fn.has('win32') == 0 then
    command[#command + 1] = '-fPIC'
  end
  vim.list_extend(command, { '-I', source, '-o', fresh, source .. '/parser.c' })
  if vim.uv.fs_stat(source .. '/scanner.c') then
    command[#command + 1] = source .. '/scanner.c'
  end

  local function finish(result)
    if result.code ~= 0 then
      os.remove(fresh)
      return on_done(('%s failed:\n%s'):format(table.concat(command, ' '), result.stderr or ''))
    end
    local moved, why = vim.uv.fs_rename(fresh, path)
    if not moved then
      os.remove(fresh)
      return on_done(('%s cannot be replaced (%s): close every Neovim that uses it'):format(path, why))
    end
    on_done(nil, path)
  end
  local started, failure = pcall(vim.system, command, { text = true }, vim.schedule_wrap(finish))
  if not started then
    on_done(tostring(failure))
  end
end

return M
