// The sender's pages with JavaScript on, in a real browser, against one running service.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { globSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { after, before, test, type TestContext } from "node:test"
import { crc32, deflateSync } from "node:zlib"
import { codeNumbers, codeWords, newIdentityFile, unpackMessage } from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import type { Plugin } from "esbuild"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { SILENCE_MS } from "../../packages/drop/src/browser/worker-calls.ts"
import { pngChunk, pngWith } from "../../packages/core/testing/drop/metadata/test-pictures.ts"
import { zipOf } from "../../packages/core/testing/drop/metadata/test-documents.ts"
import { buildBrowserFiles, manifestOf } from "../../scripts/browser-files.ts"
import { root } from "../../scripts/repository.ts"
import { easyChallenge } from "../http/drop-visitor.ts"
import { isPresent, launchChromiumProfile } from "./chromium.ts"
import {
  codeLine,
  type Drop,
  fetchMessages,
  manifestIn,
  messageIn,
  reply,
  send,
  startDrop,
  visit,
  type Visitor,
} from "./drop.ts"
import { launchChromium, sharedChromium } from "./shared-chromium.ts"

let english: readonly string[]
let drop: Drop
let browser: Browser | null
before(async () => {
  english = (await loadWords("en")).words
  ;[drop, browser] = await Promise.all([startDrop(), sharedChromium()])
})
after(() => drop.stop())

const CANARY = "Canary text 7d1f: the ledger is in the blue folder"

const ODG = "application/vnd.oasis.opendocument.graphics"
/** A picture of one pixel that also says who made it. */
const picture = png(["tEXt", "Author\0Jane Canary"])

