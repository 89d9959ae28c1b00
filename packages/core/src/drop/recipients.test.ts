import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption"
import { fingerprint } from "./fingerprint.ts"
import { readRecipients, RecipientsFault, recipientsFile, recipientsOf } from "./recipients.ts"
import { loadWords } from "./words.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-recipients-"))
after(() => rmSync(folder, { recursive: true }))

const identity = await generateX25519Identity()
const keys = await Promise.all(
  Array.from({ length: 17 }, async () => await identityToRecipient(await generateX25519Identity())),
)
const [first = "", second = ""] = keys
const pq = await identityToRecipient(await generateHybridIdentity())
const dropId = new Uint8Array(16).fill(0xab)
const faultOf = (given: readonly string[]): string | null => {
  try {
    recipientsOf(given)
    return null
  } catch (error) {
    assert.ok(error instanceof RecipientsFault)
    for (const key of given) assert.ok(key.length < 10 || !error.message.includes(key))
    return error.code
  }
}

test("a recipients file is read back as it was written, and stock age seals to it", async () => {
  const own = await identityToRecipient(identity)
  const recipients = recipientsOf([own, first])
  const text = recipientsFile({ dropId, recipients })
  assert.deepEqual(readRecipients(text), { dropId, recipients })
  assert.deepEqual(readRecipients(text.replaceAll("\n", "\r\n")), { dropId, recipients })
  const [keysFile, identityFile] = [join(folder, "keys.txt"), join(folder, "identity.txt")]
  writeFileSync(keysFile, text)
  writeFileSync(identityFile, identity)
  const sealed = execFileSync("age", ["-R", keysFile], { input: "hello" })
  assert.equal(
    execFileSync("age", ["-d", "-i", identityFile], { input: sealed }).toString(),
    "hello",
  )
})

test("a recipients file without a drop id is one of stock age; with a damaged one it is refused", () => {
  assert.equal(readRecipients(`# mine\n${first}\n`).dropId, null)
  for (const line of ["# drop id", "# drop id 00", `# drop id ${"AB".repeat(16)}`])
    assert.throws(() => readRecipients(`${line}\n${first}\n`), { code: "drop-id" })
  const id = `# drop id ${"ab".repeat(16)}`
  assert.throws(() => readRecipients(`${id}\n${id}\n${first}\n`), { code: "drop-id" })
})

test("T5: keys of two suites, tags, plugins, secret keys, doubles and too many are refused, unquoted", () => {
  assert.equal(faultOf([first, second]), null)
  assert.equal(faultOf([pq]), null)
  assert.equal(faultOf([]), "empty")
  assert.equal(faultOf([first, pq]), "mix")
  assert.equal(faultOf([pq, first]), "mix")
  assert.equal(
    faultOf(["age1tag1qwe0kafsjrar4txm6heqnhpfuggzr0gvznz7fvygxrlq90u5mq2pysxtw6h"]),
    "tag",
  )
  assert.equal(faultOf(["age1tagpq1qqqqqqqq"]), "tag")
  assert.equal(
    faultOf(["age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t"]),
    "key",
  )
  assert.equal(faultOf([identity]), "secret")
  assert.equal(faultOf([identity.toLowerCase()]), "secret")
  assert.equal(faultOf([first, first]), "twice")
  assert.equal(faultOf(keys.slice(0, 16)), null)
  assert.equal(faultOf(keys), "many")
  for (const wrong of ["", "age1", "ssh-ed25519 AAAA", first.toUpperCase(), `${first}q`, "age1pq1"])
    assert.equal(faultOf([wrong]), "key", wrong)
  assert.equal(faultOf([first.replace(/.$/, (last) => (last === "q" ? "p" : "q"))]), "key")
})

test("the fingerprint is six words of the set of keys, whatever their order", async () => {
  const english = await loadWords("en")
  const words = fingerprint([first, second], english)
  assert.equal(words.length, 6)
  assert.deepEqual(fingerprint([second, first], english), words)
  assert.notDeepEqual(fingerprint([first], english), words)
  // `printf 'age1a\nage1b' | sha256sum` begins 7889df2cb9b8edc166, cut by hand into numbers of 11
  // bits.
  const known = ["joy", "exclude", "sleep", "inflict", "mom", "thing"]
  assert.deepEqual(fingerprint(["age1b", "age1a"], english), known)
})
