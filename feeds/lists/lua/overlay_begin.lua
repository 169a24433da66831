-- Place a build token into the overlay; a mark that is still valid stays. Why atomic: one builder at a time.
-- KEYS  1 overlay  ARGV  1 token  2 patience with a builder in us  3 ms to live
-- Reply {token as placed, time in us}, or false: somebody else is building
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local found = redis.pcall('ZRANGEBYSCORE', KEYS[1], '+inf', '+inf')
if found.err then
    redis.call('DEL', KEYS[1])
    found = {}
end
for _, member in ipairs(found) do
    if string.sub(member, 1, 9) == 'building:' then
        if tonumber(string.match(member, '%d+$')) > now then return false end
        redis.call('ZREM', KEYS[1], member)
    end
end
local token = 'building:' .. ARGV[1] .. ':' .. string.format('%.0f', now + ARGV[2])
redis.call('ZADD', KEYS[1], '+inf', token)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {token, string.format('%.0f', now)}
