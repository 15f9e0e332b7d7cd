-- Decodes the bits of a register: formats the hexadecimal digits of the server's answers as the user chooses. It
-- depends on neither windows nor the server. It runs on any Lua 5.1, because not every Neovim has LuaJIT with its
-- 64-bit integers.

local bit = require('bit')

local M = {}

-- Bytes per lane, by type; 4 for other types.
local sizes = {
  ['.b8'] = 1, ['.u8'] = 1, ['.s8'] = 1,
  ['.b16'] = 2, ['.u16'] = 2, ['.s16'] = 2, ['.f16'] = 2, ['.bf16'] = 2,
  ['.b64'] = 8, ['.u64'] = 8, ['.s64'] = 8, ['.f64'] = 8,
  ['.b128'] = 16,
}

-- The formats of a value, by its size in bytes. `auto` depends on type and contents.
local formats = {
  [1] = { 'auto', 'hex', 'signed', 'unsigned' },
  [2] = { 'auto', 'hex', 'signed', 'unsigned', 'half', 'bf16' },
  [4] = { 'auto', 'hex', 'signed', 'unsigned', 'float', 'half2', 'bf16x2' },
  [8] = { 'auto', 'hex', 'signed', 'unsigned', 'double', 'float2' },
  [16] = { 'auto', 'hex' },
}

-- Untyped bits below this number are shown in decimal, because they are probably an integer; larger ones in
-- hexadecimal.
local COUNTED = 1000000

--- The number of bytes per lane of a type.
---@param type string
---@return integer
function M.size(type)
  return sizes[type] or 4
end

---@param type string
---@return string[]
function M.formats(type)
  return formats[M.size(type)]
end

