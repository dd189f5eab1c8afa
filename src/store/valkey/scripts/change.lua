-- Changes a paste. KEYS: the paste, its tombstone, its counts. ARGV: the revision that it must have, its new value, and
-- the milliseconds until its new deadline, if it has one. Views that are left and reads stay. Returns 1, or -1 if the
-- paste has another revision. If there is no paste, returns -10 less the reason of its tombstone, or -265.
local head = redis.call('GETRANGE', KEYS[1], 0, 23)
if head == '' then return -10 - (redis.call('GET', KEYS[2]) or 255) end
if string.sub(head, 17) ~= ARGV[1] then return -1 end
local kept = ARGV[3] and 8 or 16
local value = string.sub(ARGV[2], 1, 3) .. string.sub(head, 4, kept) .. string.sub(ARGV[2], kept + 1)
redis.call('SET', KEYS[1], value, 'KEEPTTL')
if ARGV[3] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  -- A slug is reserved for a day longer.
  redis.call('PEXPIRE', KEYS[2], ARGV[3] + 86400000)
end
return 1
