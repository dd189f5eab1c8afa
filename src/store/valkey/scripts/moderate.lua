-- Changes a list of the operator. KEYS: the list. ARGV: the version that it must have, its new one, the milliseconds
-- until it may expire (0: never), and rows, each after its number; an empty one is deleted. Returns whether it had the
-- version.
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
for i = 4, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3], 'NX')
  redis.call('PEXPIRE', KEYS[1], ARGV[3], 'GT')
end
return 1
