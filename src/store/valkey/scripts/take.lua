-- Uses up a view of a paste, or ends it. KEYS: the paste, its tombstone, its counts. ARGV: the revision that it must
-- have (empty: any, and it ends), the reason of the tombstone and its seconds. Returns how many views are left, -1 if
-- the paste has another revision, or -2 if its views are not limited. If there is no paste, returns -10 less the reason
-- of its tombstone, or -265.
local head = redis.call('GETRANGE', KEYS[1], 0, 23)
if head == '' then return -10 - (redis.call('GET', KEYS[2]) or 255) end
if ARGV[1] ~= '' then
  if string.sub(head, 17) ~= ARGV[1] then return -1 end
  local left = string.byte(head, 4)
  if left == 0 then return -2 end
  if left > 1 then
    redis.call('SETRANGE', KEYS[1], 3, string.char(left - 1))
    return left - 1
  end
end
redis.call('UNLINK', KEYS[1], KEYS[3])
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return 0
