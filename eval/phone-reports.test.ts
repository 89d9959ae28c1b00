import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { root } from "../scripts/repository.ts"
import { phoneReports } from "./phone-reports.ts"

test("the committed card and plot of the phone model are what its document gives", async () => {
  for (const [path, text] of await phoneReports()) {
    const committed = readFileSync(join(root, path), "utf8")
    assert.equal(committed, text, `${path}: run \`npm run eval -- --phone\``)
  }
})
