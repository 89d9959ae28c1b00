// What people do in the playground and the console, in a real browser.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import type { DecisionCounts, ImportList } from "@assay/core/contract"
import { DEMO_IDENTITIES } from "../../packages/console/src/playground/identities.ts"
import { assay } from "../cli/assay.ts"
import { halfSent } from "../http/half-sent.ts"
import { printedToken } from "../http/signed-in.ts"
import { violations } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import {
  looksOpened,
  member,
  open,
  origin,
  overflow,
  PAIRS,
  PHONE,
  pressUntil,
  screenshots,
  service,
  showAs,
  titledInLine,
  useConsole,
  WIDE,
} from "./console.ts"
import { screenshot } from "./screenshot.ts"

useConsole()

test("a newcomer sees a first score by one click on the first page", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  await page.goto(`${origin}/`)
  await page.getByRole("button", { name: /ivan\.petrov/ }).click()
  const card = page.getByRole("article", { name: "Assessment of ivan.petrov@mail.example" })
  await card.getByRole("img", { name: "Score 79 of 100, band high" }).waitFor()
  assert.match(await card.innerText(), /TESTED/)
  assert.match(await card.innerText(), /= 79\./)
  assert.match(await card.innerText(), /lower because the name is one that people choose\./)
  assert.match(await card.innerText(), /falls to TRADED/)
  assert.match(await card.innerText(), /A password change today would make it \d+/)
  await card.getByRole("tab", { name: "curl" }).click()
  const call = await card.getByRole("tabpanel").locator("pre").innerText()
  assert.match(call, /ask_demo_\w{36}/)

  // The key on the page may only score.
  const key = /ask_demo_\w{36}/.exec(call)?.[0] ?? ""
  assert.notEqual(key, service.key)
  assert.equal((await service.request("/api/v1/decisions", { key })).status, 403)
  assert.doesNotMatch(page.url(), /ivan/)
  assert.deepEqual(faults, [])
})

test("every made-up identity of the first page has a card, whose bars add up to its score", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  await page.goto(`${origin}/`)
  for (const [identity] of DEMO_IDENTITIES) {
    await page.getByRole("button", { name: identity }).click()
    const card = page.getByRole("article", { name: `Assessment of ${identity}` })
    const gauge = await card
      .getByRole("img", { name: /^Score \d+ of 100/ })
      .getAttribute("aria-label")
    const score = /\d+/.exec(gauge ?? "")?.[0] ?? ""
    const bars = await card.locator(".bar-points").allInnerTexts()
    const sum = bars.reduce((total, text) => total + Number(text.replace("\u2212", "-")), 0)
    assert.ok(Math.abs(sum - Number(score)) < 0.05, `${identity}: ${bars.join(" ")}, not ${score}`)
    assert.match(await card.locator("figcaption").last().innerText(), new RegExp(`= ${score}\\.`))
  }
  assert.deepEqual(faults, [])
})

test("what is no identity is said, and the page goes on", async (context) => {
  if (!isPresent(context)) return
  const { page } = await open()
  await page.goto(`${origin}/`)
  await page.getByLabel("Address or number").fill("not an address")
  await page.getByRole("button", { name: "Score", exact: true }).click()
  await page.getByRole("alert").getByText("e-mail address").first().waitFor()
  await page.getByRole("button", { name: /omar/ }).click()
  await page.getByRole("article").waitFor()
})

test("the link of the first start makes an administrator, who signs out and in again with a password", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  await page.goto(`${origin}/console/join#${printedToken(service)}`)
  await page.getByText("the service itself as administrator").waitFor()
  await page.getByRole("button", { name: "Use a password instead" }).click()
  await page.getByLabel("Your name").fill("Ada")
  await page.getByLabel("Your address").fill("ada@console.example")
  await page.getByRole("textbox", { name: "Password" }).fill("ample-violet-harbour-41")
  await page.getByRole("button", { name: "Join with this password" }).click()
  await page.getByRole("navigation", { name: "Console" }).getByText("Ada").click()
  assert.doesNotMatch(page.url(), /#/)
  await page.getByRole("menuitem", { name: "Sign out" }).click()
  await page.getByLabel("Address").fill("ada@console.example")
  await page.getByRole("textbox", { name: "Password" }).fill("wrong-wrong-wrong")
  await page.getByRole("button", { name: "Sign in with a password" }).click()
  await page.getByRole("alert").waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole("textbox", { name: "Password" }).fill("ample-violet-harbour-41")
  await page.getByRole("button", { name: "Sign in with a password" }).click()
  await page.getByRole("heading", { name: "Overview" }).waitFor()
  // A wrong password is an answer that the browser reports.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("401")),
    [],
  )
})

test("a stranger signs up on a page, gets a key that scores, and joins by the link beside it", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  await page.goto(`${origin}/`)
  await page.getByRole("link", { name: "Sign up" }).click()
  await page.getByRole("heading", { level: 1, name: "Sign up" }).waitFor()
  await page.getByText("You get an API key at once.").waitFor()
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "sign-up.png"))
  await page.getByRole("textbox", { name: "Organisation" }).fill("owner@corner.example")
  await page.getByLabel("Address of its owner").fill("owner@corner.example")
  await page.getByLabel("To prevent fraud").check()
  await page.getByRole("button", { name: "Agree and sign up" }).click()
  await page.getByRole("alert").getByText("must not be an e-mail address").waitFor()
  await page.getByRole("textbox", { name: "Organisation" }).fill("Corner Shop")
  await page.getByRole("button", { name: "Agree and sign up" }).click()
  const key = await page.getByRole("status").locator("pre").innerText()
  const json = { email: "ana.silva@mail.example" }
  assert.equal((await service.request("/api/v1/risk/score", { key, json })).status, 200)
  await page.getByRole("link", { name: "join as its owner" }).click()
  await page.getByText(/You are invited to .* as owner\./).waitFor()
  assert.match(await page.getByRole("main").innerText(), /You are invited to corner-shop\S* as/)
  // A name that is refused is an answer that the browser reports.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("400")),
    [],
  )
})

