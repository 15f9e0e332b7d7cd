-- :checkhealth ptx-analyzer

local config = require('ptx-analyzer.config')
local parser = require('ptx-analyzer.parser')

local health = vim.health

local M = {}

local function check_neovim()
  health.start('ptx-analyzer: Neovim')
  local v = vim.version()
  local version = ('Neovim %d.%d.%d'):format(v.major, v.minor, v.patch)
  if vim.fn.has('nvim-0.10') == 0 then
    health.error(version .. ' is too old', { 'Neovim 0.10 is the oldest that works' })
  elseif vim.lsp.config == nil then
    health.ok(version .. ' (without vim.lsp.config: the server is started by an autocommand)')
  else
    health.ok(version)
  end

  local found = vim.filetype.match({ filename = 'kernel.ptx' })
  if found == 'ptx' then
    health.ok('`.ptx` files get the filetype `ptx`')
  else
    health.warn(('`.ptx` files get the filetype `%s`'):format(found or 'of another rule'), {
      'Something else has claimed the extension with vim.filetype.add()',
    })
  end
end

--- The command line in effect, whether this plugin or the user has set it.
local function effective_command()
  local name = require('ptx-analyzer.client').name
  local cmd = vim.lsp.config and vim.lsp.config[name] and vim.lsp.config[name].cmd
  return cmd or config.command()
end

local function check_server()
  health.start('ptx-analyzer: language server')
  if not config.get().enable then
    health.info('the server is turned off (`enable = false`)')
  end
  local cmd = effective_command()
  if type(cmd) ~= 'table' then
    health.info('the server is started by a function of your own')
    return
  end
  local path = vim.fn.exepath(cmd[1])
  if path == '' then
    health.error(('`%s` is not an executable'):format(cmd[1]), {
      'Build it with `cargo build --release` in a checkout, or install it with `cargo install`, and put it on PATH',
      "or say where it is: require('ptx-analyzer').setup{ cmd = { '/path/to/ptx-analyzer' } }",
    })
    return
  end
  health.ok('found ' .. path)

  local command = vim.list_extend(vim.deepcopy(cmd), { '--version' })
  local started, process = pcall(vim.system, command, { text = true, timeout = 5000 })
  local result = started and process:wait() or { code = -1, stderr = tostring(process) }
  local version = vim.trim(result.stdout or ''):match('[^\n]+')
  if result.code == 0 and version then
    health.ok('version: ' .. version)
  else
    health.error(('`%s` failed'):format(table.concat(command, ' ')), { vim.trim(result.stderr or '') })
  end

  local clients = vim.lsp.get_clients({ name = require('ptx-analyzer.client').name })
  for _, client in ipairs(clients) do
    local count = vim.tbl_count(client.attached_buffers or {})
    health.ok(('running for %s (%d open files)'):format(client.config.root_dir or 'no folder', count))
  end
  if #clients == 0 then
    health.info('not running now: no PTX file is open')
  end
end

--- Reports whether PTX in the strings of other languages is analysed.
local function check_inline()
  health.start('ptx-analyzer: PTX in other languages')
  local inline = require('ptx-analyzer.inline')
  if not (config.get().enable and config.get().inline.enable) then
    health.info('the server for strings is turned off (`inline = { enable = false }`)')
    return
  end
  health.ok('filetypes: ' .. table.concat(inline.filetypes(), ', '))
  for _, client in ipairs(vim.lsp.get_clients({ name = inline.name })) do
    local count = vim.tbl_count(client.attached_buffers or {})
    health.ok(('running for %s (%d open files)'):format(client.config.root_dir or 'no folder', count))
  end
end

