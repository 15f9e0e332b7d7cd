-- neovim-warp.test.sh runs this inside Neovim with fixture/parting.ptx or another file; SCENARIO selects the part.

local env = vim.env
local warp = dofile(env.HERE .. '/neovim_warp_lib.lua')
local lib = warp.lib
local ok, becomes, attached, position, put_cursor, type_keys =
  lib.ok, lib.becomes, lib.attached, lib.position, lib.put_cursor, lib.type_keys
local buf = lib.buf
local scenario = {}
local messages, says, all_messages, row, evaluate = warp.messages, warp.says, warp.all_messages, warp.row, warp.evaluate
local pane, grid, line_of, has, groups_of = warp.pane, warp.grid, warp.line_of, warp.has, warp.groups_of
local step_is, current_step, source_marks = warp.step_is, warp.current_step, warp.source_marks

function scenario.grid()
  evaluate('mul.f32 %half')
  ok('it stands where the line of the cursor is executed first', step_is(27)() and vim.deep_equal(source_marks(), { row('mul.f32 %half') }), current_step())
  ok('it tells where that is', has('parting', 'CTA 0,0,0, warp 0 of 2 step 27 of')(), grid())
  ok('and what comes next', line_of((' %3d  '):format(row('mul.f32 %half'))):find('mul.f32 %half, %half, 0f3F000000;', 1, true), grid())
  ok('and with which launch', has('with ', 'grid=2 block=64 n=124')(), grid())
  ok('what is the same in all lanes is said once', line_of('%n ') == '%n .u32 = 124', line_of('%n '))
  ok('what differs has a cell for each lane', line_of('%sum') == '%sum .u32 ' .. ('0 1 3 6 '):rep(8):sub(1, -2), line_of('%sum'))
  ok('what counts up from lane to lane is one text', line_of('%i ') == '%i .u32 = lane', line_of('%i '))
  ok('addresses name their buffer', line_of('%to ') == '%to .b64 = 0x7f00000000 → out', line_of('%to '))
  ok('what nothing was written to is not shown as zero', line_of('%root') == '%root .f32 —', line_of('%root'))
  ok('parameters are told, and where they point', line_of('[out]') == '[out] .u64 = 0x7f00000000 → out', line_of('[out]'))
  ok('predicates are words', line_of('%p_beyond') == '%p_beyond .pred = false', line_of('%p_beyond'))
  ok('what the last instruction wrote is marked', groups_of('%half')[5] == 'PtxWarpChanged' and groups_of('%sum')[5] == nil, groups_of('%half'))
  ok('the buffer is no file', vim.bo[pane().bufnr].buftype == 'nofile' and not vim.bo[pane().bufnr].modifiable)
  ok('and has a filetype', vim.bo[pane().bufnr].filetype == 'ptx-warp')
  ok('the lanes are numbered above', vim.wo[vim.fn.bufwinid(pane().bufnr)].winbar:find('31', 1, true) ~= nil)
  for name in vim.api.nvim_buf_call(pane().bufnr, function() return vim.fn.execute('nmap <buffer>') end):gmatch('n  (%S+) ') do
    ok(('the key %s is described'):format(name), vim.fn.maparg(name, 'n', false, true).desc ~= nil)
  end
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.steps()
  evaluate('mul.f32 %half')
  type_keys('l')
  becomes('l is a step forward', step_is(28), current_step)
  type_keys('3h')
  becomes('3h are three back', step_is(25), current_step)
  becomes('registers are as they were', function() return line_of('%half') == '%half .f32 —' end, grid)
  type_keys('0')
  becomes('0 goes to the start', step_is(1), current_step)
  becomes('where the first instruction has written its result', function() return line_of('%n '):find('—') == nil and line_of('%i ') == '%i .u32 —' end, grid)
  type_keys('$')
  becomes('$ goes to the end', step_is(36), current_step)
  ok('how it ended is told', has('end ', 'finished')() and has('ok ', 'all expectations hold')(), grid())
  type_keys('11g%')
  becomes('a count before g% goes to that step', step_is(11), current_step)
  type_keys('n')
  becomes('n goes to the next time the line is executed', step_is(15), current_step)
  type_keys('2n')
  becomes('2n to the one after the next', step_is(23), current_step)
  type_keys('n')
  becomes('which was the last', says('does not execute line'), all_messages)
  type_keys('3N')
  becomes('N goes back', step_is(11), current_step)
  -- With a held key, only the final position counts.
  for _ = 1, 20 do
    type_keys('l')
  end
  becomes('twenty steps at once end in the right place', function() return step_is(31)() and not pane().session.asked end, current_step)
  becomes('and the mark of the source with them', function() return vim.deep_equal(source_marks(), { row('st.global.u32') }) end, source_marks)
  local window = vim.fn.bufwinid(buf)
  ok('the cursor of the source follows', vim.api.nvim_win_get_cursor(window)[1] == row('st.global.u32'))
  type_keys('t')
  type_keys('h')
  becomes('with t it stays', step_is(30), current_step)
  ok('where it was', vim.api.nvim_win_get_cursor(window)[1] == row('st.global.u32'))
  vim.cmd('PtxStep 4')
  becomes(':PtxStep goes to a step', step_is(4), current_step)
  vim.cmd('PtxStep +2')
  becomes(':PtxStep goes on', step_is(6), current_step)
  vim.api.nvim_set_current_win(window)
  put_cursor(position('add.u32 %sum'))
  vim.cmd('PtxStep')
  becomes(':PtxStep in the source goes to the line of the cursor', step_is(10), current_step)
  vim.cmd('PtxStep')
  becomes('and again to the next time', step_is(14), current_step)
  vim.cmd('PtxStep!')
  becomes(':PtxStep! back', step_is(10), current_step)
  local function moved_to(text)
    put_cursor(position(text))
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = buf })
  end
  moved_to('cvt.rn.f32.u32')
  vim.wait(100)
  ok('with t the grid does not follow the cursor', step_is(10)(), current_step())
  vim.api.nvim_set_current_win(vim.fn.bufwinid(pane().bufnr))
  type_keys('t')
  vim.api.nvim_set_current_win(window)
  moved_to('cvt.rn.f32.u32')
  becomes('without it does, to the nearest step of the line', step_is(26), current_step)
  moved_to('.reg .f32 %half')
  moved_to('sub.u32 %turns')
  becomes('of several the nearest', step_is(24), current_step)
  vim.cmd('PtxStep somewhere')
  ok('what is not a step is refused', says('`somewhere` is not a step')(), messages)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

