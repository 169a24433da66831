-- Place a build token into a list. Why atomic: one builder at a time, and none for a list that is complete.
-- The token carries its own deadline, so a dead builder holds nobody up though pushes keep the key.
--
-- KEYS  1 list  ARGV  1 token  2 patience with a builder in ms
-- Reply the token as placed, or false: complete already, or somebody else is building
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens = redis.pcall('ZRANGEBYSCORE', KEYS[1], '+inf', '+inf')
if tokens.err then
    redis.call('DEL', KEYS[1])
    tokens = {}
end
if redis.call('ZSCORE', KEYS[1], 'floor') then return false end
for _, token in ipairs(tokens) do
    if tonumber(string.match(token, '%d+$')) > now then return false end
    redis.call('ZREM', KEYS[1], token)
end
local token = 'building:' .. ARGV[1] .. ':' .. string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], '+inf', token)
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return token
