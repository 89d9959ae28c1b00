import assert from "node:assert/strict"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { lockImports, openDataDirectory } from "../../packages/runtime/src/data-directory.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { assay } from "./assay.ts"
import { combolist, filesWithCanary, heldIn, startImport } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })

function envFor(name: string): { ASSAY_DATA: string; ASSAY_SECRET_FILE: string } {
  return { ASSAY_DATA: join(directory, name), ASSAY_SECRET_FILE: secretFile }
}

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** A busy machine shows progress before the input is known. */
function withoutExamining(text: string): string {
  return text.replace(/^examining, .*\n/gm, "")
}

/** Nothing for an index that was not made yet. */
async function liveBatches(data: string): Promise<number> {
  if (!existsSync(join(data, "index"))) return 0
  const { batches } = await heldIn(data, secretFile, 0)
  return batches.filter(({ state }) => state === "live").length
}

test("a dry run says what a file is, shows its rows with every secret masked, and writes nothing", async () => {
  const env = envFor("dry")
  const list = file("dry.txt", "ana@mail.example:zqxjkv-1\nno delimiter\nbob@mail.example:\n")
  utimesSync(list, new Date("2024-05-02"), new Date("2024-05-02"))
  const { code, out, err } = await assay(
    ["corpus", "import", list, "--source", "s", "--dry-run"],
    env,
  )
  assert.equal(code, 0, err)
  assert.equal(
    out,
    `1  dry.txt: lines of address and password, separated by ":"; combolist, dated 2024-05-02 by the file's own date

FILE  LINE  IDENTITY          SECRET    CLASS      SAYS
1     1     ana@mail.example  ********  plaintext
1     2                                            rejected: the line has no delimiter of this format
1     3     bob@mail.example            none

Nothing was written.
`,
  )
  assert.equal(withoutExamining(err), "")
  assert.equal(existsSync(env.ASSAY_DATA), false)
})

test("an import accounts for every row; again it changes nothing; the rejects say line and reason alone", async () => {
  const env = envFor("one")
  const list = file(
    "one.txt",
    "ana@mail.example:zqxjkv-1\nno delimiter zqxjkv\nANA@mail.example:zqxjkv-1\nzqxjkv@:x\nbob@mail.example:pass:word\n",
  )
  const rejects = join(directory, "rejects.csv")
  const args = [
    "corpus",
    "import",
    list,
    "--source",
    "one",
    "--date",
    "2024-05-01",
    "--rejects",
    rejects,
  ]
  const first = await assay(args, env)
  assert.equal(first.code, 0, first.err)
  assert.match(
    first.out,
    new RegExp(
      `^Batch 1 of one is live\\.
rows read               5
imported                2
already known           0
repeated in the input   1
rejected                2
  no-delimiter          1
  not-an-email          1
identities              2
of kind combolist       3
dated by the source     3
Rejected rows are listed in ${rejects}
Time: examining \\d+\\.\\d s, reading \\d+\\.\\d s, sorting \\d+\\.\\d s, merging \\d+\\.\\d s, measuring \\d+\\.\\d s
\\d+\\.\\d s, \\d+ MB of memory
$`,
    ),
  )
  // Progress follows, where the machine is slow enough for it.
  assert.ok(
    withoutExamining(first.err).startsWith(
      `1  one.txt: lines of address and password, separated by ":"; combolist, dated 2024-05-01 by the source
Source one: combolist, dated 2024-05-01, confidence 0.8
`,
    ),
    first.err,
  )
  assert.equal(
    readFileSync(rejects, "utf8"),
    "file,line,reason\n1,2,no-delimiter\n1,4,not-an-email\n",
  )
  assert.equal(statSync(rejects).mode & 0o077, 0)
  assert.deepEqual(filesWithCanary(env.ASSAY_DATA), [])
  assert.deepEqual(readdirSync(join(env.ASSAY_DATA, "import")), [])

  const { batches } = await heldIn(env.ASSAY_DATA, secretFile, 0)
  const [batch] = batches
  assert.deepEqual([batch?.state, batch?.rows, batch?.identities], ["live", 2, 2])
  assert.notEqual(batch?.importedBy ?? "", "")
  const segment = join(env.ASSAY_DATA, "segments", batch?.segment?.file ?? "")
  assert.equal(statSync(segment).size, batch?.segment?.bytes)
  assert.equal(statSync(segment).mode & 0o077, 0)

  const again = await assay(args, env)
  assert.equal(again.code, 0, again.err)
  assert.equal(again.out, "Already imported as batch 1 of one; nothing changed.\n")
  assert.deepEqual((await heldIn(env.ASSAY_DATA, secretFile, 0)).batches, batches)

  const records = await openSqliteRecords({
    file: join(env.ASSAY_DATA, "records.sqlite"),
    readOnly: true,
  })
  const audit = await records.audit({ limit: 10 })
  await records.close()
  assert.deepEqual(
    audit.map(({ action, subject, detail }) => ({ action, subject, detail })),
    [
      {
        action: "corpus.import",
        subject: "batch:1",
        detail: { source: "one", kind: "combolist", rows: 2, identities: 2 },
      },
    ],
  )
})

