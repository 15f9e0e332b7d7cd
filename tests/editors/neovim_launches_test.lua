-- neovim-warp.test.sh runs this inside Neovim with fixture/tests.ptx; SCENARIO selects the part.

local env = vim.env
local warp = dofile(env.HERE .. '/neovim_warp_lib.lua')
local lib = warp.lib
local ok, becomes, attached, put_cursor, position = lib.ok, lib.becomes, lib.attached, lib.put_cursor, lib.position
local says, all_messages, forget = warp.says, warp.all_messages, warp.forget
local buf = lib.buf
local scenario = {}

--- The marks of a buffer: line and text.
local function marks(bufnr)
  local namespace = vim.api.nvim_get_namespaces()['ptx-analyzer-tests']
  return vim.tbl_map(function(mark)
    return ('%d%s'):format(mark[2] + 1, mark[4].virt_text[1][1])
  end, vim.api.nvim_buf_get_extmarks(bufnr or buf, namespace, 0, -1, { details = true }))
end

--- The lines of a list: type, line and text.
local function list(items)
  return vim.tbl_map(function(item)
    return ('%s%d %s'):format(item.type, item.lnum, item.text)
  end, items)
end

local function run(command, message)
  forget()
  vim.cmd(command)
  becomes('it tells how many pass: ' .. message, says(message), all_messages)
end

