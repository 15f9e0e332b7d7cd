-- Run in a Neovim that has no plugin of ours: only what editors/upstream offers to other projects.

local env = vim.env
local T = dofile(env.HERE .. '/neovim_lib.lua')
local root = env.ROOT

local function read(path)
  local file = assert(io.open(root .. '/' .. path))
  local text = file:read('a')
  file:close()
  return text
end

local scenarios = {}

scenarios.nvim_lspconfig = function()
  T.ok('the file type is known', vim.bo.filetype == 'ptx', vim.bo.filetype)
  local found = vim.wait(30000, function()
    return #vim.diagnostic.get(T.buf) > 0
  end, 50)
  T.ok('the server finds the mistake', found, vim.diagnostic.get(T.buf))
  local client = vim.lsp.get_clients({ bufnr = T.buf })[1]
  T.ok('the entry started it', client and client.name == 'ptx_analyzer', client and client.name)
  T.ok('in the project', client.root_dir == env.PROJECT, client.root_dir)
end

scenarios.nvim_treesitter = function()
  local entry = assert(load('return {' .. read('editors/upstream/nvim-treesitter/parsers.lua') .. '}'))().ptx
  local info = entry.install_info
  T.ok('the entry has what it needs', info.url and info.revision and entry.tier and entry.maintainers[1], entry)
  T.ok('the parser is where it says', vim.uv.fs_stat(root .. '/' .. info.location .. '/src/parser.c') ~= nil, info.location)
  T.ok('the grammar loads', vim.treesitter.language.add('ptx') == true)
  local queries = { indents = 'tree-sitter-ptx/queries' }
  for _, name in ipairs({ 'highlights', 'folds', 'injections', 'locals' }) do
    queries[name] = 'editors/neovim/queries/ptx'
  end
  for name, folder in pairs(queries) do
    local fits, problem = pcall(vim.treesitter.query.parse, 'ptx', read(folder .. '/' .. name .. '.scm'))
    T.ok(name .. '.scm fits the grammar', fits, problem)
  end
end

scenarios.zed = function()
  vim.treesitter.language.add('ptx')
  local folder = 'editors/zed/languages/ptx'
  local tree = vim.treesitter.get_parser(T.buf, 'ptx'):parse()[1]:root()
  local names = { highlights = 'variable', brackets = 'open', outline = 'name', indents = 'indent', overrides = 'comment.inclusive' }
  for name, capture in pairs(names) do
    local fits, query = pcall(vim.treesitter.query.parse, 'ptx', read(folder .. '/' .. name .. '.scm'))
    T.ok(name .. '.scm fits the grammar', fits, query)
    local seen = false
    for id in query:iter_captures(tree, T.buf) do
      seen = seen or query.captures[id] == capture
    end
    T.ok(name .. '.scm finds @' .. capture, seen)
  end
  local there = {}
  for file in vim.fs.dir(root .. '/' .. folder) do
    local query = file:match('^(.*)%.scm$')
    if query and not names[query] then
      there[#there + 1] = file
    end
  end
  T.ok('no query goes untried', #there == 0, there)
end

T.run(scenarios)
