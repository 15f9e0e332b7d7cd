-- neovim-warp.test.sh runs this inside Neovim with fixture/values.ptx or another file: the grid and the windows of memory
-- hold what the server says. SCENARIO selects the part.

local warp = dofile(vim.env.HERE .. '/neovim_warp_lib.lua')
local lib = warp.lib
local ok, becomes, type_keys = lib.ok, lib.becomes, lib.type_keys
local buf = lib.buf
local scenario = {}
local messages, says, all_messages, evaluate = warp.messages, warp.says, warp.all_messages, warp.evaluate
local pane, grid, line_of, has = warp.pane, warp.grid, warp.line_of, warp.has
local step_is, current_step, cursor_to = warp.step_is, warp.current_step, warp.cursor_to

--- What the server answers to a request of the test.
local function answer_of(argument)
  argument = vim.tbl_extend('force', { uri = vim.uri_from_bufnr(buf), count = 0, follow = false }, argument)
  local params = { command = 'ptx-analyzer.evaluateWarp', arguments = { argument } }
  local answers = vim.lsp.buf_request_sync(buf, 'workspace/executeCommand', params, 10000)
  return assert(vim.tbl_values(answers or {})[1]).result
end

--- The cells of a row of the server, as text with marks.
local function cells_of(row)
  local cells = {}
  local function is_marked(mask, lane)
    return math.floor((mask or 0) / 2 ^ lane) % 2 == 1
  end
  for lane = 0, 31 do
    local texts = {}
    for index, part in ipairs(row.parts) do
      texts[index] = part.texts[lane + 1]
    end
    local is_known = type(texts[1]) == 'string'
    local mark = is_marked(row.unspecified, lane) and '?' or is_marked(row.approximate, lane) and '≈' or ''
    cells[lane + 1] = is_known and table.concat(texts, '|') .. mark or '—'
  end
  return cells
end

