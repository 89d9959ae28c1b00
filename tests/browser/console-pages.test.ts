// Every page of the console, as every role, in both widths and both themes.
import assert from "node:assert/strict"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { ALL_RULES, LOOKS, violations } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import {
  drawn,
  follow,
  holds,
  member,
  open,
  origin,
  overflow,
  PAIRS,
  pressUntil,
  root,
  screenshots,
  service,
  showAs,
  useConsole,
} from "./console.ts"
import { OF_ROLE, PAGES } from "./console-pages.ts"
import { screenshot } from "./screenshot.ts"

useConsole()

test("the first page and its cards have no fault that axe finds, in both themes and both widths", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open()
  for (const [colorScheme, name] of PAIRS) {
    await showAs(page, [colorScheme, name])
    await page.goto(`${origin}/`)
    for (const identity of ["sofia.rossi@mail.example", "+61491570156"]) {
      await page.getByRole("button", { name: identity }).click()
      await page.getByRole("article", { name: `Assessment of ${identity}` }).waitFor()
      assert.deepEqual(await violations(page), [], `${identity} ${colorScheme} ${name}`)
      assert.ok((await overflow(page)) <= 0, `${identity} is wider than a ${name} screen`)
      const file = `first-${identity.slice(0, 3)}-${colorScheme}-${name}.png`
      await screenshot(page, join(screenshots, file))
    }
    assert.deepEqual(faults, [])
  }
})

/**
 * Roles see the same page with fewer controls, so the first that has it is looked at by all rules.
 */
const looked = new Set<string>()
/** Between them they have every page; how theirs look is held. */
const LOOKED_AT = ["owner", "administrator"]

for (const [role, own] of Object.entries(OF_ROLE))
  test(`the pages of the role ${role} are drawn without a fault, and no other is theirs`, async (context) => {
    if (!isPresent(context)) return
    const who = await member(role)
    for (const email of ["sofia.rossi@mail.example", "ivan.petrov@mail.example"])
      await service.request("/api/v1/risk/score", { key: service.key, json: { email } })
    const { page, faults } = await open({}, who)
    const heading = page.getByRole("heading", { level: 1 })
    const isNew = new Set(own.filter((path) => !looked.has(path)))
    for (const [n, [path, title]] of Object.entries(PAGES).entries()) {
      const isOwn = own.includes(path)
      // Each page is opened by its address once, and by others as by a link.
      if (isNew.has(path) || n === 0) await page.goto(`${origin}/console/${path}`)
      else await follow(page, `/console/${path}`)
      await heading.waitFor()
      assert.equal(await heading.innerText(), isOwn ? title : "Not for your role", path)
      await drawn(page)
      if (!isOwn) continue
      const links = page.getByRole("navigation", { name: "Console" })
      assert.equal(await links.getByRole("link", { name: title, exact: true }).count(), 1, path)
      looked.add(path)
    }
    assert.deepEqual(faults, [])
    // By links, so that axe is given to one document and not compiled anew in each.
    for (const pair of PAIRS) {
      await showAs(page, pair)
      for (const path of own) {
        const rules = isNew.has(path) && pair === PAIRS[0] ? ALL_RULES : LOOKS
        if (rules === LOOKS && !LOOKED_AT.includes(role)) continue
        await follow(page, `/console/${path}`)
        await holds(page, `${role}-${path}`, pair, { rules, wholeTables: true })
      }
    }
    assert.deepEqual(faults, [])
  })

test("a page whose script cannot be loaded says so, and others and it itself are drawn after", async (context) => {
  if (!isPresent(context)) return
  const { page } = await open({}, await member("owner"))
  await page.goto(`${origin}/console/usage`)
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor()
  const script = "**/console/files/sources-*.js"
  await page.route(script, (route) => route.abort())
  const links = page.getByRole("navigation", { name: "Console" })
  await links.getByRole("link", { name: "Sources" }).click()
  const alert = page.getByRole("alert").filter({ hasText: "This page could not be drawn" })
  await alert.waitFor()
  assert.deepEqual(await violations(page), [])
  await links.getByRole("link", { name: "Keys" }).click()
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
  await links.getByRole("link", { name: "Sources" }).click()
  await page.unroute(script)
  await alert.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor()
})

test("the palette goes to a page by its name, scores and seeks an address, and a question mark lists the keys", async (context) => {
  if (!isPresent(context)) return
  const { page, faults } = await open({}, await member("owner"))
  await page.goto(`${origin}/console`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  const search = page.getByLabel("Go to", { exact: true })
  await pressUntil(page, "Control+k", search)
  await search.fill("usa")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor()
  await search.waitFor({ state: "hidden" })

  // An address is scored, or sought among decisions, and is in no URL.
  await pressUntil(page, "Control+k", search)
  await search.fill("ivan.petrov@mail.example")
  await page.getByText("Score ivan.petrov@mail.example").waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("article", { name: "Assessment of ivan.petrov@mail.example" }).waitFor()
  assert.equal(new URL(page.url()).pathname, "/console/playground")
  await search.waitFor({ state: "hidden" })
  await pressUntil(page, "Control+k", search)
  await search.fill("ivan.petrov@mail.example")
  await page.getByText("Find decisions about ivan.petrov@mail.example").click()
  await page.getByRole("button", { name: /^About ivan\.petrov@mail\.example/ }).waitFor()
  assert.doesNotMatch(page.url(), /ivan/)
  await search.waitFor({ state: "hidden" })
  await pressUntil(page, "Shift+?", page.getByRole("dialog", { name: "Keys" }))
  assert.deepEqual(await violations(page), [])
  assert.deepEqual(faults, [])
})

test("the policy of the pages allows nothing inline and nobody else, and the files are as small as promised", async () => {
  const response = await service.request("/console")
  const policy = response.headers.get("content-security-policy") ?? ""
  assert.doesNotMatch(policy, /unsafe|https?:|data:|\*/)
  assert.match(policy, /style-src 'self' 'nonce-[\w+/=]{24}'/)
  const text = await response.text()
  assert.doesNotMatch(text, /<script(?![^>]* src=)|<style| style=| on\w+=/)
  const again = await service.request("/console")
  assert.notEqual(again.headers.get("content-security-policy"), policy)

  const file = join(root, "packages/server/console/manifest.json")
  const { entry } = JSON.parse(readFileSync(file, "utf8")) as {
    entry: { script: string; styles: string[]; preload: { home: string[]; console: string[] } }
  }
  const folder = join(root, "packages/server/console")
  const sizes = new Map(
    readdirSync(folder).map((name) => [name.slice(0, -3), statSync(join(folder, name)).size]),
  )
  const size = async (name: string): Promise<number> => {
    const served = await fetch(`${service.baseUrl}/console/files/${name}`)
    assert.equal(served.status, 200)
    assert.match(served.headers.get("cache-control") ?? "", /immutable/)
    await served.body?.cancel()
    return sizes.get(name) ?? 0
  }
  for (const [path, next] of [
    ["/", entry.preload.home],
    ["/console", entry.preload.console],
  ] as const) {
    const shell = [entry.script, ...entry.styles, ...next]
    const asked = await (await service.request(path)).text()
    for (const name of shell) assert.ok(asked.includes(`/console/files/${name}"`), name)
    let total = 0
    for (const name of shell) total += await size(name)
    assert.ok(total > 100_000 && total < 200_000, `${path} loads ${total} bytes`)
  }
  for (const path of ["nothing.js", "..%2fmanifest.json", "manifest.json"])
    assert.equal((await service.request(`/console/files/${path}`)).status, 404, path)
})
