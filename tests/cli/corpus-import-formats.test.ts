import assert from "node:assert/strict"
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { after, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createGzip, gzipSync } from "node:zlib"
import { testZip } from "../../packages/corpus/testing/inputs/test-zip.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { dayOf, HOUR_MS } from "../../packages/runtime/src/time.ts"
import { assay } from "./assay.ts"
import { emailAt, filesWithCanary, heldIn, startImport } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })
const soak = process.env["ASSAY_SOAK"] !== undefined

test("a folder of packed and plain files is one batch, described by an entry of a breach catalogue", async () => {
  const env = { ASSAY_DATA: join(directory, "data"), ASSAY_SECRET_FILE: secretFile }
  const folder = mkdtempSync(join(directory, "folder-"))
  writeFileSync(
    join(folder, "users.csv.gz"),
    gzipSync("id,email,password_hash\n1,ana@mail.example,5f4dcc3b5aa765d61d8327deb882cf99\n2,,x\n"),
  )
  writeFileSync(join(folder, "more.ndjson"), '{"email":"bob@mail.example","password":"zqxjkv"}\n')
  const entry = join(directory, "entry.json")
  writeFileSync(
    entry,
    JSON.stringify({
      Name: "Forum",
      Title: "A forum",
      BreachDate: "2019-03-04",
      DataClasses: ["Dates of birth"],
      IsVerified: true,
      IsSensitive: true,
    }),
  )
  const args = ["corpus", "import", folder, "--source", "forum", "--source-file", entry]
  const { code, out, err } = await assay(args, env)
  assert.equal(code, 0, err)
  assert.match(out, /^rows read +3$/m)
  assert.match(out, /^imported +2$/m)
  assert.match(out, /^rejected +1$/m)
  assert.match(err, /^\d {2}\S*users\.csv\S*: table, separated by ","/m)
  assert.match(err, /^\d {2}\S*more\.ndjson: lines of JSON/m)
  assert.match(err, /^Source forum: breach, dated 2019-03-04, confidence 0\.95$/m)
  const index = await openLmdbIndex({ path: join(env.ASSAY_DATA, "index"), readOnly: true })
  const source = [...(await index.catalogue()).sources.values()].find(
    ({ name }) => name === "forum",
  )
  await index.close()
  assert.deepEqual(
    [source?.title, source?.eventDate, source?.classes, source?.flags.sensitive],
    ["A forum", "2019-03-04", ["dob"], true],
  )
  assert.deepEqual(filesWithCanary(env.ASSAY_DATA), [])
})

