import assert from "node:assert/strict"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import type { ImportPreview, ImportState, SourceList } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { DAY_MS } from "../../packages/runtime/src/time.ts"
import type { Decision } from "../../packages/stores/src/decisions.ts"
import { openPostgresDecisions } from "../../packages/stores/src/postgres/decisions.ts"
import { openSqliteDecisions } from "../../packages/stores/src/sqlite/decisions.ts"
import { newDecision } from "../../packages/stores/testing/decisions-suite.ts"
import { ofOneNode } from "./about-one-node.ts"
import { createKey } from "../cli/assay.ts"
import { combolist, emailAt, filesWithCanary } from "../cli/corpus.ts"
import { ended, halfSent, imports, isExposed as isKnown, sends } from "./half-sent.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { storesOf } from "./shared-stores.ts"
import { joins, printedToken, signsIn, type Visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const ROWS = 5_000
/** Lines of it that are no rows. */
const BROKEN = 5
const list = readFileSync(combolist(join(temporary, "list.txt"), ROWS))
const ADDRESS = "ada@people.example"

const isExposed = async (service: Service, n: number): Promise<boolean> =>
  await isKnown(service, emailAt(n))

async function sourceNames(as: Visitor): Promise<(string | undefined)[]> {
  const { body } = await as.send<SourceList>("GET", "/api/v1/sources")
  return body.sources.map(({ name }) => name)
}

/** Puts decisions of two tenants and several days into the store of a service that does not run. */
async function decideEarlier(dataDirectory: string): Promise<void> {
  const { subkeys } = openSecrets(join(dataDirectory, "secret"), false)
  const keyOf = (n: number): Uint8Array => {
    const email = parseEmail(emailAt(n))
    if ("fault" in email) throw new Error("not an address")
    return identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, email.canonical)
  }
  const about = (n: number, daysAgo: number, tenantId: number): Decision =>
    newDecision({ identityKey: keyOf(n), at: Date.now() - daysAgo * DAY_MS, tenantId })
  const { DATABASE_URL: url } = await storesOf(dataDirectory)
  const decisions =
    url === undefined
      ? openSqliteDecisions(join(dataDirectory, "decisions"))
      : await openPostgresDecisions({ url, poolMax: 1 })
  await decisions.add([
    ...[about(10, 29.9, 1), about(10, 3, 2), about(11, 2, 2)],
    // Too long ago, and not in the file.
    ...[about(12, 30.1, 1), about(ROWS, 1, 1)],
  ])
  await decisions.close()
}

/** What is said of the newest import once watched identities were looked for in all of it. */
async function comparedWithWatched(as: Visitor): Promise<ImportState["watched"]> {
  for (;;) {
    const { watched } = await ended(as)
    if (watched?.complete !== false) return watched
    await delay(100)
  }
}