test("the overview says what was decided in the period of its address, and what waits", async (context) => {
  if (!isPresent(context)) return
  const who = await member("owner")
  const email = "sofia.rossi@mail.example"
  await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/overview`)
  await page.getByRole("link", { name: /for an analyst/ }).waitFor()
  await page.getByLabel("Of the last").selectOption("7 days")
  await page.waitForURL(/period=7d/)
  await page.reload()
  const asked = await who.send<DecisionCounts>("GET", "/api/v1/decisions/counts?period=7d")
  const blocked = asked.body.actions.find(({ action }) => action === "block")?.count ?? 0
  assert.ok(blocked > 0)
  const row = page.getByRole("table", { name: "Actions" }).getByRole("row", { name: /Block/ })
  assert.match(await row.innerText(), new RegExp(`\\b${blocked}$`))
  // With few scores no time of them is told, and what was measured is.
  const levels = page.locator("section").filter({ hasText: "How well the service answers" })
  await levels.getByText("100%").first().waitFor()
  await levels.getByText(/Not enough requests/).waitFor()
  await levels.getByRole("img", { name: /of 28 parts of the period were measured/ }).waitFor()
  await levels.getByText("The same as a table").click()
  assert.equal(await levels.getByRole("row").count(), 29)
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(faults, [])
})

test("an owner sees what holds for the tenant, and sets its mail domains", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/settings`)
  await page.getByText("enterprise").waitFor()
  await page.getByLabel("One a line").fill("co.uk")
  await page.getByRole("button", { name: "Save domains" }).click()
  await page.getByRole("alert").waitFor()
  await page.getByLabel("One a line").fill("acme-shop.com")
  await page.getByRole("button", { name: "Save domains" }).click()
  await page.getByRole("alert").waitFor({ state: "detached" })
  await page.reload()
  await page.getByText("enterprise").waitFor()
  assert.equal(await page.getByLabel("One a line").inputValue(), "acme-shop.com")
  assert.deepEqual(
    // What is refused is an answer that the browser reports.
    faults.filter((fault) => !/ 4\d\d /.test(fault)),
    [],
  )
})

test("an administrator sees what was found of the service, and no secret of its settings", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("administrator"))
  await page.goto(`${origin}/console/health`)
  const found = page.getByRole("region", { name: "What was found" })
  for (const name of ["records", "index", "decisions", "lists"])
    await found.getByRole("row", { name: new RegExp(`${name} Sound`) }).waitFor()
  const settings = page.getByRole("region", { name: "Settings that were given" })
  await settings
    .getByRole("row", { name: /ASSAY_DATA/ })
    .getByText("environment")
    .waitFor()
  assert.deepEqual(faults, [])
})

test("an administrator drops a file, sees it masked, imports it, and reads what became of every row", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("administrator"))
  await page.goto(`${origin}/console/corpus`)
  const rows = Array.from({ length: 300 }, (_, n) => `zqxjkv${n}@dropped.example:pass${n}`)
  const before = await service.request("/api/v1/risk/score", {
    json: { email: "zqxjkv3@dropped.example" },
  })
  assert.equal(before.status, 200)
  const watched = await service.request("/api/v1/watchlist", {
    json: { emails: ["zqxjkv5@dropped.example", "zqxjkv5@elsewhere.example"] },
  })
  assert.equal(watched.status, 200)
  const text = ["no row at all", ...rows].join("\n")
  // As a drag from the desktop ends.
  const dropped = await page.evaluateHandle<unknown>(
    `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], "list.txt")); return data })()`,
  )
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer: dropped })
  const preview = page.getByRole("region", { name: "First rows" })
  await preview.getByText("z***@d***.example").first().waitFor()
  await preview.getByText("rejected:").waitFor()
  assert.doesNotMatch(await page.locator("main").innerText(), /zqxjkv|pass\d/)
  await page.getByLabel("Name of the source").fill("dropped-list")
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "corpus-preview.png"))
  await page.getByRole("button", { name: "Import file" }).click()
  const article = page.getByRole("article", { name: "Import of dropped-list" })
  await article.getByText("300 observations of 300 identities are new").waitFor()
  await article.getByText("1 of the identities watched when it came is in it.").waitFor()
  await article.getByText("1 of the identities decided in the last 30 days is in it.").waitFor()
  assert.match(await article.innerText(), /1 row was rejected:\s+.+: 1\n/)
  // Where its time went.
  await article
    .getByText(/^Time: starting \d+\.\d s, .*reading \d+\.\d s, sorting .*merging .*counting/)
    .waitFor()
  assert.doesNotMatch(page.url(), /dropped|list/)
  assert.deepEqual(faults, [])
  await looksOpened(own, "corpus", "imported")
  const scored = await service.request("/api/v1/risk/score", {
    json: { email: "zqxjkv7@dropped.example" },
  })
  assert.equal(((await scored.json()) as { exposed: boolean }).exposed, true)

  // While one runs, its phase is told with rows, rejects, rate and time left.
  const list = "**/api/v1/corpus/imports"
  await own.route(list, async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as ImportList
    const [newest] = json.imports
    assert.ok(newest)
    Object.assign(newest, {
      ...{ state: "running", phase: "reading", report: null, ended_at: null },
      ...{ done: 250, total: 1000, rows: 12_000, rejected: 345 },
      ...{ rows_per_second: 3000, seconds_left: 12 },
    })
    await route.fulfill({ response, json })
  })
  await page.reload()
  const status = article.getByRole("status")
  await status.getByText("Reading, 12,000 rows, 345 rejected, 3,000 a second, 12 s left").waitFor()
  assert.doesNotMatch(await article.innerText(), /Time: /)
  await looksOpened(own, "corpus", "importing")
  await own.unroute(list)

  // What could not be counted is said, and is no zero.
  await page.route(list, async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as ImportList
    const [newest] = json.imports
    assert.ok(newest?.report)
    newest.report.decided = null
    newest.detail = "Decisions are not recorded here"
    await route.fulfill({ response, json })
  })
  await page.reload()
  await article
    .getByText("are in it could not be counted. Decisions are not recorded here.")
    .waitFor()
  assert.doesNotMatch(await article.innerText(), /decided in the last/)
  await screenshot(page, join(screenshots, "corpus-uncounted.png"))
  assert.deepEqual(faults, [])
})