test("input that cannot be read, or of which no row can be imported, changes nothing and fails", async () => {
  const env = envFor("unreadable")
  const missing = await assay(["corpus", "import", join(directory, "none"), "--source", "s"], env)
  assert.equal(missing.code, 1)
  assert.equal(
    missing.err,
    `assay: Nothing was imported: ${join(directory, "none")} cannot be read\n`,
  )

  const rubbish = file(
    "rubbish.bin",
    Buffer.alloc(300_000, "\x00\xff zqxjkv\n", "latin1").toString("latin1"),
  )
  const nothing = await assay(["corpus", "import", rubbish, "--source", "s"], env)
  assert.equal(nothing.code, 1)
  assert.match(nothing.err, /assay: Nothing was imported: /)
  assert.doesNotMatch(nothing.err, /zqxjkv/)
  assert.equal(nothing.out, "")
  assert.equal(await liveBatches(env.ASSAY_DATA), 0)
  assert.deepEqual(readdirSync(join(env.ASSAY_DATA, "segments")), [])
  assert.deepEqual(filesWithCanary(env.ASSAY_DATA), [])
})

test("two imports at once: the second refuses and names the first, or waits for its turn", async () => {
  const env = envFor("two")
  const list = combolist(join(directory, "two.txt"), 10)
  const lock = lockImports(openDataDirectory(env.ASSAY_DATA).path)
  assert.ok(lock !== null)
  const holder = { pid: 4711, startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5) }
  writeFileSync(join(env.ASSAY_DATA, "import.holder"), JSON.stringify(holder))
  const args = ["corpus", "import", list, "--source", "s"]
  const refused = await assay(args, env)
  assert.equal(refused.code, 1)
  assert.equal(
    refused.err,
    "assay: Another import runs here (process 4711, since 2026-01-02T03:04:05Z); --wait queues behind it\n",
  )

  const waiting = startImport([list, "--source", "s", "--wait"], env)
  while (!waiting.output().includes("Waiting")) await new Promise((later) => setTimeout(later, 20))
  assert.match(waiting.output(), /^Waiting for another import \(process 4711, since .*\)\.\n$/)
  assert.equal(await liveBatches(env.ASSAY_DATA), 0)
  lock.release()
  assert.equal(await waiting.ended, 0, waiting.output())
  assert.equal(await liveBatches(env.ASSAY_DATA), 1)
})

test("Ctrl-C leaves the index as it was and no process behind", async () => {
  const env = envFor("stopped")
  const list = combolist(join(directory, "stopped.txt"), 20_000)
  const running = startImport([list, "--source", "s"], env)
  while (!running.output().includes("Source s")) await new Promise((later) => setTimeout(later, 5))
  // As a terminal does: to every process of the group.
  process.kill(-running.pid, "SIGINT")
  assert.equal(await running.ended, 130, running.output())
  assert.match(running.output(), /assay: Stopped; nothing changed\n$/)
  assert.throws(() => process.kill(-running.pid, 0), { code: "ESRCH" })
  assert.equal(await liveBatches(env.ASSAY_DATA), 0)
  const left = readdirSync(join(env.ASSAY_DATA, "import")).filter((name) => !name.endsWith(".json"))
  assert.deepEqual(left, [])
})

test("a disk that is full ends an import clearly, with nothing changed and nothing left", async () => {
  const env = envFor("full")
  const list = combolist(join(directory, "full.txt"), 20_000)
  // Records are asked which domains are watched, and made by whoever asks first.
  await assay(["keys", "list"], env)
  // No file may grow past 256 blocks: to the program that looks like a full disk.
  const running = startImport([list, "--source", "s"], env, "ulimit -f 256;")
  assert.equal(await running.ended, 1, running.output())
  assert.match(running.output(), /assay: Nothing was imported: The disk is full\n$/)
  assert.equal(await liveBatches(env.ASSAY_DATA), 0)
  assert.deepEqual(readdirSync(join(env.ASSAY_DATA, "import")), [])
  assert.deepEqual(readdirSync(join(env.ASSAY_DATA, "segments")), [])
})
