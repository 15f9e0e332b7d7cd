-- Indentation while typing, equal to that of the formatter: labels and guards are one level further left than
-- instructions, and continuation lines one level further right.

local M = {}

-- Patterns for the beginnings of lines that end or interrupt a level.
local OUTDENTED = { '^[})]', '^@[^@]', '^@$', '^[%a_$%%][%w_$]*%s*:$', '^[%a_$%%][%w_$]*%s*:[^:]' }

---@param text string
---@param patterns string[]
local function any(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then
      return true
    end
  end
  return false
end

--- A line without its indentation and the comment at its end.
---@param lnum integer
local function code(lnum)
  local text = vim.trim(vim.fn.getline(lnum))
  if vim.startswith(text, '//') then
    return text
  end
  return vim.trim((text:gsub('//.*$', '')))
end

--- Whether a line continues a statement, that is, begins with an operand.
local function continues(text)
  return any(text, { '^[%%%[%d"+-]', '^{%s*[%%%d+-]', '^%(.' })
end

--- Whether a line without `;` ends within a statement: something is missing that the next line can hold. Else the `;` was forgotten.
local function lacks(text)
  return any(text, { ',$', '^@!?[%w_$%%]+$', '^%l[%w_]*[.:][%w_.:]+$', '^@!?[%w_$%%]+%s+%l[%w_]*[.:][%w_.:]+$' })
end

--- Whether the lines below are one level deeper.
local function opens(text)
  if vim.startswith(text, '//') then
    return false
  end
  return text:find('[{(]$') ~= nil
    or (vim.startswith(text, '.') and any(text, { '{[^}]*$', '%([^)]*$' }))
    or (not text:find('^[})]') and any(text, OUTDENTED))
end

--- The indentation of the statement that begins in a line, or of the line itself; used by 'indentexpr'.
---@param lnum integer
---@return integer
function M.get(lnum)
  local width = vim.fn.shiftwidth()
  local above = vim.fn.prevnonblank(lnum - 1)
  if above == 0 then
    return 0
  end
  local text, before = code(lnum), code(above)
  local indent = vim.fn.indent(above)
  local comment = vim.startswith(before, '//')
  if not comment and not before:find(';') and above == lnum - 1 and not any(text, { '^}', '^@[^@]' }) then
    if continues(before) and lacks(before) then
      -- Elements of a list are aligned with its first one; operands after the list are aligned with the list.
      if before:find('^{%s*[^}]*,$') then
        return indent + 1
      elseif before:find('^[%%%d+-].*},$') then
        return math.max(indent - indent % width, 0)
      end
      return indent
    elseif before:find('^@[^@]') and lacks(before) then
      return indent + 2 * width
    elseif indent > 0 and any(before, { '^%l[%w_]*[.%s]', '^%.reg%s' }) and lacks(before) then
      return indent + width
    end
  end
  -- Go up to the line in which the statement begins.
  while above > 0 and continues(code(above)) do
    above = vim.fn.prevnonblank(above - 1)
  end
  indent = above > 0 and vim.fn.indent(above) or 0
  if above > 0 and opens(code(above)) then
    indent = indent + width
  end
  if any(text, OUTDENTED) then
    indent = indent - width
  end
  return math.max(indent, 0)
end

return M
