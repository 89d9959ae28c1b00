import { script } from "./scripts.ts"

// What is counted of a tenant lies in one slot, so that each question is one script in one node.
// Windows and leases are measured by the clock of that node (`TIME`), and never by the clock of who
// asks. Time that lies ahead, after the node's clock was set back, counts as over: no window and no
// lease is lengthened by it.
//
// The first argument of those that measure time is empty, or the milliseconds to take for the time
// of the node.

const NOW = `
local function now_ms()
  if ARGV[1] ~= '' then return tonumber(ARGV[1]) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = now_ms()
`

/**
 * A lease of lookups is kept in mind this long after it lapsed, in case its holder is heard again.
 */
const HOLDERS_MS = 3_600_000

/** For what stands in a month: which holder has what of it. */
const MONTH = `
local holders, others = {}, 0
local function read_month(key, holder, lease_ms)
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if all[i] ~= 'base' then
      local out, seq, at = string.match(all[i + 1], '(%d+) (%d+) (%d+)')
      local silent = math.abs(now - tonumber(at))
      if all[i] == holder then
        holders.own = { out = tonumber(out), seq = tonumber(seq) }
      elseif silent < lease_ms then
        others = others + tonumber(out)
      elseif silent >= ${HOLDERS_MS} then
        redis.call('HDEL', key, all[i])
      end
    end
  end
end
local function write_own(key, holder, own)
  redis.call('HSET', key, holder, string.format('%.0f %.0f %.0f', own.out, own.seq, now))
end
`

/** Whether the counts of a month, or of a day, must be brought from the records first. */
export const UNKNOWN = -1

/**
 * Takes requests from the tenant's second and lookups from its month.
 *
 * A month has a base, which is used, and for each holder what it may still use, with the number of
 * the grant and when it was last heard. A holder asks for lookups when it has none, so what it had
 * is used from then on, if the grant reached it. What a holder has that is not heard any more is
 * the month's again.
 *
 *   KEYS   the second, the month
 *   ARGV   time; holder; requests a second; lookups a month; requests and lookups wanted; number of
 *          the last grant that reached the holder; how long a lease lasts
 *
 * Returns requests, lookups, milliseconds until the window ends, the rest of both, and the number
 * of the grant; -1 where the month is not known.
 */
export const takeLease = script(`${NOW}${MONTH}
local holder, per_second, per_month = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local requests_wanted, lookups_wanted = tonumber(ARGV[5]), tonumber(ARGV[6])
local reached, lease_ms = tonumber(ARGV[7]), tonumber(ARGV[8])

local base = tonumber(redis.call('HGET', KEYS[2], 'base') or '')
if base == nil then return ${UNKNOWN} end
read_month(KEYS[2], holder, lease_ms)
local own = holders.own or { out = 0, seq = 0 }
local is_new = holders.own == nil
if lookups_wanted > 0 then
  if own.out > 0 and own.seq <= reached then
    base = redis.call('HINCRBY', KEYS[2], 'base', own.out)
  end
  own = { out = 0, seq = math.max(own.seq, reached) + 1 }
end
local quota_left = math.max(0, per_month - base - others - own.out)
local lookups = math.min(lookups_wanted, quota_left)
own.out = own.out + lookups
if lookups_wanted > 0 or not is_new then write_own(KEYS[2], holder, own) end
if lookups_wanted > 0 then redis.call('PEXPIRE', KEYS[2], 3456000000) end

local stored = redis.call('HMGET', KEYS[1], 's', 'u')
local start, used = tonumber(stored[1] or ''), tonumber(stored[2] or '')
local is_open = start ~= nil and now >= start and now < start + 1000
if not is_open then
  start, used = now, 0
end
local rate_left = math.max(0, per_second - used)
local requests = math.min(requests_wanted, rate_left)
if requests_wanted > 0 and (requests > 0 or not is_open) then
  redis.call('HSET', KEYS[1], 's', string.format('%.0f', start), 'u', used + requests)
  redis.call('PEXPIRE', KEYS[1], 60000)
  is_open = true
end
local ends_in = is_open and start + 1000 - now or 0
return { requests, lookups, ends_in, rate_left - requests, quota_left - lookups, own.seq }
`)