--- Compares all registers of the grid with the texts of the server, and returns how many cells there are.
local function compare(what, rows)
  local cells = 0
  for _, row in ipairs(rows) do
    if row.kind == 'register' then
      local line, number = line_of(row.name .. ' ')
      local text = number and line:sub(#row.name + 2):gsub('^%S+ ', '') or ''
      local expected = cells_of(row)
      if row.known == 0 then
        expected = { '—' }
      elseif type(row.folded) == 'string' then
        expected = { '=', row.folded }
      end
      cells = cells + #expected
      local shown = type(row.leads_to) == 'string' and ' → ' .. row.leads_to or ''
      ok(('%s: %s'):format(what, row.name), text == table.concat(expected, ' ') .. shown, { text, expected })
    end
  end
  return cells
end

function scenario.values()
  -- All lanes fit.
  vim.o.columns = 4000
  evaluate('ret;')
  type_keys('$')
  becomes('at the end', step_is(27), current_step)
  local rows = answer_of({ state = 27, rows = true }).state.rows
  local by_name = {}
  for _, row in ipairs(rows) do
    by_name[row.name] = row
  end
  ok('there are values of every kind', by_name['%half'].reading == 'half' and by_name['%brain'].reading == 'bf16' and by_name['%pair'].reading == 'half2'
    and by_name['%single'].reading == 'float' and by_name['%double'].reading == 'double' and by_name['%wide'].reading == 'hex', rows)
  ok('folded and not', by_name['%lane'].folded == 'lane' and by_name['%same'].folded == '0x4b189680' and by_name['%single'].folded == nil)
  ok('every cell is the text of the server', compare('at the end', rows) > 300)
  ok('some are approximate', line_of('%root'):find('≈', 1, true) ~= nil, line_of('%root'))
  ok('two numbers in a register are two', line_of('%pair'):find('-1.528|-1.528', 1, true) ~= nil, line_of('%pair'))
  ok('what bits are read as stands beside them', line_of('%pair'):find('%pair .f16x2 ', 1, true) == 1 and line_of('%wide'):find('%wide .b64 ', 1, true) == 1, grid())
  for step = 12, 26, 7 do
    vim.cmd('PtxStep ' .. step)
    becomes('a step in the middle', step_is(step), current_step)
    compare('at step ' .. step, answer_of({ state = step, rows = true }).state.rows)
  end
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

--- All readings of one register after another, and of all registers.
function scenario.every_reading()
  vim.o.columns = 4000
  evaluate('ret;')
  type_keys('$')
  becomes('at the end', step_is(27), current_step)
  local first = answer_of({ state = 27, rows = true })
  for _, name in ipairs({ '%half', '%same', '%double', '%pair' }) do
    local own = vim.iter(first.state.rows):find(function(row) return row.name == name end)
    local readings = first.readings[tostring(own.size)]
    ok('there are readings of ' .. name, #readings > 4, readings)
    for _, reading in ipairs(readings) do
      if reading.name ~= own.reading then
        cursor_to(name)
        type_keys('f')
        becomes(('f: %s as %s'):format(name, reading.name), function() return line_of(name):find(name .. ' ' .. reading.label .. ' ', 1, true) == 1 end, grid)
        ok('which is said', says(('%s: %s'):format(name, reading.title))(), messages)
        compare(reading.name, answer_of({ state = 27, rows = { readings = { [name] = reading.name } } }).state.rows)
      end
    end
    cursor_to(name)
    type_keys('f')
    becomes(name .. ': then as by itself', function() return line_of(name):find(name .. ' ' .. (own.reads_as or own.type) .. ' ', 1, true) == 1 end, grid)
    compare('as by itself', first.state.rows)
  end
  cursor_to('%same')
  type_keys('3f')
  becomes('a count does it so often', function() return line_of('%same') == '%same float = 10000000.0' end, grid)
  vim.cmd('PtxStep 20')
  becomes('the reading stays with the next steps', function() return step_is(20)() and line_of('%same') == '%same float = 10000000.0' end, grid)
  type_keys('F')
  becomes('F: all of them', function() return line_of('%single'):find('%single hex 0 0x', 1, true) == 1 and line_of('%half'):find('%half hex 0 0x', 1, true) == 1 end, grid)
  ok('which is said', says('all registers: Hexadecimal')(), messages)
  compare('hex', vim.tbl_map(function(row)
    return row.size > 0 and answer_of({ state = 20, rows = { readings = { [row.name] = 'hex' } } }).state.rows[row.at] or row
  end, vim.iter(ipairs(first.state.rows)):map(function(at, row)
    return vim.tbl_extend('force', row, { at = at, kind = row.size > 0 and row.kind or 'other' })
  end):totable()))
  vim.cmd('PtxFilter varying')
  ok('what counts up varies', line_of('%lane') ~= '' and line_of('%same') == '', grid())
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.groups()
  evaluate('mov.b32 %same')
  ok('lanes that go on together need no line', line_of('next') == '' and line_of('      lanes') == '', grid())
  vim.cmd('PtxStep 22')
  becomes('lanes that wait for others of their warp', has('      lanes 8–31', 'at line 38, waiting for lanes 0–7'), grid)
  ok('and those that go on', has('next  lanes 0–7', 'at line 41')(), grid())
  vim.cmd('PtxStep 23')
  becomes('the next to arrive wait as well', has('      lanes 0–7', 'at line 42, waiting for lanes 8–31'), grid)
  local state = answer_of({ state = 23 }).state
  ok('each group has its text', #state.groups == 2 and vim.iter(state.groups):all(function(group)
    return vim.iter(grid()):any(function(line) return line:find(group.text, 1, true) ~= nil end)
  end), grid())
  vim.cmd('PtxStep 26')
  becomes('until all have come', function() return step_is(26)() and not table.concat(grid(), '\n'):find('waiting', 1, true) end, grid)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

local function memory_text()
  local shown = vim.fn.bufnr('memory of ')
  return shown > 0 and table.concat(vim.api.nvim_buf_get_lines(shown, 0, -1, false), '\n') or ''
end

function scenario.memory_errors()
  evaluate('ret;')
  type_keys('$')
  becomes('at the end', step_is(27), current_step)
  for _, case in ipairs({
    { 'const', { space = 'const', length = 64 } }, { 'out 4096', { buffer = 'out', offset = 4096, length = 64 } }, { 'nowhere', { buffer = 'nowhere', length = 64 } }, { '@1234', { address = '1234', length = 64 } },
  }) do
    local reason = answer_of({ state = 27, memory = { case[2] } }).memory[1].error
    ok(case[1] .. ': there is a reason', type(reason) == 'string' and #reason > 10, reason)
    vim.cmd('PtxMemory ' .. case[1])
    becomes(case[1] .. ': and it is shown', function() return vim.endswith(memory_text(), '\n' .. reason) end, memory_text)
  end
  vim.cmd('PtxMemory out')
  becomes('what is there is shown again', function() return memory_text():find('out  at step 27  as b8\n000000  80 96 18 4b', 1, true) == 1 end, memory_text)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.readings()
  evaluate('rsqrt')
  ok('floats are read as such', line_of('%half'):find('^%%half .f32 0.0 0.5 1.5 3.0 ') ~= nil, line_of('%half'))
  cursor_to('%half')
  type_keys('f')
  becomes('f: as digits', has('%half', ' 0x3f000000 '), grid)
  type_keys('f')
  becomes('f: as an integer', has('%half', ' 1056964608 '), grid)
  type_keys('2f')
  becomes('f: as two halves', has('%half', ' 0.0|1.75 '), grid)
  ok('others stay', line_of('%sum'):find(' 0 1 3 6 ', 1, true) ~= nil)
  type_keys('F')
  becomes('F: all of them', function() return line_of('%sum'):find('%sum hex 0 1 3 6 ', 1, true) and line_of('%half'):find('%half hex 0 0x3f000000', 1, true) end, grid)
  while not says('all registers: by their types')() do
    type_keys('F')
  end
  becomes('behind the last reading comes that of each type', has('%half', '%half .f32 0.0 0.5 '), grid)
  type_keys('l')
  becomes('approximate values are marked', has('%root', '≈'), grid)
  vim.cmd('PtxFilter varying %')
  ok('a filter takes what varies', line_of('%sum') ~= '' and line_of('%n ') == '', grid())
  vim.cmd('PtxFilter .f32')
  ok('or a type', line_of('%half') ~= '' and line_of('%sum') == '', grid())
  vim.cmd('PtxFilter .b32')
  ok('as it is declared too', line_of('%half') == '' and line_of('%sum') ~= '', grid())
  vim.cmd('PtxFilter changed')
  ok('or what the last step wrote', line_of('%root') ~= '' and line_of('%half') == '', grid())
  vim.ui.input = function(options, done)
    ok('i asks with the words of now', options.default == 'changed')
    done('')
  end
  type_keys('i')
  ok('and all come back', line_of('%sum') ~= '' and line_of('%n ') ~= '')
  cursor_to('%sum')
  type_keys('K')
  local function float()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  end
  becomes('K shows all lanes in all readings', function() return float():find('lane +Hexadecimal +Signed') and float():find('\n +31 +6 +6 +6 ') end, float)
  type_keys('q')
  cursor_to('%p_again')
  type_keys('K')
  becomes('of a predicate too', function() return float():find('lane +Truth value\n') ~= nil and float():find('31 +false') ~= nil end, float)
  type_keys('q')
  type_keys('g?')
  ok('g? lists the keys', float():find('A step forward', 1, true) ~= nil, float())
  type_keys('q')
  ok('q closes it', vim.api.nvim_get_current_buf() == pane().bufnr)
  local words = require('ptx-analyzer.warp.lanes').words
  ok('lanes in words', words(0xf0000001) == 'lanes 0, 28–31' and words(4) == 'lane 2')
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.memory()
  evaluate('ret;')
  local text = memory_text
  ok('buffers, variables and spaces complete', vim.deep_equal(vim.fn.getcompletion('PtxMemory ', 'cmdline'), { 'out', 'halves', 'shared', 'local', 'param', 'const', 'global' }),
    vim.fn.getcompletion('PtxMemory ', 'cmdline'))
  type_keys('$')
  vim.cmd('PtxMemory out')
  becomes('memory as bytes', function() return text():find('000000  00 00 00 00 01 00 00 00  03 00 00 00 06 00 00 00', 1, true) ~= nil end, text)
  type_keys('f')
  type_keys('f')
  becomes('as numbers', function() return text():find('as s32\n000000 +0 +1 +3 +6\n') ~= nil end, text)
  local types = answer_of({ rows = true }).memory_choices.types
  for _, type in ipairs(types) do
    vim.ui.select = function(items, _, chosen)
      ok('F offers the types of the server', vim.deep_equal(items, types), items)
      for index, item in ipairs(items) do
        if item == type then chosen(item, index) end
      end
    end
    type_keys('F')
    local expected = answer_of({ state = 36, memory = { { buffer = 'out', length = 512, type = type } } }).memory[1].texts
    becomes('F: as ' .. type, function()
      local words = vim.split(text():gsub('^[^\n]*', ''):gsub('\n%x+', ''), '%s+', { trimempty = true })
      return text():find(('as %s\n'):format(type), 1, true) and vim.deep_equal(words, expected.values)
    end, text)
  end
  type_keys((vim.fn.index(types, 's32') + 1) .. 'f')
  type_keys('50h')
  becomes('at an earlier step', function() return text():find('at step 1', 1, true) ~= nil and text():find('000000 +0 +0 +0 +0\n') ~= nil end, text)
  vim.cmd('PtxMemory halves')
  becomes('a variable where nothing is written', function() return text():find('—', 1, true) ~= nil end, text)
  pane().session:go(99)
  type_keys('f')
  becomes('and what is written there', function() return text():find('as f32', 1, true) ~= nil and text():find(' 0.5 ', 1, true) ~= nil end, text)
  vim.cmd('PtxMemory out somewhere')
  ok('what is not an offset is refused', says('`somewhere` is not an offset')(), messages)
  type_keys('q')
  ok('q closes it', vim.bo.filetype ~= 'ptx-memory')
  type_keys('h')
  becomes('steps go on without', function() return not pane().session.asked end, all_messages)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

lib.run(scenario)
