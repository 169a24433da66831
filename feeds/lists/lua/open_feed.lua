-- All that opening a feed needs, as of one moment, the overlay first.
-- Why atomic: fence and ids of a list, and the overlay that covers for what is not in them yet, must not be
-- of different moments; between two commands a deletion and a push may fall.
--
-- KEYS  1 overlay  2 feed:{viewer}  3 timeline:{viewer}  4 follows:{viewer}  5 account:{viewer}  6 likes:{viewer}
-- ARGV  1 overlay position already known  2 ids below this one  3 how many ids of each list
--       4 and the newest ids above this one (or nothing)  5 how many of these
-- Reply {time in us, overlay entries and scores, feed floor, feed ids, timeline floor, timeline ids, follows,
--        account, likes, feed's remaining ms, newest feed ids, newest timeline ids}; false where there is nothing
local function ask(key, ...)
    local reply = redis.pcall(...)
    if type(reply) == 'table' and reply.err then -- a key of the wrong type proves nothing
        redis.call('DEL', key)
        return false
    end
    return reply
end
local function ids(key, below, above, count)
    return ask(key, 'ZREVRANGEBYSCORE', key, below, above, 'LIMIT', 0, count)
end
local function newest(key)
    return ARGV[4] ~= '' and ids(key, '9007199254740991', '(' .. ARGV[4], ARGV[5])
end
local time, below = redis.call('TIME'), '(' .. ARGV[2]
return {
    string.format('%.0f', time[1] * 1000000 + time[2]),
    ask(KEYS[1], 'ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf', 'WITHSCORES'),
    ask(KEYS[2], 'ZSCORE', KEYS[2], 'floor'), ids(KEYS[2], below, '-inf', ARGV[3]),
    ask(KEYS[3], 'ZSCORE', KEYS[3], 'floor'), ids(KEYS[3], below, '-inf', ARGV[3]),
    ask(KEYS[4], 'GET', KEYS[4]), ask(KEYS[5], 'GET', KEYS[5]), ask(KEYS[6], 'GET', KEYS[6]),
    redis.call('PTTL', KEYS[2]), newest(KEYS[2]), newest(KEYS[3])
}