test("an import that runs is in the tray of every page, also after a reload, and is stopped there", async (context) => {
  if (!isPresent(context)) return
  const who = await member("administrator")
  const file = Buffer.from("zqxjkv@tray.example:password\n".repeat(10_000))
  const upload = await halfSent(service, who, "tray-list", file)
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/members`)
  const tray = page.getByRole("complementary", { name: "Long work" })
  await tray.getByText("Import of tray-list", { exact: true }).waitFor()
  await page.reload()
  await tray.getByText("Import of tray-list", { exact: true }).waitFor()
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "tray.png"), { fullPage: false })
  await page.getByRole("link", { name: "Audit" }).click()
  const stop = tray.getByRole("button", { name: "Stop the import of tray-list" })
  // A stop that fails is told, and the import goes on.
  const one = "**/api/v1/corpus/imports/*"
  await page.route(one, (route) => route.abort())
  await stop.click()
  await tray.getByRole("alert").getByText("The service did not answer").waitFor()
  await page.unroute(one)
  faults.length = 0
  await stop.click()
  await tray.waitFor({ state: "detached" })
  upload.destroy()
  await page.goto(`${origin}/console/corpus`)
  const article = page.getByRole("article", { name: "Import of tray-list" })
  await article.getByText("Nothing was imported.").waitFor()
  assert.deepEqual(faults, [])
})

test("a source that passes on an older one is drawn with an arrow to it, and stands in the table", async (context) => {
  if (!isPresent(context)) return
  const folder = await mkdtemp(join(tmpdir(), "assay-circulation-"))
  const file = join(folder, "list.txt")
  const lines = Array.from({ length: 2000 }, (_, n) => `person${n}@circulation.example:pass${n}`)
  await writeFile(file, lines.join("\n"))
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  for (const [source, date] of [
    ["first-list", "2021-03-01"],
    ["second-list", "2024-05-01"],
  ] as const) {
    const args = ["corpus", "import", file, "--source", source, "--date", date]
    const { code, err } = await assay(args, env)
    assert.equal(code, 0, err)
  }
  await rm(folder, { recursive: true })
  const { context: own, page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/sources`)
  await page.getByRole("img", { name: /second-list passes on first-list, (\d+) of \1/ }).waitFor()
  const table = page.getByRole("region", { name: "Who circulates whom" }).getByRole("table")
  assert.match(await table.innerText(), /second-list\s+first-list\s+the same data\s+\d+ of \d+/)
  assert.equal(await table.getByRole("row").count(), 2)
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(faults, [])
  await looksOpened(own, "sources", "circulation")
})

