-- inline.test.sh runs this inside Neovim, with clangd and basedpyright configured; SCENARIO selects the part.

local env = vim.env
local buf = vim.api.nvim_get_current_buf()
local scenario = {}

local lib = dofile(env.HERE .. '/neovim_lib.lua')
local ok, becomes, position = lib.ok, lib.becomes, lib.position

local function client(name)
  return vim.lsp.get_clients({ bufnr = buf, name = name })[1]
end

local function both_attach(other)
  for _, name in ipairs({ 'ptx_analyzer_inline', other }) do
    becomes(name .. ' attaches', function()
      local found = client(name)
      return found ~= nil and found.initialized
    end)
  end
end

local function all()
  return vim.diagnostic.get(buf)
end

--- Waits for a diagnostic in the line of a text.
local function reported(what, text, fits)
  local row = position(text)
  becomes(what, function()
    return vim.iter(all()):any(function(d)
      return d.lnum == row and fits(d)
    end)
  end, all)
end

local function is_ptx(code)
  return function(d)
    return d.code == code
  end
end

local function says(words)
  return function(d)
    return d.message:lower():find(words:lower(), 1, true) ~= nil
  end
end

--- The answer of one server at a text, waited for; nil for none.
local function answer(name, method, text, extra)
  local row, column = position(text)
  local params = vim.tbl_extend('force', {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    position = { line = row, character = column + (extra and extra.right or 0) },
  }, extra and extra.params or {})
  local response = client(name):request_sync(method, params, 10000, buf)
  ok(('%s answers %s'):format(name, method), response ~= nil and response.err == nil, response)
  return response.result ~= vim.NIL and response.result or nil
end

local function text_of(hover)
  return hover and vim.inspect(hover.contents) or ''
end

--- What belongs to the other server alone.
local OTHERS = {
  'textDocument/formatting', 'textDocument/rangeFormatting', 'textDocument/onTypeFormatting', 'textDocument/rename',
  'textDocument/documentSymbol', 'workspace/symbol', 'textDocument/semanticTokens/full', 'textDocument/references',
}

local function takes_nothing()
  for _, method in ipairs(OTHERS) do
    ok('our server does not offer ' .. method, not client('ptx_analyzer_inline'):supports_method(method))
  end
end

function scenario.cuda()
  ok('the filetype is cuda', vim.bo[buf].filetype == 'cuda', vim.bo[buf].filetype)
  both_attach('clangd')
  reported('the PTX error is reported', env.INLINE_PTX_PLANT, is_ptx(env.INLINE_PTX_CODE))
  reported('the C++ error is reported', env.INLINE_CPP_PLANT, says(env.INLINE_CPP_MESSAGE))
  local row, column = position('%1, %3')
  local d = vim.iter(all()):find(is_ptx(env.INLINE_PTX_CODE))
  ok('the PTX error covers the operand', d.lnum == row and d.col == column and d.end_col == column + 2, d)
  ok('hover on an opcode comes from our server', text_of(answer('ptx_analyzer_inline', 'textDocument/hover', 'st.global.f32')):find('st') ~= nil)
  ok('hover on a C++ name comes from clangd', text_of(answer('clangd', 'textDocument/hover', 'float factor', { right = 6 })):find('factor') ~= nil)
  ok('our server says nothing of a C++ name', answer('ptx_analyzer_inline', 'textDocument/hover', 'float factor', { right = 6 }) == nil)
  local operand = text_of(answer('ptx_analyzer_inline', 'textDocument/hover', '[%0], %1', { right = 1 }))
  ok('hover on an operand names its expression', operand:find('out + lane', 1, true) ~= nil, operand)
  local definition = answer('ptx_analyzer_inline', 'textDocument/definition', '[%0], %1', { right = 1 })
  ok('the definition of an operand is below', definition ~= nil and vim.inspect(definition):find('start') ~= nil, definition)
  takes_nothing()
end

function scenario.python()
  both_attach('basedpyright')
  reported('the PTX error is reported', env.INLINE_PYTHON_PTX_PLANT, is_ptx(env.INLINE_PYTHON_PTX_CODE))
  reported('the Python error is reported', env.INLINE_PYTHON_PLANT, says(env.INLINE_PYTHON_MESSAGE))
  ok('hover on a Python name comes from pyright', text_of(answer('basedpyright', 'textDocument/hover', 'double(')):find('double') ~= nil)
  ok('our server says nothing of a Python name', answer('ptx_analyzer_inline', 'textDocument/hover', 'double(') == nil)
  takes_nothing()
end

function scenario.clean()
  both_attach('clangd')
  local hints = answer('ptx_analyzer_inline', 'textDocument/completion', 'st.global', { right = 3 })
  ok('completion in the string offers modifiers', hints ~= nil and vim.inspect(hints):find('global') ~= nil, hints)
  ok('completion outside strings is empty', answer('ptx_analyzer_inline', 'textDocument/completion', 'value = factor', { right = 3 }) == nil)
  -- Findings come and go with the text.
  local text = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for right, wrong in pairs({ [env.INLINE_PTX_LINE] = env.INLINE_PTX_PLANT, [env.INLINE_CPP_LINE] = env.INLINE_CPP_PLANT }) do
    local row = position(right)
    vim.api.nvim_buf_set_lines(buf, row, row + 1, false, { wrong })
  end
  reported('a PTX error is reported', env.INLINE_PTX_PLANT, is_ptx(env.INLINE_PTX_CODE))
  reported('a C++ error is reported', env.INLINE_CPP_PLANT, says(env.INLINE_CPP_MESSAGE))
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, text)
  becomes('there are no findings in the correct text', function()
    return #all() == 0
  end, all)