test("an administrator looks at a file, uploads it and finds it in the next score; the same again changes nothing", async () => {
  await using service = await startService({ env: { ASSAY_LOG_LEVEL: "debug" } })
  const ada = await joins(service, printedToken(service), ADDRESS)

  const head = list.subarray(0, 100_000)
  const { status, body } = await sends(service, ada, "/api/v1/corpus/preview", head)
  assert.equal(status, 200, JSON.stringify(body))
  const preview = body as unknown as ImportPreview
  assert.match(preview.format, /":"$/)
  assert.equal(preview.rows.length, 10)
  for (const row of preview.rows) assert.match(row.identity ?? "", /^\w\*\*\*@\w\*\*\*\.\w+$/)
  assert.deepEqual([...new Set(preview.rows.map(({ secret }) => secret))], ["plaintext"])
  assert.doesNotMatch(JSON.stringify(preview), /zqxjkv/)
  assert.equal(await isExposed(service, 7), false)
  const owner = ["--tenant", "watcher", "--plan", "enterprise"]
  const watcher = await createKey(service, ...owner, "--scopes", "watchlist:write")
  const watched = await service.request("/api/v1/watchlist", {
    key: watcher,
    json: { emails: [emailAt(8), emailAt(9), emailAt(ROWS)] },
  })
  assert.equal(watched.status, 200)

  const path = "/api/v1/corpus/imports?source=uploaded&date=2026-01-05&title=Uploaded"
  const taken = await sends(service, ada, path, list)
  assert.equal(taken.status, 202, JSON.stringify(taken.body))
  const { state, report, detail, rejected, phases } = await ended(ada)
  assert.equal(state, "done", detail ?? "")
  assert.equal(rejected, BROKEN)
  const names = phases.map(({ phase }) => phase)
  assert.equal(names[0], "starting")
  for (const phase of ["reading", "sorting", "merging", "measuring", "counting"] as const)
    assert.ok(names.includes(phase), names.join(" "))
  assert.ok(phases.reduce((sum, { seconds }) => sum + seconds, 0) > 0)
  assert.deepEqual(
    [report?.changed, report?.rows, report?.identities, report?.rejected],
    [true, ROWS + BROKEN, ROWS, BROKEN],
  )
  // Of those decided about until then.
  assert.deepEqual(report?.decided, { identities: 1, days: 30 })
  // Two of the three who are watched.
  assert.deepEqual(await comparedWithWatched(ada), { identities: 2, complete: true })
  for (const n of [0, 7, ROWS - 1]) assert.equal(await isExposed(service, n), true)
  assert.equal(await isExposed(service, ROWS), false)

  // Packed it is another file; as it is, the same.
  const again = await sends(service, ada, path, list)
  assert.equal(again.status, 202)
  const second = await ended(ada)
  assert.deepEqual([second.state, second.report?.changed], ["done", false])
  assert.deepEqual(second.report?.decided, { identities: 3, days: 30 })
  const packed = await sends(service, ada, path, Buffer.from(gzipSync(list)))
  assert.equal(packed.status, 202, JSON.stringify(packed.body))
  const third = await ended(ada)
  assert.deepEqual([third.state, third.report?.known], ["done", ROWS], third.detail ?? "")

  const records = await openRecordsOf(service.dataDirectory)
  const audit = (await records.audit({ limit: 20 })).filter((e) => e.action === "corpus.import")
  await records.close()
  assert.equal(audit.length, 2)
  for (const { actor } of audit) assert.match(actor, /per_/)
  const metrics = await (await service.request("/metrics")).text()
  for (const line of [
    'assay_imports_total{outcome="done"} 3',
    'assay_imports_total{outcome="failed"} 0',
    'assay_imports_total{outcome="stopped"} 0',
    `assay_import_rows_total ${ROWS}`,
    // The same file again was not imported, and packed it was.
    `assay_import_rejected_rows_total ${2 * BROKEN}`,
    "assay_import_running 0",
  ])
    assert.ok(metrics.split("\n").includes(line), line)
  assert.match(metrics, /^assay_import_seconds_total (?!0$)\d/m)
  assert.match(metrics, /^assay_import_phase_seconds_total\{phase="reading"\} (?!0$)\d/m)
  assert.deepEqual(filesWithCanary(service.dataDirectory), [])
  assert.doesNotMatch(service.stderr(), /zqxjkv/)
})

