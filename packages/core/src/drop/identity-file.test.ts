import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { armor, Encrypter, identityToRecipient } from "age-encryption"
import { IdentityFault, isLocked, newIdentityFile, readIdentities } from "./identity-file.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-identity-"))
after(() => rmSync(folder, { recursive: true }))
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Locked as `age -p` locks it, but with less work: only the file's form is looked at. */
async function lock(plain: Uint8Array | string, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(10)
  return await encrypter.encrypt(plain)
}

test("an identity file of ours is one of age-keygen, without its time, and the reverse", async () => {
  const { file, recipient } = await newIdentityFile(undefined, "x25519")
  const [line] = await readIdentities(file)
  assert.equal(text(file), `# public key: ${recipient}\n${line}\n`)
  const path = join(folder, "ours.txt")
  writeFileSync(path, file)
  assert.equal(execFileSync("age-keygen", ["-y", path]).toString().trim(), recipient)
  const theirs = join(folder, "theirs.txt")
  execFileSync("age-keygen", ["-o", theirs], { stdio: "ignore" })
  const [identity = ""] = await readIdentities(readFileSync(theirs))
  assert.ok(readFileSync(theirs, "utf8").includes(await identityToRecipient(identity)))
})

test("a new file of the other suite names a key of that suite", async () => {
  const { file, recipient } = await newIdentityFile(undefined, "pq")
  assert.match(recipient, /^age1pq1/)
  const [identity = ""] = await readIdentities(text(file))
  assert.equal(await identityToRecipient(identity), recipient)
})

test("a locked file opens with its passphrase only, and holds nothing readable", async () => {
  const { file, recipient } = await newIdentityFile("correct horse", "x25519")
  assert.ok(isLocked(file))
  assert.ok(!text(file).includes("AGE-SECRET-KEY") && !text(file).includes(recipient))
  const [identity = ""] = await readIdentities(file, "correct horse")
  assert.equal(await identityToRecipient(identity), recipient)
})

test("faults of identity files are told apart, and none quotes the file", async () => {
  const { file } = await newIdentityFile(undefined, "x25519")
  assert.ok(!isLocked(file))
  const locked = await lock(file, "right")
  const cases: [string, Uint8Array | string, string | undefined][] = [
    ["passphrase-needed", locked, undefined],
    ["passphrase-needed", armor.encode(locked), undefined],
    ["passphrase-wrong", locked, "wrong"],
    ["passphrase-wrong", locked.subarray(0, -1), "right"],
    ["unreadable", await lock("AGE-PLUGIN-YUBIKEY-1QQQQ", "right"), "right"],
    ["unreadable", `${text(file)}AGE-PLUGIN-YUBIKEY-1QQQQ\n`, undefined],
    ["unreadable", text(file).toLowerCase().replace("# public", "public"), undefined],
    ["unreadable", `-----BEGIN AGE ENCRYPTED FILE-----\n%%%`, "right"],
    ["empty", "# nothing\n\n", undefined],
    ["empty", "", undefined],
  ]
  for (const [code, given, passphrase] of cases) {
    await assert.rejects(readIdentities(given, passphrase), (error) => {
      assert.ok(error instanceof IdentityFault)
      assert.equal(error.code, code)
      assert.doesNotMatch(error.message, /AGE-|QQQQ|age1/)
      return true
    })
  }
  assert.deepEqual(await readIdentities(armor.encode(locked), "right"), await readIdentities(file))
})
