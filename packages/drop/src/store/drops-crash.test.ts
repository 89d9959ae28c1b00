import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { test } from "node:test"

import type { Drops } from "./drops.ts"
import { bring, newId, refusedAs, sealedOf, today } from "../../testing/store/drops-suite.ts"
import { openSqliteDrops } from "./sqlite-drops.ts"

const PIECE = 65_536
const PIECES = 4
const CANARY = "canary of an upload that was never finished"

// Run by the tests below as the process to be killed, or the one on a small disk: `node
// drops-crash.test.ts WORK FOLDER`.
const [, , work = "", folder = ""] = process.argv
if (work === "upload") await uploadForever(folder)
else if (work === "rewrite") await rewriteForever(folder)
else if (work === "purge") await purgeForever(folder)
else if (work === "fill") await fill(folder)
else {
  const kills = process.env["ASSAY_SOAK"] ? 50 : 2
  for (const doing of ["upload", "rewrite", "purge"])
    test(
      `T30: sqlite: ${kills} times kill -9 during ${doing} lose nothing acknowledged and leave nothing else`,
      survive(doing, kills),
    )
  test("T30: sqlite: on a full disk nothing is acknowledged that is not there", fullDisk)
}

/** A message whose pieces carry its id, so that a mixture would be noticed. */
function sealedAs(id: string): Buffer {
  return Buffer.alloc(PIECE * PIECES, `${id} `)
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function uploadForever(folder: string): Promise<never> {
  const drops = await openSqliteDrops(folder)
  const unfinished = newId()
  await drops.appendPiece(unfinished, 0, Buffer.alloc(PIECE, CANARY))
  for (;;) {
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        const id = newId()
        await bring(drops, sealedAs(id), { id, pieceBytes: PIECE })
        tell(`stored ${id}`)
      }),
    )
  }
}

async function rewriteForever(folder: string): Promise<never> {
  const drops = await openSqliteDrops(folder)
  for (;;) {
    const id = newId()
    await bring(drops, sealedAs(id), { id, pieceBytes: PIECE })
    tell(`stored ${id}`)
    await drops.rewrite()
  }
}

async function purgeForever(folder: string): Promise<never> {
  const drops = await openSqliteDrops(folder)
  for (;;) {
    const id = newId()
    await bring(drops, sealedAs(id), { id, pieceBytes: PIECE })
    tell(`stored ${id}`)
    tell("purging")
    await drops.purge({ day: today + 38 })
    tell("purged")
  }
}

