import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import type { BrowserContext } from "playwright-core"
import { originOf, START } from "../http/oidc-browser.ts"
import { type Service, startService } from "../http/service.ts"
import {
  type Desk,
  openPlace,
  type Place,
  putProvider,
  settingsOf,
} from "../http/sign-in-provider.ts"
import { launchChromium } from "./shared-chromium.ts"

let place: Place
let service: Service
let desk: Desk
before(async () => {
  place = await openPlace()
  service = await startService({
    args: ["--workers", "1"],
    env: { ...settingsOf(place), OIDC_ROLES: "fraud=analyst@demo" },
  })
  desk = await putProvider(place, originOf(service))
})
after(async () => {
  await service.stop()
  await place.close()
})

/** Whether the browser is signed in, as a page of the service finds it. */
async function isSignedIn(context: BrowserContext): Promise<boolean> {
  const cookies = await context.cookies()
  const session = cookies.find(({ name }) => name === "__Host-assay-session")
  if (session === undefined) return false
  assert.deepEqual([session.sameSite, session.httpOnly, session.secure], ["Strict", true, true])
  assert.ok(!cookies.some(({ name }) => name === "__Host-assay-oidc"))
  const answer = await context.request.get(`${originOf(service)}/api/v1/session`)
  return answer.status() === 200
}

for (const javaScriptEnabled of [true, false])
  test(`single sign-on works ${javaScriptEnabled ? "by itself with" : "by a button without"} JavaScript`, async (context) => {
    const browser = await launchChromium(context)
    if (browser === null) return
    desk.accounts.set("ana", { name: "Ana", groups: ["fraud"] })
    desk.account = "ana"
    const own = await browser.newContext({ javaScriptEnabled })
    const page = await own.newPage()
    const faults: string[] = []
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    // As somebody comes who follows a link on the provider's own pages.
    await page.setContent(`<a href="${originOf(service)}${START}">Assay</a>`)
    await page.getByRole("link", { name: "Assay" }).click()
    if (!javaScriptEnabled) {
      await page.getByRole("heading", { name: "Almost signed in" }).waitFor()
      assert.equal(await isSignedIn(own), false)
      await page.getByRole("button", { name: "Finish signing in" }).click()
    }
    await page.waitForURL(`${originOf(service)}/console**`)
    assert.equal(await isSignedIn(own), true)
    assert.deepEqual(faults, [])

    // Whoever goes back to a page of the way is not signed in a second time, and stays signed in.
    await page.goBack()
    await page.waitForLoadState()
    assert.equal(await isSignedIn(own), true)
  })

test("whoever gets no role stays outside, and is told so", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  desk.accounts.set("bo", { name: "Bo", groups: [] })
  desk.account = "bo"
  const own = await browser.newContext()
  const page = await own.newPage()
  await page.goto(originOf(service) + START)
  await page.getByText("Your organisation gives you no role here").waitFor()
  assert.equal(await isSignedIn(own), false)
})