function png(extra: readonly [string, string]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", Buffer.from("00000001000000010800000000", "hex")),
    chunk(extra[0], Buffer.from(extra[1], "latin1")),
    chunk("IDAT", deflateSync(Buffer.from([0, 0]))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

/** Everything that left the browser, as one text. */
function sentBytes({ requests }: Visitor): string {
  return requests
    .map((request) => `${request.url()}\n${request.postDataBuffer()?.toString("latin1") ?? ""}`)
    .join("\n")
}

function paths({ requests }: Visitor): string[] {
  return requests.map((request) => new URL(request.url()).pathname)
}

/** A visitor without a past; null where the test is skipped, because there is no browser. */
/** A browser of its own for a test. Only one test needs to work as long as a sender does. */
async function newContext(
  context: TestContext,
  { work = "easy" }: { work?: "easy" | "real" } = {},
): Promise<BrowserContext | null> {
  const visitors = isPresent(context) ? await browser?.newContext() : undefined
  if (visitors === undefined) return null
  context.after(() => visitors.close())
  if (work === "easy") {
    await visitors.route("**/drop/challenge?*", async (route) => {
      const effort = Number(new URL(route.request().url()).searchParams.get("effort"))
      const body = await easyChallenge(drop.service, effort)
      await route.fulfill({ contentType: "application/json", body })
    })
  }
  return visitors
}

async function askForReplies(page: Page, code: string): Promise<void> {
  await page.fill("#code", code)
  await page.click("#show-replies")
  await page.locator("#replies:not([hidden]), #code-fault:not([hidden])").first().waitFor()
}

test("T4, T27, T28: a message with a file is sent, answered with the command age, read, deleted, followed up and withdrawn", async (context) => {
  const visitors = await newContext(context, { work: "real" })
  if (visitors === null) return
  const first = await visit(visitors, `${drop.url}/drop`)
  const { page } = first
  // What follows must not need them.
  const session = await visitors.newCDPSession(page)
  await session.send("Emulation.setDocumentCookieDisabled", { disabled: true })

  assert.ok(await page.locator("#no-script-note").isHidden())
  await page.fill("#message", CANARY)
  await page.setInputFiles("#files", [
    { name: "holiday-secret-name.png", mimeType: "image/png", buffer: picture },
  ])
  await page.locator("#files-report", { hasText: "Jane Canary" }).waitFor()
  await send(page)
  const code = await codeLine(page)
  assert.equal(await page.locator("#code-words li").count(), 12)
  assert.equal(new URL(page.url()).pathname, "/drop")

  const words = code.split(" ")
  await page.fill("#word-4", words[3] ?? "")
  await page.fill("#word-9", "wrong")
  await page.click("#confirm-form button")
  assert.match((await page.locator("#confirm-outcome").textContent()) ?? "", /does not match/)
  await page.fill("#word-9", ` ${(words[8] ?? "").toUpperCase()}`)
  await page.click("#confirm-form button")
  assert.match((await page.locator("#confirm-outcome").textContent()) ?? "", /Right/)

  // Another message of the same visit belongs to the same code.
  await page.click("#write-again")
  assert.equal(await page.inputValue("#message"), "")
  await page.fill("#message", "The second one")
  await send(page)
  assert.equal(await codeLine(page), code)

  const folders = await fetchMessages(drop)
  const manifests = folders.map(manifestIn)
  assert.deepEqual(manifests.map(({ thread }) => thread?.n).sort(), [0, 1])
  const at = manifests.findIndex(({ thread }) => thread?.n === 0)
  const [folder, manifest] = [folders[at] ?? "", manifests[at]]
  assert.ok(manifest !== undefined)
  assert.equal(messageIn(folder), CANARY)
  assert.equal(manifest.sealed_by, "browser")
  assert.equal(manifest.mode, "two-way")
  assert.deepEqual(manifest.files, [
    { name: "attachment-1.png", type: "image/png", metadata: "stripped", found: ["author"] },
  ])
  const received = readFileSync(join(folder, "attachment-1.png"))
  assert.ok(!received.includes("Jane Canary") && received.includes("IDAT"))
  const left = sentBytes(first)
  for (const secret of [CANARY, "holiday-secret-name", "Jane Canary", code, ...codeForms(code)])
    assert.ok(!left.includes(secret), "something left the browser unsealed")
  assert.ok(!paths(first).includes("/drop/form"))

  await reply(drop, manifest, "We have it.\u202e<b>Thanks</b>\u001b[31m")
  const second = await visit(visitors, `${drop.url}/drop/replies`)
  await askForReplies(second.page, words.join("-").toUpperCase())
  assert.equal(
    await second.page.locator("#reply-list .reply").textContent(),
    "We have it.⟨U+202E⟩<b>Thanks</b>␛[31m",
  )
  assert.equal(await second.page.inputValue("#code"), "")
  await second.page.click("#delete-replies")
  await second.page.locator("#delete-outcome", { hasText: "deleted" }).waitFor()
  assert.equal(await second.page.locator("#reply-list li").count(), 0)

  const have = folders.map((each) => readFileSync(join(each, "id"), "utf8"))
  await second.page.fill("#message", "One more thing")
  await second.page.click("#send")
  await second.page.locator("#sent-follow-up").waitFor()
  const [later, ...others] = await fetchMessages(drop, have)
  assert.ok(later !== undefined && others.length === 0)
  assert.equal(messageIn(later), "One more thing")
  assert.deepEqual({ ...manifestIn(later).thread, n: 0 }, manifest.thread)
  assert.equal(manifestIn(later).thread?.n, null)
  assert.ok(!sentBytes(second).includes(code))

  const third = await visit(visitors, `${drop.url}/drop/replies`)
  await askForReplies(third.page, codeForms(code)[0] ?? "")
  assert.ok(await third.page.locator("#no-replies").isVisible())
  assert.ok(await third.page.locator("#delete-form").isHidden())

  // The two messages of the first visit go; the one of the second cannot be taken back.
  await page.click("#withdraw-now")
  await page.locator("#withdraw-outcome", { hasText: "deleted" }).waitFor()
  const { index } = await drop.inbox.drop.sync([])
  assert.deepEqual(
    index.messages.map(({ id }) => id),
    [readFileSync(join(later, "id"), "utf8")],
  )
  for (const visitor of [first, second, third]) assert.deepEqual(visitor.wrong, [])
})

/** The same code in digits, with and without spaces. */
function codeForms(line: string): string[] {
  const numbers = line.split(" ").map((word) => String(english.indexOf(word) + 1).padStart(4, "0"))
  return [numbers.join(" "), numbers.join("")]
}

// 10 MiB each, and the largest class, in soak; sealing so much takes a while without it being
// another path.
const SOAK = process.env.ASSAY_SOAK !== undefined
const LARGE_FILE = SOAK ? 10_485_760 : 1_048_576
const LARGE_CLASS = (SOAK ? 32 : 4) * 2 ** 20

test("T3: three large files, sealed in the browser, open with Debian's age and tar", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const visitor = await visit(visitors, `${drop.url}/drop`)
  const { page } = visitor
  const files = [1, 2, 3].map((n) => {
    const file = join(drop.folder, `large-${n}.bin`)
    writeFileSync(file, randomBytes(LARGE_FILE))
    return file
  })
  const before = await drop.inbox.drop.sync([])
  await page.setInputFiles("#files", files)
  await page.check("#mode-one-way")
  await page.check("#names")
  await page.locator("#files-report li").nth(2).getByText("not looked into").waitFor()
  await send(page)
  assert.ok(await page.locator("#sent-one-way").isVisible())
  assert.ok(await page.locator("#sent-two-way").isHidden())
  const have = before.index.messages.map(({ id }) => id)
  const [folder] = await fetchMessages(drop, have)
  assert.ok(folder !== undefined)
  for (const [n, file] of files.entries())
    assert.ok(readFileSync(join(folder, `attachment-${n + 1}`)).equals(readFileSync(file)))
  const manifest = manifestIn(folder)
  assert.equal(manifest.mode, "one-way")
  assert.equal(manifest.thread, undefined)
  assert.deepEqual(
    manifest.files.map(({ original_name }) => original_name),
    ["large-1.bin", "large-2.bin", "large-3.bin"],
  )
  assert.equal(statSync(join(folder, "d.tar")).size, LARGE_CLASS)
  assert.deepEqual(visitor.wrong, [])
})

test("extra work that a sender chose is asked for and reaches the recipients with the message", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const before = await drop.inbox.drop.sync([])
  const known = new Set(before.index.messages.map(({ id }) => id))
  const visitor = await visit(visitors, `${drop.url}/drop`)
  const { page } = visitor
  assert.equal(await page.inputValue("#effort"), "0")
  await page.fill("#message", "Worth the trouble")
  await page.selectOption("#effort", "1")
  await send(page)
  const asked = visitor.requests.filter((request) => request.url().includes("/drop/challenge"))
  assert.deepEqual(
    asked.map((request) => new URL(request.url()).search),
    ["?effort=1&size=65736"],
  )
  const { index } = await drop.inbox.drop.sync([])
  const efforts = index.messages.filter(({ id }) => !known.has(id)).map(({ effort }) => effort)
  assert.deepEqual(efforts, [1])
  // The choice is for one message.
  await page.click("#write-again")
  assert.equal(await page.inputValue("#effort"), "0")
  assert.deepEqual(visitor.wrong, [])
})

