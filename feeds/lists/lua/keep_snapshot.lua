-- Keep a ranked list of a viewer beside her last few.
-- Why atomic: a list that was put without the expiry would stay for ever.
--
-- KEYS  1 snapshots:{viewer}
-- ARGV  1 number (of equal length for all)  2 value  3 how many stay  4 ms to live, for all of them
local added = redis.pcall('HSET', KEYS[1], ARGV[1], ARGV[2])
if type(added) == 'table' and added.err then -- a key of the wrong type
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
local numbers = redis.call('HKEYS', KEYS[1])
table.sort(numbers)
for n = 1, #numbers - tonumber(ARGV[3]) do
    redis.call('HDEL', KEYS[1], numbers[n])
end
return redis.call('PEXPIRE', KEYS[1], ARGV[4])
