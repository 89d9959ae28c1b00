import { Type, type Static } from "typebox"
import { referred } from "./referred.ts"
import { words } from "./words.ts"

/**
 * What a line of an operator's list says of a domain. The first three exclude each other, in this
 * order. `toxic` and `deny` may come on top, since a list of bad domains must never make a domain
 * look better than it did without it.
 */
export const LIST_CATEGORIES = ["masked", "disposable", "free", "toxic", "allow", "deny"] as const
export type ListCategory = (typeof LIST_CATEGORIES)[number]

/** Characters of a note. */
export const LIST_NOTE_MAX = 200

const domain = Type.String({
  minLength: 1,
  maxLength: 253,
  description: "A domain, in letters of any alphabet or in ASCII form.",
})
const category = words(
  LIST_CATEGORIES,
  "What it says of the domain: `masked`, `disposable` and `free` win over shipped lists, `toxic` and `deny` come on top, `allow` wins over all.",
)
const list = Type.String({ description: "The file it stands in, such as `mine.csv`." })
const changedAt = Type.String({ format: "date-time", description: "When the file was changed." })
const OVERRIDE_ID = "^ovr_[A-Za-z0-9_-]{22}$"

/** What an operator says of a domain, whatever shipped lists say. */
export const DomainOverride = Type.Object(
  {
    id: Type.String({ pattern: OVERRIDE_ID }),
    domain: Type.String({ description: "In ASCII form." }),
    category,
    note: Type.String({ description: "What stands beside it; empty where nothing does." }),
    list,
    changed_at: changedAt,
  },
  { $id: "DomainOverride", additionalProperties: false },
)
export type DomainOverride = Static<typeof DomainOverride>

export const DomainOverrideList = Type.Object(
  {
    overrides: Type.Array(referred(DomainOverride), {
      description: "By domain.",
    }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: "Asks for the next page as `after`; null on the last one.",
    }),
    lists: Type.Array(
      Type.Object(
        {
          list,
          overrides: Type.Integer({ minimum: 0, description: "How many it has." }),
          changed_at: changedAt,
        },
        { additionalProperties: false },
      ),
      { description: "Every list of the operator's, on every page." },
    ),
  },
  { $id: "DomainOverrideList", additionalProperties: false },
)
export type DomainOverrideList = Static<typeof DomainOverrideList>

export const DomainOverrideListQuery = Type.Object({
  list: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Those of this file alone." }),
  ),
  category: Type.Optional(words(LIST_CATEGORIES, "Those that say this alone.")),
  after: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]{1,1200}$",
      description: "The `next` of the page before.",
    }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 100 unless given." }),
  ),
})
export type DomainOverrideListQuery = Static<typeof DomainOverrideListQuery>

export const DomainOverrideRequest = Type.Object(
  {
    domain,
    category,
    note: Type.Optional(
      Type.String({
        maxLength: LIST_NOTE_MAX,
        pattern: "^\\P{C}*$",
        description: "Why, for people: printable characters. Empty unless given.",
      }),
    ),
  },
  { $id: "DomainOverrideRequest" },
)
export type DomainOverrideRequest = Static<typeof DomainOverrideRequest>

export const DomainOverrideParams = Type.Object({ id: Type.String() })

export const DomainCheckRequest = Type.Object({ domain }, { $id: "DomainCheckRequest" })
export type DomainCheckRequest = Static<typeof DomainCheckRequest>

export const DomainCheck = Type.Object(
  {
    domain: Type.String({ description: "In ASCII form." }),
    verdict: Type.Array(Type.String(), {
      minItems: 1,
      description: "What follows from all lists, in words for people.",
    }),
    named_by: Type.Array(
      Type.Object(
        {
          lists: words(["own", "shipped"], "Whose list it is: the operator's, or the release's."),
          list: Type.String({ description: "The operator's file, or the list with its version." }),
          says: Type.String({ description: "A category, or of what kind the shipped list is." }),
          domain: Type.String({ description: "The name in the list: the domain or a parent." }),
          override_id: Type.Union([Type.String({ pattern: OVERRIDE_ID }), Type.Null()], {
            description: "The override, where it is one.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Every list that names it or a parent; the operator's first." },
    ),
  },
  { $id: "DomainCheck", additionalProperties: false },
)
export type DomainCheck = Static<typeof DomainCheck>
