import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { generateHybridIdentity, identityToRecipient } from "age-encryption"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "../http/service.ts"
import { joins, printedToken, type Visitor } from "../http/signed-in.ts"
import { useCookies } from "./cookies.ts"
import { launchChromium } from "./shared-chromium.ts"

let service: Service
let origin: string
let identity: string
let recipient: Visitor
let viewer: Visitor
before(async () => {
  service = await startService({ drop: true, args: ["--workers", "1"] })
  origin = `http://localhost:${service.port}`
  await joins(service, printedToken(service), "ada@inbox.example")
  await joined("olga", "--tenant", "demo", "--role", "owner")
  recipient = await joined("rita", "--role", "drop-recipient")
  viewer = await joined("vera", "--tenant", "demo", "--role", "viewer")
  identity = await generateHybridIdentity()
  const added = await assay(["drop", "keys", "add", await identityToRecipient(identity)], {
    ASSAY_DATA: service.dataDirectory,
  })
  assert.equal(added.code, 0, added.err)
})
after(() => service.stop())

/** Somebody who joined by a link of the operator's. */
async function joined(name: string, ...args: string[]): Promise<Visitor> {
  const made = await assay(["people", "invite", ...args], { ASSAY_DATA: service.dataDirectory })
  assert.equal(made.code, 0, made.err)
  return await joins(service, made.out.trim().split("#")[1] ?? "", `${name}@inbox.example`)
}

/** A browser with the cookies of somebody who signed in. */
async function contextOf(browser: Browser, { cookies }: Visitor): Promise<BrowserContext> {
  const context = await browser.newContext()
  await useCookies(context, service.port, cookies)
  return context
}

async function unlock(page: Page): Promise<void> {
  await page.getByLabel("Identity file").setInputFiles({
    name: "identity.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(`${identity}\n`),
  })
  await page.getByRole("button", { name: "Unlock" }).click()
}

test("a recipient who is signed in reads the inbox without a token, and a session that ends is told", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const own = await contextOf(browser, recipient)
  const page = await own.newPage()
  const asked: string[] = []
  page.on("request", (request) => {
    if (request.url().includes("/api/"))
      asked.push(
        `${request.headers()["authorization"] ?? "no key"} ${new URL(request.url()).pathname}`,
      )
  })
  await page.goto(`${origin}/console/drop`)
  await page.getByText("Signed in as rita.").waitFor()
  assert.equal(await page.getByLabel("Operator token").count(), 0)
  await unlock(page)
  await page.getByText("No messages.").waitFor()
  assert.deepEqual(asked, [
    "no key /api/v1/session",
    "no key /api/v1/drop/keys",
    "no key /api/v1/drop/sync",
  ])
  const { body: self } = await recipient.send<{ person_id: string }>("GET", "/api/v1/session")
  const trail = await assay(["audit", "list"], { ASSAY_DATA: service.dataDirectory })
  assert.match(trail.out, new RegExp(`person:${self.person_id}\\s+drop\\.synced`))

  // Elsewhere the person signs out: the page says so, and keeps what it has.
  assert.equal((await recipient.send("DELETE", "/api/v1/session")).status, 200)
  const over = page.getByText("Your session is over.")
  for (let n = 0; n < 100 && (await over.count()) === 0; n++) {
    await page.getByRole("button", { name: "Fetch now" }).click()
    await page.waitForTimeout(200)
  }
  await over.waitFor()

  // Signed in again in the same browser, it goes on, with the token of the new session.
  const again = await recipient.send("POST", "/api/v1/session", {
    email: "rita@inbox.example",
    password: "ample-violet-harbour-41",
  })
  assert.equal(again.status, 200)
  await useCookies(own, service.port, recipient.cookies)
  // What it said before stays on the page until the service has answered.
  await page.getByRole("button", { name: "Fetch now" }).click()
  await over.waitFor({ state: "detached" })
  await page.getByText("No messages.").waitFor()

  // To seal everything again takes a token, whoever is signed in.
  await page.goto(`${origin}/console/drop#token`)
  await page.reload()
  await page.getByLabel("Operator token").waitFor()
})

test("a viewer who is signed in is told that they are no recipient, and the service refuses them", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const own = await contextOf(browser, viewer)
  const page = await own.newPage()
  await page.goto(`${origin}/console/drop`)
  await page.getByText("This browser is signed in as vera, who is no recipient").waitFor()
  await page.getByLabel("Operator token").waitFor()
  const answers: unknown = await page.evaluate(`(async () => {
    const { csrf_token } = await (await fetch("/api/v1/session")).json()
    const headers = { "x-csrf-token": csrf_token, "content-type": "application/json" }
    const keys = await fetch("/api/v1/drop/keys")
    const body = JSON.stringify({ have: [] })
    const sync = await fetch("/api/v1/drop/sync", { method: "POST", headers, body })
    return [keys.status, (await keys.json()).code, sync.status, (await sync.json()).code]
  })()`)
  assert.deepEqual(answers, [403, "insufficient-role", 403, "insufficient-role"])
  const trail = await assay(["audit", "list"], { ASSAY_DATA: service.dataDirectory })
  const { body: self } = await viewer.send<{ person_id: string }>("GET", "/api/v1/session")
  assert.doesNotMatch(trail.out, new RegExp(`person:${self.person_id}\\s+drop\\.`))
})