test("an administrator checks a domain, says what it is with a note, and takes it back by typing it", async (context) => {
  if (!isPresent(context)) return
  const { context: own, page, faults } = await open({}, await member("administrator"))
  await page.goto(`${origin}/console/lists`)
  await page.getByRole("region", { name: "Overrides" }).getByText("demo.csv").first().waitFor()
  const check = async (domain: string): Promise<string> => {
    await page.getByLabel("Domain to check").fill(domain)
    await page.getByRole("button", { name: "Check domain" }).click()
    const table = page.getByRole("region", { name: `Who names ${domain}` })
    await table.waitFor()
    return await page.locator("section", { has: table }).innerText()
  }
  assert.match(await check("yopmail.com"), /yopmail\.com: disposable/)

  await page.getByRole("textbox", { name: "Domain", exact: true }).fill("YOPMAIL.com")
  await page.getByLabel("What it is").selectOption("allow")
  await page.getByLabel("Note").fill("our own tests, until March")
  await page.getByRole("button", { name: "Add override" }).click()
  await page.getByText("yopmail.com is on console.csv as allow.").waitFor()
  assert.equal(await page.getByRole("textbox", { name: "Domain", exact: true }).inputValue(), "")
  await page.getByLabel("List", { exact: true }).selectOption("console.csv")
  await page.waitForURL(/list=console\.csv/)
  const row = page.getByRole("row", {
    name: /yopmail\.com allow our own tests, until March console/,
  })
  await row.waitFor()
  assert.equal(await page.getByRole("row", { name: /demo\.csv/ }).count(), 0)
  assert.match(
    await check("mx.yopmail.com"),
    /allowed[^]*yours\s+console\.csv\s+allow\s+yopmail\.com/,
  )
  assert.deepEqual(await violations(page), [])
  await looksOpened(own, "lists", "overrides")

  // What the address says is there after a reload.
  await page.reload()
  await row.getByRole("button", { name: "Remove yopmail.com" }).click()
  const dialog = page.getByRole("dialog")
  const remove = dialog.getByRole("button", { name: "Remove yopmail.com" })
  assert.ok(await remove.isDisabled())
  assert.deepEqual(await violations(page), [])
  await dialog.getByLabel("Type yopmail.com to confirm").fill("yopmail.com")
  await remove.click()
  await page.getByText("No override matches these filters.").waitFor()
  assert.match(await check("yopmail.com"), /yopmail\.com: disposable/)
  assert.doesNotMatch(page.url(), /yopmail/)
  await page.getByRole("button", { name: "Show all overrides" }).click()
  await page
    .getByRole("row", { name: /demo\.csv/ })
    .first()
    .waitFor()
  assert.deepEqual(faults, [])

  // A domain that is none is refused in words.
  await page.getByRole("textbox", { name: "Domain", exact: true }).fill("no domain")
  await page.getByLabel("What it is").selectOption("deny")
  await page.getByRole("button", { name: "Add override" }).click()
  await page.getByRole("alert").getByText("domain must be a domain").waitFor()
})

test("an owner exports what is held about an address, and erases it by typing it again", async (context) => {
  if (!isPresent(context)) return
  const who = await member("owner")
  const email = "erased.person@mail.example"
  await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/subjects`)
  await page.getByLabel("Address or number").fill(email)
  await page.getByRole("button", { name: "Export what is held" }).click()
  const held = page.getByRole("region", { name: "What is held" })
  await held.getByText("1 decision,").waitFor()
  const download = page.waitForEvent("download")
  await held.getByRole("link", { name: "Download as JSON" }).click()
  const file = await download
  assert.equal(file.suggestedFilename(), "assay-subject.json")
  const exported = JSON.parse(readFileSync(await file.path(), "utf8")) as { decisions: unknown[] }
  assert.equal(exported.decisions.length, 1)

  await page.getByRole("button", { name: "Erase this address" }).click()
  const dialog = page.getByRole("dialog")
  const erase = dialog.getByRole("button", { name: "Erase this address" })
  assert.ok(await erase.isDisabled())
  assert.deepEqual(await violations(page), [])
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email)
  await erase.click()
  await page.getByText("the contents of 1 decision were deleted").waitFor()
  await page.getByRole("button", { name: "Export what is held" }).click()
  await page.getByText("0 decisions").waitFor()
  assert.doesNotMatch(page.url(), /erased|%40|@/)
  assert.deepEqual(faults, [])
})

test("an owner makes a key that scores, and revokes it by typing its name", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/keys`)
  await page.getByText("Make a key", { exact: true }).click()
  await page.getByLabel("Label").fill("checkout")
  await page.getByRole("button", { name: "Make key" }).click()
  const key = await page.getByRole("status").locator("pre").first().innerText()
  const scored = await service.request("/api/v1/risk/score", {
    key,
    json: { email: "ana.silva@mail.example" },
  })
  assert.equal(scored.status, 200)
  const row = page.getByRole("row", { name: /checkout/ })
  await row.getByRole("button", { name: "Revoke key" }).click()
  const dialog = page.getByRole("dialog")
  assert.ok(await dialog.getByRole("button", { name: "Revoke key" }).isDisabled())
  const id = /Type (key_\w+)/.exec(await dialog.innerText())?.[1] ?? ""
  await dialog.getByLabel(/Type key_/).fill(id)
  await dialog.getByRole("button", { name: "Revoke key" }).click()
  await row.getByText("revoked").waitFor()
  assert.deepEqual(faults, [])
})

test("an owner makes a key for one hour by a click, with a first call that works as it is shown", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/keys`)
  await page.getByRole("button", { name: "Make a key for one hour" }).click()
  const shown = page.getByRole("status").filter({ hasText: "It is shown this once" })
  const call = await shown.getByLabel("A first call").innerText()
  const key = /Bearer (ask_live_\w+)/.exec(call)?.[1] ?? ""
  assert.equal(await shown.locator("pre").first().innerText(), key)
  const json = { email: "ana.silva@mail.example" }
  assert.equal((await service.request("/api/v1/risk/score", { key, json })).status, 200)
  assert.equal((await service.request("/api/v1/usage", { key })).status, 403)
  const answer = await page.request.get(`${origin}/api/v1/keys`)
  const { keys } = (await answer.json()) as {
    keys: { label: string; created_at: string; expires_at: string }[]
  }
  const made = keys.find(({ label }) => label === "For one hour")
  const lasts = Date.parse(made?.expires_at ?? "") - Date.parse(made?.created_at ?? "")
  assert.ok(Math.abs(lasts - 3_600_000) < 120_000)
  assert.deepEqual(faults, [])
})

test("an analyst decides a review by keys alone, and takes it back", async (context) => {
  if (!isPresent(context)) return
  const who = await member("analyst")
  await service.request("/api/v1/risk/score", {
    key: service.key,
    json: { email: "noah.williams@mail.example", context: { ref: "case 77" } },
  })
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/review`)
  const row = page.getByRole("row", { name: /case 77/ })
  await row.waitFor()
  await page.keyboard.press("f")
  await row.waitFor({ state: "detached" })
  await page.keyboard.press("u")
  await row.waitFor()
  assert.deepEqual(faults, [])
})

