-- Let a complete list live until a later moment. Why atomic: a list without its fence must not live on.
-- KEYS  1 list  ARGV  1 expiry, ms since 1970
if redis.pcall('ZSCORE', KEYS[1], 'floor') then return redis.call('PEXPIREAT', KEYS[1], ARGV[1]) end
return 0
