import type { SecretClass } from "@assay/stores/exposure-index"

const NONE: ReadonlySet<string> = new Set(["", "NULL", "\\N", "-"])
/**
 * No word for nothing is longer. Asking a set about every password would cost as much as reading
 * the line.
 */
const NONE_LENGTH_MAX = 4

/** No form below is shorter than 20 or longer than 1024 characters; most passwords are shorter. */
const HASH_LENGTH_MIN = 20
const HASH_LENGTH_MAX = 1024

// Each form is matched from end to end, with the lengths its scheme gives it: a password that
// merely begins like a hash is a password. B64 and CRYPT64 are the two alphabets of 64 characters.
const B64 = "[A-Za-z0-9+/]"
const CRYPT64 = "[./A-Za-z0-9]"
const ANY64 = "[-_.+/A-Za-z0-9]"
// MD5 or NTLM, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512.
const DIGEST = "(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{56}|[0-9a-f]{40}|[0-9a-f]{32})"
const DIGEST_NAME = "(?:md5|sha-?1|sha-?224|sha-?256|sha-?384|sha-?512|ntlm)"
const BCRYPT = `\\$2[abxy]?\\$\\d\\d\\$${CRYPT64}{53}`

/** Made to be slow to guess. */
const SLOW = anyOf(
  // bcrypt: of crypt(3), WordPress, Django and passlib.
  BCRYPT,
  `\\$wp${BCRYPT}`,
  `bcrypt(?:_sha256)?\\$${BCRYPT}`,
  `\\$bcrypt-sha256\\$[a-z0-9=,]{3,40}\\$${CRYPT64}{22}\\$${CRYPT64}{31}`,
  // Argon2, with Django's prefix or without.
  `(?:argon2)?\\$argon2(?:id|i|d)\\$(?:v=\\d+\\$)?m=\\d+,t=\\d+,p=\\d+[^$]{0,99}\\$${ANY64}+={0,2}(?:\\$${ANY64}+={0,2})?`,
  // scrypt: passlib, crypt(3), Java, Werkzeug, hashcat, Django.
  `\\$scrypt\\$ln=\\d+,r=\\d+,p=\\d+\\$${ANY64}+={0,2}\\$${ANY64}+={0,2}`,
  `\\$7\\$${CRYPT64}{11,60}\\$${CRYPT64}{43}`,
  `\\$s0\\$[0-9a-f]{1,8}\\$${B64}+={0,2}\\$${B64}+={0,2}`,
  `scrypt:\\d+:\\d+:\\d+\\$[^$]+\\$[0-9a-f]{64,128}`,
  `SCRYPT:\\d+:\\d+:\\d+:${B64}+={0,2}:${B64}+={0,2}`,
  `scrypt\\$[^$]+\\$\\d+\\$\\d+\\$\\d+\\$${B64}+={0,2}`,
  // yescrypt and gost-yescrypt.
  `\\$g?y\\$${CRYPT64}{1,40}\\$${CRYPT64}{1,86}\\$${CRYPT64}{43}`,
  // sha-crypt; MySQL 8 stores the same thing in its own form.
  `\\$5\\$(?:rounds=\\d+\\$)?[^$:\\s]{0,16}\\$${CRYPT64}{43}`,
  `\\$6\\$(?:rounds=\\d+\\$)?[^$:\\s]{0,16}\\$${CRYPT64}{86}`,
  `\\$A\\$[0-9a-f]{3}\\$.{63}`,
  // PBKDF2 and its kin: Django, passlib, Werkzeug, hashcat, LDAP, Atlassian, Cisco, GRUB,
  // PostgreSQL, NetBSD.
  `pbkdf2_sha(?:1|256|512)\\$\\d+\\$[^$]+\\$${B64}+={0,2}`,
  `\\$pbkdf2(?:-sha(?:1|256|512))?\\$(?:i=)?\\d+[^$]{0,20}\\$${ANY64}+={0,2}\\$${ANY64}+={0,2}`,
  `pbkdf2:sha(?:1|224|256|384|512)(?::\\d+)?\\$[^$]+\\$[0-9a-f]{40,128}`,
  `sha(?:1|256|512):\\d+(?::\\d+)?:${B64}+={0,2}:${B64}+={0,2}`,
  `\\{(?:x-)?PBKDF2(?:[-_]?(?:HMAC[-_]?)?SHA-?\\d+)?\\}.{20,}`,
  `\\{PKCS5S2\\}${B64}{64}={0,2}`,
  `\\$[89]\\$${CRYPT64}{14}\\$${CRYPT64}{43}`,
  `grub\\.pbkdf2\\.sha512\\.\\d+\\.[0-9a-f]+\\.[0-9a-f]+`,
  `SCRAM-SHA-(?:1|256|512)\\$\\d+:${B64}+={0,2}\\$${B64}+={0,2}:${B64}+={0,2}`,
  `\\$sha1\\$\\d+\\$${CRYPT64}{1,64}\\$${CRYPT64}{28}`,
  // ASP.NET Identity: a mark of one byte, then (version 3) function, rounds and length of the salt;
  // Base64.
  `AQAAAA[EIMQ]AA${B64}{60,120}={0,2}`,
  `A[A-P]${B64}{64}==`,
)

