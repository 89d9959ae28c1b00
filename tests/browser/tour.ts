// What a newcomer is shown, page by page: the pictures of the README and of docs/tour.md, and the
// frames of the moving one.
import type { Page } from "playwright-core"

export interface Step {
  /** The picture is docs/images/NAME-light.png and NAME-dark.png; null: in the moving one alone. */
  readonly name: string | null
  /** What the moving picture says below the page, and how long. */
  readonly caption: string
  readonly ms: number
  readonly go: (page: Page, origin: string) => Promise<void>
}

const card = (page: Page) => page.getByRole("article", { name: /^Assessment of/ })

/** In this order each step goes on from the one before. */
export const TOUR: readonly Step[] = [
  {
    name: null,
    caption: "Start it, open it: made-up identities are one click away",
    ms: 3_000,
    async go(page, origin) {
      await page.goto(`${origin}/`)
      await page.getByRole("button", { name: /ivan\.petrov/ }).waitFor()
    },
  },
  {
    name: "tour-address",
    caption: "A score, its stage in the criminal lifecycle, and the reasons",
    ms: 4_000,
    async go(page) {
      await page.getByRole("button", { name: /ivan\.petrov/ }).click()
      await card(page)
        .getByRole("img", { name: /^Score/ })
        .waitFor()
      await card(page).scrollIntoViewIfNeeded()
      await atTop(page, "article")
    },
  },
  {
    name: null,
    caption: "Every point is accounted for, and what would lower it is said",
    ms: 5_000,
    async go(page) {
      await page
        .getByRole("listitem")
        .filter({ hasText: /^A password change today/ })
        .waitFor()
      await atTop(page, "article section")
    },
  },
  {
    name: "tour-number",
    caption: "A phone number: SIM changes, ports and devices on one time line",
    ms: 4_000,
    async go(page, origin) {
      await page.goto(`${origin}/`)
      await page.getByRole("button", { name: /\+61491570156/ }).click()
      await card(page)
        .getByRole("img", { name: /^Score/ })
        .waitFor()
      await atTop(page, "article")
    },
  },
  {
    name: "tour-overview",
    caption: "The console: what the service did, and what needs attention",
    ms: 4_000,
    go: (page, origin) => open(page, `${origin}/console/overview`),
  },
  {
    name: "tour-decisions",
    caption: "Every decision is kept with its evidence, and can be computed again",
    ms: 4_000,
    go: (page, origin) => open(page, `${origin}/console/decisions`),
  },
  {
    name: "tour-review",
    caption: "What is not clear waits for an analyst, keyboard first",
    ms: 4_000,
    go: (page, origin) => open(page, `${origin}/console/review`),
  },
  {
    name: null,
    caption: "Costs decide: where each action is the cheapest",
    ms: 3_000,
    async go(page, origin) {
      await open(page, `${origin}/console/policy`)
      await page.getByRole("img", { name: /^Addresses and numbers\./ }).waitFor()
      await atTop(page, "fieldset")
    },
  },
  {
    name: "tour-policy",
    caption: "Move a cost, and the thresholds move with it",
    ms: 4_000,
    async go(page, origin) {
      await open(page, `${origin}/console/policy?loss=60`)
      await page
        .getByRole("img", { name: /^Addresses and numbers\. Allow from 0 to 1\d,/ })
        .waitFor()
      await atTop(page, "fieldset")
    },
  },
  {
    name: "tour-back-test",
    caption: "Try it on past decisions before it acts",
    ms: 5_000,
    async go(page) {
      await page.getByRole("button", { name: "Back-test this policy" }).click()
      await page.getByRole("img", { name: /^Addresses, from the action before/ }).waitFor()
      await atTop(page, "[role=tablist]")
    },
  },
]

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole("heading", { level: 1 }).waitFor()
  const loading = page.getByRole("status").filter({ hasText: "Loading" })
  while ((await loading.count()) > 0) await page.waitForTimeout(50)
}

/** Scrolls so that a part begins a little below the edge. */
async function atTop(page: Page, selector: string): Promise<void> {
  const script = `scrollTo(0, document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top + scrollY - 20)`
  await page.evaluate(script)
}

/** Puts a caption below the page, or takes it away. */
export async function caption(page: Page, text: string | null): Promise<void> {
  await page.evaluate(
    `(() => {
      document.querySelector("#tour-caption")?.remove()
      const text = ${JSON.stringify(text)}
      if (text === null) return
      const bar = document.createElement("div")
      bar.id = "tour-caption"
      bar.textContent = text
      const look = { position: "fixed", inset: "auto 0 0 0", zIndex: "10000", padding: "14px 24px",
        background: "#0b5c5c", color: "#ffffff", font: "600 20px system-ui, sans-serif" }
      Object.assign(bar.style, look)
      document.body.append(bar)
    })()`,
  )
}
