
-- The functions on what is in no shard, and the names of all functions.

-- Changes the operator's lists, if they still have this version: numbers of rows to delete, and then rows to add. If
-- blocks change, these get the new version too. Returns it, or zero. The first version is a time, so that no version
-- comes twice after all keys were lost.
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

-- Returns the version of a state and when it was replaced. A missing or damaged one has version zero.
local function unpack_state(value)
  if not value or #value < STATE_BYTES then return 0, 0 end
  return struct.unpack(STATE, value)
end

-- Forgets states until the table is not too large, each time that of a few which was replaced longest ago.
local function forget_old_states(states, most)
  while call('HLEN', states) > most do
    local fields, oldest, oldest_time = call('HRANDFIELD', states, SAMPLE), nil, nil
    for i, value in ipairs(call('HMGET', states, unpack(fields))) do
      local _, time = unpack_state(value)
      if not oldest or time < oldest_time then oldest, oldest_time = fields[i], time end
    end
    call('HDEL', states, oldest)
  end
end

-- Replaces states in a table with room for some, if all have these versions: a field, a version and a state each. An
-- empty state only asks. Each version becomes one higher. Otherwise returns the versions and states that are there.
local function exchange(keys, args)
  local states, ttl, now, most = keys[1], args[1], args[2], tonumber(args[3])
  local fields = {}
  for i = 4, #args, 3 do table.insert(fields, args[i]) end
  local there, replaced, is_current = {}, {}, true
  for i, value in ipairs(call('HMGET', states, unpack(fields))) do
    local expected, new = tonumber(args[3 * i + 2]), args[3 * i + 3]
    local version = unpack_state(value)
    table.insert(there, string.format('%.0f', version))
    table.insert(there, version > 0 and string.sub(value, STATE_BYTES + 1) or '')
    table.insert(replaced, fields[i])
    table.insert(replaced, struct.pack(STATE, version + 1, now) .. new)
    is_current = is_current and version == expected and new ~= ''
  end
  if not is_current then return { 0, there } end
  local added = call('HSET', states, unpack(replaced))
  call('PEXPIRE', states, ttl)
  if added > 0 then forget_old_states(states, most) end
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
register('time', function() return call('TIME') end, { 'no-writes' })
register('save', save, {})
register('change', change, {})
register('take', take, { 'allow-oom' })
register('delete', delete, { 'allow-oom' })
register('touch', touch, { 'allow-oom' })
register('sweep', sweep, { 'allow-oom' })
register('missing', missing, { 'no-writes' })
register('unlist', unlist, { 'allow-oom' })
register('recount', recount, { 'no-writes' })
register('moderate', moderate, { 'allow-oom' })
register('exchange', exchange, {})
