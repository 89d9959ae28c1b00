// Long work of the console, which goes on while its page is left and loaded anew.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { BrowserContext, Page, Route } from "playwright-core"
import { PASSWORD } from "../http/signed-in.ts"
import { violations } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import {
  drawn,
  member,
  open,
  origin,
  overflow,
  PHONE,
  screenshots,
  service,
  useConsole,
  WIDE,
} from "./console.ts"
import { useCookies } from "./cookies.ts"
import { screenshot } from "./screenshot.ts"

useConsole()

const BATCH = "**/api/v1/risk/score/batch"
const BACK_TEST = "**/api/v1/policy/backtest"
const SHADOW = "**/api/v1/policy/shadow/report**"

interface Gate {
  /** What was sent in requests that arrived, also of those that wait. */
  readonly bodies: string[]
  /** Resolves when a request waits. */
  waiting(): Promise<unknown>
  open(): Promise<void>
  /** Ends the connections of those that wait. */
  cut(): Promise<void>
}

/** Requests to an address wait on their way to the service, after the first few. */
async function gate(context: BrowserContext, url: string, freely = 0): Promise<Gate> {
  const bodies: string[] = []
  const held: Route[] = []
  let arrived = Promise.withResolvers<null>()
  let left = freely
  await context.route(url, async (route) => {
    bodies.push(route.request().postData() ?? "")
    if (left-- > 0) await route.continue()
    else {
      held.push(route)
      arrived.resolve(null)
    }
  })
  return {
    bodies,
    waiting: () => arrived.promise,
    async open() {
      left = Infinity
      arrived = Promise.withResolvers()
      for (const route of held.splice(0)) await route.continue()
    },
    async cut() {
      for (const route of held.splice(0)) await route.abort()
    },
  }
}

const LINES = 1_100
const people = Array.from({ length: LINES - 2 }, (_, n) => `zqxjkv${n}@mail.example`)
const identities = ["ivan.petrov@mail.example", ...people, "=1+1"]

async function choose(page: Page, lines: readonly string[] = identities): Promise<void> {
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "CSV file" }).click()
  const buffer = Buffer.from(["email", ...lines].join("\r\n"))
  await (await chooser).setFiles({ name: "list.csv", mimeType: "text/csv", buffer })
}

async function beginBatch(page: Page): Promise<void> {
  await page.goto(`${origin}/console/batch`)
  await choose(page)
  await page.getByRole("button", { name: "Score the file" }).click()
  await page.getByRole("region", { name: "Batch of list.csv" }).waitFor()
}

