// Every page of the console as every role, and what people do there, in Firefox: in soak only.
//
// Not here, since WebDriver BiDi has no authenticator for Firefox: signing in by passkey, which
// passkeys.test.ts does in Chromium. A file dropped on a page is an event that the test makes, and
// a file chosen is set without the system's dialog, which a browser without a window has not.
import assert from "node:assert/strict"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { generateHybridIdentity, identityToRecipient } from "age-encryption"
import type { Page } from "puppeteer-core"
import { assay } from "../cli/assay.ts"
import { PASSWORD, printedToken } from "../http/signed-in.ts"
import { LOOKS, otherFonts, overflow, violations } from "./accessibility.ts"
import {
  called,
  click,
  drawn,
  fill,
  find,
  firefox,
  gone,
  open,
  origin,
  pressUntil,
  readable,
  reads,
  screenshots,
  service,
  until,
} from "./console-firefox.ts"
import { memberOf } from "./console-member.ts"
import { OF_ROLE, PAGES, PAIRS } from "./console-pages.ts"
import { ask, chooseFiles, press, shown, type, visitInFirefox } from "./firefox-visitor.ts"
import { whyNoFirefox } from "./firefox.ts"
import { screenshot } from "./screenshot.ts"

function inFirefox(name: string, work: () => Promise<void>): void {
  void test(name, { skip: whyNoFirefox() ?? false }, work)
}

/** Scores an address as a client of the demo's tenant does; the id of the decision comes back. */
async function score(email: string, ref?: string): Promise<string> {
  const json = { email, ...(ref !== undefined && { context: { ref } }) }
  const answer = await service.request("/api/v1/risk/score", { key: service.key, json })
  assert.equal(answer.status, 200)
  return answer.headers.get("x-decision-id") ?? ""
}

/**
 * Holds how a page looks: axe finds nothing, one font is used, nothing is wider than the window.
 */
async function assertLooks(page: Page, what: string, isFirst: boolean): Promise<void> {
  assert.deepEqual(await violations(page, isFirst ? undefined : LOOKS), [], what)
  assert.deepEqual(await otherFonts(page), [], what)
  assert.ok((await overflow(page)) <= 0, `${what} is wider than its window`)
  await screenshot(page, join(screenshots, `${what.replaceAll(" ", "-")}.png`))
}

const isFirst = (pair: (typeof PAIRS)[number]): boolean => pair === PAIRS[0]

inFirefox("every fault that a page may have is seen, from its first byte on", async () => {
  const who = await memberOf(service, "owner")
  const plants: readonly [plant: string, seen: RegExp][] = [
    [`console.error("planted")`, /^planted$/],
    [`setTimeout(() => { throw new Error("planted") })`, /planted/],
    [`void Promise.reject(new Error("planted"))`, /planted/],
    [`document.body.setAttribute("style", "color: red")`, /^policy: style-src/],
    [
      `document.body.append(document.createElement("style").appendChild(document.createTextNode("a {}")).parentNode)`,
      /^policy: style-src/,
    ],
    [
      `document.body.append(Object.assign(document.createElement("script"), { text: "1" }))`,
      /^policy: script-src/,
    ],
    [
      `document.body.append(Object.assign(new Image(), { src: "https://elsewhere.example/a.png" }))`,
      /^policy: img-src/,
    ],
    [`void fetch("https://elsewhere.example/").catch(() => undefined)`, /^policy: connect-src/],
    [`void fetch("/api/v1/nothing")`, /^404 \/api\/v1\/nothing$/],
  ]
  for (const [plant, seen] of plants) {
    const { page, faults } = await open(who)
    await page.goto(`${origin}/console/account`)
    await drawn(page)
    assert.deepEqual(faults, [])
    await page.evaluate(`{ ${plant} }`)
    await until(() => faults.some((fault) => seen.test(fault)), `${plant} is seen`)
    await page.browserContext().close()
  }

  // A page that comes with what its policy forbids.
  const { page, faults } = await open(null)
  const served = await service.request("/console")
  const text = await served.text()
  const planted = text.replace("</body>", "<script>1</script></body>")
  assert.notEqual(planted, text)
  await page.setRequestInterception(true)
  page.on("request", (request) => {
    const policy = served.headers.get("content-security-policy") ?? ""
    if (request.url() !== `${origin}/console`) void request.continue()
    else
      void request.respond({
        status: 200,
        contentType: "text/html",
        headers: { "content-security-policy": policy },
        body: planted,
      })
  })
  await page.goto(`${origin}/console`)
  await until(() => faults.some((fault) => fault.startsWith("policy: script-src")), "is seen")
})

