#!lua name=tidebin
-- The functions of tidebin's shared tier, one library in three files. docs/operations.md says how to load them.
--
-- Arguments and answers of a function never change, because nodes of an older version call it too. A function with other
-- ones gets another name. Any other change makes VERSION one higher.
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
--   tb:{lTABLE}         hashes: states that nodes exchange, with a version and the time of the last exchange each: the
--                       entries of the limiter, divided among 64 tables.
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
local SAMPLE = 5
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

-- Makes a paste the last one in the order of use. XX: a damaged header must not add it to the order of another client.
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
        if head and head.owner ~= NO_OWNER then call('ZREM', root .. ':o:' .. head.owner, key) end
      end
    end
  end
  local charged = call('ZSCORE', root .. ':h:' .. network, client) or 0
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

-- Removes pastes, at most a batch, until `cost` more bytes of this client fit. Returns whether they do. If not, also
-- returns one if there are more pastes to remove, or zero.
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