test("a file that is dropped on the page of batches is scored as a chosen one is", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/batch`)
  // As a drag from the desktop ends; one of text, with no file in it, changes nothing.
  for (const held of [`data.items.add(new File(["email\\r\\n${people[0]}"], "dropped.csv"))`, ""]) {
    const dataTransfer = await page.evaluateHandle<unknown>(
      `(() => { const data = new DataTransfer(); ${held}; return data })()`,
    )
    await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer })
    await page.getByRole("button", { name: "CSV file" }).getByText("dropped.csv").waitFor()
  }
  await page.getByRole("button", { name: "Score the file" }).click()
  const batch = page.getByRole("region", { name: "Batch of dropped.csv" })
  await batch.getByText("1 of 1 scored").waitFor()
  assert.deepEqual(faults, [])
})

async function download(page: Page): Promise<string[]> {
  const downloaded = page.waitForEvent("download")
  await page.getByRole("button", { name: "Download the scores" }).click()
  return readFileSync(await (await downloaded).path(), "utf8")
    .trimEnd()
    .split("\r\n")
}

const tray = (page: Page) => page.getByRole("complementary", { name: "Long work" })

async function go(page: Page, title: string): Promise<void> {
  const links = page.getByRole("navigation", { name: "Console" })
  await links.getByRole("link", { name: title, exact: true }).click()
  await page.getByRole("heading", { level: 1, name: title }).waitFor()
}

test("a batch goes on while pages are left and loaded anew, and gives every line once", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("owner"))
  const { bodies, waiting, open: release } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await page.getByText("goes on while you open other pages of the console, or load").waitFor()
  await waiting()
  await go(page, "Usage")
  await tray(page).getByText("500 of 1,100 scored").waitFor()
  await page.reload()
  await tray(page).getByText("500 of 1,100 scored").waitFor()
  assert.deepEqual(await violations(page), [])
  // Another tab of the session has the same work.
  const other = await own.newPage()
  await other.goto(`${origin}/console/members`)
  await tray(other).getByText("500 of 1,100 scored").waitFor()
  await release()
  await tray(page).getByText("1,099 of 1,100 scored, 1 could not be").waitFor()
  await tray(other).getByText("done").waitFor()
  await page.reload()
  await tray(page).getByRole("link", { name: "Batch of list.csv" }).click()
  await page.getByRole("heading", { level: 1, name: "Batch" }).waitFor()

  await screenshot(page, join(screenshots, "batch-done.png"))
  const lines = await download(page)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(",")[0]),
    identities.map((identity) => identity.replace(/^=/, "'=")),
  )
  assert.match(lines[1] ?? "", /^ivan\.petrov@mail\.example,79,TESTED,step_up_auth,/)
  assert.match(lines[2] ?? "", /^zqxjkv0@mail\.example,\d+,[A-Z]+,\w+,/)
  assert.equal(lines.at(-1), "'=1+1,,,,,not-an-email")
  const sent = bodies.flatMap((body) => (JSON.parse(body) as { emails: string[] }).emails)
  assert.deepEqual(sent, identities)

  // Whoever has seen it needs no tray; and nothing of it is on the disk.
  await go(page, "Usage")
  await drawn(page)
  await tray(other).waitFor({ state: "detached" })
  assert.equal(await tray(page).count(), 0)
  const kept = await page.evaluate<string>(
    `(async () => JSON.stringify([localStorage, sessionStorage, await indexedDB.databases(), await caches.keys()]))()`,
  )
  assert.doesNotMatch(kept, /zqxjkv|list\.csv|"name"/)
  assert.match(kept, /\[\],\[\]\]$/)
  await go(page, "Batch")
  await page.getByRole("button", { name: "Discard the scores" }).click()
  await page.getByRole("region", { name: "Batch of list.csv" }).waitFor({ state: "detached" })
  assert.deepEqual(faults, [])
})

test("the worker is of no page: neither of the console nor of the inbox, and it answers no request", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page } = await open({}, await member("owner"))
  const { waiting } = await gate(own, BATCH)
  await beginBatch(page)
  await waiting()
  await page.reload()
  const found = await page.evaluate<[string[], boolean]>(
    `(async () => [(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope), navigator.serviceWorker.controller === null])()`,
  )
  assert.deepEqual(found, [[`${origin}/console/files/`], true])
  const [worker] = own.serviceWorkers()
  const file = await service.request(new URL(worker?.url() ?? "").pathname)
  assert.equal(
    file.headers.get("content-security-policy"),
    "default-src 'none'; connect-src 'self'",
  )
  assert.equal(file.headers.get("service-worker-allowed"), null)
  assert.doesNotMatch(await file.text(), /["'`]fetch["'`]|indexedDB|caches|localStorage/)
})

test("a batch that is stopped in another tab says so in both, and gives what was scored", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("owner"))
  const { bodies, waiting } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await waiting()
  const other = await own.newPage()
  await other.goto(`${origin}/console/usage`)
  await tray(other).getByText("500 of 1,100 scored").waitFor()
  await tray(other).getByRole("button", { name: "Stop the batch" }).click()
  await page.getByText("Stopped: 500 of 1,100 scored").waitFor()
  const lines = await download(page)
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(",")[0]),
    identities.slice(0, 500),
  )
  // The part that waited was the last that was sent.
  assert.equal(bodies.length, 2)
  assert.deepEqual(faults, [])
})

