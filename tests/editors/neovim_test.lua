-- neovim.test.sh runs this inside Neovim, after the editor has started with a file; SCENARIO selects the part.
-- The expected values come from expectations.sh through the environment.

local env = vim.env
local buf = vim.api.nvim_get_current_buf()
local scenario = {}

local lib = dofile(env.HERE .. '/neovim_lib.lua')
local report, ok, becomes, client, attached = lib.report, lib.ok, lib.becomes, lib.client, lib.attached
local position, put_cursor, type_keys = lib.position, lib.put_cursor, lib.type_keys

local function diagnostics(code)
  return vim.tbl_filter(function(d)
    return d.code == code
  end, vim.diagnostic.get(buf))
end

local function errors()
  return vim.diagnostic.get(buf, { severity = vim.diagnostic.severity.ERROR })
end

local function all_diagnostics()
  return vim.diagnostic.get(buf)
end

--- Waits until an inserted error is reported at its position.
local function planted(plant, token, code)
  local row, column = position(plant)
  column = column + assert(plant:find(token, 1, true)) - 1
  becomes(('`%s` is reported'):format(code), function()
    return #diagnostics(code) == 1
  end, all_diagnostics)
  local d = diagnostics(code)[1]
  ok('it is on the planted line, an error, with a message and a source',
    d.lnum == row and d.severity == vim.diagnostic.severity.ERROR and #d.message > 10 and d.source ~= nil, d)
  ok('it covers the wrong token', d.lnum == row and d.col <= column and d.end_col >= column + #token, d)
  return row, column
end

local function stops_cleanly()
  local running = client()
  local pids = vim.fn.readfile(vim.fs.dirname(env.PROJECT) .. '/pids')
  local pid = tonumber(pids[#pids])
  ok('the server is a process', vim.uv.kill(pid, 0) == 0)
  if vim.fn.has('nvim-0.11') == 1 then
    running:stop()
  else
    running.stop()
  end
  becomes('the client ends when it is told to', function()
    return #vim.lsp.get_clients() == 0
  end)
  becomes('the server ends with it', function()
    return vim.uv.kill(pid, 0) ~= 0
  end)
end

function scenario.zero_config()
  ok('the filetype is ptx', vim.bo[buf].filetype == 'ptx', vim.bo[buf].filetype)
  ok('comments are `//`', vim.bo[buf].commentstring == '// %s', vim.bo[buf].commentstring)
  attached()
  ok('the root is the folder with .git', client().config.root_dir == vim.uv.fs_realpath(env.PROJECT),
    client().config.root_dir)
  local row, column = planted(env.OPERAND_PLANT, env.OPERAND_TOKEN, env.OPERAND_CODE)
  ok('it is the only error', #errors() == 1, errors())

  -- Hover in its window.
  local _, start = position(env.OPERAND_PLANT)
  put_cursor(row, start)
  vim.lsp.buf.hover()
  local float
  becomes('hover opens a window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        float = window
        return true
      end
    end
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, -1, false), '\n')
  ok('it names the opcode', text:find(env.HOVER_WORD, 1, true) ~= nil, text)
  ok('it says what the opcode does', vim.regex('\\v' .. env.HOVER_SUMMARY):match_str(text) ~= nil, text)
  vim.api.nvim_win_close(float, true)

  -- Fix the error by typing and undo that, twice as fast as any user.
  put_cursor(row, column)
  ok('a register is one word', vim.fn.expand('<cword>') == env.OPERAND_TOKEN, vim.fn.expand('<cword>'))
  type_keys('ciw' .. env.OPERAND_FIX .. '<Esc>')
  becomes('typing the error away takes the diagnostic away', function()
    return #errors() == 0
  end, all_diagnostics)
  vim.cmd('silent undo')
  becomes('undo brings it back', function()
    return #diagnostics(env.OPERAND_CODE) == 1
  end, all_diagnostics)
  for _ = 1, 20 do
    vim.cmd('silent redo')
    vim.cmd('silent undo')
  end
  vim.cmd('silent redo')
  becomes('forty quick changes end in the right state', function()
    return #errors() == 0
  end, all_diagnostics)
  vim.cmd('silent undo')
  becomes('and once more back', function()
    return #diagnostics(env.OPERAND_CODE) == 1
  end, all_diagnostics)
  put_cursor(0, 0)
  type_keys('O// moved down<Esc>')
  becomes('a line typed above moves it down', function()
    local d = diagnostics(env.OPERAND_CODE)[1]
    return d and d.lnum == row + 1
  end, all_diagnostics)

  -- Other features of the server.
  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buf, method, params, 15000) or {}
    local _, answer = next(answers)
    return answer and answer.result
  end
  local document = { textDocument = vim.lsp.util.make_text_document_params(buf) }
  local symbols = ask('textDocument/documentSymbol', document) or {}
  local names = vim.tbl_map(function(symbol)
    return symbol.name
  end, symbols)
  ok('the outline lists the kernel', vim.tbl_contains(names, env.SYMBOL), symbols)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
  stops_cleanly()
end

function scenario.clean()
  attached()
  -- There is no message for "checked, no diagnostics": the answer to a later request shows that the server has read the
  -- text.
  vim.lsp.buf_request_sync(buf, 'textDocument/documentSymbol',
    { textDocument = vim.lsp.util.make_text_document_params(buf) }, 15000)
  vim.wait(500, function()
    return #errors() > 0
  end, 20)
  ok('a clean kernel has no errors', #errors() == 0, errors())
end

--- In Neovim's default colour scheme the classes of words differ, both for semantic tokens and for tree-sitter
--- captures.
function scenario.colours()
  local classes = {
    opcode = { '@lsp.type.opcode.ptx', '@function.builtin.ptx' },
    ['control flow'] = { '@lsp.typemod.opcode.controlFlow.ptx', '@keyword.ptx' },
    ['state space'] = { '@lsp.type.stateSpace.ptx', '@keyword.modifier.space.ptx' },
    type = { '@lsp.type.type.ptx', '@type.builtin.ptx' },
    modifier = { '@lsp.type.modifier.ptx', '@attribute.modifier.ptx' },
    register = { '@lsp.type.register.ptx', '@variable.ptx' },
    predicate = { '@lsp.type.predicate.ptx', '@variable.predicate.ptx' },
    ['special register'] = { '@lsp.type.specialRegister.ptx', '@variable.builtin.ptx' },
    parameter = { '@lsp.type.parameter.ptx', '@variable.parameter.ptx' },
    label = { '@lsp.type.label.ptx', '@label.ptx' },
    number = { '@lsp.type.number.ptx', '@number.ptx' },
  }
  for _, background in ipairs({ 'dark', 'light' }) do
    vim.o.background = background
    -- Simulate that Neovim learns the background from the terminal.
    vim.api.nvim_exec_autocmds('OptionSet', { pattern = 'background' })
    for source = 1, 2 do
      local seen, wrong = {}, {}
      for name, groups in pairs(classes) do
        local group = groups[source]
        -- A group that a theme does not define falls back to the group before its last dot.
        local found = {}
        while next(found) == nil and group do
          found = vim.api.nvim_get_hl(0, { name = group, link = false })
          group = group:match('^(.*)%.[^.]*$')
        end
        local look = vim.inspect({ found.fg, found.bold, found.italic, found.underline })
        if seen[look] then
          wrong[#wrong + 1] = name .. ' looks like ' .. seen[look]
        end
        seen[look] = name
      end
      ok(('%s: %s has a look for each class of words'):format(background, source == 1 and 'the server' or 'tree-sitter'), #wrong == 0, wrong)
    end
  end
end

--- Semantic tokens, inlay hints and lenses.
function scenario.presentation()
  attached()
  -- Add statements at the end of the file: a function and two calls of it.
  vim.api.nvim_buf_set_lines(buf, -1, -1, false, {
    '.func twice(.reg .b32 count)', '{', 'ret;', '}', '.func caller()', '{', 'call twice, (1);', 'call twice, (2);',
    'atom.global.add.u32 _, [done], 1;', 'ret;', '}',
  })
  local row = position('atom.global')
  local function kind(column)
    local names = {}
    for _, token in ipairs(vim.lsp.semantic_tokens.get_at_pos(buf, row, column) or {}) do
      names[#names + 1] = token.type
    end
    return table.concat(names, ' ')
  end
  becomes('an opcode is told from a state space', function()
    return kind(1) == 'opcode' and kind(6) == 'stateSpace'
  end, function()
    return { kind(1), kind(6) }
  end)
  ok('both have a colour', vim.fn.hlexists('@lsp.type.opcode.ptx') == 1 and vim.fn.hlexists('@lsp.type.stateSpace.ptx') == 1)
  vim.lsp.inlay_hint.enable(true, { bufnr = buf })
  local function hints()
    return vim.tbl_map(function(found)
      local label = found.inlay_hint.label
      return type(label) == 'string' and label or table.concat(vim.tbl_map(function(part)
        return part.value
      end, label))
    end, vim.lsp.inlay_hint.get({ bufnr = buf }))
  end
  becomes('hints say what is not written', function()
    return vim.list_contains(hints(), '.relaxed.gpu') and vim.list_contains(hints(), 'count:')
  end, hints)
  -- Run the lens as its key does, in the way that this version supports.
  local answer
  becomes('a lens counts the calls', function()
    local found = vim.lsp.buf_request_sync(buf, 'textDocument/codeLens',
      { textDocument = vim.lsp.util.make_text_document_params(buf) }, 5000)
    for _, lens in ipairs((vim.tbl_values(found or {})[1] or {}).result or {}) do
      answer = lens.command and lens.command.title == '2 calls' and lens.command or answer
    end
    return answer ~= nil
  end)
  client().commands[answer.command](answer, { client_id = client().id, bufnr = buf })
  ok('and lists them', #vim.fn.getqflist() == 2 and vim.bo.buftype == 'quickfix', vim.fn.getqflist())
end

function scenario.pressure()
  attached()
  local function bars()
    local namespace = vim.api.nvim_get_namespaces()['ptx-analyzer-pressure']
    local found = {}
    for _, mark in ipairs(namespace and vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, { details = true }) or {}) do
      local chunks = mark[4].virt_text
      found[mark[2]] = { text = vim.trim(chunks[#chunks][1]), group = chunks[#chunks][2] }
    end
    return found
  end
  local row = position('ld.global.f32 %f3')
  vim.cmd('PtxPressure')
  becomes(':PtxPressure counts registers at the ends of lines', function()
    local bar = bars()[row]
    return bar and bar.text:match('^%d+ [█▉▊▋▌▍▎▏]') and not bars()[row - 2]
  end, bars)
  local highest = {}
  for line, bar in pairs(bars()) do
    if bar.text:find(('█'):rep(8), 1, true) then
      highest[#highest + 1] = line
      ok('the longest bar has the colour of the highest', bar.group == 'PtxPressureHigh', bar)
    end
  end
  ok('some bars are full, and not all', #highest > 0 and #highest < vim.tbl_count(bars()), bars())

  -- A new value is live across all of it: each line has one more.
  local before = tonumber(bars()[row].text:match('^%d+'))
  local function insert(text, lines)
    local at = position(text)
    vim.api.nvim_buf_set_lines(buf, at, at, false, lines)
  end
  insert('st.global.f32 [%rd7], %f4', { 'add.f32 %f4, %f4, %extra;' })
  insert('ld.param.u32 %r1', { '.reg .f32 %extra;', 'ld.param.f32 %extra, [saxpy_a];' })
  becomes('they follow an edit', function()
    local bar = bars()[position('ld.global.f32 %f3')]
    return bar and tonumber(bar.text:match('^%d+')) == before + 1
  end, bars)
  vim.cmd('PtxPressure')
  ok(':PtxPressure again takes them away', vim.tbl_isempty(bars()), bars())

  -- The lens above the kernel shows a short report, and opens the complete one.
  local lens
  becomes('a lens tells how many registers are used', function()
    local found = vim.lsp.buf_request_sync(buf, 'textDocument/codeLens',
      { textDocument = vim.lsp.util.make_text_document_params(buf) }, 5000)
    for _, one in ipairs((vim.tbl_values(found or {})[1] or {}).result or {}) do
      lens = one.command and one.command.title:find('^≈ %d+ registers') and one.command or lens
    end
    return lens ~= nil
  end)
  client().commands[lens.command](lens, { client_id = client().id, bufnr = buf })
  local function text()
    local shown = vim.fn.bufnr('ptx-analyzer://registerPressure')
    return shown > 0 and table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), '\n') or ''
  end
  becomes('and which values are held where most are', function()
    return text():find('live, on line', 1, true) ~= nil and text():find('%rd', 1, true) ~= nil
  end, text)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.commands()
  lib.expects('^ptx%-analyzer: 4 files besides the open ones')
  attached()
  local function shows(command, title, pattern)
    local function text()
      local shown = vim.fn.bufnr('ptx-analyzer://' .. title)
      return shown > 0 and table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), '\n') or ''
    end
    vim.cmd(command)
    becomes((':%s shows its answer'):format(command), function()
      return text():find(pattern) ~= nil
    end, text)
    vim.fn.win_gotoid(vim.fn.bufwinid('ptx-analyzer://' .. title))
    ok('in a window that cannot be edited', not vim.bo.modifiable and vim.bo.buftype == 'nofile')
    type_keys('q')
    ok('and that `q` closes', vim.fn.bufnr('ptx-analyzer://' .. title) < 0 and #vim.api.nvim_list_wins() == 1)
  end
  shows('PtxExplain fma.rn.f32', 'explain', 'fma')
  put_cursor(position(env.OPERAND_LINE))
  shows('PtxExplain', 'explain', env.HOVER_WORD)
  shows('PtxSyntaxTree', 'showSyntaxTree', 'source_file')
  shows('PtxStatus', 'serverStatus', '%w')
  vim.cmd('PtxCheckWorkspace')
  becomes(':PtxCheckWorkspace lists what is wrong in files that are not open', function()
    return vim.iter(vim.fn.getqflist()):any(function(entry)
      return vim.api.nvim_buf_get_name(entry.bufnr):match('operand%.ptx$') ~= nil
    end)
  end, vim.fn.getqflist)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.opcode()
  attached()
  local row, column = planted(env.OPCODE_PLANT, env.OPCODE_TOKEN, env.OPCODE_CODE)
  ok('it is the only error', #errors() == 1, errors())

  -- Choose a code action from the list.
  put_cursor(row, column)
  local titles = {}
  vim.ui.select = function(items, options, chosen)
    titles = vim.tbl_map(options.format_item, items)
    chosen(items[1], 1)
  end
  vim.lsp.buf.code_action({
    filter = function(action)
      table.insert(titles, action.title)
      return action.kind == 'quickfix' and action.title:find(env.OPCODE_FIX, 1, true) ~= nil
    end,
    apply = true,
  })
  becomes('a code action mends the line', function()
    return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]:find(env.OPCODE_LINE, 1, true) ~= nil
  end, function()
    return titles
  end)
  becomes('and the error is gone', function()
    return #errors() == 0
  end, all_diagnostics)
  vim.cmd('silent undo')
  becomes('one undo takes it back', function()
    return #diagnostics(env.OPCODE_CODE) == 1
  end, all_diagnostics)
end

function scenario.quit()
  attached()
  -- The shell script checks whether the server ends with the editor.
end

function scenario.filetypes()
  local function filetype_of(name, lines)
    local path = env.PROJECT .. '/sub/' .. name
    if lines then
      vim.fn.writefile(lines, path)
    end
    vim.cmd.edit(vim.fn.fnameescape(path))
    return vim.bo.filetype
  end
  ok('a PreTeXt document is not PTX', vim.bo[buf].filetype == 'xml', vim.bo[buf].filetype)
  ok('no server looks at it', #vim.lsp.get_clients({ bufnr = buf }) == 0)
  local bom = '\239\187\191'
  local cases = {
    { 'comment.ptx', { '<!-- PreTeXt -->', '<section/>' }, 'xml' },
    { 'element.ptx', { '', '   <section xml:id="a">' }, 'xml' },
    { 'bom.ptx', { bom .. '<?xml version="1.0"?>' }, 'xml' },
    { 'version.ptx', { '.version 8.5' }, 'ptx' },
    { 'banner.ptx', { '//', '// Generated by NVIDIA NVVM Compiler <1>', '//', '', '.version 8.5' }, 'ptx' },
    { 'block.ptx', { '/* < */', '.version 8.5' }, 'ptx' },
    { 'line.ptx', { '# 1 "<built-in>"', '.version 8.5' }, 'ptx' },
    { 'blank.ptx', { '', '', '.version 8.5' }, 'ptx' },
    { 'marked.ptx', { bom .. '.version 8.5' }, 'ptx' },
    { 'empty.ptx', {}, 'ptx' },
    { 'new.ptx', nil, 'ptx' },
    { 'odd [name] %.ptx', { '.version 8.5' }, 'ptx' },
  }
  for _, case in ipairs(cases) do
    local seen = filetype_of(case[1], case[2])
    ok(('%s is %s'):format(case[1], case[3]), seen == case[3], seen)
  end
  ok('by its name alone a file is PTX', vim.filetype.match({ filename = 'nowhere.ptx' }) == 'ptx')
  ok('by its name alone, but on disk', vim.filetype.match({ filename = env.PROJECT .. '/article.ptx' }) == 'xml')
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.own_filetype()
  ok('the rule of the user wins', vim.bo[buf].filetype == 'mine', vim.bo[buf].filetype)
end

function scenario.own_config()
  if vim.lsp.config == nil then
    return report('skip', 'this Neovim has no vim.lsp.config')
  end
  attached()
  ok('the command of the user wins', client().config.cmd[1] == 'ptx-analyzer-of-mine', client().config.cmd)
  planted(env.OPERAND_PLANT, env.OPERAND_TOKEN, env.OPERAND_CODE)
end

function scenario.subfolder()
  local config = require('ptx-analyzer.config')
  ok('the options of the buffer are ours', vim.bo[buf].iskeyword:find('%%') ~= nil, vim.bo[buf].iskeyword)
  ok('the plugin knows the checkout it lies in',
    config.checkout() == env.ROOT or vim.uv.fs_stat(env.GRAMMAR .. '/src/parser.c') == nil, config.checkout())
  attached()
  planted(env.OPERAND_PLANT, env.OPERAND_TOKEN, env.OPERAND_CODE)
  vim.cmd.edit(env.PROJECT .. '/article.ptx')
  ok('a PreTeXt document is not PTX', vim.bo.filetype == 'xml', vim.bo.filetype)
end

function scenario.disabled()
  ok('the filetype is ptx', vim.bo[buf].filetype == 'ptx', vim.bo[buf].filetype)
  vim.wait(500)
  ok('no server is started', #vim.lsp.get_clients() == 0)
  require('ptx-analyzer').setup({ enable = true })
  attached()
  require('ptx-analyzer').setup({ enable = false })
  becomes('setup can stop it again', function()
    return #vim.lsp.get_clients() == 0
  end)
end

function scenario.setup()
  attached()
  ok('the client runs the command it was given', client().config.cmd[1] == 'sh', client().config.cmd)
  planted(env.OPERAND_PLANT, env.OPERAND_TOKEN, env.OPERAND_CODE)
  becomes('the settings reach the server under its name', function()
    local heard = table.concat(vim.fn.readfile(env.HEARD), '\n'):gsub('%s', '')
    return heard:find('"initializationOptions":{"ptx-analyzer":{"target":"sm_90a"}}', 1, true)
      and heard:find('"settings":{"ptx-analyzer":{"target":"sm_90a"}}', 1, true)
  end)
  local warned
  vim.notify = function(message)
    warned = message
  end
  require('ptx-analyzer').setup({ comand = {}, settings = 3 })
  ok('misspelt options are named', warned and warned:find('comand') and warned:find('settings'), warned)
end

function scenario.ptxas()
  attached()
  local row = position('.entry')
  local function shown()
    local found = vim.fn.bufnr('ptx-analyzer://compareRegisters')
    return found > 0 and table.concat(vim.api.nvim_buf_get_lines(found, 0, -1, false), '\n') or ''
  end
  ok('kernels complete', vim.deep_equal(vim.fn.getcompletion('PtxCompareRegisters sa', 'cmdline'), { env.SYMBOL }))
  vim.cmd('PtxCompareRegisters')
  becomes(':PtxCompareRegisters shows a table', function()
    return shown():find('| `' .. env.SYMBOL .. '` ', 1, true) ~= nil and shown():find('|        12 |', 1, true) ~= nil
  end, shown)
  vim.fn.win_gotoid(vim.fn.bufwinid('ptx-analyzer://compareRegisters'))
  vim.cmd('PtxCompareRegisters sm_90')
  becomes('which can be asked for again from there', function()
    return vim.fn.getline(1):find('sm_90', 1, true) ~= nil
  end, shown)
  vim.fn.search('^| `')
  type_keys('<CR>')
  ok('<CR> goes to the kernel', vim.api.nvim_get_current_buf() == buf and vim.fn.line('.') == row + 1, vim.fn.line('.'))
  vim.cmd('checkhealth ptx-analyzer')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok('the health check finds it', text:find('can be compared with ' .. env.HOME .. '/ptxas', 1, true), text)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.ptxas_elsewhere()
  if vim.lsp.config == nil then
    return report('skip', 'this Neovim has no vim.lsp.config')
  end
  attached()
  local said = ''
  vim.notify = function(message)
    said = said .. message
  end
  vim.cmd('PtxCompareRegisters')
  becomes('an assembler among settings that a project could change is not run', function()
    return said:find('a project could have set it', 1, true) ~= nil
  end, function()
    return said
  end)
  ok('and nothing is shown', vim.fn.bufnr('ptx-analyzer://compareRegisters') < 0)
end

function scenario.legacy()
  ok('there is no vim.lsp.config here', vim.lsp.config == nil)
  attached()
  ok('the root is the folder with .git', client().config.root_dir == vim.uv.fs_realpath(env.PROJECT),
    client().config.root_dir)
  planted(env.OPERAND_PLANT, env.OPERAND_TOKEN, env.OPERAND_CODE)
  vim.cmd.edit(env.PROJECT .. '/clean.ptx')
  becomes('a second file has the same client', function()
    local clients = vim.lsp.get_clients()
    return #clients == 1 and vim.lsp.buf_is_attached(0, clients[1].id)
  end)
  vim.cmd.buffer(buf)
  stops_cleanly()
end

function scenario.no_server()
  ok('the filetype is ptx all the same', vim.bo[buf].filetype == 'ptx')
  vim.cmd.edit(env.PROJECT .. '/clean.ptx')
  vim.wait(200)
  local said = vim.tbl_filter(function(message)
    return message:find('not an executable', 1, true) ~= nil
  end, _G.notified)
  ok('one message says that the server is missing', #said == 1, _G.notified)
  ok('no client is left half started', #vim.lsp.get_clients() == 0)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.health()
  vim.cmd('helptags ALL')
  vim.cmd('help ptx-analyzer')
  ok('the help file is found by its tag', vim.fn.expand('%:t') == 'ptx-analyzer.txt', vim.fn.expand('%:t'))
  vim.cmd('help ptx')
  ok('a short tag finds it too', vim.fn.expand('%:t') == 'ptx-analyzer.txt', vim.fn.expand('%:t'))
  vim.cmd('help :PtxBuildParser')
  vim.cmd('close')
  vim.cmd('checkhealth ptx-analyzer')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok('the health check finds the server', text:find('found .*bin/ptx%-analyzer') ~= nil, text)
  ok('it tells its version', text:find('version: %S+') ~= nil, text)
  ok('it tells that the parser is missing and what to do', text:find('Run :PtxBuildParser', 1, true) ~= nil, text)
  ok('it reports no error', not text:find('ERROR', 1, true), text)
end

function scenario.treesitter()
  lib.expects('^ptx%-analyzer: buil')
  local parser_c = env.GRAMMAR .. '/src/parser.c'
  if vim.uv.fs_stat(parser_c) == nil then
    return report('skip', 'the grammar has no generated parser yet')
  end
  local active = vim.treesitter.highlighter.active
  ok('without a parser the plain syntax file is used', active[buf] == nil and vim.bo[buf].syntax == 'ptx',
    vim.bo[buf].syntax)
  vim.cmd('PtxBuildParser ' .. vim.fn.fnameescape(env.GRAMMAR))
  local function messages()
    return vim.fn.execute('messages')
  end
  local format = tonumber(table.concat(vim.fn.readfile(parser_c, '', 50), '\n'):match('LANGUAGE_VERSION (%d+)'))
  if format > vim.treesitter.language_version then
    becomes('a parser too new for this Neovim is called that', function()
      return messages():find('cannot load it', 1, true) ~= nil
    end, messages)
    return report('skip', ('this Neovim reads parsers up to version %d, ours is %d'):format(
      vim.treesitter.language_version, format))
  end
  vim.wait(100000, function()
    return active[buf] ~= nil or messages():find('failed', 1, true) ~= nil
  end, 50)
  ok(':PtxBuildParser builds it and puts it to use', active[buf] ~= nil, messages())
  vim.cmd.edit()
  ok('a file opened afterwards has it', active[buf] ~= nil)

  local tree = vim.treesitter.get_parser(buf, 'ptx'):parse()[1]
  ok('the kernel parses without an error', not tree:root():has_error(), tree:root():sexpr())
  local files = vim.api.nvim_get_runtime_file('queries/ptx/*.scm', true)
  ok('there are queries', #files > 0)
  for _, file in ipairs(files) do
    local name = vim.fn.fnamemodify(file, ':t:r')
    local loaded, query = pcall(vim.treesitter.query.get, 'ptx', name)
    ok(('the query %s fits the parser'):format(name), loaded and query ~= nil, query)
  end
  local function captured(text, offset)
    local row, column = position(text)
    return vim.tbl_map(function(capture)
      return capture.capture
    end, vim.treesitter.get_captures_at_pos(buf, row, column + (offset or 0)))
  end
  for what, place in pairs({
    opcode = { env.OPERAND_LINE, 0 },
    register = { env.OPERAND_LINE, env.OPERAND_LINE:find('%%r7') - 1 },
    comment = { '/* the whole point', 0 },
    type = { '.b32 %r<8>', 0 },
    directive = { '.version', 0 },
  }) do
    ok(('a colour for the %s'):format(what), #captured(place[1], place[2]) > 0)
  end

  vim.cmd('checkhealth ptx-analyzer')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok('the health check finds the parser and its query', text:find('parser: ', 1, true)
    and text:find('fits the parser', 1, true), text)
end

lib.run(scenario)