test("T10: whatever keeps a message from being sealed, nothing of it leaves and the text stays in its field", async (context) => {
  if (browser === null) return void isPresent(context)
  const before = await drop.inbox.drop.sync([])
  const worker = await faultyWorker()
  const faults: Readonly<Record<string, string>> = {
    throws: `() => { throw new Error("no") }`,
    "hangs for ever": `() => new Promise(() => {})`,
    "gives nothing": `() => Object.assign(new ReadableStream({ start: (c) => c.close() }), { size: () => 0 })`,
    "gives what was to be sealed": `(file) => Object.assign(file, { size: (n) => n })`,
    "dies without a word": `() => { close(); return new Promise(() => {}) }`,
  }
  for (const [name, fault] of Object.entries(faults)) {
    const visitors = await browser.newContext()
    await visitors.clock.install()
    await visitors.route("**/drop/files/worker.*.js", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: `self.encryptFault = ${fault};\n${worker}` })
    })
    const visitor = await visit(visitors, `${drop.url}/drop`)
    const { page } = visitor
    await page.fill("#message", CANARY)
    await page.click("#send")
    if (/hangs|dies/.test(name)) {
      await page.locator("#progress", { hasText: "Encrypting" }).waitFor()
      assert.ok(await page.locator("#failure").isHidden(), name)
      await page.clock.fastForward(SILENCE_MS + 1_000)
    }
    await page.locator("#failure", { hasText: "could not encrypt" }).waitFor()
    assert.equal(await page.inputValue("#message"), CANARY, name)
    assert.ok(await page.locator("#send").isEnabled())
    assert.ok(!sentBytes(visitor).includes("Canary"), name)
    assert.ok(!paths(visitor).some((path) => /\/(sealed|form)$/.test(path)), name)
    await visitors.close()
  }
  const visitors = await browser.newContext()
  const visitor = await visit(visitors, `${drop.url}/drop`)
  await visitor.page.fill("#message", CANARY)
  // What the page itself needs has come; a sender goes offline later than that.
  await visitor.page.waitForLoadState("networkidle")
  await visitors.setOffline(true)
  await visitor.page.click("#send")
  await visitor.page.locator("#failure", { hasText: "connection failed" }).waitFor()
  assert.equal(await visitor.page.inputValue("#message"), CANARY)
  // Nothing is tried again by itself; the person presses Send once more.
  await visitors.setOffline(false)
  assert.ok(!sentBytes(visitor).includes("Canary"))
  const afterwards = await drop.inbox.drop.sync([])
  assert.equal(afterwards.index.messages.length, before.index.messages.length)
  await send(visitor.page)
})