/** Fast to compute, and every guess counts for all rows at once. */
const WEAK = anyOf(
  `(?:0x|\\\\x)?${DIGEST}[:$]?`,
  `${DIGEST_NAME}(?::|\\$\\$?)${DIGEST}`,
  `\\{(?:SHA|MD5|SHA256|SHA-256|SHA512|SHA-512|SHA384|SHA-384|NT|NTLM|PLAIN-MD5)\\}${ANY64}{22,128}={0,2}`,
  "\\*[0-9a-f]{40}",
  "\\$(?:NT|3)\\$\\$?[0-9a-f]{32}",
)

/** Fast to compute, but each row has to be guessed for itself. */
const SALTED = anyOf(
  // Digest and salt in either order, as forums keep them, and with the digest's name before, as
  // early Django did.
  `${DIGEST}[:$;|,\\s].+`,
  `[^\\s:$]{1,32}[:$]${DIGEST}`,
  `${DIGEST_NAME}[:$][^:$]{1,64}[:$]${DIGEST}`,
  `\\$SHA\\$[0-9a-f]{1,32}\\$[0-9a-f]{64}`,
  // crypt(3) with MD5, Apache's, Sun's.
  `\\$(?:1|apr1)\\$[^$:\\s]{0,8}\\$${CRYPT64}{22}`,
  `\\$md5[,$][^\\s]{0,40}\\$${CRYPT64}{22}`,
  // phpass, also as Drupal 7 and phpBB write it.
  `U?\\$[PH]\\$${CRYPT64}{31}`,
  `U?\\$S\\$${CRYPT64}{52}`,
  `\\{(?:SSHA|SMD5|SSHA224|SSHA256|SSHA384|SSHA512|SSHA-256|SSHA-512)\\}${B64}{22,256}={0,2}`,
  // SQL Server, Oracle, PostgreSQL.
  "0x0100[0-9a-f]{48}(?:[0-9a-f]{40})?",
  "0x0200[0-9a-f]{136}",
  "S:[0-9a-f]{60}(?:;.*)?",
  "md5[0-9a-f]{32}",
)

// LDAP and Dovecot name the crypt(3) scheme, and mostly the hash names it again.
const CRYPT_SCHEME = /^\{(?:CRYPT|BLF-CRYPT|MD5-CRYPT|SHA256-CRYPT|SHA512-CRYPT|ARGON2ID?)\}/i
const DES_CRYPT = /^\{(?:CRYPT|DES-CRYPT)\}[./A-Za-z0-9]{13}$/i

// What Windows keeps: the LM and the NTLM hash. Two digests side by side can also be a digest and
// its salt, so the pair is known by the half that LM leaves empty for short passwords, by capitals,
// or by the fields that follow in a dump.
const TWO_DIGESTS = /^[0-9a-f]{32}:[0-9a-f]{32}:*$/i
const LM_AND_NT = /^(?:.{16})?aad3b435b51404ee|:::$|^[0-9A-F:]+$/

const FIELD_END = /[:;|,\s]/

/**
 * The form of a secret. A column called a hash holds no plain text, so a value without a known form
 * is unknown there.
 */
export function secretClassOf(secret: string | null, isHash: boolean): SecretClass {
  if (secret === null) return "none"
  const text = mayHaveSpace(secret) ? secret.trim() : secret
  if (text.length <= NONE_LENGTH_MAX && NONE.has(text)) return "none"
  if (text.length < HASH_LENGTH_MIN) return isHash ? "unknown" : "plaintext"
  const known = hashClassOf(text) ?? hashClassOf(firstField(text))
  return known ?? (isHash ? "unknown" : "plaintext")
}

/** Whether white space may stand at either end. */
function mayHaveSpace(text: string): boolean {
  return !(isGraphic(text.charCodeAt(0)) && isGraphic(text.charCodeAt(text.length - 1)))
}

function isGraphic(code: number): boolean {
  return code > 0x20 && code < 0x7f
}

function hashClassOf(written: string): SecretClass | null {
  if (written.length < HASH_LENGTH_MIN || written.length > HASH_LENGTH_MAX) return null
  if (DES_CRYPT.test(written)) return "salted_hash"
  const text = written.replace(CRYPT_SCHEME, "")
  if (SLOW.test(text)) return "slow_hash"
  if (TWO_DIGESTS.test(text)) return LM_AND_NT.test(text) ? "weak_hash" : "salted_hash"
  if (WEAK.test(text)) return "weak_hash"
  return SALTED.test(text) ? "salted_hash" : null
}

/** Lines may go on after the hash with fields of another meaning. */
function firstField(text: string): string {
  const end = text.length < HASH_LENGTH_MIN ? -1 : text.search(FIELD_END)
  return end === -1 ? "" : text.slice(0, end)
}

/** Names of schemes are written in capitals and without, so the case of letters does not count. */
function anyOf(...forms: readonly string[]): RegExp {
  return new RegExp(`^(?:${forms.join("|")})$`, "i")
}
