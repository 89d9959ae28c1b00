import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { fetchMessages, send, startDrop, visit } from "./drop.ts"
import { launchChromium } from "./shared-chromium.ts"

const FILES = 3
const FILE_BYTES = 10_485_760

// In the page: every value of the progress bar, and the longest time in which nothing else could
// run.
const WATCH = `
  const bar = document.getElementById("progress-bar")
  const seen = { values: [], pause: 0 }
  let last = performance.now()
  setInterval(() => {
    const now = performance.now()
    seen.pause = Math.max(seen.pause, now - last)
    last = now
    if (bar.value !== seen.values.at(-1)) seen.values.push(bar.value)
  }, 5)
  globalThis.seen = seen`

test("T23: in a browser that compiles nothing a message is sealed, and the page answers meanwhile", async (context) => {
  if (process.env.ASSAY_SOAK === undefined) {
    context.skip("only in a soak")
    return
  }
  // As at the highest level of Tor Browser: code is interpreted, and there is no WebAssembly.
  const browser = await launchChromium(context, ["--js-flags=--jitless"])
  if (browser === null) return
  const drop = await startDrop()
  context.after(() => drop.stop())
  const visitor = await visit(await browser.newContext(), `${drop.url}/drop`)
  const { page } = visitor
  assert.equal(await page.evaluate("typeof WebAssembly"), "undefined")
  const files = Array.from({ length: FILES }, (_, n) => {
    const file = join(drop.folder, `large-${n}.bin`)
    writeFileSync(file, randomBytes(FILE_BYTES))
    return file
  })
  await page.setInputFiles("#files", files)
  await page
    .locator("#files-report li")
    .nth(FILES - 1)
    .getByText("not looked into")
    .waitFor()
  await page.check("#mode-one-way")
  await page.evaluate(WATCH)
  const startedAt = performance.now()
  await send(page)
  const elapsedMs = performance.now() - startedAt
  const { values, pause } = await page.evaluate<{ values: number[]; pause: number }>("seen")
  // The bar moved while the message was sealed, so the page was drawn and could be used.
  assert.ok(new Set(values).size >= 4, `the bar stood at ${values.join(", ")}`)
  context.diagnostic(
    `sealed and sent in ${Math.round(elapsedMs)} ms; the page stood still for ${Math.round(pause)} ms at most`,
  )
  const [folder = ""] = await fetchMessages(drop)
  for (const [n, file] of files.entries())
    assert.ok(readFileSync(join(folder, `attachment-${n + 1}`)).equals(readFileSync(file)))
  assert.deepEqual(visitor.wrong, [])
})
