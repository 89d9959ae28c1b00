/**
 * What each subkey of the master secret is for. The server derives them by HKDF-SHA256 with
 * `subkeyInfo(name)` as info, so a key leaked from one use says nothing about another.
 */
export const SUBKEY_NAMES = [
  "identity",
  "alias",
  "password",
  "context",
  "audit",
  "demo-key",
  "sealed-identity",
] as const

export type SubkeyName = (typeof SUBKEY_NAMES)[number]

/**
 * The HKDF info of a subkey. Frozen: another info is another key, and stored data would read as
 * unknown.
 */
export function subkeyInfo(name: SubkeyName): `assay/v1/${SubkeyName}` {
  return `assay/v1/${name}`
}
