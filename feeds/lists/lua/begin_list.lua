-- Place a build token into a list. Why atomic: one builder at a time, and none for a list that is complete.
-- The token carries its own deadline, so a dead builder holds nobody up though pushes keep the key. What a list
-- without its fence holds proves nothing and goes: all of it was committed before the build reads.
--
-- KEYS  1 list  ARGV  1 token  2 patience with a builder in ms
-- Reply the token as placed, or false: complete already, or somebody else is building
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens = redis.pcall('ZRANGEBYSCORE', KEYS[1], '+inf', '+inf')
if tokens.err then tokens = {} -- a key of the wrong type
elseif redis.call('ZSCORE', KEYS[1], 'floor') then return false end
for _, token in ipairs(tokens) do
    if (tonumber(string.match(token, '%d+$')) or 0) > now then return false end
end
redis.call('DEL', KEYS[1])
local token = 'building:' .. ARGV[1] .. ':' .. string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], '+inf', token)
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2)
return token
