import { createHash } from "node:crypto"
import { ErrorReply } from "@redis/client"
import type { Argument, Reply } from "./cluster-client.ts"
import type { Sender } from "./connection.ts"
import { RESTATED } from "./layout.ts"

/**
 * A script that runs in the node with its keys: completely or, if it returns before it writes, not
 * at all.
 */
export interface Script {
  readonly source: string
  readonly sha1: string
}

/** Lua hands no more than some thousand values to a function; two for each field. */
const AT_ONCE = 512

/** For who may write whatever was restated meanwhile. */
export const ANY_STAMP = "*"

/**
 * Changes fields of one bucket, and the keys of its heavy identities, if all of them are still what
 * the caller read.
 *
 *   KEYS   the bucket, then keys of heavy identities
 *   ARGV   mark; length of a tenant's field; stamp before and after; in one argument, each behind
 *          its length (4 bytes, big-endian): for each field its name, what it was, what it becomes;
 *          for each heavy key: value
 *
 * No bytes stand for "none": no value is empty. The stamp is that of what was restated last; before
 * it may be ANY_STAMP, and without one after it stays. Returns 1 when done, 0 when something had
 * changed, -1 when the bucket is not the one it was. It always writes, be it the mark that is
 * there: a replica that has this then has all that was read.
 */
export const changeBucket = script(`
if redis.call('HGET', KEYS[1], 'm') ~= ARGV[1] then return -1 end
if ARGV[3] ~= '${ANY_STAMP}' and (redis.call('HGET', KEYS[1], '${RESTATED}') or '') ~= ARGV[3] then
  return 0
end
local packed, at = ARGV[5], 1
local function take()
  local a, b, c, d = string.byte(packed, at, at + 3)
  local from = at + 4
  at = from + ((256 * a + b) * 256 + c) * 256 + d
  return string.sub(packed, from, at - 1)
end
local fields, before, after, count = {}, {}, {}, 0
while at <= #packed do
  count = count + 1
  fields[count], before[count], after[count] = take(), take(), take()
end
for first = 1, count, ${AT_ONCE} do
  local last = math.min(first + ${AT_ONCE} - 1, count)
  local found = redis.call('HMGET', KEYS[1], unpack(fields, first, last))
  for i = first, last do
    if (found[i - first + 1] or '') ~= before[i] then return 0 end
  end
end
local tenants, set = 0, {}
local function put()
  if #set > 0 then redis.call('HSET', KEYS[1], unpack(set)) end
  set = {}
end
local changed = ARGV[4] ~= ''
if changed then set = { '${RESTATED}', ARGV[4] } end
for i = 1, count do
  if before[i] ~= after[i] then
    changed = true
    if after[i] == '' then
      redis.call('HDEL', KEYS[1], fields[i])
    else
      set[#set + 1] = fields[i]
      set[#set + 1] = after[i]
      if #set >= 2 * ${AT_ONCE} then put() end
    end
    if #fields[i] == tonumber(ARGV[2]) then
      if before[i] == '' then tenants = tenants + 1 end
      if after[i] == '' then tenants = tenants - 1 end
    end
  end
end
if not changed then set = { 'm', ARGV[1] } end
put()
if tenants ~= 0 then redis.call('HINCRBY', KEYS[1], 't', tenants) end
for k = 2, #KEYS do
  local value = ARGV[4 + k]
  if value == '' then redis.call('DEL', KEYS[k]) else redis.call('SET', KEYS[k], value) end
end
return 1
`)

/**
 * Puts values into fields of one bucket that have none.
 *
 *   KEYS   the bucket
 *   ARGV   mark; length of a field; for each, in one argument: field, length of the value (2 bytes,
 *          big-endian), value
 *
 * Returns what stands in the other fields, unless it is that value: for each, its number and its
 * bytes. A field that came without a value is one of them, be there anything in it or not. Returns
 * -1 when the bucket is not the one it was. It always writes, as above.
 */
