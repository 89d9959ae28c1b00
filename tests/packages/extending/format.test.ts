import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { follow, stepsOf } from "./steps.ts"

test("a format added by the steps is found, named by the command and imported, in two files", () => {
  using copy = follow(stepsOf("Add a file format"))
  assert.deepEqual(copy.touched, [
    "packages/corpus/src/formats/arrows.ts",
    "packages/corpus/src/formats/formats.ts",
  ])
  const list = join(copy.path, "list.txt")
  writeFileSync(list, "ann@mail.example => one\nbob@mail.example => two\nno arrow\n")
  writeFileSync(join(copy.path, "secret"), "5a".repeat(32), { mode: 0o600 })
  const env = {
    ASSAY_DATA: join(copy.path, "data"),
    ASSAY_SECRET_FILE: join(copy.path, "secret"),
  }
  const importing = ["packages/server/src/main.ts", "corpus", "import", list, "--source", "toy"]

  const looked = copy.run([...importing, "--dry-run"], env)
  assert.match(looked, /list\.txt: lines of address => password; combolist, dated /)
  assert.match(looked, /ann@mail\.example +\*{8} +plaintext/)
  assert.match(looked, /rejected: the line has no delimiter of this format/)

  const imported = copy.run([...importing, "--format", "arrows"], env)
  assert.match(imported, /^Batch 1 of toy is live\.$/m)
  assert.match(imported, /^imported +2$/m)
  assert.match(imported, /^ {2}no-delimiter +1$/m)

  const wrong = spawnSync(
    process.execPath,
    ["--conditions=source", ...importing, "--format", "zqxjkv"],
    { cwd: copy.path, encoding: "utf8", env: { ...process.env, ...env } },
  )
  assert.equal(wrong.status, 1)
  assert.match(wrong.stderr, /--format takes arrows, combolist, /)
})
