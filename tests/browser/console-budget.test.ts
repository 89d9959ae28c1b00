// The error budget on the overview, of a service that had a bad day.
import assert from "node:assert/strict"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import type { ErrorBudget } from "@assay/core/contract"
import { DAY_MS, MINUTE_MS, startOfMonth } from "@assay/runtime/time"
import { temporaryDirectory } from "../http/temporary.ts"
import { ALL_RULES } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import { looks, member, open, origin, useConsole } from "./console.ts"

const data = join(temporaryDirectory(), "budget")
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const from = startOfMonth(today)

// As a service leaves it that was killed a minute ago: on every fourth day a little failed, in the
// last hours more than may of a whole month.
const start = async () => {
  mkdirSync(data, { mode: 0o700 })
  const days = Array.from({ length: (today - from) / DAY_MS + 1 }, (_, n) => {
    const at = from + n * DAY_MS
    const isToday = at === today
    const failed = isToday ? 600 : n % 4 === 0 ? 3 : 0
    const up = isToday ? 0 : n === 2 ? DAY_MS - 45 * MINUTE_MS : DAY_MS
    return { type: "day", at, up, down: 0, kinds: [["score", 20_000, 20_000 - failed]] }
  })
  const worst = Math.floor((Date.now() - 20 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
  const lines = [
    { type: "since", at: from },
    ...days,
    { type: "minute", at: worst, kinds: [["score", 1000, 400]] },
    { type: "until", at: Date.now() - MINUTE_MS, stopped: false },
  ]
  const text = ["assay service levels 2", ...lines.map((line) => JSON.stringify(line)), ""]
  writeFileSync(join(data, "levels.log"), text.join("\n"), { mode: 0o600 })
  return {}
}
useConsole({ start, dataDirectory: data })

const count = new Intl.NumberFormat("en-US")

test("the overview shows administrators the error budget as the service tells it, and nobody else", async (context) => {
  if (!isPresent(context)) return
  const owner = await open({}, await member("owner"))
  await owner.page.goto(`${origin}/console/overview`)
  await owner.page.getByRole("heading", { name: "How well the service answers" }).waitFor()
  assert.equal(await owner.page.getByRole("heading", { name: /Error budget/ }).count(), 0)
  assert.deepEqual(owner.faults, [])

  const who = await member("administrator")
  const { page, faults } = await open({}, who)
  await page.goto(`${origin}/console/overview`)
  const panel = page.locator("section").filter({ hasText: "Error budget of this month" })
  await panel.getByText("aim 99.9%").waitFor()
  const { body } = await who.send<ErrorBudget>("GET", "/api/v1/service/budget")
  const { failed, total } = body.requests
  assert.ok(failed >= 600 && total >= 20_000)
  assert.ok((body.budget.left ?? 0) < 0)
  // The total grows while this page asks; what failed does not.
  await panel.getByText(`${count.format(failed)} of `).waitFor()
  await panel.getByText(/without having been stopped/).waitFor()
  await panel.getByRole("img", { name: /days of the month there were requests/ }).waitFor()
  await page.getByText("More requests of this month failed than the error budget allows").waitFor()

  await panel.getByText("Days and kinds of requests as tables").click()
  const days = panel.getByRole("region", { name: "Requests by day" })
  assert.equal(await days.getByRole("row").count(), body.days.length + 1)
  await panel.getByRole("row", { name: /^Pages and their files/ }).waitFor()
  await panel.getByText("The worst minutes of the last 24 hours").click()
  await panel.getByRole("row", { name: / UTC 1,000 600$/ }).waitFor()
  await looks(page, "overview-budget", { rules: ALL_RULES })
  assert.deepEqual(faults, [])
})
