import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { after, before, test } from "node:test"
import { crc32, deflateSync } from "node:zlib"
import AxeBuilder from "@axe-core/playwright"
import {
  type FileToPack,
  newSecret,
  open,
  type OpenedMessage,
  packMessage,
  readRecipients,
  type Recipients,
  seal,
  sealedSize,
  SMALLEST_CLASS,
  threadAddress,
  type ThreadKeys,
  threadKeys,
  unpackMessage,
} from "@assay/core/drop"
import { solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import type { Challenge } from "altcha-lib/types"
import type { Page } from "playwright-core"
import { assay } from "../cli/assay.ts"
import { easyChallenge } from "../http/drop-visitor.ts"
import { type Service, startService } from "../http/service.ts"
import { screenshot } from "./screenshot.ts"
import { launchChromium } from "./shared-chromium.ts"

const PASSPHRASE = "heron lantern gravel tulip"
const HOSTILE =
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">\u001b[31m\u202eevil\u0000'
const SHOWN =
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">␛[31m⟨U+202E⟩evil␀'

let service: Service
let token: string
before(async () => {
  service = await startService({ drop: true, args: ["--workers", "1"] })
  const { out, err, code } = await assay(["operators", "token", "--name", "Ana", "--reseal"], {
    ASSAY_DATA: service.dataDirectory,
  })
  assert.equal(code, 0, err)
  token = out.trim()
})
after(() => service.stop())

/** For a person to look at after a run. */
const screenshots = resolve(import.meta.dirname, "../../tmp/screenshots")
mkdirSync(screenshots, { recursive: true })

/** Sends a message as the sender's script does: work, ticket, sealed bytes. */
async function send(
  message: string,
  files: readonly FileToPack[],
  recipients: Recipients,
  keys: ThreadKeys | null,
): Promise<void> {
  const thread = keys === null ? {} : { thread: threadAddress(keys, 0) }
  const mode = keys === null ? "one-way" : "two-way"
  const envelope = packMessage({ sealedBy: "browser", mode, lang: "en", message, files, ...thread })
  const drop = service.dropUrl ?? ""
  // The work itself is what the tests of the sender's pages are about.
  const challenge = JSON.parse(await easyChallenge(service, 0)) as Challenge
  const solution = await solveChallenge({ challenge, deriveKey, timeout: 600_000 })
  const payload = JSON.stringify({ challenge, solution })
  const ticket = await fetch(`${drop}/drop/ticket`, { method: "POST", body: payload })
  const { status } = await fetch(`${drop}/drop/sealed`, {
    method: "POST",
    headers: {
      "content-type": "application/octet-stream",
      "drop-ticket": await ticket.text(),
      "drop-withdraw": randomBytes(32).toString("hex"),
    },
    body: new Uint8Array(await seal(envelope, recipients)),
  })
  assert.equal(status, 201)
}

/** The replies that wait for a sender, opened with what only the sender has. */
async function repliesOf(keys: ThreadKeys, recipients: Recipients): Promise<OpenedMessage[]> {
  const answer = await fetch(`${service.dropUrl ?? ""}/drop/mailbox`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: keys.mailbox,
  })
  const slots = new Uint8Array(await answer.arrayBuffer())
  const size = sealedSize(SMALLEST_CLASS, recipients.keys.length + 1, recipients.suite)
  assert.equal(slots.length, 4 * size)
  const replies: OpenedMessage[] = []
  for (let at = 0; at < slots.length; at += size) {
    const opened = await open(slots.slice(at, at + size), [keys.identity]).catch(() => null)
    if (opened !== null) replies.push(unpackMessage(opened))
  }
  return replies
}

/** A picture of 64 × 64 points in one colour, with a comment in it. */
function picture(): Uint8Array {
  const chunk = (name: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 64, 0, 0, 0, 64, 8, 2, 0, 0, 0])
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(64 * 3, Buffer.of(0x0b, 0x5c, 0x5c))])
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("tEXt", Buffer.from("Author\0Ann")),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: 64 }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hacked = 3</script></svg>'
const HTML = "<!doctype html><script>parent.hacked = 4</script>"
const attached: readonly FileToPack[] = [
  { bytes: picture(), type: "image/png", extension: ".png", metadata: "kept", found: ["author"] },
  // Says that it is a picture, and is not.
  { bytes: Buffer.from(svg), type: "image/png", extension: ".png", metadata: "stripped" },
  {
    bytes: Buffer.from(HTML),
    type: "text/html",
    extension: ".html",
    metadata: "unknown",
    originalName: "../<img src=x onerror=alert(1)>\u202e.html",
  },
]

