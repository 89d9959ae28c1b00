import { Type, type Static } from "typebox"
import { BANDS } from "../score/vocabulary.ts"
import { grouped } from "./grouped.ts"
import { ProblemDetails } from "./problems.ts"
import { Action, RiskScore, ThreatStage, words } from "./words.ts"

/** The most identities that one request may name, and the most lines one may have. */
export const WATCH_LIST_MAX = 1_000
export const WATCH_LINES_MAX = 10_000
/** The most domains that a tenant may watch. */
export const WATCH_DOMAINS_MAX = 100
/** The most characters that a `ref` may have. */
export const WATCH_REF_MAX = 128

/** A text without line ends and other control characters. */
const REF_PATTERN = "^[^\\u0000-\\u001f\\u007f]+$"

const ref = Type.String({
  minLength: 1,
  maxLength: WATCH_REF_MAX,
  pattern: REF_PATTERN,
  description: `Your own name of it, by which events name it: at most ${WATCH_REF_MAX} characters. Several may share one, such as the address and the number of one customer. Must not hold an e-mail address or a phone number. Without it one is made and returned.`,
  examples: ["customer-4711"],
})
const deliverIdentity = Type.Boolean({
  description:
    "Events about it carry the identity itself. It is then kept encrypted, and opened only to be sent. Without this only a keyed hash is kept.",
})

const WatchedValue = Type.Object(
  {
    value: Type.String({ description: "The e-mail address, or the phone number in E.164." }),
    ref: Type.Optional(ref),
    deliver_identity: Type.Optional(deliverIdentity),
  },
  { additionalProperties: false },
)
export type WatchedValue = Static<typeof WatchedValue>

const values = (what: string, example: string) =>
  Type.Optional(
    Type.Unsafe<readonly (string | WatchedValue)[]>({
      type: "array",
      maxItems: WATCH_LIST_MAX,
      items: {
        anyOf: [{ type: "string", description: `${what}.` }, WatchedValue],
        description: `${what}, by itself or with your name of it.`,
      },
      description: `At most ${grouped(WATCH_LIST_MAX)} of both together.`,
      examples: [[example]],
    }),
  )
const WatchedDomainValue = Type.Object(
  { value: Type.String({ description: "The domain." }), ref: Type.Optional(ref) },
  { additionalProperties: false },
)
const identities = {
  emails: values("An e-mail address", "ana.silva@mail.example"),
  phone_numbers: values("A phone number in E.164", "+61491570156"),
  domains: Type.Optional(
    Type.Unsafe<readonly (string | Static<typeof WatchedDomainValue>)[]>({
      type: "array",
      maxItems: WATCH_DOMAINS_MAX,
      items: {
        anyOf: [{ type: "string", description: "A domain." }, WatchedDomainValue],
        description: "A domain of yours, by itself or with your name of it.",
      },
      description: `At most ${WATCH_DOMAINS_MAX}. Addresses at subdomains are not of the domain.`,
      examples: [["mail.example"]],
    }),
  ),
}

export const WatchListRequest = Type.Object(identities, {
  $id: "WatchListRequest",
  additionalProperties: false,
  description: "At least one identity or domain. If any cannot be read, none is added.",
})
export type WatchListRequest = Static<typeof WatchListRequest>

const count = (description: string) => Type.Integer({ minimum: 0, description })

const dateTime = (description: string) => Type.String({ format: "date-time", description })

