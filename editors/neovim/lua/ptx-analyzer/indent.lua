-- Indentation while typing, as the formatter writes it: labels and guards stand one level further left than instructions, and what
-- continues a statement one level further right.

local M = {}

-- The beginnings of lines that end or interrupt a level.
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

--- Whether a line continues a statement: it begins with an operand.
local function continues(text)
  return any(text, { '^[%%%[%d"+-]', '^{%s*[%%%d+-]', '^%(.' })
end

--- Whether lines below are one level deeper.
local function opens(text)
  if vim.startswith(text, '//') then
    return false
  end
  return text:find('[{(]$') ~= nil
    or (vim.startswith(text, '.') and any(text, { '{[^}]*$', '%([^)]*$' }))
    or (not text:find('^[})]') and any(text, OUTDENTED))
end

--- The indentation of the statement that begins in a line, or of the line itself; for 'indentexpr'.
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
    if continues(before) then
      -- Elements of a list stand below its first one, and behind the list operands begin where it began.
      if before:find('^{%s*[^}]*,$') then
        return indent + 1
      elseif before:find('^[%%%d+-].*},$') then
        return math.max(indent - indent % width, 0)
      end
      return indent
    elseif before:find('^@[^@]') then
      return indent + 2 * width
    elseif indent > 0 and any(before, { '^%l[%w_]*[.%s]', '^%.reg%s' }) and not before:find('[{(]$') then
      return indent + width
    end
  end
  -- The last line that no statement above continues in.
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
