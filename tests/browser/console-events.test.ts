// Watch list, webhooks and events in the console, in a real browser and with a real receiver.
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { WatchList } from "@assay/core/contract"
import type { Page } from "playwright-core"
import {
  isGenuine,
  type Received,
  startReceiver,
} from "../../packages/server/testing/webhooks/receiver.ts"
import { eventId } from "../../packages/stores/src/event-id.ts"
import type { NewEvent } from "../../packages/stores/src/records-events.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { ALL_RULES, violations } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import { looks, member, open, origin, service, useConsole } from "./console.ts"

useConsole()

/** An event of the demo's tenant, as another process would add it. */
async function happens(ref: string, changes: Partial<NewEvent> = {}): Promise<string> {
  const records = await openRecordsOf(service.dataDirectory)
  const tenant = await records.tenantByName("demo")
  const id = eventId()
  await records.addEvents([
    {
      ...{ id, tenantId: tenant?.id ?? 0, kind: "exposure.added", at: Date.now(), ref },
      ...{ identityKey: null, sealed: null },
      data: { ref, watched: "email", source: "forum-2026", kind: "breach", last_seen: null },
      ...changes,
    },
  ])
  await records.close()
  return id
}

/** Whatever a page could keep beyond its tab. */
async function kept(page: Page): Promise<string> {
  return await page.evaluate<string>(`JSON.stringify([
    location.href, { ...localStorage }, { ...sessionStorage }, history.state, document.cookie,
  ])`)
}

