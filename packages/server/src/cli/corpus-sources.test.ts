import assert from "node:assert/strict"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { after, before, test } from "node:test"
import { Explained } from "@assay/runtime/explained"
import {
  importTestSegment,
  sampledKey,
  type TestRow,
  testSource,
} from "@assay/corpus/testing/test-segments"
import { openSecrets } from "@assay/runtime/secrets"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import {
  listSources,
  removeSource,
  retitleSource,
  setSource,
  showSource,
} from "./corpus-sources.ts"
import type { CorrectionOptions } from "./source-correction.ts"
import type { Terminal } from "./terminal.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-sources-"))
after(() => rmSync(directory, { recursive: true, force: true }))
const data = join(directory, "data")
const segments = join(data, "segments")
const importedAt = Date.UTC(2026, 10, 1)

const people = (from: number, to: number): TestRow[] =>
  Array.from({ length: to - from }, (_, i) => ({
    key: sampledKey(from + i),
    fingerprint: i + from,
  }))

async function onIndex<T>(work: (index: ExposureIndex) => Promise<T>): Promise<T> {
  const index = await openLmdbIndex({ path: join(data, "index") })
  return await work(index).finally(() => index.close())
}

interface Printed {
  readonly out: string
  readonly notes: string
  /** Why the command failed; null when it succeeded. */
  readonly refused: string | null
}

async function printed(command: (terminal: Terminal) => Promise<void>): Promise<Printed> {
  const lines: string[] = []
  const notes: string[] = []
  const terminal: Terminal = {
    env: { ASSAY_DATA: data },
    user: "ada",
    now: Date.now,
    print: (line) => void lines.push(`${line}\n`),
    note: (line) => void notes.push(`${line}\n`),
  }
  const refused = await command(terminal).then(
    () => null,
    (error: unknown) => {
      assert.ok(error instanceof Explained)
      return error.message
    },
  )
  return { out: lines.join(""), notes: notes.join(""), refused }
}

const list = () => printed((terminal) => listSources(terminal))
const show = (name: string) => printed((terminal) => showSource(name, terminal))
const retitle = (name: string, title: string) =>
  printed((terminal) => retitleSource(name, title, terminal))
const set = (name: string, options: CorrectionOptions) =>
  printed((terminal) => setSource(name, options, terminal))
const remove = (name: string, yes = false) =>
  printed((terminal) => removeSource(name, { yes }, terminal))

before(async () => {
  const { checkValue } = openSecrets(join(data, "secret"), true)
  await onIndex(async (index) => {
    await index.checkKeyCheckValue(checkValue)
    const forum = { ...testSource, eventDate: "2019-05-01", classes: ["phone" as const] }
    const bigList = {
      ...testSource,
      name: "big-list",
      title: "A list",
      kind: "combolist" as const,
      confidence: 0.5,
      eventDate: "2023-02-01",
    }
    for (const { description, rows } of [
      { description: forum, rows: people(0, 100) },
      { description: bigList, rows: people(0, 60) },
      { description: bigList, rows: people(60, 90) },
    ]) {
      const fingerprint = `${description.name} ${rows.length}`
      await importTestSegment(index, segments, { description, rows, fingerprint, at: importedAt })
    }
  })
})

test("sources are listed by name, and shown with dates, batches and segments", async () => {
  const listed = await list()
  assert.equal(listed.refused, null)
  const [head, ...lines] = listed.out.trimEnd().split("\n")
  assert.equal(
    head?.replaceAll(/ +/g, " "),
    "SOURCE KIND EVENT IMPORTED ROWS IDENTITIES CONFIDENCE CIRCULATES FLAGS STATE TITLE",
  )
  assert.deepEqual(
    lines.map((line) => line.replaceAll(/ +/g, " ")),
    [
      "big-list combolist 2023-02-01 2026-11-01 90 90 0.5 no verified live A list",
      "forum breach 2019-05-01 2026-11-01 100 100 0.9 no verified live Forum",
    ],
  )
  const { out } = await show("big-list")
  assert.match(out, /^Source big-list, number 2\n\nFACT +VALUE\ntitle +A list\n/)
  assert.match(out, /\nevent date +2023-02-01\npublished date +not known\n/)
  assert.match(out, /\ncirculation +origin, not measured\n/)
  assert.match(
    out,
    /\nBATCH +STATE +ROWS +IDENTITIES +LIVE SINCE +IMPORTED BY +SEGMENT +BYTES +SHA-256\n/,
  )
  assert.match(
    out,
    /\n2 +live +60 +60 +2026-11-01 +ada +2\.parquet +\d+ +[0-9a-f]{64}\n3 +live +30 /,
  )
  const unknown = await show("none")
  assert.deepEqual(unknown, { out: "", notes: "", refused: "There is no source of this name" })
})