function scenario.tests()
  attached()
  local window = vim.api.nvim_get_current_win()
  run('PtxTests', '2 of 4 launches pass')
  local items = vim.fn.getloclist(window)
  local lines = list(items)
  ok('the list has passes and failures', #lines == 4, lines)
  ok('a launch that passes', lines[1] == 'I6 ✓ count: grid=1 block=8 out=u32[8]:zero', lines[1])
  ok('a failed expectation, at its line', lines[2] == 'E10 ✗ count: out[1]=5: is 1, not 5', lines[2])
  ok('an expected fault is no failure', vim.startswith(lines[3], 'I11 ✓ count'), lines[3])
  ok('another fault is one, at its line', lines[4]:find('^E36 ✗ raced: lane 1 writes .* 63 times in all') ~= nil, lines[4])
  ok('the list belongs to the buffer', items[1].bufnr == buf and vim.fn.getloclist(window, { title = 1 }).title == 'Tests of tests.ptx')
  ok('it is open', vim.fn.getloclist(window, { winid = 1 }).winid ~= 0)
  ok('the cursor stays', vim.api.nvim_get_current_win() == window)
  local seen = marks()
  ok('expectations are marked', #seen == 5 and seen[1] == '7 ✓' and seen[2] == '9 ✓' and seen[3] == '10 ✗ out[1]=5: is 1, not 5' and seen[4] == '12 ✓', seen)
  ok('those of a launch with a fault too', vim.startswith(seen[5], '28 ✗ lane 1 writes'), seen)
  ok('the buffer is not evaluated', pcall(require, 'ptx-analyzer.warp.session') and require('ptx-analyzer.warp.session').of(buf) == nil)
  ok('faults are no diagnostics', #vim.diagnostic.get(buf) == 0, vim.diagnostic.get(buf))

  -- An edit, which is not saved.
  local line = position('out[1]=5')
  vim.api.nvim_buf_set_text(buf, line, 0, line + 1, 0, { '//! expect: out[1]=1', '' })
  becomes('an edit removes the marks', function()
    return #marks() == 0
  end, marks)
  run('PtxTests', '3 of 4 launches pass')
  ok('the text of the buffer counts', marks()[3] == '10 ✓', marks())
  vim.cmd('PtxTestsClear')
  ok(':PtxTestsClear removes the marks', #marks() == 0, marks())

  -- A text with an error, and an expectation with a mistake.
  local text = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  vim.api.nvim_buf_set_lines(buf, position('mul.wide.u32'), position('mul.wide.u32') + 1, false, { '\tmul.wide.u33 %off, %r, 4;' })
  run('PtxTests', '0 of 4 launches pass')
  lines = list(vim.fn.getloclist(window))
  ok('a launch that cannot run is an error at its line', lines[1]:find('^E21 ✗ count: .*cannot be run') ~= nil, lines)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, text)
  vim.api.nvim_buf_set_lines(buf, 6, 7, false, { '//! expect: out[1' })
  run('PtxTests', '2 of 4 launches pass')
  lines = list(vim.fn.getloclist(window))
  ok('a mistake in an expectation too', vim.startswith(lines[1], 'E7 ✗ count: '), lines)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.tests_of_all_files()
  attached()
  local folder = vim.fs.dirname(vim.api.nvim_buf_get_name(buf))
  vim.cmd.cd(vim.fn.fnameescape(folder))
  -- A buffer that is changed but not saved, and a file that is not open.
  local line = position('out[1]=5')
  vim.api.nvim_buf_set_text(buf, line, 0, line + 1, 0, { '//! expect: out[1]=1', '' })
  run('PtxTests!', '4 of 5 launches pass')
  local items = vim.fn.getqflist()
  local lines = list(items)
  ok('files are in order', vim.fs.basename(vim.api.nvim_buf_get_name(items[1].bufnr)) == 'parting.ptx' and items[2].bufnr == buf, lines)
  ok('a file that is not open ran', vim.startswith(lines[1], 'I7 ✓ parting'), lines)
  ok('and is not a buffer with text', not vim.api.nvim_buf_is_loaded(items[1].bufnr))
  ok('the open one is marked', #marks() == 5 and marks()[3] == '10 ✓', marks())
  local status
  require('ptx-analyzer.commands').request(lib.client(), { command = 'ptx-analyzer.serverStatus' }, function(_, answer)
    status = answer
  end)
  becomes('only the buffer is open in the server', function()
    return status and #status.documents == 1
  end, function()
    return status
  end)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.tests_cancelled()
  attached()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, {
    '.version 7.8', '.target sm_80', '.address_size 64',
    '//! launch: grid=1 block=32', '//! expect: status=finished',
    '.visible .entry endless() {', '.reg .b32 %r;', 'mov.u32 %r, 0;', 'again:', 'add.u32 %r, %r, 1;', 'bra again;', '}',
  })
  vim.cmd('PtxTests')
  vim.wait(200)
  vim.cmd('PtxTestsClear')
  vim.api.nvim_buf_set_lines(buf, 10, 11, false, { 'ret;' })
  forget()
  run('PtxTests', '1 of 1 launch passes')
  ok('the cancelled run told nothing', #all_messages() == 1, all_messages())
end

function scenario.tests_debug()
  attached()
  local started
  require('dap').run = function(configuration)
    started = configuration
  end
  local function debugs(text, entry, number)
    started = nil
    put_cursor(position(text))
    vim.cmd('PtxTestDebug')
    becomes(('at %s the launch %d of %s is debugged'):format(text, number, entry), function()
      return started ~= nil
    end, all_messages)
    ok('with its kernel and number', started.entry == entry and started.number == number and started.type == 'ptx', started)
    ok('and the file', started.program == vim.api.nvim_buf_get_name(buf), started)
  end
  debugs('out[1]=5', 'count', 1)
  debugs('fault=', 'count', 2)
  debugs('.entry raced', 'raced', 0)
  local offered
  vim.ui.select = function(items, options, chosen)
    offered = vim.tbl_map(options.format_item, items)
    chosen(items[1], 1)
  end
  debugs('mul.wide', 'count', 0)
  ok('of several launches one is chosen', #offered == 4 and offered[2] == 'line 8: grid=1 block=4 out=u32[8]:zero', offered)
  vim.api.nvim_buf_set_lines(buf, 0, 0, false, { '// changed' })
  vim.cmd('PtxTestDebug')
  ok('a changed buffer must be saved first', says('save the file first')(), all_messages)
end

function scenario.tests_none()
  attached()
  run('PtxTests', 'no launch of this file has an `//! expect:` line')
  ok('the list stays', #vim.fn.getloclist(0) == 0)
end

lib.run(scenario)