test("T10: no form is there to be sent before the script that seals is, and without the script the page says what that means", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  for (const arrives of [true, false]) {
    const asked = Promise.withResolvers<true>()
    const go = Promise.withResolvers<true>()
    await visitors.route("**/drop/files/sender-*.js", async (route) => {
      asked.resolve(true)
      await go.promise
      await (arrives ? route.continue() : route.abort())
    })
    const page = await visitors.newPage()
    const posted: string[] = []
    page.on("request", (request) => {
      if (request.method() === "POST") posted.push(new URL(request.url()).pathname)
    })
    await page.goto(`${drop.url}/drop`, { waitUntil: "commit" })
    await asked.promise
    assert.equal(await page.evaluate("document.forms.length"), 0)
    go.resolve(true)
    await page.locator("#send").waitFor()
    await page.waitForLoadState()
    assert.equal(await page.locator("#no-script-note").isVisible(), !arrives)
    await page.fill("#message", CANARY)
    await page.click("#send")
    if (arrives) await page.locator("#sent").waitFor()
    else await page.waitForURL("**/drop/form")
    assert.equal(posted.includes("/drop/form"), !arrives)
    await page.close()
    await visitors.unroute("**/drop/files/sender-*.js")
  }
})

test("T10: while a message is under way nothing of it can be changed, and afterwards the keys are where they were", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const asked = Promise.withResolvers<true>()
  const go = Promise.withResolvers<true>()
  await visitors.route("**/drop/challenge?*", async (route) => {
    asked.resolve(true)
    await go.promise
    await route.abort()
  })
  const { page } = await visit(visitors, `${drop.url}/drop`)
  await page.fill("#message", CANARY)
  await page.setInputFiles("#files", [{ name: "p.png", mimeType: "image/png", buffer: picture }])
  await page.locator("#files-report", { hasText: "Jane Canary" }).waitFor()
  await page.click("#send")
  await asked.promise
  // A file that is removed now would still be sent.
  const states = (): Promise<boolean[]> =>
    page.evaluate(
      `[...document.querySelectorAll("#drop-form :is(input:not([type=hidden]), select, textarea, button)")]
        .map((control) => control.matches(":disabled"))`,
    )
  assert.ok((await states()).every((disabled) => disabled))
  go.resolve(true)
  await page.locator("#failure", { hasText: "connection failed" }).waitFor()
  await page.locator("#send:focus").waitFor()
  assert.ok((await states()).every((disabled) => !disabled))
  assert.equal(await page.inputValue("#message"), CANARY)
})

test("T10: a message is not sealed to keys that went while it was written", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const { recipient } = await newIdentityFile(undefined, "x25519")
  let asked = 0
  await visitors.route("**/drop/keys.txt", async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    asked += 1
    // As many keys as before, so that the server cannot see a difference.
    await route.fulfill({
      response,
      body: asked === 1 ? text : text.replace(drop.recipient, recipient),
    })
  })
  const visitor = await visit(visitors, `${drop.url}/drop`)
  const { page } = visitor
  await page.fill("#message", CANARY)
  await page.click("#send")
  await page.locator("#failure", { hasText: "keys changed" }).waitFor()
  assert.equal(asked, 2)
  assert.ok(!paths(visitor).includes("/drop/sealed"))
  assert.equal(await page.inputValue("#message"), CANARY)
})