end

--- A statement is evaluated as a kernel in a window beside it.
function scenario.evaluate()
  both_attach('clangd')
  vim.api.nvim_win_set_cursor(0, { position('asm volatile') + 1, 2 })
  vim.cmd('PtxEvaluate')
  local kernel
  becomes('the kernel opens', function()
    kernel = vim.iter(vim.api.nvim_list_bufs()):find(function(one)
      return vim.api.nvim_buf_is_loaded(one) and vim.bo[one].filetype == 'ptx'
    end)
    return kernel ~= nil
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(kernel, 0, -1, false), '\n')
  ok('the operands are parameters', text:find('in_value=f32[32]:iota', 1, true) ~= nil, text)
  becomes('its warp is shown', function()
    return vim.iter(vim.api.nvim_list_wins()):any(function(window)
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      return table.concat(lines, '\n'):find('%%ptx_lane') ~= nil and vim.api.nvim_win_get_buf(window) ~= kernel
    end)
  end)
end

--- Formatting and renaming are clangd's, without a question which server to take.
function scenario.other_servers_work()
  both_attach('clangd')
  local row = position('float value')
  vim.api.nvim_buf_set_lines(buf, row, row + 1, false, { '      float value   =   factor*(float)lane;' })
  vim.lsp.buf.format({ bufnr = buf, timeout_ms = 10000 })
  becomes('clangd formats the file', function()
    return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] == '  float value = factor * (float)lane;'
  end, function()
    return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  end)
  local at, column = position('float factor')
  lib.put_cursor(at, column + 6)
  vim.lsp.buf.rename('scaled_by')
  becomes('clangd renames', function()
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n'):find('scaled_by * (float)lane', 1, true) ~= nil
  end, function()
    return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  end)
end

--- Whether tree-sitter sees PTX at the position of a text, and which node.
local function ptx_node(text)
  local parser = assert(vim.treesitter.get_parser(buf))
  parser:parse(true)
  local row, column = position(text)
  local tree = parser:language_for_range({ row, column, row, column + 1 })
  if tree:lang() ~= 'ptx' then
    return tree:lang()
  end
  return tree:named_node_for_range({ row, column, row, column + 1 }):type()
end

function scenario.colours_cuda()
  for text, node in pairs({ ['mov.u32'] = 'opcode', ['setp.lt'] = 'opcode', ['st.global'] = 'opcode', ['.pred'] = 'type' }) do
    ok(('`%s` is PTX'):format(text), ptx_node(text) == node, ptx_node(text))
  end
  ok('a C++ name is not', ptx_node('float value') == 'cuda', ptx_node('float value'))
  ok('a constraint is not', ptx_node('l"(out') == 'cuda', ptx_node('l"(out'))
end

function scenario.colours_python()
  ok('`shl` is PTX', ptx_node('shl.b32') == 'opcode', ptx_node('shl.b32'))
  ok('constraints are not', ptx_node('=r,r') == 'python', ptx_node('=r,r'))
end

function scenario.colours_rust()
  for text, node in pairs({ ['mov.u32'] = 'opcode', ['add.u32'] = 'opcode', ['bar.sync'] = 'opcode', ['.pred'] = 'type' }) do
    ok(('`%s` is PTX'):format(text), ptx_node(text) == node, ptx_node(text))
  end
  for _, text in ipairs({ '=r")', 'mov {0}, rax', 'lock add.w', 'let lane' }) do
    ok(('`%s` is not'):format(text), ptx_node(text) == 'rust', ptx_node(text))
  end
end

function scenario.colours_llvm()
  for _, text in ipairs({ 'mov.u32', 'bar.sync' }) do
    ok(('`%s` is PTX'):format(text), ptx_node(text) == 'opcode', ptx_node(text))
  end
  for _, text in ipairs({ '=r"()', 'mov %eax', '~{memory}' }) do
    ok(('`%s` is not'):format(text), ptx_node(text) == 'llvm', ptx_node(text))
  end
end

function scenario.colours_julia()
  for text, node in pairs({ ['shl.b32'] = 'opcode', ['2;"'] = 'integer', ['bar.sync'] = 'opcode' }) do
    ok(('`%s` is PTX'):format(text), ptx_node(text) == node, ptx_node(text))
  end
  for _, text in ipairs({ '=r,r', '~{memory}', 'shifted(x)' }) do
    ok(('`%s` is not'):format(text), ptx_node(text) == 'julia', ptx_node(text))
  end
end

function scenario.not_chosen()
  local other = vim.bo[buf].filetype == 'python' and 'basedpyright' or 'clangd'
  becomes(other .. ' attaches', function()
    return client(other) ~= nil and client(other).initialized
  end)
  ok('our server does not', client('ptx_analyzer_inline') == nil)
end

lib.run(scenario)