async function assertAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
    .analyze()
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`),
    [],
    what,
  )
}

test("T47, T48, T52: a recipient makes a key, fetches all at once, reads safely, and answers in batches", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const page = await (await browser.newContext({ colorScheme: "light" })).newPage()
  const requests: string[] = []
  const faults: string[] = []
  page.on("request", (request) => {
    if (!request.url().startsWith("blob:"))
      requests.push(`${request.method()} ${request.url().replace(service.baseUrl, "")}`)
  })
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    // In the frame of a picture Chromium's own viewer is kept from styling and scripting it.
    const { url } = message.location()
    // That nobody is signed in, who has a token instead.
    const ofSession = url.endsWith("/api/v1/session")
    if (message.type() === "error" && !url.startsWith("blob:") && !ofSession)
      faults.push(message.text())
  })
  page.on("dialog", (dialog) => void faults.push(dialog.message()))
  await page.clock.install()
  const opened = await page.goto(`${service.baseUrl}/console/drop`)
  const headers = opened?.headers() ?? {}
  assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(headers["content-security-policy"] ?? "", /unsafe|data:|https?:|\*/)
  assert.equal(headers["cache-control"], "no-store")
  assert.equal(headers["set-cookie"], undefined)
  const button = (name: string | RegExp) => page.getByRole("button", { name })
  const shot = (name: string) => screenshot(page, join(screenshots, `inbox-${name}.png`))

  // A wrong token shows an error, and nothing else happens.
  await page.getByLabel("Operator token").fill("ask_wrong")
  await button("Continue").click()
  await page.getByText("The service does not know this token.").waitFor()
  await assertAccessible(page, "sign in")
  await shot("sign-in")
  faults.length = 0

  // First run: the key is made here, and only its public half leaves.
  await page.getByLabel("Operator token").fill(token)
  await button("Continue").click()
  await page.getByRole("heading", { name: "Create the first key" }).waitFor()
  await page.getByLabel("Passphrase", { exact: true }).fill("short")
  await button("Create key").click()
  await page.getByText("The passphrase needs at least 12 characters.").waitFor()
  await assertAccessible(page, "first run")
  await shot("first-run")
  await page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE)
  await page.getByLabel("The same passphrase again").fill(PASSPHRASE)
  await button("Create key").click()
  await page.getByRole("heading", { name: "Save the identity file" }).waitFor({ timeout: 240_000 })
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    button("Save identity file").click(),
  ])
  const identityFile = readFileSync(await saved.path())
  assert.match(identityFile.toString("latin1"), /^age-encryption\.org\/v1\n-> scrypt /)
  await page.getByLabel(/I have saved the file/).check()
  await shot("key")
  await button("Use this key for the drop").click()
  await page.getByText("No messages.").waitFor()

  // Two senders write. One request fetches both messages.
  const file = readRecipients(await (await fetch(`${service.dropUrl ?? ""}/drop/keys.txt`)).text())
  const { recipients, dropId } = file
  assert.ok(dropId !== null)
  const keys = await threadKeys(newSecret(), dropId, recipients.suite)
  await send(HOSTILE, attached, recipients, keys)
  await send("A one-way tip.", [], recipients, null)
  const before = requests.length
  await button("Fetch now").click()
  await page.getByText("2 threads, all fetched.").waitFor()
  assert.deepEqual(requests.slice(before), ["POST /api/v1/drop/sync"])

  // Text of strangers is text, and their files are only ever saved, or shown as cleaned pictures.
  const lines = page.locator(".thread-line")
  await lines.filter({ hasText: "1 message" }).first().waitFor()
  assert.equal(await lines.filter({ hasText: "unread" }).count(), 2)
  assert.match(await lines.first().innerText(), /deleted on \d\d? [A-Z][a-z]{2} \d{4}/)
  await lines.filter({ hasText: "A one-way tip." }).waitFor()

  // Looking for words asks nobody.
  await page.getByLabel("Search").fill("TIP way")
  await lines.filter({ hasText: "<script>" }).waitFor({ state: "detached" })
  assert.equal(await lines.count(), 1)
  await page.getByLabel("Search").fill("nothing like it")
  await page.getByText("No thread has these words.").waitFor()
  await page.getByLabel("Search").fill("")
  assert.equal(await lines.count(), 2)
  assert.deepEqual(requests.slice(before), ["POST /api/v1/drop/sync"])
  await page.locator(".thread-line", { hasNotText: "One-way" }).click()
  assert.equal(await page.locator(".message pre.text").textContent(), SHOWN)
  await lines.filter({ hasText: "unread" }).nth(1).waitFor({ state: "detached" })
  assert.equal(await lines.filter({ hasText: "unread" }).count(), 1)
  assert.equal(await page.locator(".message script, .message img, .message iframe").count(), 0)
  await page.getByText("Sealed in the sender's browser").waitFor()
  // What the sender's page found, and what the file itself still says.
  const [kept, , unread] = await page.locator(".files > li").allTextContents()
  assert.match(
    kept ?? "",
    /found before sending: author\. The sender chose to send the file untouched/,
  )
  assert.match(kept ?? "", /The file carries: author “Ann”\./)
  assert.match(unread ?? "", /not looked into before sending/)
  const [html] = await Promise.all([
    page.waitForEvent("download"),
    button("Save attachment-3.html").click(),
  ])
  assert.equal(html.suggestedFilename(), "attachment-3.html")
  assert.deepEqual(readFileSync(await html.path()), attached[2]?.bytes)
  assert.equal(await button("Show attachment-3.html").count(), 0)
  await button("Read attachment-3.html as text").click()
  assert.equal(await page.getByLabel("Text of attachment-3.html").textContent(), HTML)
  await button("Show attachment-2.png").click()
  await page.getByText("This is not a picture that can be shown safely.").waitFor()
  await button("Show attachment-1.png").click()
  const frame = page.locator("iframe")
  await frame.waitFor()
  assert.equal(await frame.count(), 1)
  assert.equal(await frame.getAttribute("sandbox"), "")
  assert.match((await frame.getAttribute("src")) ?? "", /^blob:/)
  assert.equal(await page.evaluate("window.hacked"), undefined)
  await shot("picture")

  // The acknowledgement and the reply wait for a whole delay after the last of them.
  await page.getByLabel("Reply", { exact: true }).fill("Thank you. <b>When?</b>")
  const answering = page.getByLabel("File", { exact: true })
  await answering.setInputFiles({
    name: "large.bin",
    mimeType: "application/octet-stream",
    buffer: randomBytes(65_000),
  })
  await button("Put reply in the outbox").click()
  await page.getByText("It is larger than the drop allows.").waitFor()
  await page.getByText(/^2 waiting\./).waitFor()
  await answering.setInputFiles({
    name: "map of me.png",
    mimeType: "image/png",
    buffer: Buffer.from(picture()),
  })
  await page.clock.fastForward(29 * 60_000)
  await button("Put reply in the outbox").click()
  await page.getByText(/^3 waiting\./).waitFor()
  await assertAccessible(page, "thread")
  await shot("thread")
  await page.clock.fastForward(29 * 60_000)
  assert.deepEqual(requests.slice(before), ["POST /api/v1/drop/sync"], "opening fetches nothing")
  assert.deepEqual(await repliesOf(keys, recipients), [])
  const batch = page.waitForResponse(/\/api\/v1\/drop\/batch$/)
  await page.clock.fastForward(60_001)
  assert.equal((await batch).status(), 200)
  await page.getByText("Nothing waits.").waitFor()
  const replies = await repliesOf(keys, recipients)
  assert.equal(replies.length, 2)
  const answer = replies.find(({ message }) => message === "Thank you. <b>When?</b>")
  const [map, ...others] = answer?.files ?? []
  assert.deepEqual([map?.name, map?.metadata, others], ["attachment-1.png", "stripped", []])
  assert.doesNotMatch(Buffer.from(map?.bytes ?? []).toString("latin1"), /Ann/)

  // Everything is sealed again, as after a change of keys, and still opens.
  await page.getByText("After keys were added or are to be removed").click()
  await button("Seal everything again").click()
  await page.getByText("Everything is sealed to the keys in use now.").waitFor()

  // On a narrow screen and in the dark.
  await page.setViewportSize({ width: 320, height: 700 })
  await page.emulateMedia({ colorScheme: "dark" })
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
  assert.equal(await page.evaluate(overflow), 0)
  await assertAccessible(page, "narrow and dark")
  await shot("narrow-dark")
  await page.setViewportSize({ width: 1280, height: 800 })

  // Locking sends the note; with the key it is there again.
  await page.getByText("Labels and note for recipients").click()
  await page.getByLabel("Labels").fill("urgent")
  await button("Save note").click()
  await button("Send all and lock").click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await page.getByLabel("Operator token").fill(token)
  await button("Continue").click()
  await page
    .getByLabel("Identity file")
    .setInputFiles({ name: "identity.age", mimeType: "text/plain", buffer: identityFile })
  await button("Unlock").click()
  await page.getByText("Enter the passphrase of the file.").waitFor()
  await page.getByLabel("Passphrase").fill(PASSPHRASE)
  await button("Unlock").click()
  await page.getByText("2 threads, all fetched.").waitFor({ timeout: 240_000 })
  await page.locator(".thread-line", { hasText: "urgent" }).click()
  assert.equal(await lines.filter({ hasText: "unread" }).count(), 1)
  assert.equal(await page.locator("pre.ours").textContent(), "Thank you. <b>When?</b>")
  await page.getByText("Nothing waits.").waitFor()
  await shot("dark")

  assert.deepEqual(faults, [])
  const calls = requests.filter((request) => request.includes("/api/"))
  const resealed = calls.filter((request) => request.startsWith("POST /api/v1/drop/reseal/"))
  assert.equal(resealed.length, 2, "all messages, at once and on demand")
  assert.deepEqual(
    new Set(calls).difference(new Set(resealed)),
    new Set([
      "GET /api/v1/session",
      "GET /api/v1/drop/keys",
      "POST /api/v1/drop/keys",
      "POST /api/v1/drop/sync",
      "POST /api/v1/drop/batch",
    ]),
    "never a request for one message",
  )
  assert.ok(
    requests.every((request) => !request.includes("http")),
    "and none to anybody else",
  )
})
