-- All that opening a feed needs, as of one moment, the overlay first.
-- Why atomic: fence and ids of a list, and the overlay that covers for what is not in them yet, must not be
-- of different moments; between two commands a deletion and a push may fall.
--
-- KEYS  1 overlay  2 feed:{viewer}  3 timeline:{viewer}  4 follows:{viewer}  5 account:{viewer}
-- ARGV  1 overlay position already known  2 ids below this one  3 how many ids of each list
-- Reply {time in us, overlay entries and scores, feed floor, feed ids, timeline floor, timeline ids,
--        follows, account, feed's remaining ms}; false where there is nothing
local function ask(key, ...)
    local reply = redis.pcall(...)
    if type(reply) == 'table' and reply.err then -- a key of the wrong type proves nothing
        redis.call('DEL', key)
        return false
    end
    return reply
end
local function ids(key)
    return ask(key, 'ZREVRANGEBYSCORE', key, '(' .. ARGV[2], '-inf', 'LIMIT', 0, ARGV[3])
end
local time = redis.call('TIME')
return {
    string.format('%.0f', time[1] * 1000000 + time[2]),
    ask(KEYS[1], 'ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf', 'WITHSCORES'),
    ask(KEYS[2], 'ZSCORE', KEYS[2], 'floor'), ids(KEYS[2]),
    ask(KEYS[3], 'ZSCORE', KEYS[3], 'floor'), ids(KEYS[3]),
    ask(KEYS[4], 'GET', KEYS[4]), ask(KEYS[5], 'GET', KEYS[5]), redis.call('PTTL', KEYS[2])
}
