import type { SecretClass } from "../../stores/exposure-index.ts"

const NONE: ReadonlySet<string> = new Set(["", "NULL", "\\N", "-"])
const SLOW =
  /^(?:\$2[abxy]?\$|\$argon2|\$scrypt|\$7\$|\$[56]\$|\$5\$rounds|\$pbkdf2|pbkdf2|\{PBKDF2|sha1\$pbkdf2|scrypt:)/i
const WEAK =
  /^(?:(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})|\{SHA\}.+|\*[0-9a-f]{40})$/i
const SALTED =
  /^(?:\$1\$|\$apr1\$|\{SSHA\}|\$[PH]\$|(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}):.+$)/i

/** What form a secret has. A column called a hash holds no plain text, so what has no known form there is unknown. */
export function secretClassOf(secret: string | null, isHash: boolean): SecretClass {
  if (secret === null || NONE.has(secret)) return "none"
  // Every hash is at least this long, and most passwords are not.
  if (secret.length >= 16) {
    if (SLOW.test(secret)) return "slow_hash"
    if (SALTED.test(secret)) return "salted_hash"
    if (WEAK.test(secret)) return "weak_hash"
  }
  return isHash ? "unknown" : "plaintext"
}
