-- Complete a list: ids and the fence, if the token is still there. Why atomic: a deletion that falls between
-- the builder's reading and this takes the token along, and then what was read may be too old to keep.
--
-- KEYS  1 list  ARGV  1 token as placed  2 floor  3 expiry, ms since 1970  4... ids
-- Reply 1 stored, 0 thrown away
if redis.pcall('ZSCORE', KEYS[1], ARGV[1]) ~= 'inf' then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
for i = 4, #ARGV do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i]) end
redis.call('ZADD', KEYS[1], ARGV[2], 'floor')
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return 1