/**
 * Gives lookups back that a holder has of a month, which has used the others it had.
 *
 *   KEYS   the month
 *   ARGV   time; holder; lookups; number of the last grant that reached the holder
 */
export const giveBackLookups = script(`${NOW}${MONTH}
local holder, back, reached = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local base = tonumber(redis.call('HGET', KEYS[1], 'base') or '')
if base == nil then return 0 end
read_month(KEYS[1], holder, 0)
local own = holders.own
-- A holder that is not known any more gave back already, by its silence.
if own == nil then return 0 end
local used = own.seq <= reached and own.out or 0
base = math.max(0, base + used - back)
redis.call('HSET', KEYS[1], 'base', string.format('%.0f', base))
own.out = 0
write_own(KEYS[1], holder, own)
return 1
`)

/**
 * Makes a month known, unless it is.
 *
 *   KEYS   the month
 *   ARGV   what was used of it
 */
export const beginMonth = script(`
redis.call('HSETNX', KEYS[1], 'base', ARGV[1])
redis.call('PEXPIRE', KEYS[1], 3456000000)
return 1
`)

/** In the set of a day, beside its tags of eight bytes: the day is known. */
const KNOWN = "k"

/**
 * Admits an identity to the day.
 *
 *   KEYS   the day
 *   ARGV   tag; how many others there may be
 *
 * Returns 1 for one that was there, 2 for one that is new, all of them where the day is full, -1
 * where the day is not known.
 */
