-- Store values whose build token is still in their key. Why atomic: see store_list.lua.
-- KEYS  values  ARGV  1 token  2... for each key: ms to live, value  Reply  how many were stored
local stored = 0
for i, key in ipairs(KEYS) do
    if redis.pcall('GET', key) == ARGV[1] then
        redis.call('SET', key, ARGV[2 * i + 1], 'PX', ARGV[2 * i])
        stored = stored + 1
    end
end
return stored
