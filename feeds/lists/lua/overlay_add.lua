-- Append entries to the overlay. Why atomic: a score is a position; each must be above all that any process has
-- fetched, also when the clock steps back, since processes fetch only what lies above theirs.
--
-- KEYS  1 overlay  ARGV  1 ms to live  2... entries  Reply  the highest position
local time = redis.call('TIME')
local position = time[1] * 1000000 + time[2]
local last = redis.pcall('ZREVRANGEBYSCORE', KEYS[1], '9007199254740991', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
if last.err then
    redis.call('DEL', KEYS[1])
    last = {}
end
if last[2] and tonumber(last[2]) >= position then position = last[2] + 1 end
for i = 2, #ARGV do
    redis.call('ZADD', KEYS[1], string.format('%.0f', position), ARGV[i])
    position = position + 1
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return string.format('%.0f', position - 1)