export const admitTag = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return ${UNKNOWN} end
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('SCARD', KEYS[1]) - 1 >= tonumber(ARGV[2]) then
  local tags = {}
  for _, tag in ipairs(redis.call('SMEMBERS', KEYS[1])) do
    if tag ~= '${KNOWN}' then tags[#tags + 1] = tag end
  end
  return tags
end
redis.call('SADD', KEYS[1], ARGV[1])
return 2
`)

/**
 * Makes a day known, with the tags it has in the records.
 *
 *   KEYS   the day
 *   ARGV   tags
 */
export const beginDay = script(`
redis.call('SADD', KEYS[1], '${KNOWN}')
for _, tag in ipairs(ARGV) do redis.call('SADD', KEYS[1], tag) end
redis.call('PEXPIRE', KEYS[1], 259200000)
return 1
`)

/**
 * Sets how many streams a holder has.
 *
 *   KEYS   the streams
 *   ARGV   time; holder; count; how many all may have; how long a holder that is not heard has them
 *
 * Returns 0 and changes nothing where they would be too many.
 */
export const setStreams = script(`${NOW}
local holder, count, most, lease_ms = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local before, others = 0, 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local held, at = string.match(all[i + 1], '(%d+) (%d+)')
  if all[i] == holder then
    before = tonumber(held)
  elseif math.abs(now - tonumber(at)) < lease_ms then
    others = others + tonumber(held)
  else
    redis.call('HDEL', KEYS[1], all[i])
  end
end
if count > before and others + count > most then return 0 end
if count == 0 then
  redis.call('HDEL', KEYS[1], holder)
else
  redis.call('HSET', KEYS[1], holder, string.format('%.0f %.0f', count, now))
  redis.call('PEXPIRE', KEYS[1], math.max(60000, 2 * lease_ms))
end
return 1
`)

/**
 * Records a sign-up and counts, as `embedded/velocity.ts` does: see there for what a window is. A
 * window of a day is one value of 12 bytes a member: its name, and the seconds of its first and its
 * last sign-up. It ends with the day after, by when no event asks for it, or 48 hours after its
 * first late sign-up.
 *
 *   KEYS   a bucket of the index, whose mark shows that nothing of this slot was lost; the entries
 *          of the event's day, and of the day before; then for each window given: of the day, of
 *          the day before
 *   ARGV   time; mark; seconds of the event; whether it is recorded; most members of a window; most
 *          entries of two days; then for each window given: its letter, and the name of the member
 *          on the day and on the day before
 *
 * Returns for device, network, cluster and mailbox how many members, or -1; the first sign-up, or
 * -1; how many entries found no room. -1 alone where something was lost.
 */
export const countSignups = script(`${NOW}
if redis.call('HGET', KEYS[1], 'm') ~= ARGV[2] then return -1 end
local at, is_recorded = tonumber(ARGV[3]), ARGV[4] == '1'
local members_max, entries_max = tonumber(ARGV[5]), tonumber(ARGV[6])
local day = math.floor(at / 86400)
local ttl = (day + 2) * 86400000 - now
if ttl <= 0 then ttl = at * 1000 + 172800000 - now end
ttl = math.min(ttl, 172800000)

local function value_of(key) return redis.call('GET', key) or '' end
local function place_of(value, member)
  local from = 1
  while true do
    local found = string.find(value, member, from, true)
    if found == nil or (found - 1) % 12 == 0 then return found end
    from = found + 1
  end
end
local function keep(key, value)
  redis.call('SET', key, value, 'KEEPTTL')
  redis.call('PEXPIRE', key, ttl, 'LT')
end
local function entry(member, first, last) return member .. struct.pack('>I4I4', first, last) end

local dropped = 0
local function record(key, key_before, member, member_before)
  local value = value_of(key)
  local place = place_of(value, member)
  if place ~= nil then
    local first, last = struct.unpack('>I4I4', value, place + 4)
    if at >= first and at <= last then return end
    local changed = entry(member, math.min(first, at), math.max(last, at))
    keep(key, string.sub(value, 1, place - 1) .. changed .. string.sub(value, place + 12))
    return
  end
  if #value / 12 >= members_max then
    dropped = dropped + 1
    return
  end
  local first = at
  local value_before = value_of(key_before)
  local place_before = place_of(value_before, member_before)
  if place_before ~= nil then
    first = struct.unpack('>I4', value_before, place_before + 4)
    local rest = string.sub(value_before, 1, place_before - 1)
      .. string.sub(value_before, place_before + 12)
    if rest == '' then
      redis.call('DEL', key_before)
    else
      redis.call('SET', key_before, rest, 'KEEPTTL')
    end
    if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('DECR', KEYS[3]) end
  end
  local entries = 0
  for k = 2, 3 do entries = entries + tonumber(redis.call('GET', KEYS[k]) or '0') end
  if entries >= entries_max then
    dropped = dropped + 1
    return
  end
  keep(key, value .. entry(member, first, at))
  redis.call('INCR', KEYS[2])
  redis.call('PEXPIRE', KEYS[2], ttl, 'LT')
end

local windows = (#KEYS - 3) / 2
if is_recorded and at * 1000 >= now - 172800000 and ttl > 0 then
  for w = 0, windows - 1 do
    record(KEYS[4 + 2 * w], KEYS[5 + 2 * w], ARGV[8 + 3 * w], ARGV[9 + 3 * w])
  end
end

local counts, firsts = {}, {}
for w = 0, windows - 1 do
  local count, earliest = 0, nil
  for k = 0, 1 do
    local value = value_of(KEYS[4 + 2 * w + k])
    for i = 5, #value, 12 do
      local first, last = struct.unpack('>I4I4', value, i)
      if first <= at then
        if last > at - 86400 then count = count + 1 end
        if earliest == nil or first < earliest then earliest = first end
      end
    end
  end
  counts[ARGV[7 + 3 * w]] = count
  firsts[ARGV[7 + 3 * w]] = earliest
end
return {
  counts.d or -1, counts.n or -1, counts.c or -1, counts.m or 0, firsts.a or firsts.m or -1, dropped
}
`)