test("a title changes and the name stays", async () => {
  const done = await retitle("forum", "The forum of 2019")
  assert.deepEqual(done, {
    out: "title: Forum → The forum of 2019\n",
    notes: "The next score rests on this.\n",
    refused: null,
  })
  assert.equal((await retitle("forum", "The forum of 2019")).out, "Nothing changed.\n")
  for (const title of ["", "a\u001b[2J", "x".repeat(101)]) {
    const { refused } = await retitle("forum", title)
    assert.equal(refused, "The title takes 1 to 100 printable characters")
  }
})

test("a correction measures anew which source circulates which, and its figures are shown", async () => {
  const done = await set("forum", { confidence: "0.8", classes: "dob,phone", as: "measured" })
  assert.equal(done.refused, null)
  assert.equal(
    done.out,
    [
      "confidence: 0.9 → 0.8",
      "data classes: phone → phone dob",
      "circulation: origin, not measured → origin, measured",
      "big-list circulates older sources now.",
      "",
    ].join("\n"),
  )
  const { out } = await show("big-list")
  assert.match(out, /\ncirculation +circulates older sources, measured\n/)
  assert.match(
    out,
    /\nknown identities +90 of 90 in the sample, 100\.0 %; circulation from 80 % on\nknown pairs +90 of 90 in the sample, 100\.0 %; circulation from 60 % on\n/,
  )
  const turned = await set("forum", { eventDate: "2024-01-01" })
  assert.equal(
    turned.out,
    "event date: 2019-05-01 → 2024-01-01\ncirculation: origin, measured → circulates older sources, measured\nbig-list counts as an origin now.\n",
  )
  assert.equal((await set("forum", { eventDate: "2019-05-01" })).refused, null)
})

test("an operator decides over what is measured, until it is given back", async () => {
  const origin = await set("big-list", { as: "origin" })
  assert.equal(
    origin.out,
    "circulation: circulates older sources, measured → origin, decided by an operator\n",
  )
  assert.equal((await set("forum", { flags: "verified,sensitive" })).refused, null)
  const { out } = await show("big-list")
  assert.match(out, /\ncirculation +origin, decided by an operator\nfirst/)
  assert.match(out, /\nknown identities +90 of 90 /)
  const back = await set("big-list", { as: "measured" })
  assert.equal(
    back.out,
    "circulation: origin, decided by an operator → circulates older sources, measured\n",
  )
})

test("a correction that says nothing usable changes nothing", async () => {
  const before = (await show("forum")).out
  const days = "takes a day from 1990-01-01 to tomorrow, or none"
  for (const [options, reason] of [
    [{}, "Nothing is named to change"],
    [{ confidence: "0" }, "--confidence takes a number above 0, at most 1"],
    [{ confidence: "1.1" }, "--confidence takes a number above 0, at most 1"],
    [{ confidence: "high" }, "--confidence takes a number above 0, at most 1"],
    [{ eventDate: "2023-02-31" }, `--event-date ${days}`],
    [{ eventDate: "1989-12-31" }, `--event-date ${days}`],
    [{ publishedDate: "" }, `--published-date ${days}`],
    [{ acquiredDate: "2999-01-01" }, `--acquired-date ${days}`],
    [
      { classes: "phone,shoes" },
      "--classes takes some of phone, dob, address, gov_id, security_qa, ip_geo, device, payment, session, separated by commas, or none",
    ],
    [
      { flags: "spam" },
      "--flags takes some of spam-list, fabricated, sensitive, verified, stealer-log, separated by commas, or none",
    ],
    [{ as: "copy" }, "--as takes origin, circulation or measured"],
  ] as const) {
    assert.deepEqual(await set("forum", options), { out: "", notes: "", refused: reason })
  }
  assert.equal((await show("forum")).out, before)
})