--- The format after this one in the list of a type's formats.
---@param type string
---@param format string
---@return string
function M.next_format(type, format)
  local all = M.formats(type)
  for index, name in ipairs(all) do
    if name == format then
      return all[index % #all + 1]
    end
  end
  return all[1]
end

--- Whether a lane is in a mask. Masks are numbers up to 2^32 - 1.
---@param mask integer
---@param lane integer
---@return boolean
function M.has(mask, lane)
  return bit.band(bit.rshift(mask, lane), 1) == 1
end

---@param mask integer
---@return integer
function M.count(mask)
  local count = 0
  for lane = 0, 31 do
    count = count + (M.has(mask, lane) and 1 or 0)
  end
  return count
end

--- The lanes of a mask as text: `0-3, 7`.
---@param mask integer
---@return string
function M.lanes(mask)
  local ranges, lane = {}, 0
  while lane < 32 do
    if M.has(mask, lane) then
      local first = lane
      while lane < 31 and M.has(mask, lane + 1) do
        lane = lane + 1
      end
      ranges[#ranges + 1] = first == lane and tostring(first) or ('%d-%d'):format(first, lane)
    end
    lane = lane + 1
  end
  return table.concat(ranges, ', ')
end

--- The lanes of a mask with their noun: `lane 3`, `lanes 0-3`.
---@param mask integer
---@return string
function M.of_lanes(mask)
  return (M.count(mask) == 1 and 'lane ' or 'lanes ') .. M.lanes(mask)
end

--- The value of a predicate in one lane. Its 32 bits are a little-endian word.
---@param hex string
---@param lane integer
---@return boolean
function M.predicate(hex, lane)
  local byte = math.floor(lane / 8)
  return M.has(tonumber(hex:sub(2 * byte + 1, 2 * byte + 2), 16) or 0, lane % 8)
end

--- The digits of one lane, the most significant first.
---@param hex string
---@param size integer
---@param lane integer
---@return string
function M.digits(hex, size, lane)
  local at = lane * size * 2
  local bytes = {}
  for byte = size, 1, -1 do
    bytes[#bytes + 1] = hex:sub(at + 2 * byte - 1, at + 2 * byte)
  end
  return table.concat(bytes)
end

--- The decimal text of a number given as two 32-bit words.
local function decimal(high, low)
  if high < 0x200000 then
    return ('%.0f'):format(high * 0x100000000 + low)
  end
  -- The number exceeds the precision of a double: divide twice by ten million, in parts that a double can represent.
  local groups = {}
  while high > 0 or low > 0 do
    local rest = high % 10000000
    high = math.floor(high / 10000000)
    local upper = rest * 0x10000 + math.floor(low / 0x10000)
    local lower = (upper % 10000000) * 0x10000 + low % 0x10000
    low = math.floor(upper / 10000000) * 0x10000 + math.floor(lower / 10000000)
    groups[#groups + 1] = lower % 10000000
  end
  local text = { ('%d'):format(groups[#groups]) }
  for index = #groups - 1, 1, -1 do
    text[#text + 1] = ('%07d'):format(groups[index])
  end
  return table.concat(text)
end

---@param digits string
---@return string
function M.unsigned(digits)
  local low = tonumber(digits:sub(-8), 16)
  local high = #digits > 8 and tonumber(digits:sub(1, -9), 16) or 0
  return decimal(high, low)
end

---@param digits string
---@return string
function M.signed(digits)
  if tonumber(digits:sub(1, 1), 16) < 8 then
    return M.unsigned(digits)
  end
  local low = tonumber(digits:sub(-8), 16)
  if #digits <= 8 then
    return ('-%.0f'):format(16 ^ #digits - low)
  end
  local high = tonumber(digits:sub(1, -9), 16)
  high, low = 0xffffffff - high, 0x100000000 - low
  if low == 0x100000000 then
    high, low = high + 1, 0
  end
  return '-' .. decimal(high, low)
end

--- The number with these fields of a binary floating-point format.
local function assemble(negative, exponent, fraction, exponent_bits, fraction_bits)
  local sign = negative and -1 or 1
  local bias = 2 ^ (exponent_bits - 1) - 1
  if exponent == 2 ^ exponent_bits - 1 then
    return fraction == 0 and sign * math.huge or 0 / 0
  end
  if exponent == 0 then
    return sign * math.ldexp(fraction, 1 - bias - fraction_bits)
  end
  return sign * math.ldexp(fraction + 2 ^ fraction_bits, exponent - bias - fraction_bits)
end

--- The shortest decimal number that only this value with the given number of significant bits rounds to.
local function shortest(value, bits, least_exponent, precisions)
  if value ~= value then
    return 'nan'
  elseif value == math.huge then
    return 'inf'
  elseif value == -math.huge then
    return '-inf'
  end
  local function rounded(number)
    local _, exponent = math.frexp(number)
    local scale = 2 ^ (bits - math.max(exponent, least_exponent))
    local scaled = number * scale
    local floor = math.floor(scaled)
    local rest = scaled - floor
    if rest > 0.5 or (rest == 0.5 and floor % 2 == 1) then
      floor = floor + 1
    end
    return floor / scale
  end
  local text
  for precision = precisions[1], precisions[2] do
    text = ('%.' .. precision .. 'g'):format(value)
    local back = tonumber(text)
    if back == value or (bits < 53 and rounded(back) == value) then
      break
    end
  end
  if text:match('^%-?%d+$') then
    return text .. '.0'
  end
  return (text:gsub('e%+?(%-?)0*(%d)', 'e%1%2'))
end

local function float16(word)
  local value = assemble(word >= 0x8000, math.floor(word / 0x400) % 0x20, word % 0x400, 5, 10)
  return shortest(value, 11, -13, { 3, 5 })
end

local function bfloat16(word)
  local value = assemble(word >= 0x8000, math.floor(word / 0x80) % 0x100, word % 0x80, 8, 7)
  return shortest(value, 8, -125, { 2, 4 })
end

local function float32(word)
  local value = assemble(word >= 0x80000000, math.floor(word / 0x800000) % 0x100, word % 0x800000, 8, 23)
  return shortest(value, 24, -125, { 6, 9 })
end

local function float64(digits)
  local high, low = tonumber(digits:sub(1, 8), 16), tonumber(digits:sub(9), 16)
  local fraction = (high % 0x100000) * 0x100000000 + low
  return shortest(assemble(high >= 0x80000000, math.floor(high / 0x100000) % 0x800, fraction, 11, 52), 53, -1021, { 6, 17 })
end

local function pair(digits, single)
  local half = #digits / 2
  -- The lower half comes first, as in memory and in `mov.b32 {lower, upper}, …`.
  return single(tonumber(digits:sub(half + 1), 16)) .. ' ' .. single(tonumber(digits:sub(1, half), 16))
end

local readers = {
  hex = function(digits)
    local short = digits:gsub('^0+', '')
    return '0x' .. (short == '' and '0' or short)
  end,
  signed = M.signed,
  unsigned = M.unsigned,
  half = function(digits)
    return float16(tonumber(digits, 16))
  end,
  bf16 = function(digits)
    return bfloat16(tonumber(digits, 16))
  end,
  float = function(digits)
    return float32(tonumber(digits, 16))
  end,
  double = float64,
  half2 = function(digits)
    return pair(digits, float16)
  end,
  bf16x2 = function(digits)
    return pair(digits, bfloat16)
  end,
  float2 = function(digits)
    return pair(digits, float32)
  end,
}

--- Text for the digits of one value.
---@param digits string
---@param format string any but `auto`
---@return string
function M.text(digits, format)
  return readers[format](digits)
end

local by_type = {
  ['.f16'] = 'half', ['.bf16'] = 'bf16', ['.f32'] = 'float', ['.f64'] = 'double', ['.f16x2'] = 'half2', ['.bf16x2'] = 'bf16x2',
  ['.u8'] = 'unsigned', ['.u16'] = 'unsigned', ['.u32'] = 'unsigned',
  ['.s8'] = 'signed', ['.s16'] = 'signed', ['.s32'] = 'signed', ['.b128'] = 'hex',
}

--- Whether a type has its own format.
---@param type string
---@return boolean
function M.reads(type)
  return by_type[type] ~= nil
end

--- The format that `auto` selects: the type's own format, if it has one. Otherwise (types that specify only a size, and
--- types of addresses) whole numbers if all values are small.
---@param type string
---@param hex string
---@param known integer lanes that were written
---@return string
function M.automatic(type, hex, known)
  if by_type[type] then
    return by_type[type]
  end
  local size = M.size(type)
  for lane = 0, #hex / (2 * size) - 1 do
    if M.has(known, lane) then
      local value = tonumber(M.signed(M.digits(hex, size, lane)))
      if math.abs(value) >= COUNTED then
        return 'hex'
      end
    end
  end
  return 'signed'
end

--- The difference between two values of the same size as a signed number; nil if a double cannot represent it.
---@param digits string
---@param other string
---@return integer?
local function distance_between(digits, other)
  local low = tonumber(digits:sub(-8), 16) - tonumber(other:sub(-8), 16)
  if #digits <= 8 then
    return (low + 0x80000000) % 0x100000000 - 0x80000000
  end
  local high = tonumber(digits:sub(1, 8), 16) - tonumber(other:sub(1, 8), 16)
  high = (high + 0x80000000) % 0x100000000 - 0x80000000
  local far = high * 0x100000000 + low
  return math.abs(far) < 2 ^ 47 and far or nil
end

--- The sum of a value and a distance, which may be negative. The sum wraps around.
---@param digits string
---@param distance integer
---@return string
local function moved(digits, distance)
  local low = tonumber(digits:sub(-8), 16) + distance
  local text = ('%08x'):format(low % 0x100000000)
  if #digits <= 8 then
    return text
  end
  local high = tonumber(digits:sub(1, 8), 16) + math.floor(low / 0x100000000)
  return ('%08x'):format(high % 0x100000000) .. text
end

--- The start and distance of whole numbers that count up or down from lane to lane: the value in lane 0 and the
--- distance to the next lane. Any two lanes fit, so at least three are required. VS Code's panel and the server fold by
--- the same rule.
---@param hex string
---@param size integer bytes of a lane, 4 or 8
---@param lanes integer those that count
---@return string? start digits in lane 0
---@return integer? distance
function M.affine(hex, size, lanes)
  if M.count(lanes) < 3 then
    return nil
  end
  local first, start, distance
  for lane = 0, 31 do
    if M.has(lanes, lane) then
      local digits = M.digits(hex, size, lane)
      if not first then
        first, start = lane, digits
      else
        local far = distance_between(digits, start)
        distance = distance or far and far / (lane - first)
        if not far or far ~= distance * (lane - first) then
          return nil
        end
      end
    end
  end
  if not distance or distance == 0 or distance % 1 ~= 0 then
    return nil
  end
  return moved(start, -first * distance), distance
end

--- The buffer position that an address points to, computed from the parameters that hold buffer addresses: `x`, `x+16`.
---@param digits string
---@param parameters table[]
---@param bytes table<string, integer> of the buffers
---@return string?
function M.name_of_address(digits, parameters, bytes)
  for _, parameter in ipairs(parameters) do
    if type(parameter.points_to) == 'string' and #parameter.value == 16 then
      local name, offset = parameter.points_to:match('^(.*)%+(%d+)$')
      name, offset = name or parameter.points_to, tonumber(offset) or 0
      local far = distance_between(digits, M.digits(parameter.value, 8, 0))
      local at = far and far + offset
      if at and at >= 0 and at < math.max(1, bytes[name] or 0) then
        return at == 0 and name or ('%s+%.0f'):format(name, at)
      end
    end
  end
end

return M