--- Checks whether the running server, or the executable, supports all commands of this plugin.
local function check_evaluation()
  health.start('ptx-analyzer: evaluation and debugging')
  local client = vim.lsp.get_clients({ name = require('ptx-analyzer.client').name })[1]
  if client then
    local provider = (client.server_capabilities or {}).executeCommandProvider or {}
    if vim.tbl_contains(provider.commands or {}, 'ptx-analyzer.evaluateWarp') then
      health.ok('the server evaluates warps (:PtxEvaluate)')
    else
      health.error('the server is too old for :PtxEvaluate', { 'Update the executable `ptx-analyzer` together with this plugin' })
    end
  end
  local cmd = effective_command()
  if type(cmd) == 'table' and vim.fn.executable(cmd[1]) == 1 then
    local command = vim.list_extend(vim.deepcopy(cmd), { 'dap', '--help' })
    local started, process = pcall(vim.system, command, { text = true, timeout = 5000 })
    if started and process:wait().code == 0 then
      health.ok('the debug adapter: ' .. table.concat(vim.list_extend(vim.deepcopy(cmd), { 'dap' }), ' '))
    else
      health.warn('this executable has no debug adapter', { 'Update `ptx-analyzer`' })
    end
  end
  local dap = require('ptx-analyzer.dap')
  if not config.get().dap then
    health.info('nvim-dap is left alone (`dap = false`)')
  elseif not dap.available() then
    health.info('nvim-dap is not installed, or not loaded yet: breakpoints and the like need it, :PtxEvaluate does not')
  elseif not dap.register() then
    health.warn('nvim-dap is there but cannot be loaded', { 'See what `:lua require("dap")` says' })
  elseif require('dap').adapters.ptx == dap.adapter then
    health.ok('nvim-dap: `ptx` is registered')
  else
    health.ok('nvim-dap: `ptx` is an adapter of your own')
  end
end

--- Checks NVIDIA's assembler and disassembler, if they are configured.
local function check_nvidia()
  local function check(name, own, use)
    if not own then
      return
    end
    health.start('ptx-analyzer: ' .. name)
    if vim.fn.isabsolutepath(own.path) == 0 then
      health.error(('`%s` is not an absolute path'):format(own.path), { 'The program is never looked for' })
    elseif vim.fn.executable(own.path) == 0 then
      health.error(('`%s` is not an executable'):format(own.path), { 'See :help ptx-analyzer-ptxas' })
    else
      health.ok(use .. own.path)
    end
  end
  check('ptxas', config.ptxas(), 'registers can be compared with ')
  check('nvdisasm', config.nvdisasm(), 'machine code can be shown with ')
  if config.nvdisasm() and not config.ptxas() then
    health.warn('`ptxas.path` is not set', { 'Machine code needs both programs; see :help ptx-analyzer-ptxas' })
  end
end

local function check_parser()
  health.start('ptx-analyzer: tree-sitter')
  local files = vim.api.nvim_get_runtime_file('parser/ptx.*', true)
  local available, problem = parser.available()
  if not available then
    local advice = { 'Run :PtxBuildParser' }
    if not parser.compiler() then
      advice[#advice + 1] = 'It needs a C compiler (cc, gcc, clang or zig), and none was found'
    end
    if files[1] then
      health.error(('%s cannot be loaded: %s'):format(files[1], problem or 'no reason was given'), advice)
    else
      health.warn('the parser is not installed: the plain syntax file and the server do the highlighting', advice)
    end
    return
  end
  health.ok('parser: ' .. (files[1] or 'loaded'))
  if #files > 1 then
    health.warn('there is more than one parser for PTX', { 'These are not used: ' .. table.concat(files, ', ', 2) })
  end
  local ok, query = pcall(vim.treesitter.query.get, 'ptx', 'highlights')
  if ok and query then
    health.ok('the highlighting query fits the parser')
  else
    health.error('the highlighting query does not fit the parser', {
      ok and 'queries/ptx/highlights.scm was not found' or tostring(query),
      'Run :PtxBuildParser and start Neovim again',
    })
  end
end

function M.check()
  check_neovim()
  check_server()
  check_inline()
  check_evaluation()
  check_nvidia()
  check_parser()
end

return M
