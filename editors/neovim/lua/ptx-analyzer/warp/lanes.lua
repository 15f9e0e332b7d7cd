-- Sets of lanes: masks with a bit for each of the 32 lanes of a warp, which are numbers up to 2^32 - 1.

local bit = require('bit')

local M = {}

---@param mask integer
---@param lane integer
---@return boolean
function M.has(mask, lane)
  return bit.band(bit.rshift(mask, lane), 1) == 1
end

--- The lanes of a mask with their noun: `lane 3`, `lanes 0–3, 7`.
---@param mask integer
---@return string
function M.words(mask)
  local ranges, count, lane = {}, 0, 0
  while lane < 32 do
    if M.has(mask, lane) then
      local first = lane
      while lane < 31 and M.has(mask, lane + 1) do
        lane = lane + 1
      end
      ranges[#ranges + 1] = first == lane and tostring(first) or ('%d–%d'):format(first, lane)
      count = count + lane - first + 1
    end
    lane = lane + 1
  end
  return (count == 1 and 'lane ' or 'lanes ') .. table.concat(ranges, ', ')
end

return M
