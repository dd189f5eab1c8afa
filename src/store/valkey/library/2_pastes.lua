
-- The functions on the pastes of one shard.

-- Stores a paste. A second save of the same revision succeeds and changes nothing, so a save may be repeated.
local function save(keys, args)
  local root, now, room, key, value = keys[1], tonumber(args[1]), tonumber(args[2]), args[3], args[4]
  local head, there = parse(value), head_of(root, key)
  if there and there.revision == head.revision then return { OK, 0 } end
  if there or is_taken(root, now, key, head) then return { TAKEN, 0 } end
  local shard = shard_of(root, now, room)
  local is_left_over = head.flags == HAS_SLUG and call('ZSCORE', root .. ':q:' .. head.network .. head.client, key)
  if is_left_over then recount_client(shard, head.network, head.client) end
  local has_room, others = make_room(shard, head, head.cost)
  if not has_room then return answer(shard, NO_ROOM, others) end
  call('SET', root .. ':p:' .. key, value)
  if head.deadline < NEVER then call('ZADD', root .. ':d', head.deadline, key) end
  charge(shard, head, head.cost)
  add_pastes(shard, 1)
  append(root, key, head)
  if head.flags == HAS_SLUG then
    call('HDEL', root .. ':t0', key)
    call('HDEL', root .. ':t1', key)
    call('ZREM', root .. ':r', key)
  end
  if head.owner ~= NO_OWNER then list_for_owner(root, now, key, head.owner) end
  return answer(shard, OK, 0)
end

-- Forgets the reads of old hours and days, once there are more numbers than 24 hours and 30 days have.
local function forget_old_reads(counts, hour)
  if call('HLEN', counts) <= MOST_COUNTS then return end
  for _, field in ipairs(call('HKEYS', counts)) do
    local number = tonumber(string.sub(field, 2))
    local is_hour = string.sub(field, 1, 1) == 'h'
    if (is_hour and number <= hour - 24) or (not is_hour and number <= math.floor(hour / 24) - 30) then
      call('HDEL', counts, field)
    end
  end
end

-- Counts reads of a paste, of which `left` more are allowed. Both numbers are close to each other in the header.
local function count_reads(root, key, head, left, hour, reads)
  local total = math.min(head.reads + reads, 4294967295)
  call('SETRANGE', root .. ':p:' .. key, LEFT, struct.pack('<BBI4I4', left, head.flags, head.cost, total))
  local counts = root .. ':c:' .. key
  local in_hour = call('HINCRBY', counts, 'h' .. hour, reads)
  call('HINCRBY', counts, 'd' .. math.floor(hour / 24), reads)
  if in_hour == reads then forget_old_reads(counts, hour) end
  mark_used(root, key, head)
end

-- Counts a read of this revision, and uses up one of its reads if they are limited. The detail of the answer is the
-- number of reads that are left, or -1 if they are not limited.
local function take(keys, args)
  local root, now, room, key, revision = keys[1], tonumber(args[1]), tonumber(args[2]), args[3], args[4]
  local head, reason = find(root, now, key)
  if not head then return { GONE, reason } end
  if head.revision ~= revision then return { CHANGED, 0 } end
  if head.left == 1 then
    local shard = shard_of(root, now, room)
    remove(shard, key, head, BURNED)
    return answer(shard, OK, 0)
  end
  local is_limited = head.left > 0
  local left = is_limited and head.left - 1 or 0
  count_reads(root, key, head, left, math.floor(now / 3600000), 1)
  return { OK, is_limited and left or -1 }
end

local function delete(keys, args)
  local root, now, room, key, reason = keys[1], tonumber(args[1]), tonumber(args[2]), args[3], tonumber(args[4])
  local head, gone = find(root, now, key)
  if not head then return { GONE, gone } end
  local shard = shard_of(root, now, room)
  remove(shard, key, head, reason)
  return answer(shard, OK, 0)
end

local function set_deadline(root, key, deadline)
  call('SETRANGE', root .. ':p:' .. key, DEADLINE, struct.pack('<d', deadline))
  if deadline < NEVER then
    call('ZADD', root .. ':d', deadline, key)
  else
    call('ZREM', root .. ':d', key)
  end
end