test("an upload that breaks off imports nothing, holds up nobody, and can be sent again", async () => {
  await using service = await startService()
  const ada = await joins(service, printedToken(service), ADDRESS)
  const socket = await halfSent(service, ada, "broken", list)

  // One import at a time: the next is refused, and so is the command.
  const busy = await sends(service, ada, "/api/v1/corpus/imports?source=other", list)
  assert.deepEqual([busy.status, busy.body["code"]], [409, "import-running"])

  socket.destroy()
  const { state, detail } = await ended(ada)
  assert.equal(state, "failed")
  assert.match(detail ?? "", /ended after \d+ of \d+ bytes/)
  assert.equal(await isExposed(service, 1), false)
  assert.ok(!(await sourceNames(ada)).includes("broken"))

  // Stopped by hand.
  const held = await halfSent(service, ada, "stopped", list)
  const id = (await imports(ada)).imports[0]?.id ?? ""
  assert.equal((await ada.send("DELETE", `/api/v1/corpus/imports/${id}`)).status, 200)
  assert.equal((await ended(ada)).state, "stopped")
  held.destroy()
  assert.equal((await ada.send("DELETE", `/api/v1/corpus/imports/${id}`)).status, 404)
  assert.equal(await isExposed(service, 1), false)

  const metrics = await (await service.request("/metrics")).text()
  assert.match(metrics, /^assay_imports_total\{outcome="failed"\} 1$/m)
  assert.match(metrics, /^assay_imports_total\{outcome="stopped"\} 1$/m)
  assert.match(metrics, /^assay_import_rows_total 0$/m)

  const whole = await sends(service, ada, "/api/v1/corpus/imports?source=broken", list)
  assert.equal(whole.status, 202, JSON.stringify(whole.body))
  assert.equal((await ended(ada)).report?.identities, ROWS)
  assert.equal(await isExposed(service, 1), true)
  assert.deepEqual(filesWithCanary(service.dataDirectory), [])
})

test("a service killed during an upload has imported nothing when it is back, and takes the same file whole", async () => {
  const dataDirectory = join(temporary, "killed")
  const first = await startService({ dataDirectory })
  const ada = await joins(first, printedToken(first), ADDRESS)
  const socket = await halfSent(first, ada, "killed", list)
  await first.kill()
  socket.destroy()
  assert.deepEqual(filesWithCanary(dataDirectory), [])
  await decideEarlier(dataDirectory)
  await using second = await startService({ dataDirectory })
  const back = await signsIn(second, ADDRESS)
  // Listed as running for as long as its process may yet end otherwise.
  const interrupted = await ended(back)
  assert.deepEqual(
    [interrupted.source, interrupted.state, interrupted.detail],
    ["killed", "failed", "The service was stopped"],
  )
  assert.equal(interrupted.report, null)
  assert.ok(!(await sourceNames(back)).includes("killed"))
  assert.equal(await isExposed(second, 1), false)
  // The process of the import ends by itself when its service is gone.
  let whole = await sends(second, back, "/api/v1/corpus/imports?source=killed", list)
  for (let n = 0; n < 50 && whole.status === 409; n++) {
    await delay(500)
    whole = await sends(second, back, "/api/v1/corpus/imports?source=killed", list)
  }
  assert.equal(whole.status, 202, JSON.stringify(whole.body))
  const { state, report, detail } = await ended(back)
  assert.deepEqual([state, report?.changed, report?.identities], ["done", true, ROWS], detail ?? "")
  // The one of the test, and two of those that were decided about before.
  assert.deepEqual(report?.decided, { identities: 3, days: 30 })
  assert.equal((await imports(back)).imports.length, 2)
  assert.equal(await isExposed(second, ROWS - 1), true)
  assert.deepEqual(filesWithCanary(dataDirectory), [])
})

