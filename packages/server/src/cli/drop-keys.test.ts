import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, beforeEach, test } from "node:test"
import { newIdentityFile } from "@assay/core/drop"
import { addDropKeys, listDropKeys, removeDropKey, rotateDropKey } from "./drop-keys.ts"
import { CommandError, type Terminal } from "./terminal.ts"

const home = mkdtempSync(join(tmpdir(), "assay-drop-keys-"))
after(() => rmSync(home, { recursive: true }))
const data = join(home, "data")
const keysFile = join(data, "drop", "keys.txt")
beforeEach(() => rmSync(keysFile, { force: true }))

const newKey = async (suite: "x25519" | "pq" = "x25519"): Promise<string> =>
  (await newIdentityFile(undefined, suite)).recipient
const [one, two, pq] = [await newKey(), await newKey(), await newKey("pq")]
const keys = (): string[] =>
  readFileSync(keysFile, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("age1"))

async function printed(work: (terminal: Terminal) => Promise<void>): Promise<string> {
  const lines: string[] = []
  await work({
    env: { ASSAY_DATA: data },
    user: "test",
    now: () => 0,
    print: (line) => void lines.push(line),
    note: (line) => void lines.push(`(${line})`),
  })
  return lines.join("\n")
}
const add = (...given: string[]): Promise<string> =>
  printed((terminal) => addDropKeys(given, terminal))
const remove = (key: string, yes = false): Promise<string> =>
  printed((terminal) => removeDropKey(key, { yes }, terminal))
const rotate = (old: string, next: string, gone = false): Promise<string> =>
  printed((terminal) => rotateDropKey(old, next, { remove: gone }, terminal))

test("keys are added one by one or from a file, and listed with six words for all of them", async () => {
  assert.match(await add(one), /^Messages are sealed to 1 key\. Fingerprint: (\w+ ){5}\w+\n/)
  const file = join(home, "public.txt")
  writeFileSync(file, `# of Ben\n${two}\n`)
  assert.match(await add(file), /sealed to 2 keys[^]*`npx assay drop reseal`/)
  assert.deepEqual(keys(), [one, two])
  assert.equal(statSync(keysFile).mode & 0o777, 0o600)
  const listed = await printed(listDropKeys)
  assert.match(listed, new RegExp(`${one} +x25519\n${two} +x25519\n\nFingerprint: (\\w+ ){5}\\w+$`))
})

test("T5: keys that must not be there are refused and change nothing", async () => {
  await add(one)
  const secret = join(home, "secret.txt")
  writeFileSync(secret, (await newIdentityFile(undefined, "x25519")).file)
  const cases: [string, RegExp][] = [
    [pq, /cannot be used together/],
    [one, /there twice/],
    [secret, /secret key/],
    [readFileSync(secret, "utf8").split("\n")[1] ?? "", /secret key/],
    ["age1tag1qwe0kafsjrar4txm6heqnhpfuggzr0gvznz7fvygxrlq90u5mq2pysxtw6h", /mark every message/],
    ["age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t", /no key/],
    [join(home, "missing"), /neither a key/],
  ]
  for (const [given, message] of cases) {
    await assert.rejects(add(given), (error) => {
      assert.ok(error instanceof CommandError)
      assert.match(error.message, message)
      return !error.message.includes(given)
    })
    assert.deepEqual(keys(), [one])
  }
})

test("a key is rotated in two steps, and the old one goes only when the new one is in use", async () => {
  await add(one)
  await assert.rejects(rotate(one, two, true), /not in use yet/)
  assert.match(await rotate(one.slice(0, 20), two), /`npx assay drop reseal`/)
  assert.deepEqual(keys(), [one, two])
  await rotate(one, two)
  assert.deepEqual(keys(), [one, two])
  assert.match(await rotate(one, two, true), /can still be opened with the old key/)
  assert.deepEqual(keys(), [two])
  await assert.rejects(rotate(one, two), /No key of the drop/)
  await assert.rejects(rotate(two, two), /are the same/)
})

test("the last key is removed only with --yes, and then the drop has none", async () => {
  await add(one, two)
  await assert.rejects(remove("age1"), /No key of the drop/)
  await remove(one)
  await assert.rejects(remove(two), /--yes removes it/)
  assert.deepEqual(keys(), [two])
  await remove(two, true)
  await assert.rejects(printed(listDropKeys), /has no key/)
})