test("nothing is sent before it is shown what its files carry", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  await prefixWorker(visitors, "Blob.prototype.arrayBuffer = () => new Promise(() => {})")
  const visitor = await visit(visitors, `${drop.url}/drop`)
  const { page } = visitor
  await page.setInputFiles("#files", [{ name: "p.png", mimeType: "image/png", buffer: picture }])
  await page.click("#send")
  await page.locator("#files-fault", { hasText: "Looking into the file" }).waitFor()
  assert.ok(!paths(visitor).includes("/drop/challenge"))
  assert.ok(await page.locator("#send").isEnabled())
})

test("a document says what it carries, and a file of a kind that nobody looks into says that", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const { page, wrong } = await visit(visitors, `${drop.url}/drop`)
  const meta = "<office:meta><meta:initial-creator>Jane Canary</meta:initial-creator></office:meta>"
  const opf = "<package><dc:creator>Jane Canary</dc:creator></package>"
  const file = (name: string, bytes: Uint8Array) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(bytes),
  })
  await page.setInputFiles("#files", [
    file("a.odg", zipOf({ "meta.xml": meta, "content.xml": "<x/>", mimetype: ODG })),
    file("b.epub", zipOf({ "META-INF/container.xml": "<container/>", "content.opf": opf })),
    file("c.txt", Buffer.from("a text")),
  ])
  const item = (number: number): Locator => page.locator(`#files-report > li:nth-child(${number})`)
  await item(3).getByText("This kind of file was not looked into").waitFor()
  for (const number of [1, 2])
    assert.match((await item(number).textContent()) ?? "", /Author: Jane Canary.*cannot be removed/)
  assert.doesNotMatch((await page.locator("#files-report").textContent()) ?? "", /No hidden data/)

  // The page also warns about colours that depend on a profile, while the profile is to be removed.
  const profile = pngChunk("iCCP", Buffer.from("x\0\0not a profile", "latin1"))
  await page.setInputFiles("#files", [file("d.png", pngWith([profile]))])
  const note = page.locator("#files-report").getByText("The colours can look different")
  await note.waitFor()
  await page.check("#keep-file-1")
  assert.equal(await note.count(), 0)
  assert.deepEqual(wrong, [])
})

test("a code is shown for every message that was stored, even if the worker dies once its work is done", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  await prefixWorker(
    visitors,
    `const post = postMessage.bind(self)
     self.postMessage = (message) => { post(message); if (message.result?.solution) close() }`,
  )
  const { page, wrong } = await visit(visitors, `${drop.url}/drop`)
  await page.fill("#message", CANARY)
  await send(page)
  await codeLine(page)
  assert.deepEqual(wrong, [])
})

test("a message whose answer is lost is not called unsent, and sent again it stays in its thread", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const cut = await answersCut("POST /drop/sealed ")
  context.after(() => cut.close())
  const before = await drop.inbox.drop.sync([])
  const have = before.index.messages.map(({ id }) => id)
  const { page } = await visit(visitors, `${cut.url}/drop`)
  await page.fill("#message", CANARY)
  await page.click("#send")
  await page.locator("#failure", { hasText: "may have arrived" }).waitFor()
  assert.equal(await page.inputValue("#message"), CANARY)
  cut.heal()
  await send(page)
  await codeLine(page)
  const threads = (await fetchMessages(drop, have)).map((folder) => manifestIn(folder).thread)
  assert.deepEqual(threads.map((thread) => thread?.n).sort(), [0, 1])
  assert.equal(new Set(threads.map((thread) => thread?.mailbox)).size, 1)
})

