-- Append what was seen and opened to what waits to be brought into PostgreSQL.
-- Why atomic: it must not grow without end, nor stay for ever, wherever the caller dies.
--
-- KEYS  1 notes
-- ARGV  1 how many may wait  2 ms to live  3... the notes
-- Reply how many of the oldest were dropped
local waiting = 0
for n = 3, #ARGV do
    waiting = redis.pcall('RPUSH', KEYS[1], ARGV[n])
    if type(waiting) == 'table' then -- a key of the wrong type
        redis.call('DEL', KEYS[1])
        waiting = redis.call('RPUSH', KEYS[1], ARGV[n])
    end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local dropped = math.max(0, waiting - tonumber(ARGV[1]))
if dropped > 0 then
    redis.call('LTRIM', KEYS[1], dropped, -1)
end
return dropped