test("the last review of a queue can be taken back too, and what a filter hides is not decided", async (context) => {
  if (!isPresent(context)) return
  const who = await member("analyst")
  const json = { email: "noah.williams@mail.example", context: { ref: "case 78" } }
  const scored = await service.request("/api/v1/risk/score", { key: service.key, json })
  const id = scored.headers.get("x-decision-id") ?? ""
  const taken = await who.send("POST", `/api/v1/review/${id}/assign`, { assignee: "me" })
  assert.equal(taken.status, 200)
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/review`)
  // One that the next filter takes away is picked before.
  await page.getByRole("checkbox").last().check()
  await page.getByLabel("Works on it").selectOption("me")
  const row = page.getByRole("row", { name: /case 78/ })
  await row.waitFor()
  assert.match(await row.innerText(), /money taken/)
  await page.waitForURL(/assignee=me/)
  await page.getByRole("button", { name: "Confirm fraud f", exact: true }).click()
  await page.getByText("No decision in the queue matches these filters.").waitFor()
  const undo = page.getByRole("button", { name: /^Undo the last u/ })
  await undo.waitFor()
  await page.keyboard.press("u")
  await row.waitFor()
  // The keys open what is marked.
  await page.keyboard.press("o")
  await page.waitForURL(new RegExp(`/console/review/${id}`))
  assert.deepEqual(faults, [])
})

test("an analyst reads a decision beside the queue, decides it there by a key, and goes on with the next", async (context) => {
  if (!isPresent(context)) return
  const who = await member("analyst")
  for (const ref of ["case 80", "case 81"])
    await service.request("/api/v1/risk/score", {
      key: service.key,
      json: { email: "sofia.rossi@mail.example", context: { ref } },
    })
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/review?band=critical`)
  const [newer, older] = ["case 81", "case 80"].map((ref) =>
    page.getByRole("row", { name: new RegExp(ref) }),
  )
  await newer?.waitFor()
  const panel = page.getByRole("dialog", { name: "Decision" })
  await page.keyboard.press("o")
  await panel.getByRole("article").waitFor()
  const first = page.url()
  assert.match(first, /\/console\/review\/dec_\w+\?band=critical$/)
  assert.deepEqual(await violations(page), [])
  await screenshot(page, join(screenshots, "review-panel.png"), { fullPage: false })
  await page.keyboard.press("j")
  await page.waitForURL((url) => url.href !== first)
  await page.keyboard.press("k")
  await page.waitForURL(first)
  await page.keyboard.press("g")
  // The next one is open, and what was decided has left the queue.
  await page.waitForURL((url) => url.href !== first)
  await newer?.waitFor({ state: "detached" })
  await panel.getByRole("button", { name: /Undo the last/ }).waitFor()
  await page.keyboard.press("u")
  await newer?.waitFor()
  await page.keyboard.press("Escape")
  await panel.waitFor({ state: "detached" })
  assert.equal(await page.evaluate("document.activeElement.textContent"), "case 80")
  assert.equal(await older?.getAttribute("aria-current"), "true")

  // One that has left the queue can be read there, and no key decides another in its place.
  const id = await older?.getByRole("link").getAttribute("id")
  const decision = id?.replace("open-", "") ?? ""
  await page.goto(`${origin}/console/review/${decision}?state=decided`)
  await panel.getByRole("article").waitFor()
  await page.keyboard.press("f")
  await page.goto(`${origin}/console/review?band=critical`)
  await older?.waitFor()
  await newer?.waitFor()
  assert.deepEqual(faults, [])
})

