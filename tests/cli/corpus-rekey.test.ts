import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { before, test } from "node:test"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import { feedback } from "../../packages/stores/testing/records-feedback-suite.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay, type Outcome } from "./assay.ts"
import { combolist, emailAt, filesWithCanary, type Held, heldIn } from "./corpus.ts"

const directory = temporaryDirectory()
const at = (name: string): string => join(directory, name)
const env = { ASSAY_DATA: at("data"), ASSAY_SECRET_FILE: at("secret") }
const ROWS = 120
/** The tag of an identity in the records of the old directory. */
const REPORTED = new Uint8Array(16).fill(9)

async function command(given: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, out, err } = await assay(args, given)
  assert.equal(code, 0, err)
  return out.trim()
}

function rekey(...args: string[]): Promise<Outcome> {
  return assay(["corpus", "rekey", "--into", at("new"), "--secret", at("new-secret"), ...args], env)
}

async function withRecords<T>(data: string, work: (records: Records) => Promise<T>): Promise<T> {
  const records = await openRecordsOf(data, data === at("new") ? at("new-secret") : at("secret"))
  return await work(records).finally(() => records.close())
}

/**
 * What does not depend on the secret: fingerprints of passwords and tags of spellings are keyed
 * hashes.
 */
function comparable({ entries }: Held): unknown {
  return [...entries].map(([email, own]) => [
    email,
    own
      .map(({ fingerprint, aliasTag: _, ...entry }) =>
        JSON.stringify({ ...entry, hasFingerprint: fingerprint !== null }),
      )
      .sort(),
  ])
}

function digestOf(...path: string[]): string {
  return createHash("sha256")
    .update(readFileSync(join(env.ASSAY_DATA, ...path)))
    .digest("hex")
}

before(async () => {
  writeFileSync(env.ASSAY_SECRET_FILE, "5a".repeat(32), { mode: 0o600 })
  combolist(at("list.txt"), ROWS)
  mkdirSync(at("dump"))
  for (const [name, from] of [
    ["a.csv", 0],
    ["b.csv", 40],
  ] as const) {
    const lines = Array.from({ length: 40 }, (_, n) => `${n},${emailAt(from + n)},zqxjkv-${n % 7}`)
    writeFileSync(join(at("dump"), name), `id,who,what\n${lines.join("\n")}\n`)
  }
  const importing = ["corpus", "import"]
  await command(env, ...importing, at("list.txt"), "--source", "forum", "--date", "2024-05-01")
  const map = ["--map", "email=who,password=what", "--format", "csv"]
  await command(env, ...importing, at("dump"), "--source", "dump", ...map)
  // The dates of rows stay, also when the source is corrected afterwards.
  await command(env, "corpus", "set", "forum", "--event-date", "2023-01-01", "--confidence", "0.6")
  await command(env, "corpus", "retitle", "dump", "A dump")
  await command(env, "keys", "create", "--tenant", "shop", "--scopes", "all")
  writeFileSync(at("denied.txt"), "denied.example\n")
  await command(env, "lists", "import", at("denied.txt"), "--category", "deny", "--name", "ours")
  await withRecords(env.ASSAY_DATA, async (records) => {
    const [key] = await records.keys()
    assert.ok(key)
    const identity = { tenantId: key.tenantId ?? 0, identityKey: REPORTED }
    await records.addFeedback(feedback(identity, "fb_1", { keyId: key.id }), null, "")
  })
})

test("losses are named first, and a batch without its files fails the command; nothing is written", async () => {
  const unconfirmed = await rekey(at("list.txt"), at("dump"))
  assert.equal(unconfirmed.code, 1)
  assert.match(unconfirmed.err, /^assay: Left behind, .*: 1 reports of tenants, 0 lines of their/)

  // A file of the folder is not the folder.
  const missing = await rekey(at("list.txt"), join(at("dump"), "a.csv"), "--yes")
  assert.equal(missing.code, 1)
  assert.match(missing.err, /^No batch was imported from .*a\.csv$/m)
  assert.match(missing.err, /^Batch 2 of dump, 80 rows: not all of its files are given$/m)
  assert.match(missing.err, /assay: 1 batch cannot be imported again\. /)
  for (const name of ["new", "new-secret"]) assert.equal(existsSync(at(name)), false)
})

