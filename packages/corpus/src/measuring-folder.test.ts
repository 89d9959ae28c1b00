import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { leftovers, removeLeftovers } from "./kept-segment.ts"
import { isInUse, makeMeasuringFolder, removeUnlessInUse } from "./measuring-folder.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-measuring-"))
after(() => rmSync(temporary, { recursive: true }))
const nothing = { batches: new Map() }

test("an import removes the folder that a killed one measured in at once, and leaves one in use", async () => {
  const directory = openDataDirectory(join(temporary, "killed"))
  const module = new URL("measuring-folder.ts", import.meta.url).href
  const killed = `const { makeMeasuringFolder } = await import(${JSON.stringify(module)})
    makeMeasuringFolder(${JSON.stringify(directory.imports)})
    process.kill(process.pid, "SIGKILL")`
  assert.throws(
    () =>
      execFileSync(process.execPath, [
        ...process.execArgv,
        "--input-type=module",
        "--eval",
        killed,
      ]),
    { signal: "SIGKILL" },
  )
  const [left] = readdirSync(directory.imports)
  assert.ok(left !== undefined)
  const own = makeMeasuringFolder(directory.imports)
  writeFileSync(join(own.path, "spilled"), "rows")
  assert.deepEqual(leftovers(directory, nothing, Date.now()), [
    { path: join(directory.imports, left) },
  ])
  await removeLeftovers(directory, nothing, Date.now())
  assert.ok(existsSync(join(own.path, "spilled")))
  assert.ok(!existsSync(join(directory.imports, left)))
  own.remove()
  assert.deepEqual(readdirSync(directory.imports), [])
})

test("a folder that went meanwhile is in use by nobody, and its removal is no fault", () => {
  const folder = makeMeasuringFolder(join(temporary, "gone"))
  assert.ok(isInUse(folder.path))
  removeUnlessInUse(folder.path)
  assert.ok(existsSync(folder.path))
  folder.remove()
  assert.ok(!isInUse(folder.path))
  removeUnlessInUse(folder.path)
})