test("an owner watches addresses and numbers, finds them by name, and ends it by name or address", async (context) => {
  if (!isPresent(context)) return
  const owner = await member("owner")
  const { page, faults } = await open({}, owner)
  await page.goto(`${origin}/console/watch-list`)
  await page.getByText("Nobody is watched yet.").waitFor()
  await looks(page, "watch-list-empty", { rules: ALL_RULES })

  const lines = [
    "ivan.petrov@mail.example, customer-1",
    "no address",
    "+61 491 570 156, customer-1",
  ]
  await page.getByLabel("One a line").fill(lines.join("\n"))
  await page.getByRole("button", { name: "Watch", exact: true }).click()
  const told = page.getByRole("status").filter({ hasText: "2 are watched from now on" })
  await told.getByText(/Line 2: /).waitFor()
  assert.equal(await page.getByLabel("One a line").inputValue(), "")
  const table = page.getByRole("region", { name: "Watched" })
  await table.getByText("customer-1").first().waitFor()
  await page.getByText("2 are watched.").waitFor()
  // Each is scored a moment later, and the page says what the service says.
  await table.getByText("TESTED").waitFor()
  const { body } = await owner.send<WatchList>("GET", "/api/v1/watchlist")
  for (const { risk, next_change_at: nextAt } of body.items) {
    assert.notEqual(nextAt, null)
    await table
      .getByRole("cell", { name: String(risk?.risk_score), exact: true })
      .first()
      .waitFor()
  }
  await looks(page, "watch-list-used", { rules: ALL_RULES })

  // A file of lines, dropped. One is watched already, and one has its identity sent with events.
  const file = [
    { email: "IVAN.PETROV@mail.example", ref: "another" },
    { email: "omar.haddad@mail.example", ref: "customer-2", deliver_identity: true },
  ]
  const text = file.map((line) => JSON.stringify(line)).join("\n")
  const dropped = await page.evaluateHandle<unknown>(
    `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], "list.ndjson")); return data })()`,
  )
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer: dropped })
  await page.getByRole("button", { name: "Watch", exact: true }).click()
  const again = page.getByRole("status").filter({ hasText: "1 is watched from now on" })
  await again.getByText("1 was watched already.").waitFor()
  const download = page.waitForEvent("download")
  await again.getByRole("button", { name: "Download the names by line" }).click()
  assert.equal((await download).suggestedFilename(), "assay-watch-list.csv")
  await table.getByRole("row", { name: /customer-2.*sent with events/ }).waitFor()

  // Names are looked for in the address; who is named is not.
  await page.getByLabel("Your name of it").fill("omar.haddad@mail.example")
  await page.getByRole("button", { name: "Find" }).click()
  await page.getByText("Only names can be looked for").waitFor()
  assert.doesNotMatch(page.url(), /omar|ref=/)
  await page.getByLabel("Your name of it").fill("customer-2")
  await page.getByRole("button", { name: "Find" }).click()
  await page.waitForURL(/ref=customer-2/)
  await table.getByText("customer-1").first().waitFor({ state: "detached" })
  await page.reload()
  const row = table.getByRole("row", { name: /customer-2/ })
  await row.getByRole("button", { name: "End watching" }).click()
  const dialog = page.getByRole("dialog")
  const end = dialog.getByRole("button", { name: "End watching" })
  assert.ok(await end.isDisabled())
  await dialog.getByLabel("Type customer-2 to confirm").fill("customer-2")
  await end.click()
  await page.getByText("Nothing is watched by this name.").waitFor()
  await page.getByRole("button", { name: "Show all" }).last().click()
  await page.getByText("2 are watched.").waitFor()
  await page.locator("summary", { hasText: "End watching" }).click()
  await page
    .getByLabel("Addresses, numbers and your names of them")
    .fill("+61491570156\nnobody-here")
  await page.getByRole("button", { name: "End watching these" }).click()
  await page.getByText("By 1 of the lines nothing was watched.").waitFor()
  await page.getByText("1 is watched.").waitFor()
  assert.doesNotMatch(await kept(page), /ivan|omar|petrov|61491570156/i)

  // A domain is named among the lines, and the page says what proves it.
  await page.getByLabel("One a line").fill("corp.example, ours")
  await page.getByRole("button", { name: "Watch", exact: true }).click()
  await page.getByText("1 domain is not proved to be yours yet.").waitFor()
  const domains = page.getByRole("region", { name: "Domains", exact: true })
  const domain = domains.getByRole("row", { name: /corp\.example/ })
  await domain.locator("summary", { hasText: "Not proved yet" }).click()
  const [watched] = (await owner.send<WatchList>("GET", "/api/v1/watchlist")).body.domains
  assert.ok(watched !== undefined)
  await domain.getByText(watched.file.content).waitFor()
  await domain.getByText(watched.file.url).waitFor()
  await looks(page, "watch-list-domain", { rules: ALL_RULES })
  await domain.getByRole("button", { name: "End watching" }).click()
  await dialog.getByLabel("Type corp.example to confirm").fill("corp.example")
  await end.click()
  await domains.waitFor({ state: "detached" })

  // Others of the tenant see the list and cannot change it.
  const { page: viewed, faults: others } = await open({}, await member("viewer"))
  await viewed.goto(`${origin}/console/watch-list`)
  await viewed.getByText("1 is watched.").waitFor()
  assert.equal(await viewed.getByRole("button", { name: /Watch|End watching/ }).count(), 0)
  assert.deepEqual(await violations(viewed), [])
  assert.deepEqual([...faults, ...others], [])
})

