-- Add ids to many lists. A list that is not there is left out: it proves nothing, and a later build reads the
-- ids from PostgreSQL; so a push never makes a key, and none lives without an expiry.
-- Why atomic: a trim must move the fence with it.
--
-- KEYS  lists  ARGV  1 trim lists longer than this (0: do not look)  2 to this length  3... ids
-- Reply how many lists took the ids
local scored, taken = {}, 0
for i = 3, #ARGV do scored[2 * i - 5], scored[2 * i - 4] = ARGV[i], ARGV[i] end
local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])

local function trim(key)
    local fence = redis.call('ZSCORE', key, 'floor')
    -- A build under way would put its fence below ids that were cut off: without its token it stores nothing.
    if not fence then return redis.call('DEL', key) end
    redis.call('ZREMRANGEBYRANK', key, 0, -length - 1)
    if not redis.call('ZSCORE', key, 'floor') then -- to just below the lowest id kept
        local lowest = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
        redis.call('ZADD', key, string.format('%.0f', math.max(fence, lowest - 1)), 'floor')
    end
end

for _, key in ipairs(KEYS) do
    if redis.call('EXISTS', key) == 1 then
        local reply = redis.pcall('ZADD', key, unpack(scored))
        if type(reply) == 'table' then redis.call('DEL', key) -- a key of the wrong type
        else
            taken = taken + 1
            if limit > 0 and redis.call('ZCARD', key) > limit then trim(key) end
        end
    end
end
return taken
