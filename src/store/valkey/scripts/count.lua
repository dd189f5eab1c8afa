-- Counts reads of a paste. KEYS: the paste, its counts. ARGV: an hour since 1970, and the reads in it. The counts are a
-- hash of the reads by hour (`h` and its number) and by day (`d` and its number), and expire with the paste.
local time, head = redis.call('PTTL', KEYS[1]), redis.call('GETRANGE', KEYS[1], 4, 7)
if time < 0 or #head < 4 then return 0 end
local hour, day = tonumber(ARGV[1]), math.floor(ARGV[1] / 24)
local total = math.min(struct.unpack('<I4', head) + ARGV[2], 4294967295)
redis.call('SETRANGE', KEYS[1], 4, struct.pack('<I4', total))
redis.call('HINCRBY', KEYS[2], 'h' .. hour, ARGV[2])
redis.call('HINCRBY', KEYS[2], 'd' .. day, ARGV[2])
redis.call('PEXPIRE', KEYS[2], time)
-- More than 24 hours and 30 days have: the old ones are forgotten.
if redis.call('HLEN', KEYS[2]) > 54 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[2])) do
    local first = string.sub(field, 1, 1) == 'h' and hour - 23 or day - 29
    if tonumber(string.sub(field, 2)) < first then redis.call('HDEL', KEYS[2], field) end
  end
end
return 1
