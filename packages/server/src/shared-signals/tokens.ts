import { openSealer } from "../accounts/sealed.ts"

/** What a token lets its bearer do, by the names of the interoperability profile. */
export const TOKEN_SCOPES = ["ssf.read", "ssf.manage"] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** How long a token works; the profile allows an hour. */
export const TOKEN_SECONDS = 3600

/** What a token was made for: an API key, whose end is the token's end. */
export interface Granted {
  readonly keyHash: Buffer
  readonly scopes: readonly TokenScope[]
}

/**
 * Access tokens. Nothing is stored of them: each holds, sealed, the hash of its key, so that
 * whoever reads one looks at the key anew.
 */
export interface Tokens {
  issue(granted: Granted): string
  /** null for what is none, or is over. */
  read(text: string): Granted | null
}

const PREFIX = "ssf_"

export function openTokens(subkey: Uint8Array, now: () => number): Tokens {
  const sealer = openSealer(subkey, "shared signals token")
  return {
    issue({ keyHash, scopes }) {
      const endsAt = Math.floor(now() / 1000) + TOKEN_SECONDS
      const text = [keyHash.toString("base64url"), endsAt, ...scopes].join(" ")
      return PREFIX + Buffer.from(sealer.seal(text)).toString("base64url")
    },
    read(text) {
      if (!text.startsWith(PREFIX)) return null
      const sealed = Buffer.from(text.slice(PREFIX.length), "base64url")
      // Readers of base64 pass over what is none; a token has one spelling.
      if (PREFIX + sealed.toString("base64url") !== text) return null
      const opened = sealer.open(sealed)
      if (opened === null) return null
      const [hash = "", endsAt = "", ...scopes] = opened.split(" ")
      if (Number(endsAt) * 1000 <= now()) return null
      return {
        keyHash: Buffer.from(hash, "base64url"),
        scopes: TOKEN_SCOPES.filter((each) => scopes.includes(each)),
      }
    },
  }
}

/**
 * The scopes of a key, as a token may have them: who sees to webhooks sees to streams, and who
 * reads events reads them here too.
 */
export function grantable(keyScopes: ReadonlySet<string>): TokenScope[] {
  const manages = keyScopes.has("webhooks:manage")
  return [
    ...(manages || keyScopes.has("events:read") ? (["ssf.read"] as const) : []),
    ...(manages ? (["ssf.manage"] as const) : []),
  ]
}
