-- Set aside what waits to be brought into PostgreSQL, and read it. It stays aside until whoever brings it has committed
-- it and deletes it: where that one dies, the next reads it again, and bringing it twice is the same as once.
--
-- KEYS  1 notes  2 notes:taken
-- ARGV  1 ms to live
-- Reply the notes
if redis.call('EXISTS', KEYS[2]) == 0 and redis.call('EXISTS', KEYS[1]) == 1 then
    redis.call('RENAME', KEYS[1], KEYS[2])
    redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
local notes = redis.pcall('LRANGE', KEYS[2], 0, -1)
if type(notes) == 'table' and notes.err then -- a key of the wrong type
    redis.call('DEL', KEYS[2])
    return {}
end
return notes
