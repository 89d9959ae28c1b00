// The drop in Firefox, which Tor Browser is made from.
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import type { Page } from "puppeteer-core"
import { oldFormToken } from "../http/drop-visitor.ts"
import { type Drop, fetchMessages, manifestIn, messageIn, reply, startDrop } from "./drop.ts"
import {
  ask,
  choose,
  chooseFiles,
  follow,
  isShown,
  press,
  shown,
  textOf,
  type,
  visitInFirefox,
} from "./firefox-visitor.ts"
import { filesWith, launchFirefox, untilSession, whyNoFirefox } from "./firefox.ts"

let drop: Drop
before(async () => {
  if (whyNoFirefox() === null) drop = await startDrop()
})
after(async () => {
  if (whyNoFirefox() === null) await drop.stop()
})

const CANARY = "Canary text 7d1f: the ledger is in the blue folder"
const TWELVE_WORDS = /^(\S+ ){11}\S+$/

/** Sends the form on the page as a person does who took longer than 15 seconds. */
async function sendPlainly(page: Page): ReturnType<typeof follow> {
  const token = JSON.stringify(oldFormToken(drop.service))
  await ask(page, "[name=token]", `element.setAttribute("value", ${token})`)
  return await follow(page, "#send")
}

async function askForRepliesPlainly(page: Page, code: string): Promise<void> {
  await page.goto(`${drop.url}/drop/replies`)
  await type(page, "#code", code)
  await follow(page, "#show-replies")
}

async function messageIds(): Promise<string[]> {
  return (await drop.inbox.drop.sync([])).index.messages.map(({ id }) => id)
}

test("T21, T25: in Firefox with JavaScript off a form without an origin is taken: a person sends a file, gets a code, reads a reply, deletes it, writes again and leaves", async (context) => {
  const browser = await launchFirefox(context, { "javascript.enabled": false })
  if (browser === null) return
  const have = await messageIds()
  const { page, wrong } = await visitInFirefox(browser, `${drop.url}/drop`)
  assert.ok(await isShown(page, "#no-script-note"))
  const file = join(drop.folder, "evidence.txt")
  writeFileSync(file, "what was seen")

  const refused = await sendPlainly(page)
  assert.equal(refused.status(), 422)
  assert.match(await textOf(page, "#message-fault"), /Write a message/)

  await type(page, "#message", "Seen with my own eyes")
  await chooseFiles(page, [file])
  const sent = await sendPlainly(page)
  assert.equal(sent.status(), 200)
  // Firefox names no origin for the form of a page without referrer, and says that it is our own.
  const { origin, "sec-fetch-site": site } = sent.request().headers()
  assert.deepEqual({ origin, site }, { origin: "null", site: "same-origin" })
  const code = await textOf(page, "#code-line")
  assert.match(code, TWELVE_WORDS)
  const words = code.split(" ")
  await type(page, "#word-4", words[3] ?? "")
  await type(page, "#word-9", words[8] ?? "")
  await follow(page, "#confirm-form button")
  assert.match(await textOf(page, "h1"), /You have your code/)

  const [folder, ...others] = await fetchMessages(drop, have)
  assert.ok(folder !== undefined && others.length === 0)
  assert.equal(messageIn(folder), "Seen with my own eyes")
  const manifest = manifestIn(folder)
  assert.equal(manifest.sealed_by, "server")
  assert.equal(manifest.mode, "two-way")
  assert.equal(readFileSync(join(folder, "attachment-1.txt"), "utf8"), "what was seen")
  await reply(drop, manifest, "Thank you. When was it?")

  await askForRepliesPlainly(page, code)
  assert.match(await textOf(page, "#reply-list"), /When was it\?/)
  await type(page, "#message", "On Monday")
  await sendPlainly(page)
  assert.ok(await isShown(page, "#sent-follow-up"))

  await askForRepliesPlainly(page, code)
  await follow(page, "#delete-replies")
  await askForRepliesPlainly(page, code)
  assert.ok(await isShown(page, "#no-replies"))

  await page.goto(`${drop.url}/drop/withdraw`)
  await type(page, "#code", code)
  await follow(page, "#withdraw-form button")
  await follow(page, "#done")
  assert.equal(page.url(), `${drop.url}/drop/done`)
  assert.deepEqual(await browser.cookies(), [])
  assert.deepEqual(wrong, [])
})