test("a file that needs seeking is refused as an upload, and taken from the folder by its name alone", async () => {
  const folder = join(temporary, "folder")
  mkdirSync(folder)
  writeFileSync(join(folder, "small.csv"), "email,password\nzqxjkv.one@mail.example,secret\n")
  writeFileSync(join(temporary, "outside.csv"), "email\nzqxjkv.two@mail.example\n")
  symlinkSync(join(temporary, "outside.csv"), join(folder, "link.csv"))
  await using service = await startService({ env: { ASSAY_IMPORT_FOLDER: folder } })
  const ada = await joins(service, printedToken(service), ADDRESS)
  const zip = Buffer.from(`PK\x03\x04${"x".repeat(600)}`, "latin1")
  const parquet = Buffer.from(`PAR1${"x".repeat(600)}`, "latin1")
  for (const file of [zip, parquet])
    for (const path of ["preview", "imports?source=seeking"]) {
      const { status, body } = await sends(service, ada, `/api/v1/corpus/${path}`, file)
      assert.deepEqual([status, body["code"]], [422, "import-needs-folder"], path)
    }
  const nothing = Buffer.from("\x00\x01\x02".repeat(500), "latin1")
  const refused = await sends(service, ada, "/api/v1/corpus/preview", nothing)
  assert.deepEqual([refused.status, refused.body["code"]], [422, "import-refused"])
  for (const query of ["", "?source=A", "?source=a&kind=x", "?source=a&date=2020-02-30"]) {
    const wrong = await sends(service, ada, `/api/v1/corpus/imports${query}`, list)
    assert.deepEqual([wrong.status, wrong.body["code"]], [400, "invalid-request"], query)
  }

  assert.deepEqual((await imports(ada)).folder, [{ name: "small.csv", bytes: 46 }])
  for (const file of ["link.csv", "../outside.csv", ".", "none.csv", join(folder, "small.csv")]) {
    const { status, body } = await ada.send("POST", "/api/v1/corpus/imports/file", {
      file,
      source: "foldered",
    })
    assert.deepEqual([status, body["code"]], [422, "import-refused"], file)
  }
  const begun = await ada.send("POST", "/api/v1/corpus/imports/file", {
    file: "small.csv",
    source: "foldered",
  })
  assert.equal(begun.status, 202, JSON.stringify(begun.body))
  const { state, from, report } = await ended(ada)
  assert.deepEqual([state, from, report?.rows], ["done", "folder", 1])

  // A folder that cannot be read is not an empty one.
  rmSync(folder, { recursive: true })
  const unread = await ada.send("GET", "/api/v1/corpus/imports")
  assert.deepEqual([unread.status, unread.body["code"]], [503, "store-unavailable"])
  assert.deepEqual(filesWithCanary(service.dataDirectory), [])
  assert.doesNotMatch(service.stderr(), /zqxjkv/)
})

const damaging = ofOneNode("it damages a file of decisions of a data directory")
test(
  "decisions that cannot be read leave an import done and nobody counted, which is no zero",
  { skip: damaging },
  async () => {
    await using service = await startService({ env: { ASSAY_DECISION_DAYS: "7" } })
    const ada = await joins(service, printedToken(service), ADDRESS)
    const path = "/api/v1/corpus/imports?source=uncounted"
    const small = Buffer.from(list.subarray(0, 2_000))
    const first = await sends(service, ada, path, small)
    assert.equal(first.status, 202, JSON.stringify(first.body))
    const none = await ended(ada)
    // As many days as are kept.
    assert.deepEqual([none.report?.decided, none.detail], [{ identities: 0, days: 7 }, null])

    const month = new Date().toISOString().slice(0, "YYYY-MM".length)
    const decisions = join(service.dataDirectory, "decisions")
    mkdirSync(decisions, { recursive: true })
    writeFileSync(join(decisions, `${month}.sqlite`), "not a database at all".repeat(100))
    const second = await sends(
      service,
      ada,
      `${path}&title=Again`,
      Buffer.from(list.subarray(0, 3_000)),
    )
    assert.equal(second.status, 202, JSON.stringify(second.body))
    const { state, report, detail } = await ended(ada)
    assert.deepEqual([state, report?.changed, report?.decided], ["done", true, null])
    assert.match(detail ?? "", /^Decisions could not be counted \(/)
    assert.doesNotMatch(detail ?? "", /zqxjkv/)
    const records = await openRecordsOf(service.dataDirectory)
    const audit = (await records.audit({ limit: 20 })).filter((e) => e.action === "corpus.import")
    await records.close()
    assert.equal(audit.length, 2)
  },
)
