-- Fence and newest ids of several lists. Why atomic: see open_feed.lua.
-- KEYS  lists  ARGV  1 how many ids of each  Reply  for each list {floor or false, ids}
local answers = {}
for i, key in ipairs(KEYS) do
    local floor = redis.pcall('ZSCORE', key, 'floor')
    if type(floor) == 'table' and floor.err then -- a key of the wrong type proves nothing
        redis.call('DEL', key)
        floor = false
    end
    answers[i] = {floor, floor and redis.call('ZREVRANGEBYSCORE', key, '9007199254740991', '-inf', 'LIMIT', 0, ARGV[1])}
end
return answers