test("decisions are narrowed by filters that stand in the address, and kept as a view that others see", async (context) => {
  if (!isPresent(context)) return
  const scored = [
    ["/api/v1/risk/score", { email: "ivan.petrov@mail.example" }],
    ["/api/v1/risk/score", { email: "omar.haddad@mail.example" }],
    ["/api/v1/phone-risk", { phone_number: "+61491570156" }],
  ] as const
  for (const [path, json] of scored) await service.request(path, { key: service.key, json })
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/decisions`)
  const rows = page.getByRole("table").getByRole("row")
  await rows.nth(2).waitFor()
  await page.getByLabel("Stage").selectOption("TESTED")
  await page.waitForURL(/stage=TESTED/)
  await page.getByRole("button", { name: "Stage: TESTED" }).waitFor()
  await page.getByRole("cell", { name: "CLEAN" }).first().waitFor({ state: "detached" })
  assert.ok((await page.getByRole("cell", { name: "TESTED" }).count()) > 0)

  await page.getByRole("button", { name: "Saved views" }).click()
  await page.getByRole("menuitem", { name: "Save this view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save this view" })
  await dialog.getByLabel("Name").fill("Tested ones")
  await dialog.getByRole("button", { name: "Save view" }).click()
  await dialog.waitFor({ state: "detached" })

  await page.getByLabel("Kind").selectOption("phone")
  await page.getByText("No decision passes these filters.").waitFor()
  assert.match(page.url(), /subject=phone/)
  assert.deepEqual(await violations(page), [])
  await page.getByRole("button", { name: "Clear all filters" }).click()
  await page.getByRole("cell", { name: "Number" }).first().waitFor()
  assert.equal(new URL(page.url()).search, "")

  await page.getByRole("button", { name: "Saved views" }).click()
  await page.getByRole("menuitem", { name: "Tested ones (shared)", exact: true }).click()
  await page.waitForURL(/stage=TESTED/)
  // The address alone gives the same list again.
  await page.reload()
  await page.getByRole("cell", { name: "TESTED" }).first().waitFor()
  assert.equal(await page.getByRole("cell", { name: "Number" }).count(), 0)
  await page.getByLabel("From (UTC)").fill("2031-01-01")
  await page.getByText("No decision passes these filters.").waitFor()

  // A colleague who only looks uses it, and is offered neither saving nor deleting.
  const looking = await open({}, await member("viewer"))
  await looking.page.goto(`${origin}/console/decisions?band=low`)
  await looking.page.getByRole("button", { name: "Saved views" }).click()
  const item = looking.page.getByRole("menuitem", { name: "Tested ones (shared)", exact: true })
  await item.waitFor()
  assert.equal(await looking.page.getByRole("menuitem", { name: /Save|Delete/ }).count(), 0)
  assert.deepEqual(await violations(looking.page), [])
  await item.click()
  await looking.page.waitForURL(/stage=TESTED/)
  assert.doesNotMatch(looking.page.url(), /band=/)

  // Who deletes it can take that back; then it is gone for everybody.
  const remove = async (): Promise<void> => {
    await page.getByRole("button", { name: "Saved views" }).click()
    await page.getByRole("menuitem", { name: "Delete Tested ones (shared)" }).click()
    await page.getByText("Deleted Tested ones (shared)").waitFor()
  }
  await remove()
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByText("Deleted Tested ones (shared)").waitFor({ state: "detached" })
  await remove()
  await looking.page.reload()
  await looking.page.getByRole("button", { name: "Saved views" }).click()
  await looking.page.getByText("No view is saved yet").waitFor()
  assert.deepEqual([...faults, ...looking.faults], [])
})

test("views that cannot be read or saved are said, and asked for again", async (context) => {
  if (!isPresent(context)) return
  const who = await member("analyst")
  const name = "A view whose name is as long as may be, and wider than a phone"
  const saved = await who.send("POST", "/api/v1/decisions/views", { name, filter: {} })
  assert.equal(saved.status, 200)
  const { page } = await open({ colorScheme: "dark", viewport: PHONE }, who)
  const views = "**/api/v1/decisions/views"
  await page.route(views, (route) => route.abort())
  await page.goto(`${origin}/console/decisions?band=high`)
  await page.getByRole("button", { name: "Saved views" }).click()
  const failed = page.getByText("The service did not answer")
  await failed.waitFor()
  assert.deepEqual(await violations(page), [])
  await page.unroute(views)
  await page.getByRole("menuitem", { name: "Try again" }).click()
  await failed.waitFor({ state: "detached" })
  await page.getByRole("menuitem", { name: `Delete ${name}` }).waitFor()
  assert.deepEqual(await violations(page), [])
  assert.ok((await overflow(page)) <= 0, "the menu is wider than a phone")
  await screenshot(page, join(screenshots, "views-dark-phone.png"), { fullPage: false })
  await page.getByRole("menuitem", { name: "Save this view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save this view" })
  await dialog.getByLabel("Name").fill("of ana@mail.example")
  await dialog.getByRole("button", { name: "Save view" }).click()
  await dialog.getByRole("alert").getByText("must not hold an e-mail address").waitFor()
  assert.deepEqual(await violations(page), [])
})

test("a decision opens beside its list, at an address that gives both again, by keys and by clicks", async (context) => {
  if (!isPresent(context)) return
  for (const email of ["ivan.petrov@mail.example", "sofia.rossi@mail.example"])
    await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const phone = { phone_number: "+61491570156" }
  const called = await service.request("/api/v1/phone-risk", { key: service.key, json: phone })
  const number = called.headers.get("x-decision-id") ?? ""
  const { context: own, page, faults } = await open({}, await member("viewer"))
  for (const [colorScheme, name] of PAIRS) {
    await showAs(page, [colorScheme, name])
    await page.goto(`${origin}/console/decisions?subject=email&stage=TESTED`)
    const links = page.getByRole("region", { name: "Decisions" }).getByRole("link")
    await links.first().focus()
    const id = await links.first().innerText()
    await page.keyboard.press("Enter")
    const panel = page.getByRole("dialog", { name: "Decision" })
    await panel.getByRole("article", { name: `Assessment of ${id}` }).waitFor()
    const address = `${origin}/console/decisions/${id}?subject=email&stage=TESTED`
    assert.equal(page.url(), address)
    assert.equal(await page.title(), "Decision · Assay")
    await screenshot(page, join(screenshots, `decision-${colorScheme}-${name}.png`), {
      fullPage: false,
    })
    // The focus is in the panel, and stays there.
    const isInside = (): Promise<boolean> =>
      page.evaluate<boolean>("document.activeElement.closest('[role=dialog]') !== null")
    assert.ok(await isInside())
    await page.keyboard.press("Shift+Tab")
    assert.ok(await isInside())
    // Escape closes the palette that lies over it, and the panel stays.
    const palette = page.getByLabel("Go to", { exact: true })
    await pressUntil(page, "Control+k", palette)
    await page.keyboard.press("Escape")
    await palette.waitFor({ state: "hidden" })
    assert.equal(page.url(), address)
    await panel.waitFor()
    // Behind it the list is as it was, with this one marked.
    assert.equal(await page.locator("tr[aria-current=true]").count(), 1)
    assert.equal(await page.getByLabel("Stage").inputValue(), "TESTED")
    assert.deepEqual(await violations(page), [], `${colorScheme} ${name}`)
    assert.ok((await overflow(page)) <= 0, `the panel is wider than a ${name} screen`)
    if (name === "phone") assert.equal((await panel.boundingBox())?.width, PHONE.width)

    await page.keyboard.press("Escape")
    await panel.waitFor({ state: "detached" })
    assert.equal(page.url(), `${origin}/console/decisions?subject=email&stage=TESTED`)
    assert.equal(await page.title(), "Decisions · Assay")
    assert.equal(await page.evaluate("document.activeElement.textContent"), id)

    // A click anywhere on the row, a reload, the address in another tab, and the way back.
    await page.getByRole("cell", { name: "TESTED" }).first().click()
    await panel.getByRole("article").waitFor()
    await page.reload()
    await panel.getByRole("article", { name: `Assessment of ${id}` }).waitFor()
    await panel.getByRole("button", { name: "Compare" }).click()
    await page.waitForURL(/stage=TESTED&compare=yes/)
    await panel.getByRole("button", { name: "Close" }).click()
    await panel.waitFor({ state: "detached" })
    assert.equal(page.url(), `${origin}/console/decisions?subject=email&stage=TESTED`)
    assert.equal(await page.evaluate("document.activeElement.textContent"), id)
    // Of a number too, of which no decision keeps the line's own events.
    await page.goto(`${origin}/console/decisions/${number}`)
    await panel.getByRole("article", { name: `Assessment of ${number}` }).waitFor()
    const other = await own.newPage()
    await other.goto(address)
    await other.getByRole("dialog").getByRole("article").waitFor()
    assert.equal(await other.getByRole("cell", { name: "CLEAN" }).count(), 0)
    await other.close()
    assert.deepEqual(faults, [])
  }
})

test("decisions of a request are found by its id, which stands in the address", async (context) => {
  if (!isPresent(context)) return
  const headers = { "x-request-id": "order-4711" }
  for (const email of ["ivan.petrov@mail.example", "omar.haddad@mail.example"])
    await service.request("/api/v1/risk/score", { key: service.key, json: { email }, headers })
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/decisions`)
  await page.getByLabel("Request").fill("order-4711")
  await page.getByRole("button", { name: "Find request" }).click()
  await page.waitForURL(/request_id=order-4711/)
  const rows = page.getByRole("table").getByRole("row")
  while ((await rows.count()) !== 3) await page.waitForTimeout(50)
  await page.reload()
  await page.getByRole("button", { name: "Request order-4711" }).waitFor()
  while ((await rows.count()) !== 3) await page.waitForTimeout(50)
  assert.deepEqual(await violations(page), [])
  await page.getByLabel("Request").fill("order-4712")
  await page.getByRole("button", { name: "Find request" }).click()
  await page.getByText("No decision passes these filters.").waitFor()
  assert.deepEqual(faults, [])
})

