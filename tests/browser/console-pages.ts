// Every page of the console, who has it, and how it is looked at: the same in every browser.
import { PICTURES } from "./screenshot.ts"
export const WIDE = { width: 1440, height: 900 }
export const PHONE = { width: 375, height: 812 }

/**
 * Each theme and each width once; every pair of them in a soak, and where a person looks at the
 * pictures.
 */
export const PAIRS =
  process.env["ASSAY_SOAK"] === undefined && !PICTURES
    ? ([
        ["light", "wide"],
        ["dark", "phone"],
      ] as const)
    : ([
        ["light", "wide"],
        ["light", "phone"],
        ["dark", "wide"],
        ["dark", "phone"],
      ] as const)

/** Every page, and what shows that it is drawn. */
export const PAGES: Readonly<Record<string, string>> = {
  overview: "Overview",
  playground: "Playground",
  decisions: "Decisions",
  review: "Review",
  batch: "Batch",
  corpus: "Corpus",
  sources: "Sources",
  lists: "Lists",
  subjects: "Subjects",
  policy: "Policy",
  "watch-list": "Watch list",
  webhooks: "Webhooks",
  "shared-signals": "Shared signals",
  events: "Events",
  keys: "Keys",
  usage: "Usage",
  members: "Members",
  audit: "Audit",
  settings: "Settings",
  account: "Your account",
  tenants: "Tenants",
  sinks: "Sinks",
  health: "Health",
}

const OF_SERVICE: readonly string[] = ["corpus", "lists", "tenants", "sinks", "health"]

/** The inbox of a recipient of the drop is a page of its own, with tests of its own. */
export const OF_ROLE: Readonly<Record<string, readonly string[]>> = {
  owner: Object.keys(PAGES).filter((page) => !OF_SERVICE.includes(page)),
  analyst: [
    "overview",
    "playground",
    "decisions",
    "review",
    "batch",
    "sources",
    "policy",
    "watch-list",
    "usage",
    "members",
    "account",
  ],
  viewer: [
    "overview",
    "decisions",
    "review",
    "sources",
    "policy",
    "watch-list",
    "usage",
    "members",
    "account",
  ],
  administrator: [
    "overview",
    "corpus",
    "sources",
    "lists",
    "subjects",
    "webhooks",
    "events",
    "members",
    "audit",
    "account",
    "tenants",
    "sinks",
    "health",
  ],
  "drop-recipient": ["account"],
}