test("removing asks first, then takes all batches, the segments and the circulation of others with it", async () => {
  const asked = await remove("big-list")
  assert.deepEqual(asked, {
    out: "",
    notes: "",
    refused:
      "big-list has 2 batches, 90 rows about up to 90 identities. Removing it cannot be undone; with --yes it is done",
  })
  assert.ok(existsSync(join(segments, "2.parquet")))
  // Left by a command that was killed between removing a source and deleting its segments.
  await onIndex(async (index) => {
    const description = { ...testSource, name: "killed", eventDate: "2024-01-01" }
    await importTestSegment(index, segments, { description, rows: people(0, 10) })
    await index.removeSource(3, Date.now() + 1000)
  })
  assert.ok(existsSync(join(segments, "4.parquet")))

  const removed = await remove("forum", true)
  assert.deepEqual(removed, {
    out: "forum is removed: 1 batch, 100 rows about 100 identities. The next score goes without it.\nbig-list counts as an origin now.\n",
    notes: "",
    refused: null,
  })
  assert.deepEqual(
    ["1", "2", "3", "4"].map((file) => existsSync(join(segments, `${file}.parquet`))),
    [false, true, true, false],
  )
  assert.equal((await show("forum")).refused, "There is no source of this name")
  assert.doesNotMatch((await list()).out, /forum/)
  const { entries } = await onIndex((index) => index.lookup(sampledKey(95), null))
  assert.deepEqual(entries, [])
})

test("a segment that cannot be read stops a correction that it bears on, and no other and no removal", async () => {
  await onIndex(async (index) => {
    const description = { ...testSource, name: "small" }
    await importTestSegment(index, segments, { description, rows: people(0, 10) })
  })
  writeFileSync(join(segments, "2.parquet"), "damaged")
  assert.equal((await set("small", { flags: "sensitive", as: "circulation" })).refused, null)
  const { out, refused } = await set("small", { eventDate: "2020-01-01" })
  assert.equal(out, "")
  assert.match(refused ?? "", /^A segment cannot be read, so it is not known which sources/)
  assert.match((await show("small")).out, /\nevent date +not known\n/)
  const removed = await remove("small", true)
  assert.match(removed.out, /^small is removed: /)
  assert.match(removed.refused ?? "", /^A segment cannot be read/)
  const last = await remove("big-list", true)
  assert.equal(last.refused, null)
  assert.equal((await list()).out, "There are no sources.\n")
})

test("every change is in the audit trail, with who made it", () => {
  const records = new DatabaseSync(join(data, "records.sqlite"), { readOnly: true })
  const entries = records
    .prepare(
      "SELECT actor, action, subject, detail FROM audit WHERE action LIKE 'source.%' ORDER BY id",
    )
    .all() as { actor: string; action: string; subject: string; detail: string }[]
  records.close()
  const noted = entries.map(({ action, subject, detail }) => [
    action,
    subject,
    JSON.parse(detail) as unknown,
  ])
  assert.ok(entries.every(({ actor }) => actor === "ada"))
  assert.deepEqual(noted.at(0), [
    "source.retitle",
    "source:1",
    { name: "forum", title: "The forum of 2019" },
  ])
  assert.ok(
    noted.some(([, subject, detail]) => {
      const { as } = detail as { as?: string }
      return subject === "source:2" && as === "origin"
    }),
  )
  assert.deepEqual(
    noted.filter(([action]) => action === "source.remove"),
    [
      ["source.remove", "source:1", { name: "forum", rows: 100, identities: 100 }],
      ["source.remove", "source:4", { name: "small", rows: 10, identities: 10 }],
      ["source.remove", "source:2", { name: "big-list", rows: 90, identities: 90 }],
    ],
  )
})