test("decisions about an address are found without it in any URL, and a reload forgets it", async (context) => {
  if (!isPresent(context)) return
  const email = "sought.person@mail.example"
  for (let n = 0; n < 2; n++)
    await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const { page, faults } = await open({}, await member("analyst"))
  const urls: string[] = []
  page.on("request", (request) => urls.push(request.url()))
  page.on("framenavigated", (frame) => urls.push(frame.url()))
  await page.goto(`${origin}/console/decisions`)
  await page.getByLabel("Address or number").fill(email)
  await page.getByRole("button", { name: "Find", exact: true }).click()
  await page.getByRole("button", { name: `About ${email}` }).waitFor()
  // A header and two decisions, of the many there are.
  const rows = page.getByRole("table").getByRole("row")
  while ((await rows.count()) !== 3) await page.waitForTimeout(50)
  await rows.nth(1).getByRole("link").click()
  await page.getByRole("article").waitFor()
  await page.goBack()
  await page.getByRole("button", { name: `About ${email}` }).waitFor()
  await page.reload()
  await page.getByText("Type the address or number again").waitFor()
  assert.deepEqual(await violations(page), [])
  const kept = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])")
  assert.doesNotMatch(kept, /sought/)
  await page.getByRole("button", { name: "Show all decisions" }).click()
  while ((await rows.count()) < 4) await page.waitForTimeout(50)

  // What is no address is said, and not in an address either.
  await page.getByLabel("Address or number").fill("sought.person")
  await page.getByRole("button", { name: "Find", exact: true }).click()
  await page.getByRole("alert").waitFor()
  assert.ok(urls.length > 10)
  for (const url of [...urls, page.url()]) assert.doesNotMatch(url, /sought\.person/)
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("422")),
    [],
  )
})

test("a decision about a number is opened with what had happened to its line", async (context) => {
  if (!isPresent(context)) return
  const json = { phone_number: "+61491570156" }
  const scored = await service.request("/api/v1/phone-risk", { key: service.key, json })
  const id = scored.headers.get("x-decision-id") ?? ""
  const { risk_reasons: reasons } = (await scored.json()) as { risk_reasons: string[] }
  const hours = /^SIM changed (\d hours ago)/.exec(reasons[0] ?? "")?.[1] ?? "no reason"
  const { page, faults } = await open({}, await member("viewer"))
  await page.goto(`${origin}/console/decisions/${id}`)
  const card = page.getByRole("article", { name: `Assessment of ${id}` })
  // Dated by the hour, so that it is two or three of them; the reasons say the same.
  const timeline = { name: new RegExp(`SIM timeline: SIM change ${hours}, Device change`) }
  await card.getByRole("img", timeline).waitFor()
  assert.match(await card.innerText(), /How the score adds up/)
  assert.deepEqual(faults, [])
})

