#!lua name=tidebin
-- The functions of tidebin's shared tier. docs/operations.md says how to load them.
--
-- A shard is all keys with one hash tag, so that it is in one slot of a Cluster. Its root key is `tb:{SHARD}`:
--   ROOT                hash: `used` bytes, `pastes`, `use` (the last number of the order of use), `turn` (the present
--                       table of tombstones), `place` (the last place in a list of an owner)
--   ROOT:p:KEY          string: the header of a paste, what is for its owner, and its sealed content
--   ROOT:c:KEY          hash: the reads of a paste by hour (`h` and its number) and by day (`d` and its number)
--   ROOT:d              sorted set: keys by deadline, without those that never expire
--   ROOT:w              sorted set: networks by the bytes that they hold
--   ROOT:h:NETWORK      sorted set: clients of a network by the bytes that they hold
--   ROOT:q:NETWORKCLIENT  sorted set: keys of a client in order of use
--   ROOT:o:OWNER        sorted set: keys of an owner by place
--   ROOT:t0, ROOT:t1    hashes: why pastes are gone. When the present one is full, the other one is emptied.
--   ROOT:r              sorted set: keys of slugs that are reserved, by the end of that
-- No key of a shard expires by itself: that would bypass what is counted.
--
-- The other keys are not in a shard:
--   tb:meta             hash: what all nodes have in common
--   tb:{m}              hash: the operator's lists by the number of a row, their `version`, and that of the `blocks`
--   tb:{c}, tb:{lTABLE} hashes: states that nodes exchange, with a version and the time of the last exchange each. `c` has
--                       the codes for another device. The entries of the limiter are divided among 64 tables.
--
-- Invariants: `used` is the sum of the costs of all pastes, and at most the room after each save. A function that
-- refuses changes nothing, but it may have removed pastes to make room. Keys, networks and clients are the eight
-- bytes of a number, the most significant first. A paste whose value is missing or damaged stops no function, and is
-- forgotten once its turn comes to be removed.

local VERSION = 2

local HEADER = '<BBBBI4I4I4ddc8c8c8c16'
local HEADER_BYTES = 72
local LEFT, DEADLINE, PLACE = 2, 16, 24
local NEVER = 281474976710655
local NO_OWNER = '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
local HAS_SLUG = 1

-- Statuses of answers.
local OK, TAKEN, NO_ROOM, GONE, CHANGED = 0, 1, 2, 3, 4
-- Reasons of tombstones. NOT_KNOWN: there is no tombstone.
local NOT_KNOWN, EXPIRED, BURNED, EVICTED = -1, 0, 1, 4

local BATCH = 64
local DAY = 86400000
local MOST_COUNTS = 54
local RESERVATIONS = 4096
local STATE, STATE_BYTES = '<dd', 16
local MOST_STATES, SAMPLE = 512, 5
local PLACES_SINCE = 1577836800000

-- `redis.call`, which does not exist yet while the library is loaded.
local call

local function parse(value)
  local _, kind, left, flags, cost, reads, owned, deadline, place, network, client, revision, owner =
    struct.unpack(HEADER, value)
  return { kind = kind, left = left, flags = flags, cost = cost, reads = reads, owned = owned, deadline = deadline,
    place = place, network = network, client = client, revision = revision, owner = owner }
end

-- Returns the header of a paste, or nil if its value is missing or damaged.
local function head_of(root, key)
  local value = call('GETRANGE', root .. ':p:' .. key, 0, HEADER_BYTES - 1)
  if #value == HEADER_BYTES then return parse(value) end
end

local function reason_of(root, key)
  local reason = call('HGET', root .. ':t0', key) or call('HGET', root .. ':t1', key)
  return tonumber(reason or NOT_KNOWN)
end

-- Returns the header of a paste that can be read, or nil and the reason.
local function find(root, now, key)
  local head = head_of(root, key)
  if not head then return nil, reason_of(root, key) end
  if head.deadline <= now then return nil, EXPIRED end
  return head