test("each file of an archive has its own kind and date, the mailbox's own domain included", async () => {
  const env = { ASSAY_DATA: join(directory, "kinds"), ASSAY_SECRET_FILE: secretFile }
  const archive = join(directory, "mixed.zip")
  const pairs = Array.from({ length: 20 }, (_, n) => `${emailAt(n + 1)}:zqxjkv-${n}\n`).join("")
  const login = `URL: https://vpn.${emailAt(0).split("@")[1]}/\nUsername: ${emailAt(0)}\nPassword: zqxjkv\n`
  writeFileSync(
    archive,
    testZip([
      { name: "DE_1/Passwords.txt", bytes: login },
      { name: "DE_1/System.txt", bytes: "- HWID: 20200101\n- Local Time: 2023/5/22 10:11:12\n" },
      { name: "combo.txt", bytes: pairs },
      {
        name: "users.csv",
        bytes: `email,hash,date\n${emailAt(21)},${"5f".repeat(16)},2020-01-02\n`,
      },
    ]),
  )
  utimesSync(archive, new Date("2024-02-03"), new Date("2024-02-03"))
  const args = ["corpus", "import", archive, "--source", "mixed"]
  const { code, out, err } = await assay(args, env)
  assert.equal(code, 0, err)
  for (const line of [
    /^of kind combolist +20$/m,
    /^of kind stealer +1$/m,
    /^of kind breach +1$/m,
    /^dated by the file's own date +20$/m,
    /^dated by the stealer's log +1$/m,
    /^dated by the row itself +1$/m,
  ]) {
    assert.match(out, line)
  }
  assert.match(err, /Passwords\.txt: .*; stealer, dated 2023-05-22 by the stealer's log$/m)
  assert.match(err, /combo\.txt: .*; combolist, dated 2024-02-03 by the file's own date$/m)
  assert.match(err, /^Source mixed: breach and combolist and stealer, dated by each file/m)
  const { entries } = await heldIn(env.ASSAY_DATA, secretFile, 22)
  const held = [...entries.values()].map(([entry]) => [
    entry?.kind,
    dayOf((entry?.hours ?? 0) * HOUR_MS),
  ])
  assert.deepEqual(held, [
    ["stealer", "2023-05-22"],
    ...Array.from({ length: 20 }, () => ["combolist", "2024-02-03"]),
    ["breach", "2020-01-02"],
  ])
  assert.deepEqual(filesWithCanary(env.ASSAY_DATA), [])

  const said = await assay([...args, "--kind", "paste", "--date", "2022-02-02"], env)
  assert.match(said.out, /^of kind paste +22$/m)
  assert.match(said.out, /^dated by the source +21$/m)
})

test("the same file of hashes under a second name is the same data and counts as circulation", async () => {
  const env = { ASSAY_DATA: join(directory, "same"), ASSAY_SECRET_FILE: secretFile }
  const table = join(directory, "hashes.csv")
  const row = (n: number): string => `${emailAt(n)},5f4dcc3b5aa765d61d8327deb882cf99\n`
  writeFileSync(table, `email,password_hash\n${row(0)}${row(1)}`)
  const add = (source: string, ...more: string[]) =>
    assay(["corpus", "import", table, "--source", source, ...more], env)
  const first = await add("shop")
  assert.equal(first.code, 0, first.err)
  assert.doesNotMatch(first.out, /circulation/)
  const second = await add("forum", "--kind", "paste")
  const line = "This is the same data as shop: it counts as circulation, not as another origin."
  assert.ok(second.out.includes(line), second.out)
  const listed = await assay(["corpus", "sources"], env)
  assert.match(listed.out, /^shop .* no .*live/m)
  assert.match(listed.out, /^forum .* yes .*live/m)
})

const LARGE_BYTES = 2e9
const SPILLED_BYTES = 4e8
/** So many of the rows are looked up afterwards. */
const HELD_ROWS = 100_000

test(
  "2 GB of gzip in 256 MB of memory: the sorter spills, no canary is in any file, running or killed, and the same again imports every row",
  { skip: soak ? false : "only in a soak" },
  async (context) => {
    const data = join(directory, "large")
    const list = join(directory, "large.txt.gz")
    let rows = 0
    const counted = function* (): Generator<string> {
      rows = yield* largeList()
    }
    await pipeline(Readable.from(counted()), createGzip({ level: 1 }), createWriteStream(list))
    const args = [list, "--source", "s", "--memory", "256"]
    const env = { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile }
    const running = startImport(args, env)
    // Past its memory the sorter has most of its rows on the disk.
    while (running.running() && bytesIn(join(data, "import")) < SPILLED_BYTES) {
      if (existsSync(data)) assert.deepEqual(filesWithCanary(data), [])
      await delay(1000)
    }
    assert.ok(running.running(), running.output())
    process.kill(-running.pid, "SIGKILL")
    await running.ended
    assert.deepEqual(filesWithCanary(data), [])
    assert.doesNotMatch(running.output(), /zqxjkv/)

    const again = startImport(args, env)
    assert.equal(await again.ended, 0, again.output())
    const count = rows.toLocaleString("en")
    assert.match(again.output(), new RegExp(`^imported +${count}$`, "m"))
    assert.match(again.output(), new RegExp(`^identities +${count}$`, "m"))
    assert.deepEqual(readdirSync(join(data, "import")), [])
    assert.deepEqual(filesWithCanary(data), [])
    const { entries, batches } = await heldIn(data, secretFile, HELD_ROWS)
    assert.deepEqual(
      batches.map((batch) => [batch.state, batch.rows]),
      [["live", rows]],
    )
    assert.equal(entries.size, HELD_ROWS)
    for (const [email, held] of entries) assert.equal(held.length, 1, email)
    context.diagnostic(`${count} rows, ${again.output().trimEnd().split("\n").at(-1) ?? ""}`)
  },
)

/** Returns how many rows it has. */
function* largeList(): Generator<string, number> {
  let bytes = 0
  let n = 0
  while (bytes < LARGE_BYTES) {
    const lines = Array.from({ length: 1000 }, () => `${emailAt(n)}:zqxjkv-${n++}\n`).join("")
    bytes += lines.length
    yield lines
  }
  return n
}

function bytesIn(path: string): number {
  if (!existsSync(path)) return 0
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0,
    )
    .reduce((sum, size) => sum + size, 0)
}
