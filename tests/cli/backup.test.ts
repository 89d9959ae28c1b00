import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { bring, days, newReply } from "../../packages/drop/testing/store/drops-suite.ts"
import { openSqliteDrops } from "../../packages/drop/src/store/sqlite-drops.ts"
import { type Service, startService } from "../http/service.ts"
import { temporaryDirectory } from "../http/temporary.ts"
import { assay } from "./assay.ts"
import { combolist, emailAt, filesWithCanary } from "./corpus.ts"

const directory = temporaryDirectory()
const secretFile = join(directory, "secret")
const SECRET = "c3".repeat(32)
writeFileSync(secretFile, SECRET, { mode: 0o600 })
const backup = join(directory, "backup")

const tombstones = join(directory, "tombstones")

function envOf(
  name: string,
): Record<"ASSAY_DATA" | "ASSAY_SECRET_FILE" | "ASSAY_TOMBSTONES", string> {
  return {
    ASSAY_DATA: join(directory, name),
    ASSAY_SECRET_FILE: secretFile,
    ASSAY_TOMBSTONES: tombstones,
  }
}
const original = envOf("original")
const restored = envOf("restored")

const EXPOSED = emailAt(1)
const REPORTED = emailAt(2)
const OBSERVED = "zqxjkv.observed@mail.example"
const ERASED = emailAt(3)
/** So that what is sent is spread over the whole time a backup takes. */
const REPORT_PAUSE_MS = 50
const SCORED = [EXPOSED, REPORTED, OBSERVED, ERASED]

async function command(env: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, out, err } = await assay(args, env)
  assert.equal(code, 0, err)
  return out.trim()
}

interface Answer {
  readonly body: Record<string, unknown>
  readonly decision: string
}

async function score(service: Service, key: string, email: string): Promise<Answer> {
  const response = await service.request("/api/v1/risk/score", {
    key,
    json: { email },
    headers: { connection: "close" },
  })
  assert.equal(response.status, 200)
  const body = (await response.json()) as Record<string, unknown>
  return { body, decision: response.headers.get("x-decision-id") ?? "" }
}

async function report(service: Service, key: string, email: string): Promise<string> {
  const json = { email, outcome: "fraud_confirmed" }
  const response = await service.request("/api/v1/feedback", { key, json })
  assert.equal(response.status, 202)
  return ((await response.json()) as { id: string }).id
}

async function undo(service: Service, key: string, id: string): Promise<number> {
  return (await service.request(`/api/v1/feedback/${id}`, { method: "DELETE", key })).status
}

async function decisionStatus(service: Service, key: string, id: string): Promise<number> {
  return (await service.request(`/api/v1/decisions/${id}`, { key })).status
}

function serve({ ASSAY_DATA, ...env }: ReturnType<typeof envOf>): Promise<Service> {
  return startService({
    dataDirectory: ASSAY_DATA,
    env,
    args: ["--workers", "2"],
  })
}

/** What the drop of the original holds: in bytes that occur nowhere else. */
const sealed = randomBytes(70_000)
const dropKey = `age1${randomBytes(29).toString("hex")}`

async function fillDrop(folder: string): Promise<void> {
  const drops = await openSqliteDrops(folder)
  await bring(drops, sealed)
  await drops.postReply(newReply({ sealed }), days)
  await drops.close()
  writeFileSync(join(folder, "keys.txt"), `${dropKey}\n`)
}

