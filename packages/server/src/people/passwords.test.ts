import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import { openPasswords, refuseWeak } from "./passwords.ts"

const email = "ana.silva@mail.example"

test("a hash matches its password alone, and is another one each time", async () => {
  const passwords = openPasswords()
  const hash = await passwords.hash("ample-violet-harbour")
  assert.match(
    Buffer.from(hash).toString(),
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
  )
  assert.equal(await passwords.matches("ample-violet-harbour", hash, { known: false }), true)
  assert.equal(await passwords.matches("ample-violet-harbouR", hash, { known: true }), false)
  assert.notDeepEqual(await passwords.hash("ample-violet-harbour"), hash)
  assert.equal(await passwords.matches("ample-violet-harbour", null, { known: false }), false)
  assert.equal(
    await passwords.matches("x", Buffer.from("$argon2id$broken"), { known: false }),
    false,
  )
})

test("one letter written in two ways is one letter", async () => {
  const passwords = openPasswords()
  const hash = await passwords.hash("caf\u00e9-violet-harbour")
  assert.equal(await passwords.matches("cafe\u0301-violet-harbour", hash, { known: false }), true)
})

test("more at once than can wait are turned away, and browsers known before are not", async () => {
  const passwords = openPasswords()
  const guesses = Array.from({ length: 100 }, () =>
    passwords.matches("guess", null, { known: false }),
  )
  const own = passwords.matches("own", null, { known: true })
  const outcomes = await Promise.allSettled(guesses)
  const turnedAway = outcomes.filter(({ status }) => status === "rejected")
  assert.equal(turnedAway.length, 100 - 2 - 64)
  assert.equal(await own, false)
  assert.equal(await passwords.matches("later", null, { known: false }), false)
})

test("what is guessed soon is refused, and sentences are not", () => {
  for (const password of [
    "short",
    "aaaaaaaaaaaaaaaa",
    "abababababab",
    "ana.silva@mail.example",
    "ANA.SILVA@mail.example",
    "ana.silva1234",
    "Password1234!",
    "!!passwordpassword",
    "qwertyuiopasd",
    "987654321098",
    "abcdefghijklm",
    "letmein123456",
    "iloveyou2026!!",
    "correct horse battery staple",
  ])
    assert.throws(() => refuseWeak(password, { email }), Problem, password)
  for (const password of [
    "ample-violet-harbour",
    "seven boats in the rain",
    "9x7Kq2mWv4Lp",
    "пять зелёных лодок",
    "the password is at grandma's",
  ])
    refuseWeak(password, { email })
})
