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

/** For who may write whatever was restated meanwhile. */
export const ANY_STAMP = "*"

/**
 * Changes fields of one bucket, and the keys of its heavy identities, if all of them are still what
 * the caller read.
 *
 *   KEYS   the bucket, then keys of heavy identities
 *   ARGV   mark; length of a tenant's field; stamp before and after; number of fields; for each:
 *          field, before, after; for each heavy key: value
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
local fields = tonumber(ARGV[5])
for i = 0, fields - 1 do
  if (redis.call('HGET', KEYS[1], ARGV[6 + 3 * i]) or '') ~= ARGV[7 + 3 * i] then return 0 end
end
local tenants, changed = 0, false
if ARGV[4] ~= '' then
  changed = true
  redis.call('HSET', KEYS[1], '${RESTATED}', ARGV[4])
end
for i = 0, fields - 1 do
  local field, before, after = ARGV[6 + 3 * i], ARGV[7 + 3 * i], ARGV[8 + 3 * i]
  if before ~= after then
    changed = true
    if after == '' then
      redis.call('HDEL', KEYS[1], field)
    else
      redis.call('HSET', KEYS[1], field, after)
    end
    if #field == tonumber(ARGV[2]) then
      if before == '' then tenants = tenants + 1 end
      if after == '' then tenants = tenants - 1 end
    end
  end
end
if not changed then redis.call('HSET', KEYS[1], 'm', ARGV[1]) end
if tenants ~= 0 then redis.call('HINCRBY', KEYS[1], 't', tenants) end
for k = 2, #KEYS do
  local value = ARGV[6 + 3 * fields + k - 2]
  if value == '' then redis.call('DEL', KEYS[k]) else redis.call('SET', KEYS[k], value) end
end
return 1
`)

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
