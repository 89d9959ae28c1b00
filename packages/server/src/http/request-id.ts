import { REQUEST_ID_PATTERN } from "@assay/core/contract"
import { randomFillSync } from "node:crypto"

const HARMLESS = new RegExp(REQUEST_ID_PATTERN)
const ID_BYTES = 12
const pool = Buffer.alloc(ID_BYTES * 512)
let poolAt = pool.length

/**
 * The caller's own id if it is harmless, else a random one. A counter would show callers how many
 * others call.
 */
export function requestId(given: string | string[] | undefined): string {
  if (typeof given === "string" && HARMLESS.test(given)) return given
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  poolAt += ID_BYTES
  return pool.toString("hex", poolAt - ID_BYTES, poolAt)
}