test("an owner makes a webhook, tests it, reads what was sent, sends it again, and rotates its secret", async (context) => {
  if (!isPresent(context)) return
  let isOff = false
  const receiver = await startReceiver(() =>
    isOff ? { status: 503, body: "Not today" } : { status: 200, body: "Taken" },
  )
  const sent = async (is: (each: Received) => boolean, count: number): Promise<Received> => {
    for (let n = receiver.received.length; receiver.received.filter(is).length < count; n++)
      await receiver.until(n + 1)
    const last = receiver.received.filter(is).at(-1)
    assert.ok(last !== undefined)
    return last
  }
  context.after(() => receiver.close())
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/webhooks`)
  await page.getByText("There is no webhook yet.").waitFor()
  await looks(page, "webhooks-empty", { rules: ALL_RULES })
  const form = page.locator("details", { hasText: "Make a webhook" })
  // A kind of the service's own events is no tenant's to choose.
  assert.equal(await form.getByLabel("import.finished").count(), 0)
  await form.getByRole("textbox", { name: "URL" }).fill("ftp://hooks.example/")
  await form.getByLabel("exposure.added").check()
  await form.getByRole("button", { name: "Make webhook" }).click()
  await page.getByRole("alert").getByText("url must be an https URL").waitFor()
  await form.getByRole("textbox", { name: "URL" }).fill(`${receiver.url}/hook`)
  await form.getByLabel("Note").fill("the shop")
  await form.getByLabel("HMAC-SHA256 and Ed25519").check()
  await form.getByRole("button", { name: "Make webhook" }).click()
  const shown = page.getByRole("status").filter({ hasText: "Secret of the webhook" })
  const secret = await shown.locator("pre").innerText()
  assert.match(secret, /^whsec_/)
  await shown.getByText(/whpk_/).waitFor()
  await looks(page, "webhooks-made", { rules: ALL_RULES })
  await shown.getByRole("link", { name: "Send it a test" }).click()
  await page.getByRole("heading", { level: 1, name: "Webhook" }).waitFor()
  const own = new URL(page.url()).pathname

  await page.getByRole("button", { name: "Send a test" }).click()
  await page.getByRole("status").getByText("It was taken").waitFor()
  const isTest = ({ body }: Received): boolean => body.type === "webhook.test"
  assert.ok(isGenuine(await sent(isTest, 1), secret))
  // What is refused is in the log with what was answered.
  isOff = true
  const id = await happens("customer-7")
  const isEvent = (each: Received): boolean => each.id === id
  await sent(isEvent, 1)
  const table = page.getByRole("region", { name: "Deliveries" })
  await page.reload()
  const row = table.getByRole("row", { name: /exposure\.added customer-7 Pending Answered 503/ })
  await row.getByRole("link", { name: /Open/ }).click()
  const panel = page.getByRole("dialog", { name: "Delivery" })
  // What an address that is not public answers is not shown, only by which status.
  await panel.getByRole("row", { name: /Its time had come Answered 503/ }).waitFor()
  assert.equal(await panel.getByText("Not today").count(), 0)
  await looks(page, "webhook-delivery", { fullPage: false, rules: ALL_RULES })
  isOff = false
  await panel.getByRole("button", { name: "Send it again" }).click()
  await panel.getByText("It was taken").waitFor()
  assert.ok(isGenuine(await sent(isEvent, 2), secret))
  await panel.getByText("Delivered.").waitFor()
  // Its address opens it again; the event and its description are one click away.
  await page.reload()
  await panel.getByText("Sent again by hand").waitFor()
  await panel.getByRole("link", { name: id }).click()
  await page.getByRole("dialog", { name: "Event" }).getByText('"customer-7"').waitFor()
  await page.goto(`${origin}${own}?status=dead`)
  await page.getByText("No delivery has this status.").waitFor()
  await page.getByRole("button", { name: "Show all deliveries" }).click()
  await row.waitFor({ state: "detached" })

  // With an overlap both secrets sign.
  await page.getByText("Rotate the secret").click()
  await page.getByLabel("The old one signs for").selectOption("1 hour")
  await page.getByRole("button", { name: "Rotate secret" }).click()
  const rotated = await page
    .getByRole("status")
    .filter({ hasText: "Secret of the webhook" })
    .locator("pre")
    .innerText()
  assert.notEqual(rotated, secret)
  await page.getByRole("button", { name: "Send a test" }).click()
  const signed = await sent(isTest, 2)
  assert.ok(isGenuine(signed, secret) && isGenuine(signed, rotated))

  await page.getByText("Change URL, note or events").click()
  await page.getByLabel("key.created").check()
  await page.getByRole("button", { name: "Save changes" }).click()
  await page.locator(".facts").getByText("exposure.added, key.created").waitFor()
  await looks(page, "webhook-used")

  const before = receiver.received.filter(isEvent).length
  await page.getByText("Send events of a time again").click()
  await page
    .getByLabel("From (UTC)")
    .fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16))
  await page.getByLabel("Those that were delivered too").check()
  await page.getByRole("button", { name: "Send them again" }).click()
  await page
    .getByRole("status")
    .getByText(/events? (is|are) sent again/)
    .waitFor()
  await sent(isEvent, before + 1)

  await page.getByRole("button", { name: "Delete webhook" }).click()
  const name = own.split("/").at(-1) ?? ""
  await page.getByRole("dialog").getByLabel(`Type ${name} to confirm`).fill(name)
  await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click()
  await page.getByText("There is no webhook yet.").waitFor()
  assert.ok(!(await kept(page)).includes(rotated))
  assert.deepEqual(
    // A URL that is refused is an answer that the browser reports.
    faults.filter((fault) => !/ 422 /.test(fault)),
    [],
  )
})

test("a webhook that was disabled says why, on its page and on the overview, and is enabled again", async (context) => {
  if (!isPresent(context)) return
  let answer = 410
  const receiver = await startReceiver(() => answer)
  context.after(() => receiver.close())
  const owner = await member("owner")
  const url = `${receiver.url}/gone`
  const made = await owner.send<{ webhook: { id: string } }>("POST", "/api/v1/webhooks", {
    url,
    events: ["exposure.added"],
  })
  assert.equal(made.status, 201)
  const path = `/console/webhooks/${made.body.webhook.id}`
  const id = await happens("customer-8")
  await receiver.until(1)
  const hook = `/api/v1/webhooks/${made.body.webhook.id}`
  // The answer is noted a moment after it came.
  while ((await owner.send<{ enabled: boolean }>("GET", hook)).body.enabled) await delay(50)
  const { page, faults } = await open({}, owner)
  await page.goto(`${origin}/console/overview`)
  await page.getByRole("link", { name: /webhook is disabled/ }).click()
  const listed = page.getByRole("row", { name: new RegExp(`${receiver.url}.*Disabled`) })
  await listed.getByRole("link").click()
  const notice = page.getByRole("status").filter({ hasText: "Nothing is sent" })
  await notice.getByText(/It answered 410/).waitFor()
  await notice.getByText("Answered 410.").waitFor()
  assert.equal(new URL(page.url()).pathname, path)
  await looks(page, "webhook-disabled", { rules: ALL_RULES })
  assert.match(
    (await notice.getByRole("link", { name: "exposure.added" }).getAttribute("href")) ?? "",
    new RegExp(id),
  )
  answer = 204
  await page.getByText("Send events of a time again").click()
  assert.ok(await page.getByRole("button", { name: "Send them again" }).isDisabled())
  await page.getByRole("button", { name: "Enable webhook" }).click()
  await notice.waitFor({ state: "detached" })
  await page
    .getByLabel("From (UTC)")
    .fill(new Date(Date.now() - 600_000).toISOString().slice(0, 16))
  await page.getByRole("button", { name: "Send them again" }).click()
  // Events of other tests may be of the same ten minutes.
  const said = page.getByRole("status").getByText(/^\d+ events? (is|are) sent again$/)
  const queued = Number.parseInt(await said.innerText(), 10)
  const sent = (await receiver.until(1 + queued)).slice(1)
  assert.equal(sent.filter((attempt) => attempt.id === id).length, 1)
  await owner.send("DELETE", hook)
  await page.goto(`${origin}${path}`)
  await page.getByRole("alert").getByText("There is no such webhook").waitFor()
  assert.deepEqual(
    faults.filter((fault) => !/ 404 /.test(fault)),
    [],
  )
})

test("events appear as they happen, are narrowed and paused by the address, and open to their JSON", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  const first = await happens("tail-1")
  await page.goto(`${origin}/console/events`)
  const table = page.getByRole("region", { name: "Events" })
  await table.getByRole("row", { name: /exposure\.added tail-1 Breach, forum-2026/ }).waitFor()
  const second = await happens("tail-2")
  await table.getByRole("row", { name: new RegExp(second) }).waitFor()
  const rows = await table.getByRole("row").allInnerTexts()
  const at = (id: string): number => rows.findIndex((text) => text.includes(id))
  assert.ok(at(second) < at(first), "the newest is first")
  await looks(page, "events-used")

  // What happens in a pause is shown after it, and nothing before.
  await page.getByRole("button", { name: "Pause" }).click()
  await page.waitForURL(/paused=yes/)
  await page.getByText("Paused.").waitFor()
  const third = await happens("tail-3")
  const asked: string[] = []
  page.on("request", (request) => void asked.push(request.url()))
  await page.waitForTimeout(1_000)
  assert.deepEqual(
    asked.filter((url) => url.includes("/api/v1/events")),
    [],
  )
  assert.equal(await table.getByRole("row", { name: new RegExp(third) }).count(), 0)
  await page.getByRole("button", { name: "Follow" }).click()
  await table.getByRole("row", { name: new RegExp(third) }).waitFor()

  await page.getByLabel("Kind").selectOption("webhook.disabled")
  await page.waitForURL(/type=webhook\.disabled/)
  await table.getByRole("row", { name: /tail-/ }).first().waitFor({ state: "detached" })
  await page.getByLabel("Kind").selectOption("exposure.added")
  await table
    .getByRole("row", { name: new RegExp(third) })
    .getByRole("link")
    .click()
  const panel = page.getByRole("dialog", { name: "Event" })
  await panel.getByText('"tail-3"').waitFor()
  assert.match(page.url(), new RegExp(`events/${third}\\?type=exposure`))
  await looks(page, "event", { fullPage: false, rules: ALL_RULES })
  const means = panel.getByRole("link", { name: "What its members mean" })
  const [described] = await Promise.all([page.context().waitForEvent("page"), means.click()])
  await described.getByRole("heading", { name: "exposure.added" }).waitFor()
  await described.close()
  await page.keyboard.press("Escape")
  await panel.waitFor({ state: "hidden" })
  assert.ok(
    await page.evaluate<boolean>(`document.activeElement?.id === "open-${third}"`),
    "the focus is on what was opened",
  )

  // A failure is said, and following goes on where it broke off.
  await page.route("**/api/v1/events?*", (route) => route.abort())
  await page.reload()
  await page.getByRole("alert").getByText("The service did not answer").waitFor()
  await looks(page, "events-away", { rules: ALL_RULES })
  await page.unroute("**/api/v1/events?*")
  faults.length = 0
  await page.getByRole("button", { name: "Try again" }).click()
  await table.getByRole("row", { name: new RegExp(third) }).waitFor()
  assert.deepEqual(faults, [])
})

test("an administrator sees the service's own events and webhooks, and no tenant's", async (context) => {
  if (!isPresent(context)) return
  const mine = await happens("not-the-service")
  const { page, faults } = await open({}, await member("administrator"))
  await page.goto(`${origin}/console/events`)
  await page.getByText("What happened to the service itself").waitFor()
  const id = await happens("", {
    tenantId: null,
    kind: "import.failed",
    ref: null,
    data: {
      import_id: "imp_1",
      source: "forum-2026",
      code: "import-refused",
      detail: "No line could be read.",
    },
  })
  const table = page.getByRole("region", { name: "Events" })
  await table.getByRole("row", { name: new RegExp(`import\\.failed forum-2026.*${id}`) }).waitFor()
  assert.equal(await table.getByRole("row", { name: new RegExp(mine) }).count(), 0)
  await page.goto(`${origin}/console/events/${mine}`)
  await page.getByRole("dialog").getByText("There is no such event").waitFor()
  await looks(page, "event-none", { fullPage: false })
  await page.goto(`${origin}/console/webhooks`)
  const form = page.locator("details", { hasText: "Make a webhook" })
  await form.getByLabel("import.finished").waitFor()
  assert.equal(await form.getByLabel("exposure.added").count(), 0)
  assert.deepEqual(
    faults.filter((fault) => !/ 404 /.test(fault)),
    [],
  )
})