test("a batch that cannot go on says why in the tray and on its page, and gives what was scored", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page } = await open({}, await member("owner"))
  let parts = 0
  await own.route(BATCH, (route) => (parts++ === 0 ? route.continue() : route.abort()))
  await beginBatch(page)
  await page.getByText("Broke off: 500 of 1,100 scored").waitFor()
  await page.getByRole("alert").getByText("The service did not answer").waitFor()
  await page.getByText("Lines that have no score here may have been looked up.").waitFor()
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "batch-failed.png"))
  assert.equal((await download(page)).length, 501)
  // The next takes its place, and what fails elsewhere is in the tray.
  await own.unroute(BATCH)
  const { waiting, cut } = await gate(own, BATCH, 1)
  await choose(page)
  await page.getByRole("button", { name: "Score the file" }).click()
  await page.getByRole("alert").waitFor({ state: "detached" })
  await waiting()
  await go(page, "Usage")
  const failed = tray(page).getByText("Broke off: 500 of 1,100 scored")
  // What got no answer is asked once more by the client.
  while (!(await failed.isVisible())) await cut()
  await tray(page).getByText("The service did not answer.").waitFor()
  await tray(page).getByRole("button", { name: "Hide the batch" }).click()
  await tray(page).waitFor({ state: "detached" })
  await go(page, "Batch")
  await page.getByText("Broke off: 500 of 1,100 scored").waitFor()
})

test("a back-test goes on in the same way, and says which policy it tried", async (context) => {
  if (!isPresent(context)) return
  const email = "noah.williams@mail.example"
  await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const { context: own, page, faults } = await open({}, await member("analyst"))
  const { bodies, waiting, open: release } = await gate(own, BACK_TEST)
  await page.goto(`${origin}/console/policy?loss=2000`)
  await page.getByRole("button", { name: "Back-test this policy" }).click()
  await waiting()
  await go(page, "Usage")
  await tray(page).getByText("Back-test of 30 days").waitFor()
  await page.reload()
  await tray(page).getByText("0 decisions looked at").waitFor()
  await release()
  await tray(page)
    .getByText(/would have had another action/)
    .waitFor()
  await tray(page).getByRole("link", { name: "Back-test of 30 days" }).click()
  await page.getByRole("region", { name: "Before and after" }).waitFor()
  // The page proposes what acts again, and the result is of another.
  await page.getByText("It tried another policy than the one proposed above.").waitFor()
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "back-test.png"))
  await page.getByRole("button", { name: "Propose the policy that was tried" }).click()
  await page.waitForURL(/[?&]loss=2000\b/)
  await page.getByText("It tried another policy").waitFor({ state: "detached" })
  await page.reload()
  await page.getByRole("region", { name: "Before and after" }).waitFor()
  assert.equal(await page.getByText("It tried another policy").count(), 0)
  assert.equal(bodies.length, 1)
  assert.deepEqual(faults, [])
})

test("a back-test is in the tray of the other tabs of its page, and is stopped there", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("owner"))
  const { waiting } = await gate(own, BACK_TEST)
  await page.goto(`${origin}/console/policy`)
  await page.getByRole("button", { name: "Back-test this policy" }).click()
  await waiting()
  assert.equal(await tray(page).count(), 0)
  await page.getByRole("tab", { name: "History" }).click()
  await tray(page).getByRole("button", { name: "Stop the back-test" }).click()
  await tray(page).getByText("Stopped: 0 decisions looked at.").waitFor()
  await page.getByRole("tab", { name: "Back-test" }).click()
  await page.getByText("Stopped: 0 decisions looked at.").waitFor()
  await page.getByRole("button", { name: "Discard the back-test" }).click()
  await page.getByText("Stopped: 0 decisions").waitFor({ state: "detached" })
  assert.deepEqual(faults, [])
})

async function signOut(page: Page): Promise<void> {
  const links = page.getByRole("navigation", { name: "Console" })
  await links.getByText("the service").or(links.getByText("demo")).last().click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await page.getByRole("button", { name: "Sign in with a password" }).waitFor()
}

test("signing out ends the work and forgets it, and the next person finds nothing", async (context) => {
  if (!isPresent(context)) return
  const [first, second] = [await member("owner"), await member("analyst")]
  const { context: own, page } = await open({}, first)
  const { bodies, waiting, open: release } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await waiting()
  await signOut(page)
  await release()
  await useCookies(own, service.port, second.cookies)
  await page.goto(`${origin}/console/batch`)
  await page.getByRole("button", { name: "Score the file" }).waitFor()
  await go(page, "Usage")
  await drawn(page)
  assert.equal(await tray(page).count(), 0)
  assert.equal(bodies.length, 2)
  assert.equal(await page.evaluate<string | null>(`localStorage.getItem("assay-work")`), null)
})