-- Changes a paste that has this revision. A deadline that is not empty replaces the old one. A value that is not empty
-- replaces the content; counts, client and owner stay. While room is made for the value, the paste is charged nothing and
-- in no order of use, so that it is not removed itself.
local function change(keys, args)
  local root, now, room, key, revision = keys[1], tonumber(args[1]), tonumber(args[2]), args[3], args[4]
  local value = args[6]
  local head, reason = find(root, now, key)
  if not head then return { GONE, reason } end
  local deadline = args[5] == '' and head.deadline or tonumber(args[5])
  if head.revision ~= revision then return { CHANGED, 0 } end
  if value == '' then
    set_deadline(root, key, deadline)
    mark_used(root, key, head)
    return { OK, 0 }
  end
  local new, shard = parse(value), shard_of(root, now, room)
  call('ZREM', root .. ':q:' .. head.network .. head.client, key)
  call('ZREM', root .. ':d', key)
  charge(shard, head, -head.cost)
  local has_room, others = make_room(shard, head, new.cost)
  if has_room then
    local header = struct.pack(HEADER, string.byte(value), head.kind, head.left, head.flags, new.cost, head.reads,
      new.owned, deadline, head.place, head.network, head.client, new.revision, head.owner)
    call('SET', root .. ':p:' .. key, header .. string.sub(value, HEADER_BYTES + 1))
  else
    deadline = head.deadline
  end
  charge(shard, head, has_room and new.cost or head.cost)
  if deadline < NEVER then call('ZADD', root .. ':d', deadline, key) end
  append(root, key, head)
  return answer(shard, has_room and OK or NO_ROOM, others)
end

-- Counts reads of several pastes: a key, an hour since 1970 and a number of reads each.
local function touch(keys, args)
  local root, now = keys[1], tonumber(args[1])
  for i = 3, #args, 3 do
    local head = find(root, now, args[i])
    if head then count_reads(root, args[i], head, head.left, tonumber(args[i + 1]), tonumber(args[i + 2])) end
  end
  return { OK, 0 }
end

-- Removes expired pastes, at most a batch. The detail is how many milliseconds ago the first of the others expired.
local function sweep(keys, args)
  local root, now, room = keys[1], tonumber(args[1]), tonumber(args[2])
  local shard = shard_of(root, now, room)
  for _ = 1, BATCH do
    local key = next_expired(root, now)
    if not key then break end
    expire(shard, key)
  end
  call('ZREMRANGEBYSCORE', root .. ':r', '-inf', now)
  local first = call('ZRANGE', root .. ':d', 0, 0, 'WITHSCORES')[2]
  local overdue = first and math.max(0, now - tonumber(first)) or 0
  return answer(shard, OK, overdue)
end

-- Returns why there is no such paste.
local function missing(keys, args)
  return reason_of(keys[1], args[1])
end

-- Removes a paste whose value was lost or damaged from the list of its owner.
local function unlist(keys, args)
  local root, owner, key = keys[1], args[1], args[2]
  if not head_of(root, key) then call('ZREM', root .. ':o:' .. owner, key) end
  return OK
end

local function sum_of(set)
  local sum, scored = 0, call('ZRANGE', set, 0, -1, 'WITHSCORES')
  for i = 2, #scored, 2 do sum = sum + scored[i] end
  return sum, scored
end

-- Recounts a shard. Returns the first disagreement, or an empty string. It visits every paste.
local function recount(keys, _)
  local root = keys[1]
  local used, pastes, expiring, listed = 0, 0, 0, {}
  local total, networks = sum_of(root .. ':w')
  for i = 1, #networks, 2 do
    local weight, clients = sum_of(root .. ':h:' .. networks[i])
    if weight ~= tonumber(networks[i + 1]) then return 'the weight of a network' end
    for j = 1, #clients, 2 do
      local held = 0
      for _, key in ipairs(call('ZRANGE', root .. ':q:' .. networks[i] .. clients[j], 0, -1)) do
        local head = head_of(root, key)
        if not head then return 'a paste that is in an order of use is missing' end
        if head.network ~= networks[i] or head.client ~= clients[j] then return 'the client of a paste' end
        local deadline = tonumber(call('ZSCORE', root .. ':d', key) or NEVER)
        if deadline ~= head.deadline then return 'the deadline of a paste' end
        if reason_of(root, key) ~= NOT_KNOWN then return 'a paste has a tombstone' end
        held, pastes = held + head.cost, pastes + 1
        if deadline < NEVER then expiring = expiring + 1 end
        if head.owner ~= NO_OWNER then
          local place = tonumber(call('ZSCORE', root .. ':o:' .. head.owner, key))
          if place ~= head.place then return 'the list of an owner' end
          listed[head.owner] = (listed[head.owner] or 0) + 1
        end
      end
      if held ~= tonumber(clients[j + 1]) then return 'the weight of a client' end
      used = used + held
    end
  end
  local counts = call('HMGET', root, 'pastes', 'used')
  if used ~= total or used ~= tonumber(counts[2] or 0) then return 'the bytes in use' end
  if pastes ~= tonumber(counts[1] or 0) then return 'the number of pastes' end
  if expiring ~= call('ZCARD', root .. ':d') then return 'the number of deadlines' end
  for owner, count in pairs(listed) do
    if count ~= call('ZCARD', root .. ':o:' .. owner) then return 'the number of pastes of an owner' end
  end
  return ''
end
