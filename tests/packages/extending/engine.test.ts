import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { pathToFileURL } from "node:url"
import { root } from "../../../scripts/repository.ts"
import { follow, stepsOf } from "./steps.ts"

test("an engine added by the steps passes the port's suite and serves, in five files", async () => {
  using copy = follow(stepsOf("Add a store engine"))
  assert.deepEqual(copy.touched, [
    "packages/stores/src/json/engine.ts",
    "packages/stores/src/open/open-index.ts",
    "floors.ts",
    "packages/stores/testing/json/suite-opener.ts",
    "packages/stores/src/json/engine.test.ts",
  ])
  const suite = copy.run(["--test", "packages/stores/src/json/engine.test.ts"])
  assert.match(suite, /^ℹ fail 0$/m)
  assert.match(suite, /^ℹ pass 48$/m)

  const file = join(copy.path, "index.json")
  const env = { ASSAY_INDEX_URL: `json://${file}` }
  const inCopy = pathToFileURL(join(copy.path, "tests/http/service.ts")).href
  const { startService } = (await import(inCopy)) as typeof import("../../http/service.ts")
  const dataDirectory = join(copy.path, "data")
  const service = await startService({ dataDirectory, env })
  try {
    const json = { email: "ana.silva@mail.example" }
    const answer = await service.request("/api/v1/risk/score", { json })
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /"exposed":true/)
    const asked = { ...env, ASSAY_DATA: dataDirectory }
    const doctor = copy.run(["packages/server/src/main.ts", "doctor"], asked)
    assert.match(doctor, /^warning +index +an index in a JSON file is for trials$/m)
  } finally {
    await service.stop()
  }
  assert.match(readFileSync(file, "utf8"), /"keyCheck":"v2:/)
})

test("only the openers choose an engine: nothing else imports one of records or compares its URL", () => {
  const files = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "scripts"], {
    cwd: root,
    encoding: "utf8",
  })
  const choosing = files
    .trim()
    .split("\n")
    .filter((file) => !/^packages\/stores\/src\/|\.test\.ts$/.test(file))
    .filter((file) =>
      /@assay\/stores\/(sqlite|postgres|redis)\/|(databaseUrl|indexUrl) [!=]== null \?/.test(
        readFileSync(join(root, file), "utf8"),
      ),
    )
  assert.deepEqual(choosing, [])
})
