import assert from "node:assert/strict"
import { test } from "node:test"
import {
  asRecoveryCode,
  newRecoveryCode,
  newTotpSecret,
  totpCode,
  totpStepOf,
  totpUri,
} from "./totp.ts"

// RFC 6238, appendix B: the ASCII text 12345678901234567890, with the last six of eight digits.
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const VECTORS = [
  [59, "287082"],
  [1111111109, "081804"],
  [1111111111, "050471"],
  [1234567890, "005924"],
  [2000000000, "279037"],
  [20000000000, "353130"],
] as const

test("codes are those of RFC 6238", () => {
  for (const [seconds, code] of VECTORS) {
    assert.equal(totpCode(SECRET, Math.floor(seconds / 30)), code)
    assert.equal(totpStepOf(SECRET, code, seconds * 1000), Math.floor(seconds / 30))
  }
})

test("a code is good in its half minute and those beside it, and no longer", () => {
  const at = 1_800_000_000_000
  const step = at / 30_000
  const code = totpCode(SECRET, step)
  const good = [-2, -1, 0, 1, 2].map((off) => totpStepOf(SECRET, code, at + off * 30_000))
  assert.deepEqual(good, [null, step, step, step, null])
  assert.equal(totpStepOf(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, at), step)
  for (const wrong of ["", code.slice(1), `${code}0`, "abcdef"])
    assert.equal(totpStepOf(SECRET, wrong, at), null)
})

test("secrets and codes are random and in the letters that apps and people read", () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/)
  assert.notEqual(newTotpSecret(), newTotpSecret())
  const code = newRecoveryCode()
  assert.match(code, /^[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}$/)
  assert.notEqual(newRecoveryCode(), code)
  assert.equal(asRecoveryCode(` ${code.toLowerCase().replaceAll("-", "")} `), code)
  assert.equal(
    totpUri("ABC", "Assay", "ana@b.example"),
    "otpauth://totp/Assay:ana%40b.example?secret=ABC&issuer=Assay",
  )
})