--- A statement over two lines: a cursor in either of them is at it.
function scenario.split()
  evaluate('%half, 0f3F000000;')
  ok('the grid opens at the statement whose second line has the cursor', step_is(27)(), current_step())
  ok('and marks where the statement begins', vim.deep_equal(source_marks(), { row('mul.f32') }), source_marks())
  type_keys('5h')
  becomes('elsewhere', step_is(22), current_step)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
  local function moved_to(text)
    put_cursor(position(text))
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = buf })
  end
  moved_to('%half, 0f3F000000;')
  becomes('the grid follows the cursor into the second line', step_is(27), current_step)
  moved_to('mul.f32')
  vim.wait(100)
  ok('where the first line is the same step', step_is(27)(), current_step())
  moved_to('%turns, 1;')
  becomes('in the loop too', step_is(24), current_step)
  vim.cmd('PtxStep!')
  becomes('and a step back to the line is one to its statement', step_is(20), current_step)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.lanes()
  evaluate('mul.f32 %half')
  type_keys('15g%')
  becomes('in the loop', step_is(15), current_step)
  becomes('the lanes that wait are told', function() return has('next', 'at line')() and has('      lanes', 'at line')() end, grid)
  ok('and dim', groups_of('%sum')[4] == 'PtxWarpDiverged' and groups_of('%sum')[5] ~= 'PtxWarpDiverged', groups_of('%sum'))
  type_keys('<Tab>')
  becomes('Tab takes the next lane', has('parting', 'lane 1'), grid)
  type_keys('4<Tab>')
  becomes('with a count', has('parting', 'lane 5'), grid)
  type_keys('<S-Tab>')
  becomes('and back', has('parting', 'lane 4'), grid)
  vim.cmd('PtxLane 17')
  becomes(':PtxLane takes one', has('parting', 'lane 17'), grid)
  vim.cmd('PtxLane 40')
  ok('there are 32', says('`40` is not a lane')(), messages)
  local offered
  vim.ui.select = function(items, options, chosen)
    offered = vim.tbl_map(options.format_item, items)
    chosen(items[4], 4)
  end
  type_keys('gl')
  becomes('gl offers them', has('parting', 'lane 3'), function() return offered end)
  ok('with where they are', offered[5]:find('lane 4  at line %d+, diverged') ~= nil, offered)

  -- The last warp: four of its lanes exit.
  type_keys(']w')
  becomes('the next warp', has('parting', 'CTA 0,0,0, warp 1'), grid)
  type_keys('2]w')
  becomes('and the last of the next CTA', has('parting', 'CTA 1,0,0, warp 1'), grid)
  becomes('with its values', function() return line_of('%i ') == '%i .u32 = 96 + lane' end, grid)
  type_keys(']w')
  becomes('there are no more', says('this is the last warp'), all_messages)
  vim.cmd('PtxWarp 0')
  becomes(':PtxWarp takes one of this CTA', has('parting', 'CTA 1,0,0, warp 0'), grid)
  vim.cmd('PtxWarp 7')
  ok('and refuses what is not there', says('warps 0 to 1')(), messages)

  vim.cmd('vsplit | wincmd l | enew | wincmd h | vertical resize 60')
  type_keys('zL')
  ok('a narrow window shows fewer lanes', pane().picture.shown < 20, pane().picture.shown)
  becomes('zL shows those to the right', function() return pane().picture.first > 0 end)
  type_keys('20zh')
  becomes('zh goes back', function() return pane().picture.first == 0 end)
  vim.cmd('PtxLane 31')
  becomes('a lane out of sight comes into sight', function() return pane().picture.first + pane().picture.shown == 32 end)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

