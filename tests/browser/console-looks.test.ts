// Pages as they are in use, and the states that a fresh demo does not show: filled, empty, waiting,
// failed, refused, asked to confirm. Each is drawn in both themes and both widths.
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout } from "node:timers/promises"
import type { Locator, Page } from "playwright-core"
import { DEMO_IDENTITIES } from "../../packages/console/src/playground/identities.ts"
import type { Visitor } from "../http/signed-in.ts"
import { ALL_RULES } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import {
  drawn,
  follow,
  looks,
  member,
  open,
  origin,
  PHONE,
  pressUntil,
  service,
  useConsole,
} from "./console.ts"

useConsole()

/** What a tenant does in some days, so that no page of it is empty. */
async function use(owner: Visitor): Promise<void> {
  let order = 2_040
  for (let round = 0; round < 3; round++)
    for (const [identity] of DEMO_IDENTITIES) {
      const isEmail = identity.includes("@")
      const path = isEmail ? "/api/v1/risk/score" : "/api/v1/phone-risk"
      const context = { ref: `order ${++order}` }
      const json = isEmail ? { email: identity, context } : { phone_number: identity, context }
      assert.equal((await service.request(path, { key: service.key, json })).status, 200)
    }
  const waiting = await owner.send<{ reviews: { id: string }[] }>("GET", "/api/v1/review")
  const outcomes = ["confirmed_fraud", "confirmed_fraud", "genuine", "cannot_tell"]
  for (const [n, outcome] of outcomes.entries()) {
    const path = `/api/v1/review/${waiting.body.reviews[n]?.id}/decide`
    const note = "The holder was called back on the number of the contract."
    const answer = await owner.send("POST", path, { outcome, ...(n === 0 && { note }) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  await owner.send("POST", `/api/v1/review/${waiting.body.reviews[5]?.id}/assign`, {
    assignee: "me",
  })
  await owner.send("POST", "/api/v1/review/views", {
    name: "Critical ones",
    filter: { band: "critical" },
    shared: true,
  })
  const key = await owner.send<{ api_key: { id: string } }>("POST", "/api/v1/keys", {
    scopes: ["score", "feedback:write"],
    label: "checkout of the shop",
  })
  await owner.send("POST", `/api/v1/keys/${key.body.api_key.id}/revoke`)
  await owner.send("POST", "/api/v1/members/invitations", { role: "analyst" })
  const acting = await owner.send<{ version: number }>("GET", "/api/v1/policy")
  const tag = { "if-match": `"${acting.body.version}"` }
  const policy = { costs: { loss: 60 }, domains: ["acme-shop.com"] }
  const set = await owner.send("PUT", "/api/v1/policy", policy, tag)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  await owner.send("PUT", "/api/v1/policy/shadow", { costs: { loss: 120 } })
  // Workers hear of a shadow a moment later.
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  for (let n = 0; n < 40; n++) {
    const json = { email: "ana.silva@mail.example" }
    await service.request("/api/v1/risk/score", { key: service.key, json })
    const report = await fetch(`${origin}/api/v1/policy/shadow/report`, { headers: { cookie } })
    assert.equal(report.status, 200)
    if (/"compared":[1-9]/.test(await report.text())) return
    await setTimeout(500)
  }
  assert.fail("No decision was made with the shadow")
}

/** By a link once the app is loaded: that every page opens by its address is shown elsewhere. */
async function goes(page: Page, path: string): Promise<void> {
  if (page.url().startsWith(`${origin}/console/`)) await follow(page, path)
  else await opens(page, path)
}

async function opens(page: Page, path: string): Promise<void> {
  await page.goto(`${origin}${path}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await drawn(page)
}

/** Where things stand. */
async function boxesOf(things: Locator): Promise<{ x: number; y: number; width: number }[]> {
  const boxes = await Promise.all((await things.all()).map((thing) => thing.boundingBox()))
  return boxes.filter((box) => box !== null)
}

test("pages of a tenant in use are drawn without a fault", async (context) => {
  if (!isPresent(context)) return
  const owner = await member("owner")
  await member("viewer")
  await use(owner)
  const { page, faults } = await open({}, owner)
  for (const path of ["overview", "decisions", "review", "usage", "members", "audit", "keys"]) {
    await goes(page, `/console/${path}`)
    await looks(page, `used-${path}`)
  }
  await goes(page, "/console/review?state=decided")
  await page.getByText("Confirmed fraud").first().waitFor()
  await looks(page, "used-review-decided")
  await goes(page, "/console/settings")
  await looks(page, "used-settings")

  await goes(page, "/console/policy?loss=200")
  await page.getByRole("button", { name: "Back-test this policy" }).click()
  await page.getByText(/would have had another action/).waitFor()
  await looks(page, "policy-back-test")
  await page.getByRole("tab", { name: "Shadow" }).click()
  await page.getByRole("button", { name: "Compare what was recorded" }).click()
  await page.getByText(/would have had another action/).waitFor()
  await looks(page, "policy-shadow")
  await page.getByRole("tab", { name: "History" }).click()
  await page.getByRole("button", { name: "Revert to version 1", exact: true }).waitFor()
  await looks(page, "policy-history")

  await goes(page, "/console/playground")
  for (const [identity] of DEMO_IDENTITIES) {
    await page.getByRole("button", { name: identity }).click()
    await page.getByRole("article", { name: `Assessment of ${identity}` }).waitFor()
    const name = identity.replace(/\W+/g, "-").replace(/^-/, "").slice(0, 12)
    await looks(page, `card-${name}`)
  }
  await page.getByRole("tab", { name: "Python" }).click()
  await looks(page, "card-python")
  await goes(page, "/console/decisions")
  await page.getByRole("table").getByRole("link").first().click()
  await page.getByRole("article").waitFor()
  await looks(page, "decision")
  assert.deepEqual(faults, [])
})

test("a card prints a sum that adds up, and its tabs and the names of its axis have room on a phone", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.setViewportSize(PHONE)
  await goes(page, "/console/playground")
  for (const [identity] of DEMO_IDENTITIES) {
    await page.getByRole("button", { name: identity }).click()
    const card = page.getByRole("article", { name: `Assessment of ${identity}` })
    await card.waitFor()
    const told = await card.locator(".waterfall figcaption").innerText()
    const [, sum = "", score] = /^([^=]*) = (\d+)\./.exec(told) ?? []
    const terms = sum
      .replaceAll("−", "-")
      .replace(/([+-]) /g, "$1")
      .split(" ")
    const hundredths = terms.reduce((reached, term) => reached + Math.round(Number(term) * 100), 0)
    assert.equal(hundredths, Number(score) * 100, `${identity}: ${sum}`)
    const tabs = await boxesOf(card.getByRole("tab"))
    assert.equal(new Set(tabs.map(({ y }) => y)).size, 1, `tabs of ${identity}`)
    const names = await boxesOf(card.locator(".sim-timeline .tick"))
    for (const [n, { x }] of names.entries()) {
      const before = names[n - 1]
      assert.ok(before === undefined || before.x + before.width + 2 <= x, `axis of ${identity}`)
    }
  }
  assert.deepEqual(faults, [])
})

test("the navigation of a phone, menus, the palette and the keys are drawn without a fault", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await goes(page, "/console/usage")
  const menu = page.getByRole("navigation", { name: "Console" }).getByRole("button").last()
  await menu.click()
  await page.getByRole("menuitem", { name: "Sign out" }).waitFor()
  await looks(page, "menu-person", { fullPage: false })
  await page.keyboard.press("Escape")
  await pressUntil(page, "Control+k", page.getByLabel("Go to", { exact: true }))
  await looks(page, "palette", { fullPage: false })
  await page.getByLabel("Go to", { exact: true }).fill("ana.silva@mail.example")
  await looks(page, "palette-identity", { fullPage: false })
  await page.keyboard.press("Escape")
  await pressUntil(page, "Shift+?", page.getByRole("dialog", { name: "Keys" }))
  await looks(page, "keys-help", { fullPage: false })
  await page.keyboard.press("Escape")
  await page.setViewportSize({ width: 375, height: 812 })
  await page.getByRole("button", { name: "Pages" }).click()
  await page.getByRole("link", { name: "Settings" }).waitFor()
  await looks(page, "pages", { fullPage: false })
  assert.deepEqual(faults, [])
})

test("a tenant that has done nothing yet is told on each page what to do", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  await page.goto(`${origin}/console/sign-up`)
  await page.getByRole("textbox", { name: "Organisation" }).fill("Quiet Shop")
  await page.getByLabel("Address of its owner").fill("owner@quiet.example")
  await page.getByLabel("To prevent fraud").check()
  await looks(page, "sign-up-filled")
  await page.getByRole("button", { name: "Agree and sign up" }).click()
  await page.getByRole("link", { name: "join as its owner" }).waitFor()
  await looks(page, "sign-up-done")
  await page.getByRole("link", { name: "join as its owner" }).click()
  await page.getByText(/You are invited to .* as owner\./).waitFor()
  await looks(page, "join")
  await page.getByRole("button", { name: "Use a password instead" }).click()
  await page.getByLabel("Your name").fill("Quinn")
  await page.getByLabel("Your address").fill("owner@quiet.example")
  await page.getByRole("textbox", { name: "Password" }).fill("ample-violet-harbour-41")
  await looks(page, "join-password")
  await page.getByRole("button", { name: "Join with this password" }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  for (const path of [
    "overview",
    "playground",
    "decisions",
    "batch",
    "sources",
    "policy",
    "keys",
    "usage",
    "members",
    "settings",
    "account",
  ]) {
    await goes(page, `/console/${path}`)
    await looks(page, `empty-${path}`)
  }
  // What the free plan does not have is absent, and said to whoever has the address of it.
  const links = page.getByRole("navigation", { name: "Console" })
  for (const title of ["Review", "Subjects", "Audit"]) {
    assert.equal(await links.getByRole("link", { name: title }).count(), 0, title)
    await goes(page, `/console/${title.toLowerCase()}`)
    await page.getByRole("heading", { level: 1, name: "Not in your plan" }).waitFor()
  }
  await looks(page, "state-not-in-plan")
  await goes(page, "/console/policy?tab=shadow")
  await looks(page, "empty-policy-shadow")
  assert.deepEqual(faults, [])
})

test("what is waited for, what failed and what a role does not have is said", async (context) => {
  if (!isPresent(context)) return
  const { page } = await open({}, await member("viewer"))
  await goes(page, "/console/keys")
  await page.getByRole("heading", { level: 1, name: "Not for your role" }).waitFor()
  await looks(page, "state-not-for-role", { rules: ALL_RULES })
  await goes(page, "/console/nothing")
  await looks(page, "state-no-page")
  await opens(page, "/console/decisions/dec_01arz3ndektsv4rrffq69g5fav")
  await page.getByRole("alert").waitFor()
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0)
  await looks(page, "state-no-decision", { rules: ALL_RULES })

  const answer = "**/api/v1/usage*"
  const held = Promise.withResolvers<null>()
  await page.route(answer, async (route) => {
    await held.promise
    await route.abort()
  })
  await page.goto(`${origin}/console/usage`)
  await page.getByRole("main").getByRole("status").filter({ hasText: "Loading" }).waitFor()
  await looks(page, "state-loading", { rules: ALL_RULES })
  held.resolve(null)
  await page.getByRole("alert").getByText("The service did not answer").waitFor()
  await looks(page, "state-away", { rules: ALL_RULES })
  await page.unroute(answer)
  await page.getByRole("button", { name: "Try again" }).click()
  await page
    .getByText(/lookups/)
    .first()
    .waitFor()
})

test("signing in, being refused and what is shown once are drawn without a fault", async (context) => {
  if (!isPresent(context)) return
  const { page, context: own } = await open()
  await opens(page, "/console")
  await looks(page, "sign-in")
  await page.getByLabel("Address").fill("nobody@console.example")
  await page.getByRole("textbox", { name: "Password" }).fill("wrong-wrong-wrong")
  await page.getByRole("button", { name: "Sign in with a password" }).click()
  await page.getByRole("alert").waitFor()
  await looks(page, "sign-in-refused")
  await opens(page, "/console/join#not-a-token")
  await page.getByRole("alert").waitFor()
  await looks(page, "join-refused")
  await opens(page, "/")
  await looks(page, "first")
  await page.getByLabel("Address or number").fill("not an address")
  await page.getByRole("button", { name: "Score", exact: true }).click()
  await page.getByRole("alert").waitFor()
  await looks(page, "first-refused")
  await own.close()

  const { page: owned, faults } = await open({}, await member("owner"))
  await goes(owned, "/console/keys")
  await owned.getByText("Make a key", { exact: true }).click()
  await looks(owned, "keys-new")
  await owned.getByRole("button", { name: "Make a key for one hour" }).click()
  await owned.getByLabel("A first call").waitFor()
  await looks(owned, "keys-made")
  await owned
    .getByRole("row", { name: /For one hour/ })
    .getByRole("button", { name: "Revoke" })
    .click()
  await owned.getByRole("dialog").waitFor()
  await looks(owned, "keys-revoke", { fullPage: false })
  await goes(owned, "/console/members")
  await owned.getByRole("button", { name: "Make an invitation" }).click()
  await owned.getByText("Whoever opens it first joins by it.").waitFor()
  await looks(owned, "members-invited")
  await goes(owned, "/console/account")
  await owned.getByRole("button", { name: "Set up an app" }).click()
  await owned.getByText("Type this into your app").waitFor()
  await looks(owned, "account-app")
  await goes(owned, "/console/subjects")
  await owned.getByLabel("Address or number").fill("ana.silva@mail.example")
  await owned.getByRole("button", { name: "Export what is held" }).click()
  await owned.getByRole("region", { name: "What is held" }).waitFor()
  await looks(owned, "subjects-held")
  await owned.getByRole("button", { name: "Erase this address" }).click()
  await owned.getByRole("dialog").waitFor()
  await looks(owned, "subjects-erase", { fullPage: false })
  await goes(owned, "/console/batch")
  const rows = ["email", "ivan.petrov@mail.example", "=1+1", "+61491570156"].join("\n")
  await owned
    .locator("input[type=file]")
    .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(rows) })
  await owned.getByRole("button", { name: "Score the file" }).click()
  await owned.getByText("2 of 3 scored").waitFor()
  await looks(owned, "batch-done")
  assert.deepEqual(faults, [])
})

test("pages of an administrator in use are drawn without a fault", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("administrator"))
  await goes(page, "/console/lists")
  await page.getByLabel("Domain to check").fill("yopmail.com")
  await page.getByRole("button", { name: "Check domain" }).click()
  await page.getByRole("region", { name: "Who names yopmail.com" }).waitFor()
  await looks(page, "lists-check")
  await page
    .getByRole("button", { name: /^Remove / })
    .first()
    .click()
  await page.getByRole("dialog").waitFor()
  await looks(page, "lists-remove", { fullPage: false })
  await opens(page, "/console/lists?list=nothing.csv")
  await looks(page, "lists-none")
  await goes(page, "/console/corpus")
  const text = [
    "no row at all",
    ...Array.from({ length: 40 }, (_, n) => `q${n}@seen.example:pw${n}`),
  ]
  await page.locator("input[type=file]").setInputFiles({
    name: "list.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(text.join("\n")),
  })
  await page.getByRole("region", { name: "First rows" }).waitFor()
  await looks(page, "corpus-preview")
  await page.getByLabel("Name of the source").fill("seen-list")
  await page.getByRole("button", { name: "Import file" }).click()
  await page.getByText("observations of").waitFor()
  await looks(page, "corpus-imported")
  await goes(page, "/console/members")
  await looks(page, "service-members")
  await goes(page, "/console/subjects")
  await page.getByLabel("Address or number").fill("noah.williams@mail.example")
  await page.getByRole("button", { name: "Erase this address" }).click()
  await page.getByRole("dialog").waitFor()
  await looks(page, "service-erase", { fullPage: false })
  await goes(page, "/console/decisions")
  await looks(page, "service-not-for-role")
  assert.deepEqual(faults, [])
})