end

local function number_of(root, name)
  return tonumber(call('HGET', root, name) or 0)
end

-- Returns a shard, as a function sees it that adds or removes pastes. It knows the numbers that it read or changed.
local function shard_of(root, now, room)
  return { root = root, now = now, room = room, expired = 0, evicted = 0 }
end

local function add_pastes(shard, change)
  shard.pastes = call('HINCRBY', shard.root, 'pastes', change)
end

-- Returns an answer that also tells how full the shard is, and how many pastes were removed to make room.
local function answer(shard, status, detail)
  local pastes = shard.pastes or number_of(shard.root, 'pastes')
  local used = shard.used or number_of(shard.root, 'used')
  return { status, detail, pastes, used, shard.expired, shard.evicted }
end

local function weigh(set, member, change)
  if tonumber(call('ZINCRBY', set, change, member)) <= 0 then call('ZREM', set, member) end
end

local function charge(shard, head, change)
  shard.used = call('HINCRBY', shard.root, 'used', change)
  weigh(shard.root .. ':h:' .. head.network, head.client, change)
  weigh(shard.root .. ':w', head.network, change)
end

local function append(root, key, head)
  local use = call('HINCRBY', root, 'use', 1)
  call('ZADD', root .. ':q:' .. head.network .. head.client, use, key)
end

-- Makes a paste the last one in the order of use. It is in no other order if its header is damaged.
local function mark_used(root, key, head)
  local use = call('HINCRBY', root, 'use', 1)
  call('ZADD', root .. ':q:' .. head.network .. head.client, 'XX', use, key)
end

local function bury(shard, key, reason)
  local turn = call('HGET', shard.root, 'turn') or '0'
  local present = shard.root .. ':t' .. turn
  call('HSET', present, key, reason)
  if call('HLEN', present) < math.max(16, math.floor(shard.room / 8192)) then return end
  local other = turn == '0' and '1' or '0'
  call('UNLINK', shard.root .. ':t' .. other)
  call('HSET', shard.root, 'turn', other)
end

local function reserve(root, key, now)
  local reserved = root .. ':r'
  call('ZADD', reserved, now + DAY, key)
  if call('ZCARD', reserved) > RESERVATIONS then call('ZPOPMIN', reserved) end
end

local function remove(shard, key, head, reason)
  local root = shard.root
  call('UNLINK', root .. ':p:' .. key, root .. ':c:' .. key)
  call('ZREM', root .. ':d', key)
  if head.owner ~= NO_OWNER then call('ZREM', root .. ':o:' .. head.owner, key) end
  -- If the header is damaged, this is not the client that is charged for the paste.
  if call('ZREM', root .. ':q:' .. head.network .. head.client, key) == 1 then
    charge(shard, head, -head.cost)
    add_pastes(shard, -1)
  end
  bury(shard, key, reason)
  if head.flags == HAS_SLUG then reserve(root, key, shard.now) end
end

local function next_expired(root, now)
  return call('ZRANGEBYSCORE', root .. ':d', '-inf', now, 'LIMIT', 0, 1)[1]
end

local function is_greater(key, other)
  local high, low = struct.unpack('>I4I4', key)
  local other_high, other_low = struct.unpack('>I4I4', other)
  return high > other_high or (high == other_high and low > other_low)
end

-- Returns the heaviest member, the greatest of equally heavy ones. `incoming` counts for `own`, if it is a member.
local function heaviest(set, own, incoming)
  local top = call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  local weight = own and call('ZSCORE', set, own)
  if not weight or not top[1] then return top[1] end
  local mine, most = weight + incoming, tonumber(top[2])
  if mine > most or (mine == most and is_greater(own, top[1])) then return own end
  return top[1]
end

