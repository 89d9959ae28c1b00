import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { gzipSync } from "node:zlib"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { deriveSecrets } from "@assay/runtime/secrets"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { compactIfNeeded } from "./compaction.ts"
import { importCorpus } from "./import.ts"
import type { ImportProgress } from "./import-request.ts"
import { TimeLeft } from "./time-left.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-import-progress-"))
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }))
const secrets = deriveSecrets(Buffer.alloc(32, 7))
const ORDER = ["examining", "reading", "sorting", "merging", "measuring", "compacting"]
const DAYS_AGO = 9 * 86_400_000

/** Rows of a list, of which so many are different. */
function rows(count: number, different: number): string {
  let text = ""
  for (let n = 0; n < count; n++)
    text += `p${n % different}@mail.example:some-secret-${n % different}\n`
  return text
}

/** Imports in turn into one index, and returns what was told of the last. */
async function told(name: string, ...inputs: readonly string[]): Promise<ImportProgress[]> {
  const directory = openDataDirectory(join(folder, `data-${name}`))
  const ignored = (): void => undefined
  let news: ImportProgress[] = []
  for (const [n, path] of inputs.entries()) {
    news = []
    const said = news
    if (n === inputs.length - 1) {
      // So long ago that the import compacts the index.
      const index = await openLmdbIndex({ path: directory.index, now: () => Date.now() - DAYS_AGO })
      await index.checkKeyCheckValue(secrets.checkValue)
      await index.erase(Buffer.alloc(16, 9))
      await index.close()
    }
    await importCorpus(
      {
        ...{ paths: [path], hints: { map: {} }, source: { name: `s${n}` }, rejects: null },
        ...{ memoryMb: 128, wait: false, importedBy: "ada" },
      },
      {
        ...{ directory, secrets, program: process, pid: process.pid, now: Date.now },
        signal: new AbortController().signal,
        openIndex: () => openLmdbIndex({ path: directory.index }),
        audit: async () => undefined,
        async compact(onProgress) {
          await compactIfNeeded({ path: directory.index, now: Date.now, onProgress })
        },
      },
      {
        ...{ waits: ignored, examined: ignored, resumes: ignored, unfinished: ignored },
        progress: (progress) => void said.push(progress),
        compacts: (done, total) => void said.push({ phase: "compacting", rows: done, done, total }),
      },
    )
  }
  return news
}

function assertForward(news: readonly ImportProgress[], phases: readonly string[]): void {
  const left = new TimeLeft<string>(Date.now)
  let at = -1
  let share = 0
  let done = 0
  let newest = null as ImportProgress | null
  const seen = new Set<string>()
  const requireEnded = (): void => {
    if (newest === null) return
    assert.equal(newest.done, newest.total, `${newest.phase} ended before its end`)
    assert.equal(left.leftMs(), 0)
  }
  for (const each of news) {
    const { phase, total } = each
    if (phase !== newest?.phase) {
      requireEnded()
      assert.ok(ORDER.indexOf(phase) > at, `${phase} after ${newest?.phase}`)
      at = ORDER.indexOf(phase)
      share = 0
      done = 0
      seen.add(phase)
    }
    left.note(each)
    assert.ok(each.done >= done, `${phase}: ${each.done} after ${done}`)
    done = each.done
    if (total !== null) {
      assert.ok(done <= total, `${phase}: ${done} of ${total}`)
      const now = total === 0 ? 0 : done / total
      assert.ok(now >= share, `${phase}: ${done} of ${total}, after ${share}`)
      share = now
    }
    newest = each
  }
  requireEnded()
  assert.deepEqual([...seen], phases)
}

test("every phase of an import goes forward only and ends with nothing left, whatever is imported", async () => {
  const list = join(folder, "first.txt")
  writeFileSync(list, rows(3_000, 3_000))
  const large = join(folder, "large.txt")
  // Above what is sorted by the command itself, half of it repeated.
  writeFileSync(large, rows(200_000, 100_000))
  const packed = join(folder, "packed.txt.gz")
  writeFileSync(packed, gzipSync(rows(150_000, 40_000)))
  const many = join(folder, "many")
  mkdirSync(many)
  for (let n = 0; n < 40; n++) writeFileSync(join(many, `${n}.txt`), rows(50, 30 + n))
  // Nothing that can be imported, and nothing at all.
  writeFileSync(join(many, "picture.png"), Buffer.from("89504e470d0a1a0a0000", "hex"))
  writeFileSync(join(many, "empty.txt"), "")
  for (const [name, inputs] of Object.entries({
    large: [list, large],
    packed: [packed],
    many: [many],
  })) {
    const news = await told(name, ...inputs)
    assertForward(news, ORDER)
    // Its time counts from the first row on, and not from when a part of them is merged.
    assert.equal(news.find(({ phase }) => phase === "merging")?.done, 0)
  }
})

test("repeated rows are not waited for: the end of merging is foreseen", async () => {
  const large = join(folder, "repeated.txt")
  writeFileSync(large, rows(300_000, 150_000))
  const merging = (await told("repeated", large)).filter(({ phase }) => phase === "merging")
  assert.ok(merging.length > 2)
  for (const { total } of merging.filter(({ done }) => done > 0)) {
    assert.ok(Math.abs((total as number) - 150_000) < 5_000, `${total} of 150,000`)
  }
})