test("a session that is ended elsewhere ends the work, and its person is told that it is lost", async (context) => {
  if (!isPresent(context)) return
  const who = await member("owner")
  const { context: own, page } = await open({}, who)
  const { bodies, waiting, open: release } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await waiting()
  const { name } = (await who.send<{ name: string }>("GET", "/api/v1/session")).body
  assert.equal((await who.send("DELETE", "/api/v1/session")).status, 200)
  // Workers of the service know of it within seconds.
  const session = `${origin}/api/v1/session`
  while ((await page.request.get(session)).status() !== 401) await page.waitForTimeout(50)
  await release()
  await page.getByLabel("Address").fill(`${name}@console.example`)
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD)
  await page.getByRole("button", { name: "Sign in with a password" }).click()
  await page.getByText("The browser ended it before it was done.").waitFor()
  assert.equal(bodies.length, 2)
})

test("work that the browser ended is said to be lost, until that is hidden", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page } = await open({}, await member("owner"))
  const { waiting } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await waiting()
  await go(page, "Usage")
  await tray(page).getByText("500 of 1,100 scored").waitFor()
  const browserOf = await own.newCDPSession(page)
  await browserOf.send("ServiceWorker.enable")
  await browserOf.send("ServiceWorker.stopAllWorkers")
  await tray(page).getByText("Nothing more was scored").waitFor()
  await page.reload()
  await tray(page).getByRole("link", { name: "Batch" }).click()
  await page.getByText("The browser ended it before it was done.").waitFor()
  assert.equal(await page.getByRole("button", { name: "Download the scores" }).count(), 0)
  await page.getByRole("button", { name: "Discard the batch" }).click()
  await page.getByText("The browser ended it").waitFor({ state: "detached" })
})

test("without service workers work goes on over pages, and a reload is asked about", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("owner"))
  // As private windows of some browsers are.
  await own.addInitScript("delete Navigator.prototype.serviceWorker")
  const { waiting, open: release } = await gate(own, BATCH, 1)
  await beginBatch(page)
  await page.getByText("closing or reloading the tab ends it").waitFor()
  await waiting()
  await go(page, "Usage")
  await tray(page).getByText("500 of 1,100 scored").waitFor()
  const asked = page.waitForEvent("dialog")
  const reload = page.evaluate("location.reload()")
  const dialog = await asked
  assert.equal(dialog.type(), "beforeunload")
  await dialog.dismiss()
  await reload
  await release()
  await tray(page).getByText("1,099 of 1,100 scored").waitFor()
  await go(page, "Batch")
  const lines = await download(page)
  assert.equal(lines.length, LINES + 1)
  assert.deepEqual(own.serviceWorkers(), [])
  assert.deepEqual(faults, [])
})

test("the tray shows several works, in both themes and both widths", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("owner"))
  const shadow = await gate(own, SHADOW)
  const gates = [await gate(own, BATCH, 1), await gate(own, BACK_TEST), shadow]
  await beginBatch(page)
  await go(page, "Policy")
  await page.getByRole("button", { name: "Back-test this policy" }).click()
  await page.getByRole("tab", { name: "Shadow" }).click()
  await page.getByRole("button", { name: "Compare what was recorded" }).click()
  for (const { waiting } of gates) await waiting()
  await go(page, "Usage")
  await tray(page).getByText("500 of 1,100 scored").waitFor()
  // What got no answer is asked once more by the client.
  const failed = tray(page).getByText("The service did not answer.")
  while (!(await failed.isVisible())) await shadow.cut()
  faults.length = 0
  for (const colorScheme of ["light", "dark"] as const)
    for (const [name, size] of [
      ["wide", WIDE],
      ["phone", PHONE],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      assert.deepEqual(await violations(page), [], `${colorScheme} ${name}`)
      assert.ok((await overflow(page)) <= 0, `${colorScheme} ${name}`)
      await screenshot(page, join(screenshots, `tray-${colorScheme}-${name}.png`), {
        fullPage: false,
      })
    }
  assert.deepEqual(faults, [])
})