for (const [role, own] of Object.entries(OF_ROLE))
  inFirefox(
    `the pages of the role ${role} are drawn without a fault in both themes and both widths, and no other is theirs`,
    async () => {
      const who = await memberOf(service, role)
      for (const email of ["sofia.rossi@mail.example", "ivan.petrov@mail.example"])
        await score(email)
      for (const pair of PAIRS) {
        const [theme, width] = pair
        const { page, faults } = await open(who, theme, width)
        for (const [path, title] of Object.entries(PAGES)) {
          const isOwn = own.includes(path)
          if (!isOwn && !isFirst(pair)) continue
          await page.goto(`${origin}/console/${path}`)
          assert.equal(await drawn(page), isOwn ? title : "Not for your role", path)
          const links = `nav[aria-label="Console"] a[href="/console/${path}"]`
          assert.equal((await page.$$(links)).length, isOwn ? 1 : 0, path)
          if (isOwn) await assertLooks(page, `${role} ${path} ${theme} ${width}`, isFirst(pair))
          assert.deepEqual(faults, [], `${path} ${theme} ${width}`)
        }
        const isDark = await page.evaluate(`matchMedia("(prefers-color-scheme: dark)").matches`)
        assert.equal(isDark, theme === "dark")
        await page.browserContext().close()
      }
    },
  )

inFirefox(
  "the pages of nobody are drawn without a fault in both themes and both widths",
  async () => {
    const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
    const invited = await assay(["people", "invite", "--role", "administrator"], env)
    const token = invited.out.trim().split("#")[1] ?? ""
    const pages = [
      ["console", "Sign in"],
      ["console/sign-up", "Sign up"],
      [`console/join#${token}`, "Join"],
    ] as const
    for (const pair of PAIRS) {
      const [theme, width] = pair
      const { page, faults } = await open(null, theme, width)
      for (const [path, title] of pages) {
        await page.goto(`${origin}/${path}`)
        assert.equal(await drawn(page), title)
        await assertLooks(page, `nobody ${title} ${theme} ${width}`, isFirst(pair))
      }
      assert.deepEqual(faults, [], `${theme} ${width}`)
    }
  },
)

inFirefox(
  "a newcomer sees a first score by one click, with its card drawn in both themes and both widths",
  async () => {
    for (const pair of PAIRS) {
      const [theme, width] = pair
      const { page, faults } = await open(null, theme, width)
      await page.goto(`${origin}/`)
      for (const [identity, picture] of [
        ["ivan.petrov@mail.example", /^Score 79 of 100, band high$/],
        ["+61491570156", /^Score 6\d of 100, band high$/],
      ] as const) {
        await click(page, `.examples button ::-p-text(${identity})`)
        const card = `article[aria-label="Assessment of ${identity}"]`
        await find(page, card)
        const gauge = String(await ask(page, `${card} .gauge`, "element.ariaLabel"))
        assert.match(gauge, picture)
        await assertLooks(page, `first ${identity.slice(1, 4)} ${theme} ${width}`, isFirst(pair))
      }
      assert.doesNotMatch(page.url(), /ivan|\d{11}/)
      assert.deepEqual(faults, [])
    }
    const { page } = await open(null)
    await page.goto(`${origin}/`)
    await fill(page, called("Address or number"), "ivan.petrov@mail.example")
    await page.keyboard.press("Enter")
    await reads(page, /TESTED[^]*= 79\.[^]*A password change today would make it \d+/, "article")
  },
)

