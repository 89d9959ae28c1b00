import { DAY_MS } from "../time.ts"

/** Nobody may make us wait for longer. */
const RETRY_AFTER_MAX_MS = DAY_MS

/** Seconds or a date (RFC 9110, section 10.2.3); null where it is neither, or over. */
export function readRetryAfter(text: string, now: number): number | null {
  const at = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text)
  if (!(at > now)) return null
  return Math.min(at, now + RETRY_AFTER_MAX_MS)
}
