-- Changes a paste. KEYS: the paste, its tombstone, its counts. ARGV: the revision that it must have, a new deadline and
-- the milliseconds until then, and a new value; what is empty stays. Views that are left and reads stay in any case.
-- Returns 1, or -1 if the paste has another revision. If there is no paste, returns -10 less the reason of its
-- tombstone, or -265.
local head = redis.call('GETRANGE', KEYS[1], 0, 23)
if head == '' then return -10 - (redis.call('GET', KEYS[2]) or 255) end
if string.sub(head, 17) ~= ARGV[1] then return -1 end
if ARGV[4] ~= '' then
  local value = string.sub(ARGV[4], 1, 3) .. string.sub(head, 4, 16) .. string.sub(ARGV[4], 17)
  redis.call('SET', KEYS[1], value, 'KEEPTTL')
end
if ARGV[2] ~= '' then
  redis.call('SETRANGE', KEYS[1], 8, ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
end
return 1
