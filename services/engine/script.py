"""The scripts that change tables in Redis; `store` has their keys and calls them."""

from typing import Final

# KEYS table, log, operations, open tables, ended tables, news, unreported tables
# ARGV 1 what: join, play, expire, leave, close  2 table  3 expected length  4 seat  5 operation  6 stream
#      7 entry
#      8 state after it  9 seats asked after it  10 whether in a window  11 whether the question stays
#      12 seats to come  13 ttl  14 listed  15 whether it is a flag  16 the account that comes
#      17 the claim of who comes by a link  18 the bot for which a worker comes  19 rights: page, worker
#      20 ttl of a table with a guest
CHANGE: Final = """
local f = redis.call('HMGET', KEYS[1], 'state', 'length', 'asked', 'window',
  'began', 'deadline', 'offset', 'at')
if not f[1] then return {'gone'} end
local state, length, window = f[1], tonumber(f[2]), f[4] == '1'
local began, deadline, offset = tonumber(f[5]), tonumber(f[6]), tonumber(f[7])
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
if clock + offset < tonumber(f[8]) then  -- it was set back: this table's time goes on from where it was
  offset = tonumber(f[8]) - clock
end
local now = clock + offset
redis.call('HSET', KEYS[1], 'at', string.format('%.0f', now), 'offset', string.format('%.0f', offset))
local what, seat = ARGV[1], ARGV[4]
local function say(outcome)
  local bank = seat ~= '-1' and redis.call('HGET', KEYS[1], 'bank:' .. seat) or '0'
  return {outcome, length, string.format('%.0f', deadline - now), bank or '0', string.format('%.0f', now)}
end
if what == 'play' then
  local done = redis.call('HGET', KEYS[3], seat .. ':' .. ARGV[5])
  if done then return {'repeat', tonumber(done), '0', '0', '0'} end
end
if state ~= 'playing' and state ~= 'waiting' then return say('ended') end
if what == 'join' then
  local come = ',' .. redis.call('HGET', KEYS[1], 'joined') .. ','
  local has_come = string.find(come, ',' .. seat .. ',', 1, true)
  local claim = redis.call('HGET', KEYS[1], 'claim:' .. seat) or ''
  if ARGV[17] ~= claim and (claim ~= '' or has_come) and not (ARGV[17] == '' and ARGV[19] == 'page') then
    return say('claimed')
  end
  if ARGV[19] ~= 'worker' and redis.call('HEXISTS', KEYS[1], 'bot:' .. seat) == 1 then
    return say('claimed')
  end
  if ARGV[17] ~= '' then redis.call('HSET', KEYS[1], 'claim:' .. seat, ARGV[17]) end
  if ARGV[17] ~= '' and ARGV[16] == '' then redis.call('HSET', KEYS[1], 'guest', 1) end
  redis.call('HSET', KEYS[1], 'stream:' .. seat, ARGV[6])
  if ARGV[16] ~= '' then redis.call('HSETNX', KEYS[1], 'name:' .. seat, ARGV[16]) end
  -- only where nobody has come before, who may have played some of the deal
  if ARGV[18] ~= '' and not has_come then redis.call('HSETNX', KEYS[1], 'bot:' .. seat, ARGV[18]) end
  local joined = redis.call('HGET', KEYS[1], 'joined')
  if not has_come then
    joined = joined == '' and seat or joined .. ',' .. seat
    redis.call('HSET', KEYS[1], 'joined', joined)
  end
  local _, commas = string.gsub(joined, ',', '')
  if state == 'waiting' and commas + 1 == tonumber(ARGV[12]) then
    state, began = 'playing', now
    if window then deadline = now + redis.call('HGET', KEYS[1], 'window_ms')
    else deadline = now + redis.call('HGET', KEYS[1], 'bank:' .. f[3]) end
    redis.call('HSET', KEYS[1], 'state', state, 'began', string.format('%.0f', began),
      'deadline', string.format('%.0f', deadline))
    redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
  end
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', 10000, '*', 'table', ARGV[2], 'length', -1)
  redis.call('EXPIRE', KEYS[6], ARGV[13])
  return say('ok')
end
if what ~= 'close' and tonumber(ARGV[3]) ~= length then return say('stale') end
if what == 'leave' and (state == 'waiting') ~= (ARGV[8] == 'void') then return say('stale') end
if what == 'leave' and redis.call('HGET', KEYS[1], 'stream:' .. seat) ~= ARGV[6] then
  return say('replaced')
end
local used = math.max(0, now - began)
if what == 'play' then
  if state == 'waiting' then return say('waiting') end
  if redis.call('HGET', KEYS[1], 'stream:' .. seat) ~= ARGV[6] then return say('replaced') end
  if now > deadline then return say('late') end
  if not window then
    local more = redis.call('HGET', KEYS[1], 'increment_ms')
    local left = redis.call('HGET', KEYS[1], 'bank:' .. seat) - used + more
    redis.call('HSET', KEYS[1], 'bank:' .. seat, string.format('%.0f', left))
  end
elseif what == 'expire' then
  if now <= deadline then
    redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
    return say('early')
  end
  if ARGV[15] == '1' then redis.call('HSET', KEYS[1], 'bank:' .. seat, 0) end
end
length = length + 1
redis.call('XADD', KEYS[2], length .. '-0', 'entry', ARGV[7], 'at', string.format('%.0f', now))
if what == 'play' then redis.call('HSET', KEYS[3], seat .. ':' .. ARGV[5], length) end
if ARGV[11] ~= '1' then
  began = now
  if ARGV[8] ~= 'playing' then deadline = now
  elseif ARGV[10] == '1' then deadline = now + redis.call('HGET', KEYS[1], 'window_ms')
  else deadline = now + redis.call('HGET', KEYS[1], 'bank:' .. ARGV[9]) end
end
redis.call('HSET', KEYS[1], 'state', ARGV[8], 'length', length, 'asked', ARGV[9], 'window', ARGV[10],
  'began', string.format('%.0f', began), 'deadline', string.format('%.0f', deadline))
if ARGV[8] == 'playing' then redis.call('ZADD', KEYS[4], string.format('%.0f', deadline - offset), ARGV[2])
else
  redis.call('ZREM', KEYS[4], ARGV[2])
  redis.call('ZADD', KEYS[5], string.format('%.0f', clock), ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1 - ARGV[14])
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', clock - 1000 * ARGV[13]))
  redis.call('EXPIRE', KEYS[5], ARGV[13])
  if ARGV[8] == 'over' and redis.call('HGET', KEYS[1], 'report') == '1' then
    redis.call('ZADD', KEYS[7], string.format('%.0f', clock), ARGV[2])
    redis.call('EXPIRE', KEYS[7], ARGV[13])
  end
end
redis.call('XADD', KEYS[6], 'MAXLEN', '~', 10000, '*', 'table', ARGV[2], 'length', length)
local has_guest = redis.call('HGET', KEYS[1], 'guest') == '1'
for number = 1, 3 do redis.call('EXPIRE', KEYS[number], has_guest and ARGV[20] or ARGV[13]) end
redis.call('EXPIRE', KEYS[4], ARGV[13])
redis.call('EXPIRE', KEYS[6], ARGV[13])
return say('ok')
"""
"""The script of a change of a table."""

# KEYS attempts by owner, tables
# ARGV owner, table, an earlier table that was no attempt or '', ends of both in seconds
ATTEMPT: Final = """
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held and held ~= ARGV[3] then return held end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIREAT', KEYS[1], ARGV[4])
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('EXPIREAT', KEYS[2], ARGV[5])
return ''
"""
"""The script that reserves the attempt of an owner at the deal of the day."""
