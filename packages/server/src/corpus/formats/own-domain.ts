import type { ParsedRow } from "./format.ts"

const HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@?#]*@)?([^/:?#]+)/i

/**
 * Whether a row of a stealer log names no site but the domain of the address itself. Such rows are made by the thousand
 * out of other lists, and tell of no machine that was robbed.
 */
export function isOwnDomainNoise(row: ParsedRow, url: unknown): boolean {
  if (row.kind !== "stealer" || row.subject !== "email" || typeof url !== "string") return false
  const host = HOST.exec(url.trim())?.[1]
    ?.toLowerCase()
    .replace(/^www\./, "")
  return host === row.identity.slice(row.identity.lastIndexOf("@") + 1).toLowerCase()
}