test("a backup made under load, restored elsewhere with the same secret, answers as the service did", async () => {
  const list = combolist(join(directory, "list.txt"), 200)
  await command(original, "corpus", "import", list, "--source", "forum", "--date", "2024-05-01")
  await fillDrop(join(original.ASSAY_DATA, "drop"))
  const first = await serve(original)
  const createKey = (...args: string[]): Promise<string> =>
    command(original, "keys", "create", ...args)
  const key = await createKey("--tenant", "shop", "--plan", "enterprise", "--scopes", "all")
  const revoked = await createKey("--tenant", "shop", "--label", "old")
  const listed = await command(original, "keys", "list")
  const old = /^(key_\w+).*old/m.exec(listed)?.[1] ?? ""
  await command(original, "keys", "revoke", old)
  await command(original, "tenants", "set", "shop", "prior_abuse=0.05")
  writeFileSync(join(directory, "denied.txt"), "denied.example\n")
  const deny = ["--category", "deny", "--name", "ours"]
  await command(original, "lists", "import", join(directory, "denied.txt"), ...deny)

  const reportId = await report(first, key, REPORTED)
  const taken = await report(first, key, EXPOSED)
  assert.equal(await undo(first, key, taken), 204)
  const observed_at = new Date(Date.now() - 864_000_000).toISOString()
  const line = { email: OBSERVED, kind: "breach", source: "soc", observed_at }
  const sent = await first.request("/api/v1/evidence", { key, json: [line] })
  assert.equal(sent.status, 200)
  const lost = (await score(first, key, ERASED)).decision
  const erasing = ["subjects", "erase", "--reason", "subject_request"]
  assert.equal((await assay(erasing, original, `${ERASED}\n`)).code, 0)

  const before = new Map<string, Answer>()
  for (const email of SCORED) before.set(email, await score(first, key, email))
  const sources = await command(original, "corpus", "sources")

  // Reports and questions go on while the backup is made, about people nothing else is known of.
  const reports = new Map<string, string>()
  const state = { done: false }
  const made = assay(["backup", backup], original).finally(() => (state.done = true))
  for (let n = 0; !state.done; n++) {
    const email = `zqxjkv.meanwhile${n}@mail.example`
    reports.set(email, await report(first, key, email))
    const asked = await score(first, key, `zqxjkv.asked${n}@mail.example`)
    assert.match(asked.decision, /^dec_/)
    await delay(REPORT_PAUSE_MS)
  }
  const { code, out, err } = await made
  assert.equal(code, 0, err)
  assert.match(out, /^\d+ files, [\d,]+ bytes in .*\nIt does not hold the master secret: /)
  const reported = await score(first, key, [...reports.keys()][0] ?? "")
  await first.kill()

  const put = await assay(["restore", backup], restored)
  assert.equal(put.code, 0, put.err)
  assert.match(put.out, /^\d+ files, [\d,]+ bytes, of \d{4}-.*Z, restored to .*restored\nErased /)
  assert.equal(await command(restored, "corpus", "sources"), sources)
  assert.match(await command(restored, "corpus", "verify"), /^ok /m)
  assert.match(await command(restored, "tenants", "show", "shop"), /prior_abuse +0\.05/)
  assert.match(await command(restored, "lists", "check", "denied.example"), /deny/)
  for (const email of [EXPOSED, REPORTED, OBSERVED]) {
    const decision = before.get(email)?.decision ?? ""
    assert.match(await command(restored, "decisions", "replay", decision), /^same: /)
  }

  await using second = await serve(restored)
  assert.equal((await second.request("/api/v1/sources", { key: revoked })).status, 401)
  for (const email of SCORED) {
    assert.deepEqual((await score(second, key, email)).body, before.get(email)?.body, email)
  }
  assert.equal(before.get(ERASED)?.body["exposed"], false)
  assert.equal(await decisionStatus(second, key, lost), 410)
  assert.equal(await decisionStatus(second, key, before.get(EXPOSED)?.decision ?? ""), 200)

  // A report too late for the backup left no trace; any other acts, and can be taken back.
  const isReported = ({ body }: Answer): boolean => /fraud/i.test(String(body["risk_reasons"]))
  assert.equal(isReported(reported), true)
  for (const [email, id] of reports) {
    const acts = isReported(await score(second, key, email))
    assert.equal(await undo(second, key, id), acts ? 204 : 404)
    assert.equal(isReported(await score(second, key, email)), false)
  }
  assert.equal(await undo(second, key, reportId), 204)
  assert.notDeepEqual((await score(second, key, REPORTED)).body, before.get(REPORTED)?.body)
})

