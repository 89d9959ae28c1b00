// The drop in Chromium with JavaScript off.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { type Manifest, packReply, replyRecipients, seal } from "@assay/core/drop"
import type { Page } from "playwright-core"
import { oldFormToken } from "../http/drop-visitor.ts"
import {
  holdsCanary,
  jpegFamilies,
  jpegWith,
  smallJpeg,
} from "../../packages/core/testing/drop/metadata/test-pictures.ts"
import { type Drop, fetchMessages, startDrop, visit } from "./drop.ts"
import { launchChromium } from "./shared-chromium.ts"

let drop: Drop
before(async () => {
  drop = await startDrop()
})
after(() => drop.stop())

/** Presses the button that sends the form, as a person who took longer than 15 seconds. */
async function press(page: Page, button: string): Promise<void> {
  const token = page.locator("[name=token]").first()
  // With scripts off a page runs none, but a test may still set what a form carries.
  await token.evaluate(
    (field: { setAttribute(name: string, value: string): void }, value: string) => {
      field.setAttribute("value", value)
    },
    oldFormToken(drop.service),
  )
  await page.click(button)
}

test("T21: with JavaScript off a person sends files, gets a code, reads a reply, deletes it, writes again and leaves", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const { page, wrong } = await visit(
    await browser.newContext({ javaScriptEnabled: false }),
    `${drop.url}/drop`,
  )
  const file = join(drop.folder, "evidence.txt")
  writeFileSync(file, "what was seen")

  await page.setInputFiles("#files", [file])
  await press(page, "#send")
  await page.locator("#message-fault, #sent").first().waitFor()
  // A file alone is enough.
  const first = await page.locator("#code-line").textContent()
  // It was a text, which nobody looks into.
  assert.match(
    (await page.locator("#sent-files").textContent()) ?? "",
    /File 1 was not looked into/,
  )
  assert.match(first ?? "", /^(\S+ ){11}\S+$/)

  await page.goto(`${drop.url}/drop`)
  await page.check("#mode-two-way")
  await page.fill("#message", "   ")
  await press(page, "#send")
  assert.match((await page.locator("#message-fault").textContent()) ?? "", /Write a message/)
  await page.fill("#message", "Seen with my own eyes")
  // Each file has a field and a choice of its own; the first is left empty.
  const photo = join(drop.folder, "photo.jpg")
  writeFileSync(photo, jpegWith(smallJpeg, [jpegFamilies["comment"] ?? new Uint8Array()]))
  await page.setInputFiles("#files-2", [photo])
  await page.setInputFiles("#files-3", [photo])
  await page.check("#untouched-3")
  await press(page, "#send")
  const code = (await page.locator("#code-line").textContent()) ?? ""
  assert.match(code, /^(\S+ ){11}\S+$/)
  const words = code.split(" ")
  await page.fill("#word-4", words[3] ?? "")
  await page.fill("#word-9", words[8] ?? "")
  await page.click("#confirm-form button")
  assert.match((await page.locator("h1").textContent()) ?? "", /You have your code/)

  const folders = await fetchMessages(drop)
  assert.equal(folders.length, 2)
  const folder = folders.find((each) => readFileSync(join(each, "message.txt"), "utf8") !== "")
  assert.ok(folder !== undefined)
  assert.equal(readFileSync(join(folder, "message.txt"), "utf8"), "Seen with my own eyes")
  assert.ok(execFileSync("ls", [folder], { encoding: "utf8" }).includes("attachment-1"))
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest
  assert.deepEqual(
    manifest.files.map(({ name, metadata }) => [name, metadata]),
    [
      ["attachment-1.jpg", "stripped"],
      ["attachment-2.jpg", "kept"],
    ],
  )
  assert.equal(holdsCanary(readFileSync(join(folder, "attachment-1.jpg"))), false)
  assert.equal(holdsCanary(readFileSync(join(folder, "attachment-2.jpg"))), true)
  const { thread } = manifest
  assert.ok(thread !== undefined)
  const recipients = replyRecipients(thread, { suite: "x25519", keys: [drop.recipient] })
  const envelope = packReply({ sealedBy: "sender", lang: "en", message: "Thank you. When was it?" })
  await drop.inbox.drop.batch({
    replies: [
      {
        id: randomBytes(16).toString("hex"),
        mailbox: thread.mailbox,
        deleteVerifier: thread.delete_verifier,
        sealed: await seal(envelope, recipients),
      },
    ],
  })

  await page.goto(`${drop.url}/drop/replies`)
  await page.fill("#code", code)
  await page.click("#show-replies")
  assert.match((await page.locator("#reply-list").textContent()) ?? "", /When was it\?/)
  await page.fill("#message", "On Monday")
  await press(page, "#send")
  assert.equal(await page.locator("#sent-follow-up").isVisible(), true)
  assert.equal(page.url(), `${drop.url}/drop/form`)

  await page.goto(`${drop.url}/drop/replies`)
  await page.fill("#code", code)
  await page.click("#show-replies")
  await page.click("#delete-replies")
  await page.goto(`${drop.url}/drop/replies`)
  await page.fill("#code", code)
  await page.click("#show-replies")
  assert.equal(await page.locator("#no-replies").isVisible(), true)

  await page.goto(`${drop.url}/drop/withdraw`)
  await page.fill("#code", first ?? "")
  await page.click("#withdraw-form button")
  assert.equal((await drop.inbox.drop.sync([])).index.messages.length, 2)
  await page.click("#done")
  assert.equal(page.url(), `${drop.url}/drop/done`)
  assert.deepEqual(await page.context().cookies(), [])
  // Chromium counts the form that came back among its errors.
  assert.deepEqual(wrong.filter((text) => !text.includes("422")), []) // oxfmt-ignore
})