-- Returns the heaviest client of the heaviest network, and that network.
local function heaviest_client(root, saver, incoming)
  local network = heaviest(root .. ':w', saver.network, incoming)
  if not network then return nil end
  local own = network == saver.network and saver.client or nil
  return heaviest(root .. ':h:' .. network, own, incoming), network
end

local function expire(shard, key)
  local head = head_of(shard.root, key)
  if not head then
    call('ZREM', shard.root .. ':d', key)
    return
  end
  remove(shard, key, head, EXPIRED)
  shard.expired = shard.expired + 1
end

local function is_of(head, network, client)
  return head and head.network == network and head.client == client
end

-- Forgets the pastes of a client whose values are missing, damaged, or those of another client, and charges it for the
-- others alone. It visits all pastes of the client.
local function recount_client(shard, network, client)
  local root = shard.root
  local queue, held = root .. ':q:' .. network .. client, 0
  for _, key in ipairs(call('ZRANGE', queue, 0, -1)) do
    local head = head_of(root, key)
    if is_of(head, network, client) then
      held = held + head.cost
    else
      call('ZREM', queue, key)
      add_pastes(shard, -1)
      -- Another client may have saved the same slug meanwhile.
      if not (head and call('ZSCORE', root .. ':q:' .. head.network .. head.client, key)) then
        call('UNLINK', root .. ':p:' .. key, root .. ':c:' .. key)
        call('ZREM', root .. ':d', key)
      end
    end
  end
  local charged = call('ZSCORE', root .. ':h:' .. network, client)
  charge(shard, { network = network, client = client }, held - charged)
end

-- Removes the least recently used paste of a client.
local function evict(shard, network, client)
  local key = call('ZRANGE', shard.root .. ':q:' .. network .. client, 0, 0)[1]
  local head = key and head_of(shard.root, key)
  if not is_of(head, network, client) then return recount_client(shard, network, client) end
  remove(shard, key, head, EVICTED)
  shard.evicted = shard.evicted + 1
end

-- Removes pastes, at most a batch, until `cost` more bytes of this client fit. Returns whether they do, and if not, one if
-- there are others to remove, or zero.
local function make_room(shard, saver, cost)
  shard.used = number_of(shard.root, 'used')
  for _ = 1, BATCH do
    if shard.used + cost <= shard.room then return true, 0 end
    local key = next_expired(shard.root, shard.now)
    if key then
      expire(shard, key)
    else
      local client, network = heaviest_client(shard.root, saver, cost)
      if not client then return false, 0 end
      evict(shard, network, client)
    end
  end
  return shard.used + cost <= shard.room, 1
end

local function is_taken(root, now, key, head)
  if head.flags == HAS_SLUG then
    local reserved = call('ZSCORE', root .. ':r', key)
    return reserved and tonumber(reserved) > now
  end
  return reason_of(root, key) ~= NOT_KNOWN
end

local function list_for_owner(root, now, key, owner)
  local shard = tonumber(string.match(root, '{(%d+)}'))
  local last = tonumber(call('HGET', root, 'place') or 0)
  local place = math.max(now - PLACES_SINCE, last + 1)
  call('HSET', root, 'place', string.format('%.0f', place))
  place = place * 64 + shard
  call('SETRANGE', root .. ':p:' .. key, PLACE, struct.pack('<d', place))
  call('ZADD', root .. ':o:' .. owner, string.format('%.0f', place), key)
end

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

-- Changes this revision: its deadline, unless the new one is empty, and everything except its counts, its client and its
-- owner, unless the value is empty. Meanwhile the paste is charged for nothing and in no order of use, so that it is not
-- removed to make room for itself.
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

local function sum_of(set)
  local sum, scored = 0, call('ZRANGE', set, 0, -1, 'WITHSCORES')
  for i = 2, #scored, 2 do sum = sum + scored[i] end
  return sum, scored
end