/** A way to the drop on which answers to one request are lost until it is healed. */
async function answersCut(
  requestLine: string,
): Promise<{ readonly url: string; heal(): void; close(): void }> {
  let whole = false
  const server = createServer((visitor) => {
    const service = connect(Number(new URL(drop.url).port), "127.0.0.1")
    visitor.on("error", () => service.destroy()).on("close", () => service.destroy())
    service.on("error", () => visitor.destroy()).on("close", () => visitor.destroy())
    visitor.once("data", (first: Buffer) => {
      const lost = !whole && first.toString("latin1").startsWith(requestLine)
      service.write(first)
      visitor.pipe(service)
      if (lost) service.once("data", () => visitor.resetAndDestroy())
      else service.pipe(visitor)
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heal() {
      whole = true
    },
    close: () => void server.close(),
  }
}

/** Lets every worker of these visitors run this first. */
async function prefixWorker(visitors: BrowserContext, script: string): Promise<void> {
  await visitors.route("**/drop/files/worker.*.js", async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${script};\n${await response.text()}` })
  })
}

/** A worker whose `encrypt()` calls `self.encryptFault()` instead. */
async function faultyWorker(): Promise<string> {
  const fault: Plugin = {
    name: "fault",
    setup(build) {
      build.onLoad({ filter: /age-encryption\/dist\/index\.js$/ }, ({ path }) => {
        const source = readFileSync(path, "utf8")
        const contents = source.replace(
          "async encrypt(file) {",
          "async encrypt(file) { return await self.encryptFault(file)",
        )
        assert.notEqual(contents, source)
        return { contents, loader: "js" }
      })
    },
  }
  const { files } = await buildBrowserFiles(root, [fault])
  const worker = files.find(({ name }) => name === "worker")
  assert.ok(worker !== undefined)
  return new TextDecoder().decode(worker.bytes)
}

test("T16, T26: after a visit neither the browser's stores, nor its way back, nor its profile on the disk hold text or code", async (context) => {
  const profile = join(drop.folder, "profile")
  const visitors = await launchChromiumProfile(context, profile)
  if (visitors === null) return
  let code: string
  try {
    const { page, wrong } = await visit(visitors, `${drop.url}/drop`)
    await page.fill("#message", CANARY)
    const entries = await page.evaluate<number>("history.length")
    await send(page)
    code = await codeLine(page)
    const title = await page.title()
    assert.ok(!code.split(" ").every((word) => title.includes(word)))
    assert.equal(page.url(), `${drop.url}/drop`)
    assert.equal(await page.evaluate<number>("history.length"), entries)
    assert.equal(await page.evaluate("JSON.stringify(history.state)"), "null")
    assert.deepEqual(
      await page.evaluate(`(async () => [
        localStorage.length, sessionStorage.length, document.cookie, name,
        (await indexedDB.databases()).length,
        // These two exist only where a page is secure, as this one is.
        (await caches.keys()).length, (await navigator.serviceWorker.getRegistrations()).length,
      ])()`),
      [0, 0, "", "", 0, 0, 0],
    )
    assert.deepEqual(await visitors.cookies(), [])

    // The way back, and a reload, show an empty form.
    await page.goto(`${drop.url}/drop/replies`)
    await page.goBack()
    await assertEmpty(page, code)
    await page.fill("#message", CANARY)
    await page.reload()
    await assertEmpty(page, code)
    // As does a page that the browser kept whole.
    await page.fill("#message", CANARY)
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))`)
    await assertEmpty(page, code)
    await page.fill("#message", CANARY)
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
    await assertEmpty(page, code)
    assert.deepEqual(wrong, [])
  } finally {
    await visitors.close()
  }
  const needles = ["Canary text 7d1f", code, ...codeForms(code)]
  const files = globSync("**", { cwd: profile }).filter((file) =>
    statSync(join(profile, file)).isFile(),
  )
  assert.ok(files.length > 10)
  for (const file of files) {
    const bytes = readFileSync(join(profile, file))
    for (const needle of needles)
      for (const encoding of ["utf8", "utf16le"] as const)
        assert.ok(!bytes.includes(Buffer.from(needle, encoding)), file)
  }
})

async function assertEmpty(page: Page, code: string): Promise<void> {
  await page.locator("#message").waitFor()
  assert.equal(await page.inputValue("#message"), "")
  assert.equal(await page.inputValue("#files"), "")
  const html = await page.content()
  for (const needle of [CANARY, code, ...codeForms(code)]) assert.ok(!html.includes(needle))
}

test("T24: without crypto.subtle the page says so at once, sends nothing by itself and gives the plain form back on request", async (context) => {
  const host = "drop.invalid"
  const elsewhere = await launchChromium(context, [`--host-resolver-rules=MAP ${host} 127.0.0.1`])
  if (elsewhere === null) return
  const visitors = await elsewhere.newContext()
  const visitor = await visit(visitors, drop.url.replace("127.0.0.1", host) + "/drop")
  const { page } = visitor
  assert.equal(await page.evaluate("typeof crypto.subtle"), "undefined")
  const failure = page.locator("#failure")
  await failure.getByText("cannot encrypt").waitFor()
  await page.fill("#message", CANARY)
  await page.click("#send")
  await failure.getByText("cannot encrypt").waitFor()
  assert.ok(!sentBytes(visitor).includes("Canary"))
  assert.ok(await page.locator("#no-script-note").isHidden())
  // The script has one field for all files and a choice for each below it.
  assert.equal(await page.locator("#files-2, #untouched-1").count(), 0)
  const file = (name: string) => ({ name, mimeType: "image/png", buffer: picture })
  await page.setInputFiles("#files", [file("one.png"), file("two.png")])
  await page.check("#keep-file-2")

  await failure.getByRole("button").click()
  assert.ok(await page.locator("#no-script-note").isVisible())
  const sent = await page.evaluate<string[]>(
    `[...new FormData(document.querySelector("#message").form)].map(([name, value]) => name + "=" + (value.name ?? value))`,
  )
  assert.deepEqual(
    sent.filter((field) => /^(files|untouched)/.test(field)),
    ["files=one.png", "files=two.png", "untouched-2=keep"],
  )
  assert.ok(!sentBytes(visitor).includes("Canary"))
  await page.click("#send")
  // Faster than a person writes, so it comes back, with the text, from the server.
  await page.waitForURL("**/drop/form")
  assert.equal(await page.inputValue("#message"), CANARY)
  assert.ok(await page.locator("#form-fault").isVisible())
})

test("T1, T13, T14: codes are read in the browser, in any language; a mistyped one leaves it in no form", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  // The keys of this drop under the id of the vectors.
  await visitors.route("**/drop/keys.txt", (route) =>
    route.fulfill({ body: `# drop/v1\n# drop id ${"aa".repeat(16)}\n${drop.recipient}\n` }),
  )
  const secret = Uint8Array.from({ length: 15 }, (_, n) => n)
  const visitor = await visit(visitors, `${drop.url}/drop/replies`)
  const { page } = visitor
  const asked = (): number => paths(visitor).filter((path) => path.endsWith("/mailbox")).length

  await askForReplies(page, "abandon amount liar")
  assert.match((await page.locator("#code-fault").textContent()) ?? "", /twelve/)
  const listsBefore = paths(visitor).filter((path) => path.includes("/words-"))
  assert.deepEqual(listsBefore, [])
  await askForReplies(
    page,
    "abandon amount liar amount expire adjust cage candy arch gather drum edge",
  )
  assert.match((await page.locator("#code-fault").textContent()) ?? "", /not right/)
  assert.equal(paths(visitor).filter((path) => path.includes("/words-")).length, 9)
  assert.equal(asked(), 0)

  const french = codeWords(secret, await loadWords("fr"))
    .join("  ")
    .toUpperCase()
  await askForReplies(page, french)
  assert.ok(await page.locator("#no-replies").isVisible())
  const mailbox = visitor.requests.findLast((request) => request.url().endsWith("/mailbox"))
  assert.equal(
    mailbox?.postDataBuffer()?.toString("hex"),
    "ec65c9a58fad9b58c447895191d482e05c1c5ebd0b799a52ee61d5221486baf3",
  )

  const withdrawing = await visit(visitors, `${drop.url}/drop/de/withdraw`)
  await withdrawing.page.fill("#code", codeNumbers(secret).join(""))
  // Whoever waits for it after the outcome is there may wait in vain.
  const asking = withdrawing.page.waitForRequest("**/withdraw-tokens")
  await withdrawing.page.click("#withdraw-form button")
  await withdrawing.page.locator("#withdraw-outcome:not([hidden])").waitFor()
  const tokens = (await asking).postDataBuffer()
  assert.equal(tokens?.length, 16 * 32)
  assert.equal(
    createHash("sha256").update(tokens.subarray(0, 32)).digest("hex"),
    "70a552246552ca9c793f79a6a6066af3dd19136484f95d78e947b7f6f83bc8c2",
  )
  for (const { wrong } of [visitor, withdrawing]) assert.deepEqual(wrong, [])
})

