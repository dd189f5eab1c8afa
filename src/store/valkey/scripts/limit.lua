-- Adds a save to counters, or takes it back. KEYS: the mark of the save, the counters, and as many of the windows before.
-- ARGV: the step, and for each counter the amount and the milliseconds until it expires. The step is 1 to add, 0 to take
-- back what is known to be added, and -1 to take back what may be added, or may still be. Returns what the counters are
-- then, and what those of the windows before are. What was taken back before is not added, and only what was added is
-- taken back: then it returns nothing. A mark that no later step can need is deleted.
local mark, step = redis.call('GET', KEYS[1]), ARGV[1]
if step == '0' then
  redis.call('UNLINK', KEYS[1])
elseif mark ~= '-1' then
  redis.call('SET', KEYS[1], step, 'EX', 3600)
end
if mark ~= (step ~= '1' and '1') then return {} end
local counters, counts = (#KEYS - 1) / 2, {}
for i = 1, counters do
  counts[i] = redis.call('INCRBY', KEYS[i + 1], ARGV[2 * i])
  -- It may be new.
  if counts[i] == tonumber(ARGV[2 * i]) then redis.call('PEXPIRE', KEYS[i + 1], ARGV[2 * i + 1], 'NX') end
end
return {counts, redis.call('MGET', unpack(KEYS, counters + 2))}
