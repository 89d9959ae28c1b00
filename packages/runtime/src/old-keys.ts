/** Check values of identity/v1 have no version; since then they begin with one ("v2:"). */
const CHECK_VALUE_V1 = /^[0-9a-f]{16}$/

/** Whether data with this key check value holds keys of identity/v1, under whichever secret. */
export function hasOldKeys(keyCheckValue: string): boolean {
  return CHECK_VALUE_V1.test(keyCheckValue)
}

/**
 * Why such data is refused as a whole, and what to do: by today's rules everyone in it would read
 * as unknown.
 */
export function oldKeysSentence(what: string, remedy: string): string {
  return `${what} holds keys of identity/v1, which this program cannot use and cannot convert. ${remedy} and import again.`
}