/** What an export says of a person, with or without a service on the directory. */
async function heldOf(env: Record<string, string>, email: string) {
  const args = ["subjects", "export", "--reason", "subject_request"]
  const { code, out, err } = await assay(args, env, `${email}\n`)
  assert.equal(code, 0, err)
  return JSON.parse(out) as Record<"evidence" | "decisions", unknown[]> & {
    erased_at: string | null
  }
}

test("who was erased after a backup stays erased when it is restored, and without tombstones none is restored", async () => {
  const erasing = ["subjects", "erase", "--reason", "subject_request"]
  const erased = await assay(erasing, original, `${EXPOSED}\n`)
  assert.equal(erased.code, 0, erased.err)
  assert.match(erased.err, /restoring one erases it again, by the tombstones .*ASSAY_TOMBSTONES/)
  assert.equal(statSync(tombstones).mode & 0o777, 0o600)
  const kept = readFileSync(tombstones, "utf8")
  assert.match(kept, /^assay tombstones 1 \S+\n(?:[0-9a-f]{32} \S+Z\n){2}$/)
  assert.doesNotMatch(kept, /zqxjkv/)

  const elsewhere = envOf("elsewhere")
  const lacking = { ...elsewhere, ASSAY_TOMBSTONES: join(directory, "no-tombstones") }
  const refused = await assay(["restore", backup], lacking)
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /no tombstones in .*no-tombstones: whoever was erased after .* would be back/,
  )
  assert.equal(existsSync(elsewhere.ASSAY_DATA), false)

  await command(elsewhere, "restore", backup)
  const gone = await heldOf(elsewhere, EXPOSED)
  assert.notEqual(gone.erased_at, null)
  assert.deepEqual([gone.evidence, gone.decisions], [[], []])
  assert.equal((await heldOf(elsewhere, REPORTED)).evidence.length > 0, true)

  // Restored without the file the person is there again, until a service starts that has it.
  const without = { ...lacking, ASSAY_DATA: join(directory, "without") }
  const said = await command(without, "restore", backup, "--without-tombstones")
  assert.match(said, /Nobody was erased again: repeat every erasure/)
  const back = await heldOf(without, EXPOSED)
  assert.equal(back.erased_at, null)
  assert.equal(back.evidence.length > 0 && back.decisions.length > 0, true)
  const again = { ...without, ASSAY_TOMBSTONES: tombstones }
  await using service = await serve(again)
  const after = await heldOf(again, EXPOSED)
  assert.notEqual(after.erased_at, null)
  assert.deepEqual([after.evidence, after.decisions], [[], []])
  await service.stop()
})

test("T35: a backup holds nothing of the drop, so a restore brings no message back", () => {
  assert.ok(existsSync(join(original.ASSAY_DATA, "drop", "drops.sqlite")))
  const files = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  for (const folder of [backup, restored.ASSAY_DATA]) {
    assert.ok(!existsSync(join(folder, "drop")))
    for (const file of files(folder)) {
      assert.doesNotMatch(file.slice(folder.length), /drop|reserve|keys\.txt/)
      const bytes = readFileSync(file)
      for (const canary of [sealed.subarray(100, 140), sealed.subarray(60_000, 60_040), dropKey])
        assert.ok(!bytes.includes(canary), file)
    }
  }
})

test("a backup is for its owner's eyes, and holds no secret, no address, no lock and no journal", () => {
  assert.deepEqual(filesWithCanary(backup), [])
  const entries = readdirSync(backup, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    assert.equal(statSync(path).mode & 0o077, 0, entry.name)
    if (!entry.isFile()) continue
    const bytes = readFileSync(path)
    assert.equal(bytes.includes(SECRET), false)
    assert.equal(bytes.includes(Buffer.from(SECRET, "hex")), false)
  }
  const parts = [
    "decisions.ndjson",
    "index",
    "lists",
    "manifest.json",
    "records.ndjson",
    "segments",
  ]
  assert.deepEqual(readdirSync(backup).sort(), parts)
  assert.deepEqual(readdirSync(join(backup, "index")), ["data.mdb"])
})