test("a decision is compared with another model and policy, side by side", async (context) => {
  if (!isPresent(context)) return
  const scored = await service.request("/api/v1/risk/score", {
    key: service.key,
    json: { email: "mei.tanaka@mail.example" },
  })
  const id = scored.headers.get("x-decision-id") ?? ""
  const { page, faults } = await open({}, await member("viewer"))
  for (const [colorScheme, name] of PAIRS) {
    await showAs(page, [colorScheme, name])
    await page.goto(`${origin}/console/decisions/${id}`)
    await page.getByRole("button", { name: "Compare" }).click()
    const both = page.getByRole("region", { name: "Comparison" })
    await both.getByRole("article", { name: "As it was decided" }).waitFor()
    await both.getByLabel("Model").selectOption("1.0")
    await both.getByRole("article", { name: "Under the other model" }).waitFor()
    await both.getByText(/^Under model 1\.0 /).waitFor()
    const { search } = new URL(page.url())
    assert.deepEqual(Object.fromEntries(new URLSearchParams(search)), {
      compare: "yes",
      model: "1.0",
    })
    await page.reload()
    await both.getByText(/^Under model 1\.0 /).waitFor()
    await both.getByLabel("Policy").selectOption("1")
    await both.getByText(/^Under version 1 of the policy and model 1\.0 /).waitFor()
    assert.deepEqual(await violations(page), [], `${colorScheme} ${name}`)
    assert.ok((await overflow(page)) <= 0, `the comparison is wider than a ${name} screen`)
    assert.deepEqual(await titledInLine(page), [])
    // Bars of one table are read by their length, so that each has the same room.
    const rooms = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".points-bar")].map((bar) => Math.round(bar.getBoundingClientRect().width))`,
    )
    assert.ok(rooms.length > 0)
    assert.equal(new Set(rooms).size, 1, rooms.join(" "))
    // High enough for the whole of the panel, which is scrolled by itself.
    const high = name === "wide" ? { ...WIDE, height: 2_000 } : { ...PHONE, height: 3_900 }
    await page.setViewportSize(high)
    const file = `compare-${colorScheme}-${name}.png`
    await screenshot(page, join(screenshots, file), { fullPage: false })
    assert.deepEqual(faults, [])
  }
})

test("a policy is tried on past decisions before it acts, and reverted", async (context) => {
  if (!isPresent(context)) return
  const who = await member("owner")
  const email = "noah.williams@mail.example"
  await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
  const before = await who.send<{ version: number }>("GET", "/api/v1/policy")
  const { version } = before.body
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/policy`)
  const curve = page.getByRole("img", { name: /^Addresses and numbers\. Allow from 0 to 24/ })
  await curve.waitFor()
  await page.getByRole("textbox", { name: "A bad actor gets through" }).fill("2000")
  await page.getByRole("img", { name: /^Addresses and numbers\. Step up.* from 0 to/ }).waitFor()
  await page.waitForURL(/[?&]loss=2000\b/)
  // The address holds the proposal, and a slider is moved by keys.
  await page.reload()
  const typed = page.getByRole("textbox", { name: "A bad actor gets through" })
  await typed.waitFor()
  assert.equal(await typed.inputValue(), "2000")
  const slider = page.getByRole("slider", { name: /A good user is blocked/ })
  await slider.focus()
  await page.keyboard.press("ArrowRight")
  await page.waitForURL(/[?&]wrong_block=4\.\d+/)
  await page.getByRole("button", { name: "Back-test this policy" }).click()
  await page.getByText(/would have had another action/).waitFor()
  await page.getByRole("img", { name: /^Addresses, from the action before/ }).waitFor()
  assert.deepEqual(await violations(page), [])
  await page.getByRole("button", { name: "Let the proposed policy act" }).click()
  await page
    .getByText(`Version ${version + 1}`)
    .first()
    .waitFor()
  await page.getByRole("tab", { name: "History" }).click()
  await page.getByRole("button", { name: `Revert to version ${version}`, exact: true }).click()
  await page
    .getByText(`Version ${version + 2}`)
    .first()
    .waitFor()
  assert.deepEqual(faults, [])
})

test("a file is scored in the page, and what it gives is no formula to a spreadsheet", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/batch`)
  const rows = ["email", "ivan.petrov@mail.example", "=1+1", "+61491570156"]
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "CSV file" }).click()
  await (
    await chooser
  ).setFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) })
  await page.getByRole("button", { name: "Score the file" }).click()
  await page.getByText("2 of 3 scored, 1 could not be").waitFor()
  const download = page.waitForEvent("download")
  await page.getByRole("button", { name: "Download the scores" }).click()
  const lines = readFileSync(await (await download).path(), "utf8").split("\r\n")
  assert.match(lines[1] ?? "", /^ivan\.petrov@mail\.example,79,TESTED,step_up_auth,/)
  assert.equal(lines[2], "'=1+1,,,,,not-an-email")
  assert.match(lines[3] ?? "", /^'\+61491570156,6\d,HIGH,/)
  assert.deepEqual(faults, [])
})
