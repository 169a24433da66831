-- Place a build token into values that a reader found absent, damaged or of another type. Why atomic: one builder
-- at a time. A value that was stored meanwhile is built once more, which harms nothing.
-- KEYS  values  ARGV  1 token  2 patience with a builder in ms  Reply  for each key 1 taken, 0 somebody else builds
local taken = {}
for i, key in ipairs(KEYS) do
    local old = redis.pcall('GET', key)
    if type(old) == 'string' and string.sub(old, 1, 9) == 'building:' then
        taken[i] = 0
    else
        redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
        taken[i] = 1
    end
end
return taken