export const fillBucket = script(`
if redis.call('HGET', KEYS[1], 'm') ~= ARGV[1] then return -1 end
local size, packed = tonumber(ARGV[2]), ARGV[3]
local fields, values, at, count = {}, {}, 1, 0
while at <= #packed do
  local from = at + size + 2
  local high, low = string.byte(packed, from - 2, from - 1)
  local to = from + 256 * high + low
  count = count + 1
  fields[count] = string.sub(packed, at, from - 3)
  values[count] = string.sub(packed, from, to - 1)
  at = to
end
local found = redis.call('HMGET', KEYS[1], unpack(fields))
local fresh, others = {}, {}
for i = 1, count do
  local there, value = found[i] or '', values[i]
  if value == '' or (there ~= '' and there ~= value) then
    others[#others + 1] = i - 1
    others[#others + 1] = there
  elseif there == '' then
    fresh[#fresh + 1] = fields[i]
    fresh[#fresh + 1] = value
  end
end
if #fresh == 0 then
  redis.call('HSET', KEYS[1], 'm', ARGV[1])
else
  redis.call('HSET', KEYS[1], unpack(fresh))
end
return others
`)
/** As many fields as the script may be given. */
export const FILL_FIELDS_MAX = AT_ONCE

/**
 * Replaces the catalogue if it still is the one the caller read; no bytes for version and stamp:
 * there is none yet.
 *
 *   KEYS   the key of what is known about the index
 *   ARGV   version and stamp before; version and stamp after; catalogue
 *
 * Returns 1 when done, 0 when it had changed.
 */
export const changeCatalogue = script(`
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
if (redis.call('HGET', KEYS[1], 'stamp') or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'stamp', ARGV[4], 'catalogue', ARGV[5])
return 1
`)

/**
 * Makes an empty bucket, or writes the mark of one again.
 *
 *   KEYS   the bucket
 *   ARGV   mark
 *
 * Returns 1 when done, -1 when the bucket is of another index.
 */
export const makeBucket = script(`
local mark = redis.call('HGET', KEYS[1], 'm')
if mark and mark ~= ARGV[1] then return -1 end
redis.call('HSET', KEYS[1], 'm', ARGV[1])
return 1
`)

/**
 * Writes the version of the catalogue again, if it is still the one the caller read.
 *
 *   KEYS   the key of what is known about the index
 *   ARGV   version; stamp
 *
 * Returns 1 when done, 0 when it had changed.
 */
export const repeatVersion = script(`
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
if (redis.call('HGET', KEYS[1], 'stamp') or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1])
return 1
`)

/**
 * Keeps the key check value unless there is one, and returns the one there is.
 *
 *   KEYS   the key of what is known about the index
 *   ARGV   value
 */
export const keepKeyCheck = script(`
local kept = redis.call('HGET', KEYS[1], 'key-check') or ARGV[1]
redis.call('HSET', KEYS[1], 'key-check', kept)
return kept
`)

/**
 * Records the parameters of a new index, unless they were recorded before.
 *
 *   KEYS   the key of what is known about the index
 *   ARGV   format; bits; mark
 */
export const beginIndex = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'format', ARGV[1], 'bits', ARGV[2], 'mark', ARGV[3])
return 1
`)

/**
 * Runs a script by its name, and sends its text to a node that does not know it yet. The first key
 * selects the node.
 */
export async function run(
  sender: Sender,
  { source, sha1 }: Script,
  keys: readonly [string, ...Argument[]],
  args: readonly Argument[],
): Promise<Reply> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await sender.send(keys[0], ["EVALSHA", sha1, ...rest])
  } catch (error) {
    if (!(error instanceof ErrorReply) || !error.message.startsWith("NOSCRIPT")) throw error
    return await sender.send(keys[0], ["EVAL", source, ...rest])
  }
}

/** A script with its name among those that a node knows. */
export function script(source: string): Script {
  return { source, sha1: createHash("sha1").update(source).digest("hex") }
}
