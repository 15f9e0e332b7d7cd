-- neovim.test.sh runs this inside Neovim: machine code beside PTX, by scripts that print what NVIDIA's programs printed.

local env = vim.env
local buf = vim.api.nvim_get_current_buf()
local scenario = {}

local lib = dofile(env.HERE .. '/neovim_lib.lua')
local ok, becomes, attached = lib.ok, lib.becomes, lib.attached
local position, put_cursor, type_keys = lib.position, lib.put_cursor, lib.type_keys

function scenario.sass()
  attached()
  local sass = require('ptx-analyzer.sass')
  put_cursor(position('fma.rn.f32'))
  vim.cmd('PtxSass')
  local function state()
    return sass.state(buf)
  end
  local function text()
    return state() and table.concat(vim.api.nvim_buf_get_lines(state().view, 0, -1, false), '\n') or ''
  end
  becomes(':PtxSass shows the machine code of the kernel at the cursor', function()
    return text():find('FFMA R9, R2, c[0x0][0x164], R7', 1, true) ~= nil and vim.fn.bufwinid(state().view) > 0
  end, text)
  ok('for that kernel', state().entry == env.SYMBOL, state().entry)
  local window = vim.fn.bufwinid(state().view)
  local namespace = vim.api.nvim_get_namespaces()['ptx-analyzer-sass-cursor']
  local function marks(bufnr)
    return vim.tbl_map(function(found)
      return found[2] + 1
    end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}))
  end
  local function note()
    local all = vim.api.nvim_buf_get_extmarks(buf, namespace, 0, -1, { details = true })
    return all[1] and all[1][4].virt_text and all[1][4].virt_text[1][1] or ''
  end
  -- The tests move the cursor without keys, so they trigger the event themselves.
  local function go_to(words)
    put_cursor(position(words))
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = buf })
  end
  local function line_with(words)
    for row, line in ipairs(vim.api.nvim_buf_get_lines(state().view, 0, -1, false)) do
      if line:find(words, 1, true) then
        return row
      end
    end
  end
  go_to('fma.rn.f32')
  ok('the instruction of the line is marked', vim.deep_equal(marks(state().view), { line_with('FFMA') }), marks(state().view))
  ok('and its window shows it', vim.api.nvim_win_get_cursor(window)[1] == line_with('FFMA'))
  ok('a note says what became of the line', note():find('1 instruction, moved down after line 46', 1, true), note())
  go_to('ld.param.f32')
  ok('also of one without an instruction', note():find('merged into line 42', 1, true) and #marks(state().view) == 0, note())
  -- From the machine code back.
  vim.fn.win_gotoid(window)
  vim.api.nvim_win_set_cursor(0, { line_with('@P0 EXIT'), 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = state().view })
  local row = position('@%p1 bra') + 1
  ok('an instruction marks its PTX line', vim.deep_equal(marks(buf), { row }), marks(buf))
  type_keys('<CR>')
  ok('<CR> goes there', vim.api.nvim_get_current_buf() == buf and vim.fn.line('.') == row, vim.fn.line('.'))
  ok('blocks fold', vim.api.nvim_win_call(window, function()
    return vim.fn.foldlevel(line_with('BRA .L_x_0')) == 2
  end))
  -- An edit is followed after a pause; while the assembler refuses it, the older text stays and says so.
  local first = position('fma.rn.f32')
  vim.api.nvim_buf_set_lines(buf, first, first, false, { '\tbogus;' })
  ok('an edit moves the ties', state().lines[first + 2].words:find('moved down', 1, true), state().lines[first + 2])
  becomes('the older text says why', function()
    return vim.wo[window].winbar:find("older text: line 42: Unknown opcode 'bogus'", 1, true) ~= nil
  end, function()
    return vim.wo[window].winbar
  end)
  vim.api.nvim_buf_set_lines(buf, first, first + 1, false, {})
  becomes('and is followed by a newer one', function()
    return not vim.wo[window].winbar:find('older text', 1, true)
  end, function()
    return vim.wo[window].winbar
  end)
  vim.fn.win_gotoid(window)
  type_keys('q')
  ok('q closes it, and nothing stays marked', state() == nil and #marks(buf) == 0)
  ok('nothing went wrong on the way', vim.v.errmsg == '', vim.v.errmsg)
end

lib.run(scenario)
