import assert from "node:assert/strict"
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import fc from "fast-check"
import { openLog } from "@assay/runtime/log"
import { HOUR_MS } from "@assay/runtime/time"
import { login, signup } from "../../testing/context-events-suite.ts"
import type { ContextEvent } from "../counters.ts"
import { embeddedCounters } from "./counters.ts"
import { keptVelocity } from "./kept-velocity.ts"
import {
  HEADER,
  openSignupJournal,
  readSignupLine,
  type SignupJournal,
  signupLine,
} from "./signup-journal.ts"

const NOW = Date.UTC(2026, 10, 14, 12, 30)
const FILE = "2026-11-14T12.log"
const temporary = mkdtempSync(join(tmpdir(), "assay-test-"))
after(() => rmSync(temporary, { recursive: true, force: true }))
let made = 0

function place() {
  const directory = join(temporary, String(++made))
  const clock = { ms: NOW }
  const lines: string[] = []
  const log = openLog("info", { write: (line: string) => void lines.push(line) })
  const options = { directory, now: () => clock.ms, log }
  return { ...options, clock, lines, open: () => openSignupJournal(options) }
}

function numbered(n: number): ContextEvent {
  return signup({ mailbox: `m${n}`, device: "d", atSeconds: NOW / 1000 + n })
}

async function replayed(journal: SignupJournal): Promise<number[]> {
  const found: number[] = []
  await journal.replay(async ({ atSeconds }) => found.push(atSeconds - NOW / 1000))
  return found
}

test("a line gives back its sign-up, and no line with another byte does", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.integer({ min: 0, max: 2 ** 32 }),
      fc.uint8Array({ minLength: 96, maxLength: 96 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (tenantId, atSeconds, names, place, change) => {
        const event = { tenantId, atSeconds, names, isRecorded: true }
        const line = signupLine(event)
        const read = readSignupLine(line)
        assert.deepEqual(read && { ...read, names: new Uint8Array(read.names) }, event)
        const bytes = Buffer.from(line)
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ change
        assert.equal(readSignupLine(bytes.toString("latin1")), null)
        assert.equal(readSignupLine(line.slice(0, at)), null)
      },
    ),
    { numRuns: 2000, seed: 96 },
  )
})

test("what was appended is there for the next process, in order, readable by its owner only", async () => {
  const { open, directory } = place()
  const journal = open()
  assert.deepEqual(await replayed(journal), [])
  await Promise.all(Array.from({ length: 50 }, (_, n) => journal.append(numbered(n))))
  // Not closed: a killed process does not close either.
  assert.deepEqual(
    await replayed(open()),
    Array.from({ length: 50 }, (_, n) => n),
  )
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  assert.equal(statSync(join(directory, FILE)).mode & 0o777, 0o600)
  await journal.close()
})

test("a torn last line is skipped without a word, and the next one starts on its own line", async () => {
  const { open, directory, lines } = place()
  const file = join(directory, FILE)
  const journal = open()
  for (let n = 0; n < 3; n++) await journal.append(numbered(n))
  await journal.close()
  truncateSync(file, statSync(file).size - 20)
  const again = open()
  assert.deepEqual(await replayed(again), [0, 1])
  await again.append(numbered(7))
  await again.close()
  assert.deepEqual(await replayed(open()), [0, 1, 7])
  assert.deepEqual(lines, [])
})

test("a file cut short inside its first line is begun anew", async () => {
  const { open, directory, lines } = place()
  const journal = open()
  writeFileSync(join(directory, FILE), HEADER.slice(0, 5))
  assert.deepEqual(await replayed(journal), [])
  await journal.append(numbered(1))
  await journal.close()
  assert.deepEqual(await replayed(open()), [1])
  assert.deepEqual(lines, [])
})

test("other damage costs the damaged lines, and is logged with the file and their number", async () => {
  const { open, directory, lines } = place()
  const journal = open()
  await journal.append(numbered(0))
  await journal.close()
  appendFileSync(join(directory, FILE), "canary.secret\n\n")
  const again = open()
  await again.append(numbered(1))
  await again.close()
  assert.deepEqual(await replayed(open()), [0, 1])
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? "", /"store":"context\/2026-11-14T12.log","count":2/)
  assert.doesNotMatch(lines.join(""), /canary/)
})

test("a file of another format, or one that cannot be read, is named and left alone", async () => {
  const { open, directory, lines } = place()
  const journal = open()
  const newer = `assay context 2\n${signupLine(numbered(0))}\n`
  writeFileSync(join(directory, "2026-11-14T11.log"), newer)
  await journal.append(numbered(1))
  await journal.close()
  assert.deepEqual(await replayed(open()), [1])
  assert.match(
    lines.join(""),
    /"store":"context\/2026-11-14T11.log","msg":"a file of sign-ups has an unknown format/,
  )
  assert.equal(lines.length, 1)
  assert.equal(readFileSync(join(directory, "2026-11-14T11.log"), "utf8"), newer)
})

test("each hour has a file; 24 hours are replayed, files begun 47 hours ago deleted, other files kept", async () => {
  const { open, directory, clock } = place()
  const journal = open()
  writeFileSync(join(directory, "note.txt"), "")
  for (let n = 0; n < 50; n++) {
    await journal.append(numbered(n))
    clock.ms += HOUR_MS
  }
  assert.equal(readdirSync(directory).length, 51)
  clock.ms -= HOUR_MS
  // The hour that is 24 hours ago by the end of the window is half inside it.
  assert.deepEqual(
    await replayed(open()),
    Array.from({ length: 25 }, (_, n) => 25 + n),
  )
  journal.forget()
  const left = readdirSync(directory).sort()
  assert.equal(left.length, 48)
  assert.equal(left[0], "2026-11-14T15.log")
  assert.ok(left.includes("note.txt"))
  await journal.close()
})

test("counts go on after a restart, and a disk that cannot be written costs no count now", async () => {
  const { directory, now, log, lines } = place()
  const opened = async () =>
    await keptVelocity({ counters: embeddedCounters({ now, elapsed: now }), directory, now, log })
  const before = await opened()
  for (let n = 0; n < 4; n++) await before.velocity(numbered(n))
  const asked = login({ mailbox: "m9", device: "d", atSeconds: NOW / 1000 + 10 })
  assert.equal((await before.velocity(asked)).device, 4)
  await before.close()
  const restarted = await opened()
  assert.equal((await restarted.velocity(asked)).device, 4)
  assert.deepEqual(lines, [])
  rmSync(directory, { recursive: true })
  assert.equal((await restarted.velocity(numbered(5))).device, 5)
  assert.match(lines.join(""), /will not outlive this process/)
  await restarted.close()
})