-- Recounts a shard. Returns the first disagreement, or an empty string. It visits every paste.
local function recount(keys, _)
  local root = keys[1]
  local used, pastes, expiring = 0, 0, 0
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
      end
      if held ~= tonumber(clients[j + 1]) then return 'the weight of a client' end
      used = used + held
    end
  end
  local counts = call('HMGET', root, 'pastes', 'used')
  if used ~= total or used ~= tonumber(counts[2] or 0) then return 'the bytes in use' end
  if pastes ~= tonumber(counts[1] or 0) then return 'the number of pastes' end
  if expiring ~= call('ZCARD', root .. ':d') then return 'the number of deadlines' end
  return ''
end

-- Changes the operator's lists, if they still have this version: numbers of rows to delete, and then rows to add. If
-- blocks change, these get the new version too. Returns it, or zero. The first one is a time, so that it never returns after all keys were lost.
local function moderate(keys, args)
  local lists, version, is_about_blocks, deletions = keys[1], args[1], args[2] == '1', tonumber(args[3])
  if (call('HGET', lists, 'version') or '0') ~= version then return 0 end
  for i = 4, 3 + deletions do call('HDEL', lists, args[i]) end
  for i = 4 + deletions, #args, 2 do call('HSET', lists, args[i], args[i + 1]) end
  local time = call('TIME')
  local new = version == '0' and time[1] * 1000000 + time[2] or version + 1
  new = string.format('%.0f', new)
  call('HSET', lists, 'version', new)
  if is_about_blocks then call('HSET', lists, 'blocks', new) end
  return tonumber(new)
end

-- Forgets states until the table is not too large, each time that of a few which was replaced longest ago.
local function forget_old_states(states)
  while call('HLEN', states) > MOST_STATES do
    local fields, oldest, oldest_time = call('HRANDFIELD', states, SAMPLE), nil, nil
    for i, value in ipairs(call('HMGET', states, unpack(fields))) do
      local _, time = struct.unpack(STATE, value)
      if not oldest or time < oldest_time then oldest, oldest_time = fields[i], time end
    end
    call('HDEL', states, oldest)
  end
end

-- Replaces states in a table, if all have these versions: a field, a version and a state each. An empty state only asks.
-- Each version becomes one higher. Otherwise returns the versions and states that are there.
local function exchange(keys, args)
  local states, ttl, now = keys[1], args[1], args[2]
  local fields = {}
  for i = 3, #args, 3 do table.insert(fields, args[i]) end
  local there, replaced, is_current = {}, {}, true
  for i, value in ipairs(call('HMGET', states, unpack(fields))) do
    local expected, new = tonumber(args[3 * i + 1]), args[3 * i + 2]
    local version = value and struct.unpack(STATE, value) or 0
    table.insert(there, string.format('%.0f', version))
    table.insert(there, value and string.sub(value, STATE_BYTES + 1) or '')
    table.insert(replaced, fields[i])
    table.insert(replaced, struct.pack(STATE, version + 1, now) .. new)
    is_current = is_current and version == expected and new ~= ''
  end
  if not is_current then return { 0, there } end
  if call('HSET', states, unpack(replaced)) > 0 then forget_old_states(states) end
  call('PEXPIRE', states, ttl)
  return { 1, {} }
end

local function register(name, work, flags)
  local function callback(keys, args)
    call = redis.call
    return work(keys, args)
  end
  redis.register_function { function_name = 'tidebin_' .. name, callback = callback, flags = flags }
end

register('version', function() return VERSION end, { 'no-writes' })
register('save', save, {})
register('change', change, {})
register('take', take, { 'allow-oom' })
register('delete', delete, { 'allow-oom' })
register('touch', touch, { 'allow-oom' })
register('sweep', sweep, { 'allow-oom' })
register('missing', missing, { 'no-writes' })
register('recount', recount, { 'no-writes' })
register('moderate', moderate, { 'allow-oom' })
register('exchange', exchange, {})
