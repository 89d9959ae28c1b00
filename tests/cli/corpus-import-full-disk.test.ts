import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, type TestContext, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { openDataDirectory } from "../../packages/runtime/src/data-directory.ts"
import { assay } from "./assay.ts"
import { combolist, heldIn, startImport } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-full-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })
const ROWS = 20_000
const list = combolist(join(directory, "list.txt"), ROWS)
const args = [list, "--source", "s", "--date", "2024-05-01"]
const ROUNDS = process.env["ASSAY_SOAK"] === undefined ? 0 : 40

/**
 * Runs `work` in a folder that is a disk of its own, of this size; skipped if this user may not
 * mount one.
 */
async function onDisk(
  context: TestContext,
  megabytes: number,
  work: (disk: string) => Promise<void>,
): Promise<void> {
  const disk = mkdtempSync(join(directory, "disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk], {
      stdio: "pipe",
    })
  } catch {
    context.skip("no right to mount a small disk")
    return
  }
  try {
    await work(disk)
  } finally {
    execFileSync("umount", [disk])
  }
}

/** Fills a disk until this many bytes are free. Returns the file to remove. */
function fill(disk: string, freeBytes: number): string {
  const path = join(disk, "filler")
  const file = openSync(path, "w")
  const piece = Buffer.alloc(1 << 16)
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk)
      const left = bavail * bsize - freeBytes
      if (left < bsize) return path
      writeSync(file, piece, 0, Math.min(left, piece.length))
    }
  } catch (error) {
    // Somebody else was faster.
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return path
    throw error
  } finally {
    closeSync(file)
  }
}

async function statesIn(data: string): Promise<string[]> {
  if (!existsSync(join(data, "index", "data.mdb"))) return []
  const { batches } = await heldIn(data, secretFile, 0)
  return batches.filter(({ state }) => state !== "removed").map(({ state }) => state)
}

test("an import that finds the disk full once its batch is live says so, and the same again completes it", async (context) => {
  await onDisk(context, 4, async (disk) => {
    const data = openDataDirectory(join(directory, "data"))
    const env = { ASSAY_DATA: data.path, ASSAY_SECRET_FILE: secretFile }
    // The audit trail alone is on the full disk, and is written when the batch is live.
    writeFileSync(join(disk, "records.sqlite"), "")
    symlinkSync(join(disk, "records.sqlite"), data.records)
    await assay(["keys", "list"], env)
    // Enough for reading them, and not for writing.
    const filler = fill(disk, 40 << 10)
    const full = await assay(["corpus", "import", ...args], env)
    assert.equal(full.code, 3, full.err)
    assert.match(full.out, /^Batch 1 of s is live\.\n/)
    assert.match(
      full.err,
      /assay: Batch 1 of s is live, but its entry in the audit trail was not written \(the disk is full\); the same command again completes it\n$/,
    )
    assert.doesNotMatch(full.out + full.err, /[Nn]othing (?:changed|was imported)/)
    assert.deepEqual(await statesIn(data.path), ["live"])

    rmSync(filler)
    const again = await assay(["corpus", "import", ...args], env)
    assert.equal(again.code, 0, again.err)
    assert.equal(again.out, "Already imported as batch 1 of s; what was left to do is done.\n")
    const third = await assay(["corpus", "import", ...args], env)
    assert.equal(third.out, "Already imported as batch 1 of s; nothing changed.\n")
    const verified = await assay(["corpus", "verify"], env)
    assert.equal(verified.code, 0, verified.out + verified.err)
  })
})

/**
 * The moments at which the disk fills up: rows are being sorted, a segment is there, its batch is
 * being merged.
 */
const MOMENTS: ((data: string) => boolean)[] = [
  (data) => namesIn(join(data, "import")).some((name) => !name.endsWith(".json")),
  (data) => namesIn(join(data, "segments")).some((name) => name.endsWith(".parquet")),
  (data) => namesIn(join(data, "index")).includes("data.mdb"),
]

test(
  "a disk that fills up at any moment: the exit code says whether the batch is live, and the same again completes it",
  { skip: ROUNDS === 0 ? "only in a soak" : false },
  async (context) => {
    const codes = new Map<number, number>()
    for (let round = 0; round < ROUNDS; round++) {
      await onDisk(context, 16, async (disk) => {
        const data = join(disk, "data")
        mkdirSync(data)
        const env = { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile }
        const running = startImport(args, env)
        const moment = MOMENTS[round % MOMENTS.length] as (data: string) => boolean
        while (running.running() && !moment(data)) await delay(1)
        await delay((round % 8) * 25)
        const filler = fill(disk, ((round % 5) * 256) << 10)
        const code = await running.ended
        codes.set(code, (codes.get(code) ?? 0) + 1)
        const live = (await statesIn(data)).includes("live")
        assert.equal(live, code === 0 || code === 3, `${code}: ${running.output()}`)
        // The index's library prints a fault of its own; the command's last words are a sentence.
        assert.doesNotMatch(running.output(), /zqxjkv/)
        if (code !== 0) assert.match(running.output(), /\nassay: [^\n]+\n$/)
        if (live) assert.doesNotMatch(running.output(), /[Nn]othing (?:changed|was imported)/)

        rmSync(filler)
        const again = await assay(["corpus", "import", ...args], env)
        assert.equal(again.code, 0, again.err)
        assert.deepEqual(await statesIn(data), ["live"])
        assert.deepEqual(namesIn(join(data, "import")), [])
        const verified = await assay(["corpus", "verify"], env)
        assert.equal(verified.code, 0, verified.out + verified.err)
      })
    }
    context.diagnostic(`exit codes: ${JSON.stringify([...codes])}`)
  },
)

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