test("under a new secret the same files say the same of the same people, and the old directory stays as it was", async () => {
  const before = [digestOf("index", "data.mdb"), digestOf("records.sqlite")]
  const { code, out, err } = await rekey(at("dump"), at("list.txt"), "--yes")
  assert.equal(code, 0, err)
  assert.deepEqual(
    out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
    [
      ["SOURCE", "BATCH", "ROWS", "NOW", "IDENTITIES", "NOW"],
      ["forum", "1", "120", "120", "120", "120", "same"],
      ["dump", "2", "80", "80", "80", "80", "same"],
      [`${at("new")} is complete.`],
    ],
  )
  assert.deepEqual([digestOf("index", "data.mdb"), digestOf("records.sqlite")], before)

  assert.equal(statSync(at("new-secret")).mode & 0o077, 0)
  const old = await heldIn(env.ASSAY_DATA, env.ASSAY_SECRET_FILE, ROWS)
  const now = await heldIn(at("new"), at("new-secret"), ROWS)
  assert.deepEqual(comparable(now), comparable(old))
  assert.equal(now.entries.get(emailAt(1))?.length, 2)
  assert.deepEqual(
    now.batches.map(({ fingerprint, recipe, createdAt }) => ({ fingerprint, recipe, createdAt })),
    old.batches.map(({ fingerprint, recipe, createdAt }) => ({ fingerprint, recipe, createdAt })),
  )
  await assert.rejects(heldIn(at("new"), env.ASSAY_SECRET_FILE, 0), { code: "wrong-secret" })
  assert.deepEqual(filesWithCanary(at("new")), [])

  const moved = { ASSAY_DATA: at("new"), ASSAY_SECRET_FILE: at("new-secret") }
  for (const args of [
    ["corpus", "sources"],
    ["keys", "list"],
    ["tenants", "list"],
  ]) {
    assert.equal(await command(moved, ...args), await command(env, ...args))
  }
  assert.match(await command(moved, "corpus", "verify"), /^ok /m)
  assert.match(await command(moved, "lists", "check", "denied.example"), /deny/)
  await withRecords(at("new"), async (records) => {
    const [tenant] = await records.tenants()
    const identity = { tenantId: tenant?.id ?? 0, identityKey: REPORTED }
    assert.deepEqual(await records.feedbackOf(identity), [])
    const [newest, ...earlier] = await records.audit({ limit: 100 })
    assert.equal(newest?.action, "corpus.rekey")
    assert.deepEqual(newest.detail, { batches: 2, left_out: 0 })
    assert.equal(earlier.filter(({ action }) => action === "corpus.import").length, 2)
  })
  // The same command as before knows its batch again.
  const again = ["corpus", "import", at("list.txt"), "--source", "forum", "--date", "2024-05-01"]
  assert.match(await command(moved, ...again), /^Already imported as batch 1 of forum/)

  const twice = await rekey(at("dump"), at("list.txt"), "--yes")
  assert.equal(twice.code, 1)
  assert.match(twice.err, /^assay: .*new is not empty; name a new directory\n$/)
})

test("over a try that was killed nothing starts, and the same command again completes it", async () => {
  rmSync(at("new"), { recursive: true })
  mkdirSync(at("new"))
  const [from, to] = [env.ASSAY_SECRET_FILE, at("new-secret")].map(
    (file) => openSecrets(file, false).checkValue,
  )
  const mark = join(at("new"), "rekeying")
  writeFileSync(mark, `${to} ${from}\n`)
  const foreign = await rekey(at("dump"), at("list.txt"), "--yes")
  assert.equal(foreign.code, 1)
  assert.match(foreign.err, /from or to another master secret\n$/)

  writeFileSync(mark, `${from} ${to}\n`)
  writeFileSync(join(at("new"), "records.sqlite"), "half of it")
  const moved = { ASSAY_DATA: at("new"), ASSAY_SECRET_FILE: at("new-secret") }
  const served = await assay(["serve"], { ...moved, PORT: "0" })
  assert.equal(served.code, 1)
  assert.match(served.err, /new cannot be used\. .* run `npx assay corpus rekey` again\n$/)

  const { code, out, err } = await rekey(at("list.txt"), "--yes", "--without-missing")
  assert.equal(code, 0, err)
  assert.match(err, /^Batch 2 of dump, 80 rows: not all of its files are given$/m)
  assert.match(out, /^forum +1 +120 +120 +120 +120 +same$/m)
  assert.doesNotMatch(out, /dump/)
  const now = await heldIn(at("new"), at("new-secret"), ROWS)
  assert.equal(now.batches.length, 1)
  assert.match(await command(moved, "tenants", "list"), /shop/)
})

test("erased people do not come back unless somebody says so", async () => {
  rmSync(at("new"), { recursive: true })
  const erasing = ["subjects", "erase", "--reason", "subject_request"]
  const erased = await assay(erasing, env, `${emailAt(5)}\n`)
  assert.equal(erased.code, 0, erased.err)
  const { code, err } = await rekey(at("list.txt"), at("dump"), "--yes")
  assert.equal(code, 1)
  assert.match(err, /^assay: 1 erased identities are known under the old secret only: /)
  assert.equal(existsSync(at("new")), false)
  const same = await assay(
    ["corpus", "rekey", at("list.txt"), at("dump"), "--into", at("new"), "--yes"].concat([
      "--secret",
      env.ASSAY_SECRET_FILE,
      "--forget-erasures",
    ]),
    env,
  )
  assert.equal(same.code, 1)
  assert.match(same.err, /assay: --secret names the master secret that is in use\n$/)
  assert.equal(existsSync(at("new")), false)

  const rekeyed = await rekey(at("list.txt"), at("dump"), "--yes", "--forget-erasures")
  assert.equal(rekeyed.code, 0, rekeyed.err)
  const old = await heldIn(env.ASSAY_DATA, env.ASSAY_SECRET_FILE, ROWS)
  const now = await heldIn(at("new"), at("new-secret"), ROWS)
  assert.equal(old.entries.get(emailAt(5))?.length, 0)
  assert.equal(now.entries.get(emailAt(5))?.length, 2)
})