inFirefox(
  "the link of the first start makes an administrator, who signs out and in again with a password",
  async () => {
    const { page, faults } = await open(null)
    await page.goto(`${origin}/console/join#${printedToken(service)}`)
    await reads(page, "the service itself as administrator")
    // Where there are passkeys they are offered first.
    const other = called("Use a password instead", "button")
    if ((await page.$(other)) !== null) await click(page, other)
    await fill(page, "[name=name]", "Ada")
    await fill(page, "[name=email]", "ada@console.example")
    await fill(page, "[name=password]", PASSWORD)
    await click(page, called("Join with this password", "button"))
    await reads(page, "Ada", "nav[aria-label=Console]")
    assert.doesNotMatch(page.url(), /#/)
    const signsOut = async (): Promise<void> => {
      await click(page, "nav[aria-label=Console] button ::-p-text(Ada)")
      await click(page, called("Sign out", "menuitem"))
      await find(page, "[name=password]")
    }
    await signsOut()
    const signsIn = async (password: string): Promise<void> => {
      await fill(page, "[name=email]", "ada@console.example")
      await fill(page, "[name=password]", password)
      await click(page, called("Sign in with a password", "button"))
    }
    await signsIn("wrong-wrong-wrong")
    await find(page, "[role=alert]")
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(faults, [])
    await signsIn(PASSWORD)
    await until(async () => (await drawn(page)) === "Overview", "the overview comes")
    // The session is in no place that a script reads, and ends with signing out.
    assert.equal(await page.evaluate("document.cookie"), "")
    await signsOut()
    await page.goto(`${origin}/console/overview`)
    assert.equal(await drawn(page), "Sign in")
    assert.deepEqual(faults, [])
  },
)

inFirefox(
  "a decision is opened from the list, computed again to the same answer, and compared",
  async () => {
    const id = await score("mei.tanaka@mail.example")
    const { page, faults } = await open(await memberOf(service, "viewer"))
    await page.goto(`${origin}/console/decisions`)
    await click(page, `main a[href*="${id}"]`)
    await reads(page, "Computed again now, it is the same answer.")
    await find(page, `article[aria-label="Assessment of ${id}"]`)
    assert.ok(page.url().includes(id))
    assert.deepEqual(await violations(page), [])
    await click(page, called("Compare", "button"))
    const models = `select:has(option[value="1.0"])`
    await find(page, models)
    await page.select(models, "1.0")
    await reads(page, /Under model 1\.0 /)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(faults, [])
  },
)

inFirefox(
  "an analyst works on the queue by keys alone: next, back, several at once, undo, assign",
  async () => {
    for (const n of [1, 2, 3]) await score("noah.williams@mail.example", `case 9${n}`)
    const { page, faults } = await open(await memberOf(service, "analyst"))
    await page.goto(`${origin}/console/review`)
    await reads(page, "case 91")
    const row = "tr[aria-current=true]"
    const current = async (): Promise<string> =>
      /case \d+/.exec(await readable(page, row))?.[0] ?? ""
    assert.equal(await current(), "case 93")
    await page.keyboard.press("j")
    await until(async () => (await current()) === "case 92", "j goes to the next")
    await page.keyboard.press("k")
    await until(async () => (await current()) === "case 93", "k goes back")
    await page.keyboard.press("x")
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    await until(async () => (await page.$$("tbody input:checked")).length === 2, "x picks")
    await page.keyboard.press("f")
    const cases = async (): Promise<string[]> =>
      (await readable(page, "main table")).match(/case 9\d/g) ?? []
    await until(async () => (await cases()).join() === "case 91", "f decides both")
    await page.keyboard.press("u")
    await until(async () => (await cases()).length === 3, "u takes both back")
    await page.keyboard.press("a")
    await reads(page, /analyst-\d+/, row)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(faults, [])
  },
)

inFirefox(
  "a file is scored in the page, and what is downloaded is no formula to a spreadsheet",
  async () => {
    const { page, faults, folder } = await open(await memberOf(service, "owner"))
    await page.goto(`${origin}/console/batch`)
    await drawn(page)
    const list = join(folder, "list.csv")
    writeFileSync(list, ["email", "ivan.petrov@mail.example", "=1+1", "+61491570156"].join("\n"))
    await chooseFiles(page, [list], "input[type=file]")
    await click(page, called("Score the file", "button"))
    await reads(page, "2 of 3 scored")
    await click(page, called("Download the scores", "button"))
    const file = join(folder, "assay-scores.csv")
    await until(
      () =>
        existsSync(file) &&
        statSync(file).size > 0 &&
        !readdirSync(folder).join().includes(".part"),
      "the file is downloaded",
    )
    const lines = readFileSync(file, "utf8").split("\r\n")
    assert.match(lines[1] ?? "", /^ivan\.petrov@mail\.example,79,TESTED,step_up_auth,/)
    assert.equal(lines[2], "'=1+1,,,,,not-an-email")
    assert.match(lines[3] ?? "", /^'\+61491570156,6\d,HIGH,/)
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(faults, [])
  },
)

inFirefox(
  "a policy is proposed by typing and by a slider's keys, and tried on past decisions",
  async () => {
    await score("noah.williams@mail.example")
    const { page, faults } = await open(await memberOf(service, "owner"))
    await page.goto(`${origin}/console/policy`)
    await drawn(page)
    await fill(page, called("A bad actor gets through", "textbox"), "2000")
    await until(() => /[?&]loss=2000\b/.test(page.url()), "the address holds what was typed")
    const slider = await find(page, called("A good user is blocked: slider", "slider"))
    await slider.focus()
    await page.keyboard.press("ArrowRight")
    await until(() => /[?&]wrong_block=4\.\d+/.test(page.url()), "the slider moves by a key")
    await click(page, called("Back-test this policy", "button"))
    await reads(page, /would have had another action/)
    assert.deepEqual(await violations(page), [])
    assert.ok((await overflow(page)) <= 0)
    await screenshot(page, join(screenshots, "back-test.png"))
    assert.deepEqual(faults, [])
  },
)

inFirefox("an administrator drops a file, sees it masked, and imports it", async () => {
  const { page, faults } = await open(await memberOf(service, "administrator"))
  await page.goto(`${origin}/console/corpus`)
  await find(page, ".drop-zone")
  const rows = Array.from({ length: 300 }, (_, n) => `zqxjkv${n}@dropped.example:pass${n}`)
  const text = JSON.stringify(["no row at all", ...rows].join("\n"))
  await ask(
    page,
    ".drop-zone",
    `{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${text}], "list.txt"))
    element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
  }`,
  )
  await reads(page, "z***@d***.example", "main")
  assert.doesNotMatch(await readable(page, "main"), /zqxjkv|pass\d/)
  assert.deepEqual(await violations(page), [])
  await fill(page, "[name=source]", "dropped-list")
  await click(page, called("Import file", "button"))
  await reads(page, "300 observations of 300 identities are new", "main")
  await reads(page, /1 row was rejected:\s+.+: 1/, "main")
  assert.doesNotMatch(page.url(), /dropped|list/)
  assert.deepEqual(faults, [])
})

inFirefox(
  "the palette goes to a page by its name, and a question mark lists the keys",
  async () => {
    const { page, faults } = await open(await memberOf(service, "owner"))
    await page.goto(`${origin}/console`)
    await drawn(page)
    // Firefox has this key for its own search: the page's comes first.
    await pressUntil(page, ["Control", "k"], "input[aria-label='Go to']")
    await page.keyboard.type("usa")
    await page.keyboard.press("Enter")
    await until(async () => (await drawn(page)) === "Usage", "the page of usage comes")
    await gone(page, "input[aria-label='Go to']")
    await pressUntil(page, ["Shift", "?"], called("Keys", "dialog"))
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(faults, [])
  },
)

inFirefox(
  "a message sent in Firefox is read in Firefox by a recipient who is signed in, in both themes and both widths",
  async () => {
    const identity = await generateHybridIdentity()
    const recipient = await identityToRecipient(identity)
    const env = { ASSAY_DATA: service.dataDirectory }
    const added = await assay(["drop", "keys", "add", recipient], env)
    assert.equal(added.code, 0, added.err)
    const sender = await visitInFirefox(firefox(), `${service.dropUrl ?? ""}/drop`)
    await type(sender.page, "#message", "Sealed and read in Firefox")
    await press(sender.page, "#send")
    await shown(sender.page, "#sent")
    assert.deepEqual(sender.wrong, [])
    await sender.page.close()

    const who = await memberOf(service, "drop-recipient")
    for (const pair of PAIRS) {
      const [theme, width] = pair
      const { page, faults, folder } = await open(who, theme, width)
      await page.goto(`${origin}/console/account`)
      await drawn(page)
      if (width === "phone") await click(page, called("Pages", "button"))
      await click(page, called("Inbox", "link"))
      await reads(page, "Signed in as drop-recipient-")
      await assertLooks(page, `inbox locked ${theme} ${width}`, isFirst(pair))
      const file = join(folder, "identity.txt")
      writeFileSync(file, `${identity}\n`)
      await chooseFiles(page, [file], "input#identity")
      await click(page, called("Unlock", "button"))
      await click(page, ".thread-line")
      await reads(page, "Sealed and read in Firefox", ".message pre.text")
      await assertLooks(page, `inbox thread ${theme} ${width}`, isFirst(pair))
      assert.deepEqual(faults, [])
    }
  },
)