test("T4: in Firefox with JavaScript on a message is sealed and sent, its code confirmed, a reply read and deleted", async (context) => {
  const browser = await launchFirefox(context)
  if (browser === null) return
  const have = await messageIds()
  const first = await visitInFirefox(browser, `${drop.url}/drop`)
  const { page } = first
  assert.ok(!(await isShown(page, "#no-script-note")))
  await type(page, "#message", "Sealed in Firefox")
  await press(page, "#send")
  await shown(page, "#sent")
  const code = await textOf(page, "#code-line")
  assert.match(code, TWELVE_WORDS)
  const words = code.split(" ")
  await type(page, "#word-4", words[3] ?? "")
  await type(page, "#word-9", words[8] ?? "")
  await press(page, "#confirm-form button")
  await shown(page, "#confirm-outcome", "Right")

  const [folder, ...others] = await fetchMessages(drop, have)
  assert.ok(folder !== undefined && others.length === 0)
  assert.equal(messageIn(folder), "Sealed in Firefox")
  const manifest = manifestIn(folder)
  assert.equal(manifest.sealed_by, "browser")
  await reply(drop, manifest, "We have it.")

  const second = await visitInFirefox(browser, `${drop.url}/drop/replies`)
  await type(second.page, "#code", code)
  await press(second.page, "#show-replies")
  await shown(second.page, "#replies")
  assert.equal(await textOf(second.page, "#reply-list .reply"), "We have it.")
  await press(second.page, "#delete-replies")
  await shown(second.page, "#delete-outcome", "deleted")
  assert.equal(await second.page.$("#reply-list li"), null)
  const paths = [first, second].flatMap(({ requests }) =>
    requests.map((request) => new URL(request.url()).pathname),
  )
  assert.ok(paths.includes("/drop/sealed") && paths.includes("/drop/mailbox"))
  assert.ok(!paths.includes("/drop/form"))
  assert.deepEqual(await browser.cookies(), [])
  for (const { wrong } of [first, second]) assert.deepEqual(wrong, [])
})

test("T16, T26: what Firefox keeps to open a session again, and the rest of its profile, hold neither text, nor file name, nor code; the way back shows an empty form", async (context) => {
  const profile = mkdtempSync(join(tmpdir(), "assay-firefox-"))
  context.after(() => {
    rmSync(profile, { recursive: true, force: true })
  })
  // Written as soon as something changed, instead of every 15 seconds.
  const often = { "browser.sessionstore.interval": 100, "browser.sessionstore.interval.idle": 100 }
  const browser = await launchFirefox(context, { "javascript.enabled": false, ...often }, profile)
  if (browser === null) return
  const { page } = await visitInFirefox(browser, `${drop.url}/drop`)
  // Text in a field of the test's own, typed last: a file that holds it was written when the page's
  // own fields were full.
  const untilWritten = async (unguarded: string): Promise<void> => {
    const field = `Object.assign(document.createElement("textarea"), { id: "unguarded" })`
    await ask(page, "#message", `void element.after(${field})`)
    await type(page, "#unguarded", unguarded)
    await untilSession(profile, (session) => session.includes(`"unguarded":"${unguarded}"`))
    assert.notDeepEqual(filesWith(profile, [unguarded]), [])
  }
  await type(page, "#message", CANARY)
  const file = join(drop.folder, "holiday-secret-name.txt")
  writeFileSync(file, "what was seen")
  await chooseFiles(page, [file])
  await untilWritten("before it is sent")
  assert.deepEqual(filesWith(profile, [CANARY, "holiday-secret-name"]), [])

  await sendPlainly(page)
  const code = await textOf(page, "#code-line")
  assert.match(code, TWELVE_WORDS)
  const secrets = [CANARY, "holiday-secret-name", code]
  await page.goBack()
  assert.equal(await ask(page, "#message", "element.value"), "")
  assert.equal(await ask(page, "#files", "element.value"), "")

  await askForRepliesPlainly(page, code)
  await type(page, "#message", CANARY)
  await untilWritten("with the replies")
  assert.deepEqual(filesWith(profile, secrets), [])
  await browser.close()
  assert.deepEqual(filesWith(profile, secrets), [])
})

// What Tor Browser switches off at its level "Safer".
const SAFER = {
  "javascript.options.ion": false,
  "javascript.options.baselinejit": false,
  "javascript.options.native_regexp": false,
  "javascript.options.asmjs": false,
  "javascript.options.wasm": false,
}

test("T23: in Firefox as Tor Browser's level Safer sets it 30 MiB are sealed and sent, and the page answers meanwhile", async (context) => {
  const browser = await launchFirefox(context, SAFER)
  if (browser === null) return
  const have = await messageIds()
  const { page, wrong } = await visitInFirefox(browser, `${drop.url}/drop`)
  assert.equal(await page.evaluate("typeof WebAssembly"), "undefined")
  const files = [1, 2, 3].map((n) => {
    const file = join(drop.folder, `large-${n}.bin`)
    writeFileSync(file, randomBytes(10_485_760))
    return file
  })
  await chooseFiles(page, files)
  await choose(page, "#mode-one-way")
  const startedAt = performance.now()
  await press(page, "#send")
  // Asked again and again, the page answers while its worker seals: it shows other values of the
  // bar each time.
  const answers = new Set<unknown>()
  let longestMs = 0
  while (!(await isShown(page, "#sent"))) {
    const askedAt = performance.now()
    answers.add(await ask(page, "#progress-bar", "element.value"))
    longestMs = Math.max(longestMs, performance.now() - askedAt)
    assert.ok(!(await isShown(page, "#failure")), await textOf(page, "#failure"))
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  context.diagnostic(
    `30 MiB in ${seconds} s; the page answered within ${Math.round(longestMs)} ms each time`,
  )
  assert.ok(answers.size >= 4, `the bar stood at ${[...answers].join(", ")}`)
  const [folder, ...others] = await fetchMessages(drop, have)
  assert.ok(folder !== undefined && others.length === 0)
  for (const [n, file] of files.entries())
    assert.ok(readFileSync(join(folder, `attachment-${n + 1}`)).equals(readFileSync(file)))
  assert.deepEqual(wrong, [])
})