function survive(doing: string, kills: number): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-drops-crash-"))
    try {
      let dropId: string | null = null
      const stored = new Set<string>()
      for (let run = 0; run < kills; run++) {
        let certain = [...stored]
        for (const line of await killedAt(doing, folder)) {
          if (line.startsWith("stored ")) stored.add(line.slice(7))
          // From here on they may be gone, and once purged they must be.
          else if (line === "purging") certain = []
          else stored.clear()
          if (line.startsWith("stored ")) certain.push(line.slice(7))
        }
        const drops = await openSqliteDrops(folder)
        await assertWhole(drops, folder, certain)
        const id = Buffer.from(await drops.dropId()).toString("hex")
        assert.equal(id, (dropId ??= id))
        for (const message of await drops.messages()) stored.add(message.id)
        await drops.close()
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

/** The output of a process before it was killed at a random moment of its work. */
async function killedAt(doing: string, folder: string): Promise<string[]> {
  const args = ["--conditions=source", import.meta.filename, doing, folder]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const lines: string[] = []
  for await (const line of createInterface(child.stdout))
    if (lines.push(line) === 3) setTimeout(() => child.kill("SIGKILL"), Math.random() * 100)
  assert.deepEqual(await exited, [null, "SIGKILL"])
  return lines
}

async function assertWhole(
  drops: Drops,
  folder: string,
  acknowledged: readonly string[],
): Promise<void> {
  const file = join(folder, "drops.sqlite")
  const present = (await drops.messages()).map(({ id }) => id)
  assert.deepEqual(
    acknowledged.filter((id) => !present.includes(id)),
    [],
  )
  for (const id of present) assert.ok(sealedAs(id).equals(await sealedOf(drops, id)))
  assert.deepEqual(readdirSync(folder), ["drops.sqlite", "reserve"])
  assert.ok(!readFileSync(file).includes(CANARY))
  const database = new DatabaseSync(file, { readOnly: true })
  const check = database.prepare("pragma integrity_check").all()
  assert.deepEqual(
    check.map((row) => row["integrity_check"]),
    ["ok"],
  )
  const chunks = database.prepare("select count(*) as n from chunk").get()
  assert.equal(chunks?.["n"], present.length * PIECES)
  database.close()
}

/**
 * Stores messages until the disk is full, and prints which were acknowledged and the final fault.
 */
async function fill(folder: string): Promise<void> {
  const drops = await openSqliteDrops(folder)
  for (;;) {
    const id = newId()
    try {
      await bring(drops, sealedAs(id), { id, pieceBytes: PIECE })
      tell(`stored ${id}`)
    } catch (error) {
      tell(refusedAs("full")(error) ? "full" : "other fault")
      await drops.abandonUpload(id)
      break
    }
  }
  // On a completely full disk, a rewrite that finds no room leaves the file in use, and due
  // messages can still be deleted.
  stuff(folder)
  tell(
    await drops.rewrite().then(
      () => "rewritten",
      (error: unknown) => (refusedAs("full")(error) ? "no room to rewrite" : "other fault"),
    ),
  )
  const due = (await drops.messages()).slice(0, 2).map(({ id }) => id)
  await drops.deleteMessages(due)
  tell("deleted two")
  const id = newId()
  await bring(drops, sealedAs(id), { id, pieceBytes: PIECE })
  tell(`stored ${id}`)
  await drops.close()
}

/** Takes the rest of the disk, as another program would. */
function stuff(folder: string): void {
  const file = openSync(join(folder, "..", "stuffing"), "w")
  try {
    for (let bytes = 65_536; bytes >= 1; bytes /= 2)
      for (;;) if (writeSync(file, new Uint8Array(bytes)) < bytes) break
  } catch {
    // Full, as wanted.
  } finally {
    closeSync(file)
  }
}

async function fullDisk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-drops-full-"))
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder])
  // Without the right to mount, the process itself may write no file above this size, which SQLite
  // meets as a fault of the disk.
  const small = mounted.status === 0
  try {
    const data = join(folder, "drop")
    const self = ["--conditions=source", import.meta.filename, "fill", data]
    const child = small
      ? spawnSync(process.execPath, self, { encoding: "utf8" })
      : spawnSync("bash", ["-c", 'ulimit -f 5000; exec "$0" "$@"', process.execPath, ...self], {
          encoding: "utf8",
        })
    assert.equal(child.stderr, "")
    const lines = child.stdout.trim().split("\n")
    const stored = lines.filter((line) => line.startsWith("stored ")).map((line) => line.slice(7))
    const others = lines.filter((line) => !line.startsWith("stored "))
    if (small) assert.deepEqual(others, ["full", "no room to rewrite", "deleted two"])
    assert.ok(stored.length >= 4)
    const drops = await openSqliteDrops(data)
    const present = (await drops.messages()).map(({ id }) => id)
    // All but the two that were deleted.
    assert.equal(stored.filter((id) => !present.includes(id)).length, 2)
    assert.equal(present.length, stored.length - 2)
    for (const id of present) assert.ok(sealedAs(id).equals(await sealedOf(drops, id)))
    await drops.stir()
    await drops.close()
    assert.deepEqual(readdirSync(data), ["drops.sqlite", "reserve"])
  } finally {
    if (small) spawnSync("umount", [folder])
    rmSync(folder, { recursive: true })
  }
}
