import assert from "node:assert/strict"
import { test } from "node:test"
import type { SecretClass } from "@assay/stores/exposure-index"
import { secretClassOf } from "./secret-class.ts"

// Made up, with the lengths and alphabets of the real schemes.
const HEX = "0123456789abcdef".repeat(8)
const hex = (digits: number): string => HEX.slice(0, digits)
const CRYPT =
  "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const crypt = (length: number): string => CRYPT.slice(0, length)
const B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".repeat(3)
const b64 = (length: number): string => B64.slice(0, length)

const FORMS: Readonly<Partial<Record<SecretClass, readonly string[]>>> = {
  none: ["", " ", "\t", "NULL", "\\N", "-", " NULL "],
  slow_hash: [
    `$2$12$${crypt(53)}`,
    `$2a$10$${crypt(53)}`,
    `$2b$12$${crypt(53)}`,
    `$2x$08$${crypt(53)}`,
    `$2y$10$${crypt(53)}`,
    `$2y$10$${crypt(53)}:extra:fields`,
    `$2y$10$${crypt(53)} `,
    `$wp$2y$10$${crypt(53)}`,
    `bcrypt$$2b$12$${crypt(53)}`,
    `bcrypt_sha256$$2b$12$${crypt(53)}`,
    `$bcrypt-sha256$v=2,t=2b,r=12$${crypt(22)}$${crypt(31)}`,
    `{CRYPT}$2y$10$${crypt(53)}`,
    `{BLF-CRYPT}$2y$05$${crypt(53)}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${b64(22)}$${b64(43)}`,
    `$argon2i$v=19$m=4096,t=3,p=1$${b64(22)}$${b64(43)}`,
    `$argon2d$m=4096,t=3,p=1$${b64(22)}$${b64(43)}`,
    `argon2$argon2id$v=19$m=102400,t=2,p=8$${b64(22)}$${b64(43)}`,
    `{ARGON2ID}$argon2id$v=19$m=65536,t=3,p=1$${b64(22)}$${b64(43)}`,
    `$scrypt$ln=16,r=8,p=1$${b64(22)}$${b64(43)}`,
    `$7$C6..../....${crypt(22)}$${crypt(43)}`,
    `$s0$e0801$${b64(22)}==$${b64(43)}=`,
    `scrypt:32768:8:1$${b64(16)}$${hex(128)}`,
    `SCRYPT:16384:8:1:${b64(12)}:${b64(43)}=`,
    `scrypt$${b64(22)}$16384$8$5$${b64(86)}==`,
    `$y$j9T$${crypt(22)}$${crypt(43)}`,
    `$gy$j9T$${crypt(22)}$${crypt(43)}`,
    `$5$${crypt(16)}$${crypt(43)}`,
    `$5$rounds=535000$${crypt(16)}$${crypt(43)}`,
    `$6$${crypt(8)}$${crypt(86)}`,
    `$6$rounds=656000$${crypt(16)}$${crypt(86)}`,
    `{SHA512-CRYPT}$6$${crypt(16)}$${crypt(86)}`,
    `pbkdf2_sha256$260000$${b64(12)}$${b64(43)}=`,
    `pbkdf2_sha1$10000$${b64(12)}$${b64(27)}=`,
    `$pbkdf2$131000$${b64(22)}$${b64(27)}`,
    `$pbkdf2-sha256$29000$${b64(22)}$${b64(43)}`,
    `$pbkdf2-sha512$25000$${b64(22)}$${b64(86)}`,
    `pbkdf2:sha256:260000$${b64(16)}$${hex(64)}`,
    `pbkdf2:sha1$${b64(8)}$${hex(40)}`,
    `sha256:1000:${b64(16)}:${b64(32)}`,
    `sha1:64000:18:${b64(32)}:${b64(24)}`,
    `{PBKDF2_SHA256}10000$${b64(22)}$${b64(43)}`,
    `{PBKDF2}${b64(60)}`,
    `{PKCS5S2}${b64(64)}`,
    `$8$${crypt(14)}$${crypt(43)}`,
    `$9$${crypt(14)}$${crypt(43)}`,
    `grub.pbkdf2.sha512.10000.${hex(128)}.${hex(128)}`,
    `SCRAM-SHA-256$4096:${b64(22)}==$${b64(43)}=:${b64(43)}=`,
    `AQAAAAEAACcQAAAAE${b64(67)}`,
    `AQAAAAIAAYagAAAAE${b64(65)}==`,
    `AB${b64(64)}==`,
  ],
  weak_hash: [
    hex(32),
    hex(40),
    hex(56),
    hex(64),
    hex(96),
    hex(128),
    hex(32).toUpperCase(),
    ` ${hex(40)} `,
    `${hex(32)}:`,
    `0x${hex(40).toUpperCase()}`,
    `\\x${hex(64)}`,
    `*${hex(40).toUpperCase()}`,
    `*${hex(40)}`,
    `{SHA}${b64(27)}=`,
    `{sha}${b64(27)}=`,
    `{MD5}${b64(22)}==`,
    `{SHA256}${b64(43)}=`,
    `{NT}${hex(32)}`,
    `$NT$${hex(32)}`,
    `$3$$${hex(32)}`,
    `md5:${hex(32)}`,
    `SHA1:${hex(40)}`,
    `md5$$${hex(32)}`,
    `aad3b435b51404eeaad3b435b51404ee:${hex(32)}`,
    `AAD3B435B51404EEAAD3B435B51404EE:${hex(32).toUpperCase()}`,
    `${hex(16)}aad3b435b51404ee:${hex(32)}`,
    `${hex(32)}:${hex(32)}:::`,
    `${hex(32).toUpperCase()}:${hex(32).toUpperCase()}`,
  ],
  salted_hash: [
    `${hex(32)}:a1b`,
    `${hex(32)}:!~"# $%&'()*+,-./:;<=>?@[\\`,
    `${hex(32)}:${hex(32)}`,
    `${hex(40)}:pepper`,
    `${hex(64)}:${hex(16)}`,
    `${hex(128)}:s`,
    `${hex(32)}$salt`,
    `${hex(32)}|salt`,
    `salt:${hex(32)}`,
    `salt$${hex(64)}`,
    `sha1$salt$${hex(40)}`,
    `md5$salt$${hex(32)}`,
    `sha256:salt:${hex(64)}`,
    `$SHA$${hex(16)}$${hex(64)}`,
    `$1$${crypt(8)}$${crypt(22)}`,
    `$1$$${crypt(22)}`,
    `$apr1$${crypt(8)}$${crypt(22)}`,
    `{MD5-CRYPT}$1$${crypt(8)}$${crypt(22)}`,
    `$md5,rounds=5000$${crypt(8)}$$${crypt(22)}`,
    `{SSHA}${b64(32)}`,
    `{SSHA}${b64(38)}==`,
    `{SSHA512}${b64(96)}`,
    `{SMD5}${b64(32)}`,
    `{CRYPT}${crypt(13)}`,
    `$P$B${crypt(30)}`,
    `$H$9${crypt(30)}`,
    `$S$D${crypt(51)}`,
    `0x0100${hex(48)}`,
    `0x0200${hex(136 - 128)}${hex(128)}`,
    `S:${hex(60).toUpperCase()}`,
    `md5${hex(32)}`,
  ],
  plaintext: [
    "password",
    "null",
    "--",
    "$2",
    "$2a$",
    "$2a$10$",
    "$2y$10$not-a-hash-at-all",
    `$2y$10$${crypt(52)}`,
    `$2y$10$${crypt(54)}`,
    `$2z$10$${crypt(53)}`,
    "$1$money$money$money$money",
    "$5$5$5$5$5$5$5$5$5$5$5$5$5$5",
    "$6$ is what I paid for lunch today",
    "$P$ rich person's password ever",
    "$argon2id is a good hash, they say",
    "{SHA} is not a hash by itself",
    "{SSHA}short",
    "pbkdf2_sha256$ is my favourite thing",
    "scrypt:is:slow:and:good:for:passwords",
    "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E1",
    hex(31),
    hex(33),
    `${hex(31)}g`,
    "correct horse battery staple correct horse",
    "AQAAAA is how it begins and nothing more than that",
    "пароль-пароль-пароль-пароль-пароль",
    "x".repeat(5000),
    `${"a".repeat(2000)}:${hex(32)}`,
  ],
}

for (const [expected, forms] of Object.entries(FORMS)) {
  test(`${forms.length} forms of secrets are ${expected}`, () => {
    for (const form of forms) assert.equal(secretClassOf(form, false), expected, form)
  })
}

test("no secret at all is none", () => {
  assert.equal(secretClassOf(null, false), "none")
  assert.equal(secretClassOf(null, true), "none")
})

test("what a file calls a hash is never plain text, and keeps the class of its form", () => {
  for (const [expected, forms] of Object.entries(FORMS)) {
    const asHash = expected === "plaintext" ? "unknown" : expected
    for (const form of forms) assert.equal(secretClassOf(form, true), asHash, form)
  }
})

test("any other length of hexadecimal digits is a password", () => {
  const digests = new Set([32, 40, 56, 64, 96, 128])
  for (let digits = 1; digits <= 128; digits++) {
    const expected = digests.has(digits) ? "weak_hash" : "plaintext"
    assert.equal(secretClassOf(hex(digits), false), expected, `${digits} digits`)
  }
})