local function hints()
  return vim.tbl_map(function(found)
    local label = found.inlay_hint.label
    return found.inlay_hint.position.line + 1 .. ': ' .. (type(label) == 'string' and label or table.concat(vim.tbl_map(function(part)
      return part.value
    end, label)))
  end, vim.lsp.inlay_hint.get({ bufnr = buf }))
end

--- Whether a hint in a line of the source holds a text.
local function hint_at(text, value)
  local start = row(text) .. ': '
  return function()
    return vim.iter(hints()):any(function(hint)
      return vim.startswith(hint, start) and hint:find(value, #start, true) ~= nil
    end)
  end
end

function scenario.text()
  attached()
  ok('hints are off', not vim.lsp.inlay_hint.is_enabled({ bufnr = buf }))
  evaluate('st.shared')
  ok('they are turned on', vim.lsp.inlay_hint.is_enabled({ bufnr = buf }))
  vim.cmd('PtxLane 7')
  becomes('the values of the lane stand in the text', hint_at('rsqrt', '0.577'), hints)
  vim.cmd('PtxLane 5')
  becomes('of the lane that is chosen', hint_at('rsqrt', '1.414'), hints)
  type_keys('q')
  ok('q closes the grid', vim.fn.bufwinid(pane().bufnr) < 0)
  becomes('the values are gone with it', function() return not hint_at('rsqrt', '1.414')() end, hints)
  ok('so is the mark', #source_marks() == 0)
  put_cursor(position('mul.f32 %half'))
  vim.cmd('PtxEvaluate')
  becomes('it opens again', function() return vim.fn.bufwinid(pane().bufnr) > 0 end)
  becomes('with the values', hint_at('cvt.rn.f32.u32', '1.0'), hints)
  becomes('of what was executed up to the step', hint_at('mul.f32 %half', '%half ='), hints)
  ok('and no further', not hint_at('rsqrt', '=')(), hints())
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.clear()
  evaluate('st.shared')
  vim.cmd('PtxLane 5')
  becomes('the values of the lane stand in the text', hint_at('rsqrt', '1.414'), hints)
  local shown = pane().bufnr
  vim.cmd('PtxEvaluateClear')
  becomes(':PtxEvaluateClear takes the grid away', function() return not vim.api.nvim_buf_is_valid(shown) and #source_marks() == 0 end)
  ok('and turns hints off again', not vim.lsp.inlay_hint.is_enabled({ bufnr = buf }))
  vim.lsp.inlay_hint.enable(true, { bufnr = buf })
  vim.wait(500)
  ok('the server has none either', not hint_at('rsqrt', '1.414')(), hints())
  for _, command in ipairs({ 'PtxStep', 'PtxLane', 'PtxResult', 'PtxMemory', 'PtxFaults', 'PtxLaunch', 'PtxEvaluateClear', 'PtxWarp 0', 'PtxFilter x' }) do
    warp.forget()
    vim.cmd(command)
    ok((':%s says that nothing is evaluated'):format(command), says('nothing is evaluated here')(), messages)
  end
end

function scenario.commands()
  attached()
  ok('kernels complete', vim.deep_equal(vim.fn.getcompletion('PtxEvaluate ', 'cmdline'), { 'parting', 'without_launch' }))
  vim.cmd('PtxEvaluate nowhere')
  becomes('a kernel that does not exist is refused', says('nowhere'), all_messages)
  ok('and nothing opens', #vim.api.nvim_list_wins() == 1 and pane() == nil)
  warp.forget()
  vim.cmd('PtxEvaluate without_launch')
  becomes('one by its name', function() return line_of('without_launch') ~= '' end, grid)
  ok('its launch is a guess, and that is said', has('with ', '(guessed)')(), grid())
  type_keys('q')
  vim.cmd(row('and.b32 %turns') .. 'PtxEvaluate')
  becomes('a range before the command is the line', function() return line_of('parting'):find('step 8 ', 1, true) ~= nil end, grid)
  vim.cmd('PtxEvaluate')
  becomes('from the grid it keeps the step', function() return line_of('parting'):find('step 8 ', 1, true) ~= nil and not pane().session.asked end, grid)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.faults()
  evaluate('.visible .entry parting')
  becomes('a fault is a diagnostic', function()
    return vim.iter(vim.diagnostic.get(buf)):any(function(d) return d.lnum + 1 == row('st.global.u32') end)
  end, function() return vim.diagnostic.get(buf) end)
  type_keys('0')
  becomes('at the start', step_is(1), current_step)
  -- The first warp stays within the bounds of the buffer.
  vim.cmd('PtxWarp 1')
  becomes('the warp with it', has('parting', 'warp 1'), grid)
  type_keys('0')
  becomes('from its start', step_is(1), current_step)
  type_keys(']f')
  becomes(']f goes to it', function() return vim.deep_equal(source_marks(), { row('st.global.u32') }) end, source_marks)
  becomes('and it is told', has('fault', 'past the end of `out`'), grid)
  type_keys(']f')
  becomes('there are no more', says('no more faults'), all_messages)
  vim.cmd('PtxFaults')
  local list = vim.fn.getloclist(0)
  ok(':PtxFaults lists them', #list >= 1 and list[1].lnum == row('st.global.u32') and list[1].bufnr == buf, list)
  ok('with lanes and warp', list[1].text:find('warp 1, lane') ~= nil, list)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.edits()
  evaluate('rsqrt')
  local window = vim.fn.bufwinid(buf)
  local at = row('mul.f32 %half') - 1
  vim.api.nvim_buf_set_lines(buf, at, at + 1, false, { '\tmul.f32 %half, %half, 0f40000000;' })
  becomes('the grid follows an edit', has('%half', ' 0.0 2.0 6.0 12.0 '), grid)
  ok('and stays at its step', step_is(28)(), current_step())
  vim.api.nvim_buf_set_lines(buf, at, at + 1, false, { '\tmul.f32 %half, %half, ' })
  becomes('text that is not evaluated is said', function() return table.concat(grid(), '\n'):find('not evaluated since the last change', 1, true) ~= nil end, grid)
  ok('with the values of before', has('%half', ' 0.0 2.0 6.0 12.0 ')(), grid())
  vim.api.nvim_set_current_win(window)
  vim.cmd('silent undo')
  becomes('and comes back with what is right', function()
    return not table.concat(grid(), '\n'):find('not evaluated', 1, true) and has('%half', ' 0.0 0.5 1.5 3.0 ')()
  end, grid)
  vim.cmd('PtxStep $')
  for _, case in ipairs({ { 'out[3]=7', ': is 6, not 7' }, { 'out[3]=8 out[2]=9', ': is 6, not 8 (of 6 expectations 2 fail' } }) do
    vim.api.nvim_buf_set_lines(buf, row('//! expect') - 1, row('//! expect'), false, { '//! expect: out[0]=0 out[1]=1 out[9]=1 out[123]=6 ' .. case[1] })
    becomes('what fails is told at the end: ' .. case[1], has('fails ', case[1]:sub(1, 8) .. case[2]), grid)
  end
  vim.cmd('PtxStep 28')
  becomes('and back', step_is(28), current_step)
  vim.api.nvim_buf_set_lines(buf, 0, 0, false, { '// größer als zuvor – ✓', '//' })
  becomes('lines above move the mark', function() return vim.deep_equal(source_marks(), { row('rsqrt') }) and has((' %3d '):format(row('rsqrt')), 'rsqrt')() end, source_marks)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.restart()
  evaluate('rsqrt')
  local old = lib.client()
  local function stop(client)
    if vim.fn.has('nvim-0.11') == 1 then client:stop(true) else client.stop(true) end
  end
  stop(old)
  becomes('the server ends', function() return lib.client() == nil end)
  type_keys('l')
  becomes('a step says so', function() return table.concat(grid(), '\n'):find('the server does not run', 1, true) ~= nil end, grid)
  vim.lsp.enable('ptx_analyzer', false)
  vim.lsp.enable('ptx_analyzer', true)
  becomes('it is started again', function() return lib.client() ~= nil and lib.client().id ~= old.id and lib.client().initialized end)
  becomes('and the grid is as before', function() return not table.concat(grid(), '\n'):find('the server does not run', 1, true) end, grid)
  type_keys('l')
  becomes('and steps', function() return not pane().session.asked and pane().session:state().step == pane().session.step and pane().session.step >= 28 end, current_step)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.closing()
  evaluate('rsqrt')
  local shown = pane().bufnr
  vim.cmd('PtxMemory out')
  local memory = vim.api.nvim_get_current_buf()
  ok('memory is beside it', vim.bo[memory].filetype == 'ptx-memory')
  vim.cmd('bwipeout ' .. buf)
  becomes('with the source the grid goes', function() return not vim.api.nvim_buf_is_valid(shown) and not vim.api.nvim_buf_is_valid(memory) end)
  ok('and what is known of it', require('ptx-analyzer.warp.session').of(buf) == nil and pane() == nil)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.windows()
  attached()
  vim.cmd('vsplit')
  local first, second = vim.fn.win_getid(1), vim.fn.win_getid(2)
  vim.api.nvim_win_set_cursor(second, { 1, 0 })
  vim.api.nvim_set_current_win(first)
  evaluate('rsqrt')
  type_keys('l')
  becomes('a step', step_is(29), current_step)
  ok('the window it was evaluated from follows', vim.api.nvim_win_get_cursor(first)[1] == row('mul.wide'), vim.api.nvim_win_get_cursor(first))
  ok('the other one does not', vim.api.nvim_win_get_cursor(second)[1] == 1)
  vim.api.nvim_win_close(first, true)
  type_keys('l')
  becomes('with that closed', step_is(30), current_step)
  ok('the other one does', vim.api.nvim_win_get_cursor(second)[1] == row('add.u64'))
  vim.api.nvim_win_close(second, true)
  type_keys('h')
  becomes('without any', step_is(29), current_step)
  type_keys('gd')
  ok('gd opens one', vim.api.nvim_get_current_buf() == buf and vim.fn.line('.') == row('mul.wide'))
  vim.cmd('tabnew')
  vim.cmd.edit(env.PROJECT .. '/clean.ptx')
  local other = vim.api.nvim_get_current_buf()
  becomes('another file has the client', function() return #vim.lsp.get_clients({ bufnr = other }) == 1 end)
  vim.cmd('PtxEvaluate')
  becomes('and a grid of its own', function()
    local there = require('ptx-analyzer.warp.window').of(other)
    return there ~= nil and there.session:state() ~= nil and there.bufnr ~= pane().bufnr
  end, all_messages)
  vim.cmd('PtxEvaluateClear')
  ok('clearing one leaves the other', require('ptx-analyzer.warp.window').of(other) == nil and pane() ~= nil)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

function scenario.result()
  evaluate('ret;')
  vim.cmd('PtxResult')
  local shown = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok(':PtxResult shows a document', vim.bo.filetype == 'markdown' and shown:find('parting', 1, true) ~= nil and shown:find('out', 1, true) ~= nil, shown)
  type_keys('q')
  ok('q closes it', vim.bo.filetype ~= 'markdown')
end

function scenario.lens()
  attached()
  local found
  becomes('there is a lens for each kernel', function()
    found = {}
    local answer = vim.lsp.buf_request_sync(buf, 'textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params(buf) }, 5000)
    for _, lens in ipairs((vim.tbl_values(answer or {})[1] or {}).result or {}) do
      if lens.command and lens.command.command == 'ptx-analyzer.showWarp' then
        found[#found + 1] = lens.command
      end
    end
    return #found == 2
  end, function() return found end)
  lib.client().commands[found[1].command](found[1], { client_id = lib.client().id, bufnr = buf })
  becomes('it opens the grid', function() return pane() ~= nil and line_of('parting') ~= '' end, all_messages)
  vim.cmd('PtxEvaluateClear')
  put_cursor(position('.visible .entry parting'))
  vim.lsp.buf.code_action({
    filter = function(action) return action.kind ~= nil and vim.startswith(action.kind, 'source.evaluateWarp') end,
    apply = true,
  })
  becomes('a code action does too', function() return pane() ~= nil and line_of('parting') ~= '' end, all_messages)
end

function scenario.launches()
  evaluate('mul.f32 %half')
  vim.cmd('PtxLaunch grid=1 block=32 n=30 out=u32[32]:zero')
  becomes(':PtxLaunch takes one in place of those in the source', has('with ', 'grid=1 block=32 n=30'), grid)
  ok('and keeps the step', step_is(27)(), current_step())
  becomes('with its values', function() return line_of('%n ') == '%n .u32 = 30' end, grid)
  local offered
  vim.ui.select = function(items, options, chosen)
    offered = vim.tbl_map(options.format_item, items)
    chosen(items[1], 1)
  end
  vim.cmd('PtxLaunch')
  becomes('without any it offers those of the source', has('with ', 'grid=2 block=64 n=124'), function() return { offered, grid() } end)
  ok('by their lines', offered[1]:find('^line 7: grid=2 block=64') ~= nil, offered)
  vim.ui.select = function(items, _, chosen)
    chosen(items[#items], #items)
  end
  vim.ui.input = function(options, done)
    ok('another one begins as the one of now', options.default:find('grid=2 block=64', 1, true) == 1, options.default)
    done('grid=1 block=64 n=3 out=u32[64]:zero')
  end
  type_keys('e')
  becomes('and is evaluated', function() return line_of('%n ') == '%n .u32 = 3' end, grid)
  vim.cmd('PtxLaunch grid=none')
  becomes('what is not a launch is said', function() return #messages > 0 end, grid)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

local function guessed()
  evaluate('ld.param.u32', 'PtxEvaluate!')
  local at = row('.visible .entry')
  local above = vim.api.nvim_buf_get_lines(buf, at - 2, at - 1, false)[1]
  ok('the guessed launch stands above the kernel', above:find('^//! launch: .*block=') ~= nil, above)
  ok('and is the one that is evaluated', vim.wait(5000, function() return has('with ', 'block=')() and not has('with ', '(guessed)')() end, 20), grid())
  local count = vim.api.nvim_buf_line_count(buf)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))
  vim.cmd('PtxEvaluate!')
  becomes('a second time there is one', says('already has a launch'), all_messages)
  ok('and none is added', vim.api.nvim_buf_line_count(buf) == count)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

scenario.guess = guessed

function scenario.guess_dos()
  ok('the file has line ends of DOS', vim.bo[buf].fileformat == 'dos')
  guessed()
  vim.api.nvim_buf_call(buf, function() vim.cmd('silent write') end)
  local file = assert(io.open(vim.api.nvim_buf_get_name(buf), 'rb'))
  local text = file:read('*a')
  file:close()
  ok('and keeps them', text:find('//! launch:[^\r\n]*\r\n') ~= nil and not text:find('[^\r]\n'))
end

function scenario.nothing_there()
  for _, command in ipairs({ 'PtxEvaluate', 'PtxEvaluate!' }) do
    warp.forget()
    vim.cmd(command)
    ok((':%s says that no server runs'):format(command), says('the server does not run for this buffer')(), messages)
  end
end

function scenario.dap()
  local dap = require('dap')
  local adapter
  dap.adapters.ptx(function(found) adapter = found end, {})
  ok('the adapter is an executable', adapter.type == 'executable' and adapter.command == 'ptx-analyzer', adapter)
  ok('with the argument `dap`', vim.deep_equal(adapter.args, { 'dap' }), adapter)
  for _, configuration in ipairs(dap.configurations.ptx) do
    ok('a configuration: ' .. configuration.name, configuration.type == 'ptx' and configuration.request == 'launch' and configuration.program == '${file}')
  end
  put_cursor(position('shl.b32'))
  ok('it knows the kernel of the cursor', dap.configurations.ptx[1].entry() == 'parting')
  put_cursor(position('add.u32 %r2'))
  ok('and the other one', dap.configurations.ptx[1].entry() == 'without_launch')
  put_cursor(position('//! expect'))
  ok('above a kernel, that below', dap.configurations.ptx[1].entry() == 'parting')
  vim.cmd('checkhealth ptx-analyzer')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  ok('the health check tells', text:find('nvim-dap: `ptx` is registered', 1, true) ~= nil, text)
  ok('and that the adapter is there', text:find('the debug adapter: ptx-analyzer dap', 1, true) ~= nil, text)
end

function scenario.own_dap()
  ok('what the user has set stays', require('dap').adapters.ptx == 'mine' and require('dap').configurations.ptx[1] == 'mine')
end

function scenario.vsplit()
  evaluate('rsqrt')
  local window = vim.fn.bufwinid(pane().bufnr)
  ok('the grid is at the right', vim.fn.win_screenpos(window)[2] > 1 and vim.fn.win_screenpos(window)[1] <= 2)
  ok('hints are left alone', not vim.lsp.inlay_hint.is_enabled({ bufnr = buf }))
  local before = vim.api.nvim_win_get_cursor(vim.fn.bufwinid(buf))
  type_keys('5h')
  becomes('a step back', step_is(23), current_step)
  ok('the cursor is left alone', vim.deep_equal(vim.api.nvim_win_get_cursor(vim.fn.bufwinid(buf)), before))
end

function scenario.float()
  evaluate('rsqrt')
  ok('the grid floats', vim.api.nvim_win_get_config(vim.fn.bufwinid(pane().bufnr)).relative == 'editor')
  type_keys('q')
  ok('q closes it', #vim.api.nvim_list_wins() == 1)
end

lib.run(scenario)