test("bad input is marked at its field before anything is sent to the server, and the text stays", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const visitor = await visit(visitors, `${drop.url}/drop`)
  const { page } = visitor
  const file = (name: string, buffer: Buffer) => ({
    name,
    mimeType: "application/octet-stream",
    buffer,
  })
  const fault = async (field: string): Promise<string> => {
    await page.click("#send")
    return (await page.locator(`#${field}-fault:not([hidden])`).textContent()) ?? ""
  }
  assert.match(await fault("message"), /Write a message or choose a file/)
  await page.fill("#message", "é".repeat(25_001))
  assert.match(await fault("message"), /too long/)
  assert.equal((await page.inputValue("#message")).length, 25_001)
  await page.fill("#message", CANARY)
  const small = Buffer.from("x")
  await page.setInputFiles(
    "#files",
    ["a", "b", "c", "d"].map((name) => file(name, small)),
  )
  assert.match(await fault("files"), /more than 3/)
  const large = join(drop.folder, "too-large.bin")
  writeFileSync(large, "")
  truncateSync(large, 10_485_761)
  await page.setInputFiles("#files", [large])
  assert.match(await fault("files"), /File 1 is larger/)
  await page.setInputFiles("#files", [file("a", Buffer.alloc(0))])
  assert.match(await fault("files"), /File 1 is empty/)
  await page.setInputFiles("#files", [file("cut.png", picture.subarray(0, 60))])
  await page.locator("#files-report").getByText("cannot be removed").waitFor()
  assert.match(await fault("files"), /File 1 looks like a picture/)
  assert.ok(!paths(visitor).includes("/drop/challenge"))
  assert.equal(await page.inputValue("#message"), CANARY)

  // Both ways out: leaving the file out, or sending it untouched.
  await page.check("#keep-file-1")
  assert.equal(await page.locator("#files-report").getByText("untouched, with").count(), 1)
  await page.locator("#files-report button").click()
  assert.ok(await page.locator("#files-report").isHidden())
  assert.equal(await page.inputValue("#files"), "")
})