test("a backup that is damaged or of another secret is refused before anything is written", async () => {
  const env = envOf("refused")
  const refusal = async (folder: string, secret: string): Promise<string> => {
    const { code, out, err } = await assay(["restore", folder], {
      ...env,
      ASSAY_SECRET_FILE: secret,
    })
    assert.deepEqual([code, out], [1, ""])
    assert.equal(existsSync(env.ASSAY_DATA), false)
    return err
  }
  const other = join(directory, "other-secret")
  writeFileSync(other, "0f".repeat(32), { mode: 0o600 })
  assert.match(
    await refusal(backup, other),
    /assay: The backup was made with another master secret; put that one in place\n$/,
  )
  const damaged = join(directory, "damaged")
  cpSync(backup, damaged, { recursive: true })
  appendFileSync(join(damaged, "records.ndjson"), "{}\n")
  assert.match(
    await refusal(damaged, secretFile),
    /assay: The backup is damaged: records\.ndjson is not what was written\n$/,
  )
})

test("a restore overwrites nothing, and neither does a backup", async () => {
  const full = await assay(["restore", backup], original)
  assert.equal(full.code, 1)
  assert.match(full.err, /is not empty; a restore never overwrites\. Name another directory/)
  const again = await assay(["backup", backup], original)
  assert.equal(again.code, 1)
  assert.match(again.err, /is not empty; a backup takes a folder of its own\n$/)
})

test("over a restore that was killed nothing starts, and the same command again completes it", async () => {
  const env = { ASSAY_DATA: join(directory, "killed"), ASSAY_TOMBSTONES: tombstones }
  mkdirSync(join(env.ASSAY_DATA, "index"), { recursive: true })
  // Left by a restore that got as far as half of the index; the secret lies in the directory too.
  writeFileSync(join(env.ASSAY_DATA, "secret"), SECRET, { mode: 0o600 })
  writeFileSync(join(env.ASSAY_DATA, "index", "data.mdb"), "half of it")
  writeFileSync(join(env.ASSAY_DATA, "restoring"), "")
  for (const args of [["serve"], ["corpus", "import", secretFile, "--source", "s"]]) {
    const { code, err } = await assay(args, { ...env, PORT: "0" })
    assert.equal(code, 1)
    assert.match(err, /A backup was being restored into it .* run `npx assay restore` again\n$/)
  }
  const { code, err } = await assay(["restore", backup], env)
  assert.equal(code, 0, err)
  assert.match(await command(env, "corpus", "verify"), /^ok /m)
  assert.equal(existsSync(join(env.ASSAY_DATA, "restoring")), false)
  assert.equal(readFileSync(join(env.ASSAY_DATA, "secret"), "utf8"), SECRET)
})

test("a backup names what it cannot hold instead of leaving it out", async () => {
  const folder = join(directory, "none")
  const cluster = { ...original, ASSAY_INDEX_URL: "redis://127.0.0.1:1" }
  const { code, err } = await assay(["backup", folder], cluster)
  assert.equal(code, 1)
  assert.match(err, /^assay: The index is in a cluster, of which a backup would hold nothing\. /)
  const never = await assay(["backup", folder], envOf("never"))
  assert.equal(never.code, 1)
  assert.match(never.err, /No service was ever started on /)

  const away = join(directory, "away")
  renameSync(join(original.ASSAY_DATA, "segments"), away)
  const lacking = await assay(["backup", folder], original)
  assert.equal(lacking.code, 1)
  assert.match(lacking.err, /A segment of a live batch is missing/)
  assert.equal(existsSync(join(folder, "manifest.json")), false)
})
