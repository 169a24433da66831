-- Complete the overlay: add what the outbox lists, sweep what it no longer lists, put the mark; if the token is
-- still there. Why atomic: see store_list.lua. An entry younger than ARGV[3] stays though it was not found: its
-- change may have committed after the outbox was read.
--
-- KEYS  1 overlay
-- ARGV  1 token as placed  2 ms to live  3 sweep below this position  4 generation for a new overlay
--       5 the mark's rest  6... entries found
-- Reply 1 stored, 0 thrown away. A mark reads mark:{generation}:{rest}; the generation lives as long as the key.
if redis.pcall('ZSCORE', KEYS[1], ARGV[1]) ~= 'inf' then return 0 end
local generation = ARGV[4]
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '+inf', '+inf')) do
    generation = string.match(member, '^mark:([^:]+)') or generation
    redis.call('ZREM', KEYS[1], member)
end
local found = {}
for i = 6, #ARGV do found[ARGV[i]] = true end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3])) do
    if not found[member] then redis.call('ZREM', KEYS[1], member) end
end
local time = redis.call('TIME')
local last = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
local position = math.max(time[1] * 1000000 + time[2], (last or 0) + 1)
for i = 6, #ARGV do
    position = position + redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', position), ARGV[i])
end
redis.call('ZADD', KEYS[1], '+inf', 'mark:' .. generation .. ':' .. ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