test("T55: the service serves the files of the build, lists their sums, and refuses an older script's worker by its name", async () => {
  const { files } = await buildBrowserFiles(root)
  const hashes = await (await fetch(`${drop.url}/drop/hashes`)).text()
  for (const [name, { file, sha256, integrity }] of Object.entries(manifestOf(files))) {
    assert.ok(hashes.includes(file) && hashes.includes(sha256), name)
    if (name === "offline") continue
    const served = await fetch(`${drop.url}/drop/files/${file}`)
    const bytes = Buffer.from(await served.arrayBuffer())
    assert.equal(`sha256-${createHash("sha256").update(bytes).digest("base64")}`, integrity)
  }
  assert.equal((await fetch(`${drop.url}/drop/files/worker.0000000000000000.js`)).status, 404)
})

test("the page for use without a network makes a file that the drop's readers open, and reaches nothing", async (context) => {
  const visitors = await newContext(context)
  if (visitors === null) return
  const saved = join(drop.folder, "drop-offline.html")
  writeFileSync(saved, await (await fetch(`${drop.url}/drop/offline`)).text())
  await visitors.setOffline(true)
  const { page, requests, wrong } = await visit(visitors, `file://${saved}`)
  const keys = await (await fetch(`${drop.url}/drop/keys.txt`)).text()
  assert.equal(await page.inputValue("#keys"), keys)
  await page.locator("#fingerprint", { hasText: /^(\w+ ){5}\w+$/ }).waitFor()
  await page.fill("#message", CANARY)
  await page.setInputFiles("#files", [{ name: "p.png", mimeType: "image/png", buffer: picture }])
  await page.locator("#files-report", { hasText: "Jane Canary" }).waitFor()
  await page.click("#make")
  await page.locator("#made").waitFor()
  assert.equal(await page.locator("#code-words li").count(), 12)
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")])
  assert.equal(download.suggestedFilename(), "message.age")
  const sealed = await download.path()
  const tar = execFileSync("age", ["-d", "-i", drop.identityFile, sealed])
  const { manifest, message, files } = unpackMessage(tar)
  assert.equal(message, CANARY)
  assert.equal(manifest.sealed_by, "sender")
  assert.equal(manifest.thread?.n, null)
  assert.ok(!Buffer.from(files[0]?.bytes ?? []).includes("Jane Canary"))
  // A size that the drop stores as it is.
  assert.equal(readFileSync(sealed).length, 65_736)
  assert.deepEqual(
    requests
      .map((request) => new URL(request.url()).protocol)
      .filter((each) => each !== "file:" && each !== "blob:"),
    [],
  )
  assert.deepEqual(wrong, [])
})
