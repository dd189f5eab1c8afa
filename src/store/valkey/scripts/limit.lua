-- Adds a save to counters, or takes it back. KEYS: the mark of the save, the counters, and as many of the windows before.
-- ARGV: 1 or -1, and for each counter the amount and the milliseconds until it expires. Returns what the counters are
-- then, and what those of the windows before are. What was taken back before is not added, and only what was added is
-- taken back: then it returns nothing.
local mark, is_added = redis.call('GET', KEYS[1]), ARGV[1] == '1'
if mark ~= '-1' then redis.call('SET', KEYS[1], ARGV[1], 'EX', 3600) end
if mark ~= (not is_added and '1') then return {} end
local counters, counts = (#KEYS - 1) / 2, {}
for i = 1, counters do
  counts[i] = redis.call('INCRBY', KEYS[i + 1], ARGV[2 * i])
  -- It may be new.
  if counts[i] == tonumber(ARGV[2 * i]) then redis.call('PEXPIRE', KEYS[i + 1], ARGV[2 * i + 1], 'NX') end
end
return {counts, redis.call('MGET', unpack(KEYS, counters + 2))}
