import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { awaitTurn } from "@assay/runtime/data-directory"
import { temporaryDirectory } from "../../testing/second-process-suite.ts"
import { sourceArguments, sourceEnvironment } from "../../testing/source-process.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { ownTurn } from "./own-turn.ts"

const TIMES = process.env["ASSAY_SOAK"] === undefined ? 100 : 3_000
const program = fileURLToPath(new URL("../../testing/lmdb/open-and-close.ts", import.meta.url))

test(`lmdb: of three processes that open and close an index ${TIMES} times at once, none meets what another's close destroyed`, async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  await (await openLmdbIndex({ path })).close()
  const codes = ["read", "read", "write"].map(async (mode) => {
    const child = spawn(
      process.execPath,
      [...sourceArguments, program, path, String(TIMES), mode],
      { stdio: "inherit", env: sourceEnvironment },
    )
    return (await once(child, "exit"))[0] as number
  })
  assert.deepEqual(await Promise.all(codes), [0, 0, 0])
})

test("lmdb: a turn taken within a turn is part of it, and ends for others with the outer one", async (t) => {
  const folder = await temporaryDirectory(t)
  const [endOuter, endInner] = [ownTurn(folder), ownTurn(folder)]
  endInner()
  assert.equal(awaitTurn(folder, 0), null)
  endOuter()
  const free = awaitTurn(folder, 0) ?? assert.fail("nobody has the turn")
  free.release()
})

test("lmdb: a folder that is not there needs no turn", async (t) => {
  const folder = join(await temporaryDirectory(t), "none")
  ownTurn(folder)()
  assert.equal(existsSync(folder), false)
})
