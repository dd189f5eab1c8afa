-- Returns the first of the commands in ARGV that the user may not run on the keys of tidebin, or nothing.
for _, command in ipairs(ARGV) do
  if not redis.acl_check_cmd(command, 'tb:', 'tb:', 'tb:') then return command end
end