export const WatchedDomain = Type.Object(
  {
    domain: Type.String({ description: "As addresses have it: in lower case and ASCII." }),
    ref: Type.String({ description: "Your name of it, or the one that was made." }),
    added_at: dateTime("Since when you want to watch it."),
    state: words(
      ["pending", "proved"],
      "`pending`: no event comes of it until one of the proofs is found. `proved`: one was found in the last seven days.",
    ),
    proof: Type.Union([words(["dns", "file"], "Which one was found last."), Type.Null()], {
      description: "Which proof was found last; null: none yet.",
    }),
    proved_at: Type.Union([dateTime("When it was last found."), Type.Null()], {
      description: "When it was last found; null: never.",
    }),
    dns: Type.Union(
      [
        Type.Object(
          {
            name: Type.String({ description: "Name of the TXT record." }),
            value: Type.String({ description: "What it has to say." }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: "The record that proves it; null where the service asks no name server." },
    ),
    file: Type.Object(
      {
        url: Type.String({ description: "Where the file has to be." }),
        content: Type.String({ description: "A line that it has to have." }),
      },
      { additionalProperties: false, description: "The file that proves it as well." },
    ),
  },
  { $id: "WatchedDomain", additionalProperties: false },
)
export type WatchedDomain = Static<typeof WatchedDomain>

const watchedDomains = (description: string) =>
  Type.Unsafe<readonly WatchedDomain[]>({
    type: "array",
    items: { $ref: "WatchedDomain#" },
    description,
  })

export const WatchListAdded = Type.Object(
  {
    added: count("Identities and domains that are watched from now on."),
    already_existed: count("Those that you watched already; they keep their ref."),
    refs: Type.Object(
      {
        emails: Type.Array(Type.String(), { description: "As `emails` of the request." }),
        phone_numbers: Type.Array(Type.String(), {
          description: "As `phone_numbers` of the request.",
        }),
      },
      { additionalProperties: false, description: "By which ref each is watched, in order." },
    ),
    domains: watchedDomains("As `domains` of the request, with what proves each of them."),
  },
  { $id: "WatchListAdded", additionalProperties: false },
)
export type WatchListAdded = Static<typeof WatchListAdded>

/**
 * One line of NDJSON. Its members are checked by hand, so that one that does not fit spoils no
 * other.
 */
export const WatchListLine = Type.Object(
  {
    email: Type.Optional(
      Type.String({ description: "The e-mail address; this, `phone_number` or `domain`." }),
    ),
    phone_number: Type.Optional(Type.String({ description: "The phone number, in E.164." })),
    domain: Type.Optional(Type.String({ description: "A domain of yours." })),
    ref: Type.Optional(ref),
    deliver_identity: Type.Optional(deliverIdentity),
  },
  {
    $id: "WatchListLine",
    additionalProperties: false,
    description: `Exactly one of \`email\`, \`phone_number\` and \`domain\`, which has no \`deliver_identity\`. A body has up to ${grouped(WATCH_LINES_MAX)} lines.`,
  },
)
export type WatchListLine = Static<typeof WatchListLine>

export const WATCH_STATUSES = ["added", "already_existed"] as const
export type WatchStatus = (typeof WATCH_STATUSES)[number]

/** What became of one line. */
export type WatchListLineResult =
  | {
      readonly index: number
      readonly status: WatchStatus
      readonly ref: string
      readonly domain?: WatchedDomain
      readonly problem?: never
    }
  | { readonly index: number; readonly problem: ProblemDetails; readonly status?: never }

export const WatchListLineResult = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: "Place among the lines, from 0." }),
    status: Type.Optional(words(WATCH_STATUSES, "Whether it was watched already.")),
    ref: Type.Optional(Type.String({ description: "By which ref it is watched." })),
    domain: Type.Optional(
      Type.Unsafe<WatchedDomain>({
        $ref: "WatchedDomain#",
        description: "The domain of the line, with what proves it.",
      }),
    ),
    problem: Type.Optional(
      Type.Unsafe<ProblemDetails>({ $ref: `${(ProblemDetails as { $id?: string }).$id ?? ""}#` }),
    ),
  },
  {
    $id: "WatchListLineResult",
    additionalProperties: false,
    description:
      "Has either `status` and `ref`, and for a domain `domain`, or `problem`, whose pointers are into the line.",
  },
)

export const WatchListRemoval = Type.Object(
  {
    ...identities,
    refs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: WATCH_REF_MAX }), {
        maxItems: WATCH_LIST_MAX,
        description: `Ends watching all of these names; at most ${grouped(WATCH_LIST_MAX)}.`,
        examples: [["customer-4711"]],
      }),
    ),
  },
  {
    $id: "WatchListRemoval",
    additionalProperties: false,
    description: "At least one identity, domain or ref. If one cannot be read, none is removed.",
  },
)
export type WatchListRemoval = Static<typeof WatchListRemoval>

export const WatchListRemoved = Type.Object(
  {
    deleted: count("Identities and domains that are no longer watched."),
    not_found: count("What of the request nothing was watched by."),
  },
  { $id: "WatchListRemoved", additionalProperties: false },
)
export type WatchListRemoved = Static<typeof WatchListRemoved>

export const WatchItem = Type.Object(
  {
    type: words(["email", "phone"], "What it is."),
    ref: Type.String({ description: "Your name of it, or the one that was made." }),
    deliver_identity: Type.Boolean({ description: "Events carry the identity itself." }),
    added_at: Type.String({ format: "date-time", description: "Since when it is watched." }),
    risk: Type.Union(
      [
        Type.Object(
          {
            risk_score: RiskScore,
            threat_stage: Type.Optional(ThreatStage),
            band: words(
              BANDS.map(({ name }) => name),
              "The band of the score.",
            ),
            recommended_action: Action,
            model_version: Type.String({ description: "Version of the risk model." }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        description:
          "As the last event about it said, or as it was when it was added; null until it was first scored, about a second later.",
      },
    ),
    next_change_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "When it is scored again if nothing arrives: when time changes its stage or its band, and at the latest 30 days after it was last looked at. null while it waits to be scored.",
    }),
  },
  { $id: "WatchItem", additionalProperties: false },
)
export type WatchItem = Static<typeof WatchItem>

export const WatchList = Type.Object(
  {
    items: Type.Unsafe<readonly WatchItem[]>({
      type: "array",
      items: { $ref: "WatchItem#" },
      description: "The newest first.",
    }),
    domains: watchedDomains("Domains, the oldest first; on the first page only."),
    total: count("How many identities you watch, whatever the filter."),
    next: Type.Union([Type.String(), Type.Null()], {
      description: "Asks for the next page as `before`; null on the last one.",
    }),
  },
  { $id: "WatchList", additionalProperties: false },
)
export type WatchList = Static<typeof WatchList>

export const WatchListQuery = Type.Object({
  ref: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WATCH_REF_MAX,
      description: "Only those of this name.",
    }),
  ),
  before: Type.Optional(
    Type.String({ pattern: "^wch_[0-9a-f]{28}$", description: "The `next` of the page before." }),
  ),
  limit: Type.Optional(
    Type.String({
      pattern: "^([1-9]|[1-9][0-9]|100)$",
      description: "How many items a page has, up to 100; 50 unless given.",
    }),
  ),
})
