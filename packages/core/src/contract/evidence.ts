import { Type, type Static } from "typebox"
import { EXPOSURE_KINDS, SECRETS, SIGNAL_TYPES } from "../score/vocabulary.ts"
import { grouped } from "./grouped.ts"
import { ProblemDetails } from "./problems.ts"
import { words } from "./words.ts"

/** The most lines one request may have. */
export const EVIDENCE_LINES_MAX = 10_000
/** The most sources a tenant may name. */
export const EVIDENCE_SOURCES_MAX = 100

/** The kinds of evidence that a caller can send about an e-mail address. */
export const EMAIL_SENT_KINDS = [
  ...EXPOSURE_KINDS,
  ...SIGNAL_TYPES,
  "blocklisted",
  "bounced",
  "delivered",
  "catch_all",
] as const
export type EmailSentKind = (typeof EMAIL_SENT_KINDS)[number]

/** The kinds of evidence that a caller can send about a phone number. */
export const PHONE_SENT_KINDS = [
  "sim_change",
  "port",
  "device_change",
  "recycled",
  "line_status",
  "call_forwarding",
  "route_change",
  "otp_failures",
  "fraud_report",
  "tenure",
  "subscription",
  "sim_unchanged",
  "blocklisted",
] as const
export type PhoneSentKind = (typeof PHONE_SENT_KINDS)[number]

/** Other data about a person that an exposure may hold. */
export const EVIDENCE_CLASSES = [
  "phone",
  "dob",
  "address",
  "gov_id",
  "security_qa",
  "ip_geo",
  "device",
  "payment",
  "session",
] as const

/** What a name of a source looks like: nothing that could be an address or a number in full. */
export const EVIDENCE_SOURCE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"

/**
 * Times and identities have no format here: the rules for them refuse with a reason, which a
 * pattern would not give.
 */
export const EvidenceLine = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: "The e-mail address the line is about; either this or `phone_number`.",
        examples: ["ana.silva@mail.example"],
      }),
    ),
    phone_number: Type.Optional(
      Type.String({ description: "The phone number the line is about, in E.164." }),
    ),
    kind: {
      ...words(
        [...new Set([...EMAIL_SENT_KINDS, ...PHONE_SENT_KINDS])],
        `What was observed. Of an e-mail address: ${listed(EMAIL_SENT_KINDS)}. Of a phone number: ${listed(PHONE_SENT_KINDS)}.`,
      ),
      examples: ["breach"],
    },
    source: Type.String({
      pattern: EVIDENCE_SOURCE_PATTERN,
      description: `Your own name for where you have it from: 1 to 64 letters, digits and \`._:-\`. You may name ${EVIDENCE_SOURCES_MAX} sources; \`feedback\` and \`decisions\` are taken.`,
      examples: ["acme-soc"],
    }),
    observed_at: Type.String({
      description:
        "When it happened, RFC 3339; not before 1990 and at most a day ahead. Kept by day for an e-mail address, for which a date alone is enough, and by hour for a phone number.",
      examples: ["2026-11-02T09:30:00Z"],
    }),
    item: Type.Optional(
      Type.String({
        description:
          "Which thing of the source this is about, where it names several, such as a site or a log; at most 64 bytes of UTF-8. Must not hold an e-mail address or a phone number.",
      }),
    ),
    secret: Type.Optional(
      words(
        SECRETS,
        "With an exposure only: in which form its password was there, `unknown` unless given. Never the password itself.",
      ),
    ),
    confidence: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 1,
        description: "How far this line is to be believed, in thousandths; 0.8 unless given.",
      }),
    ),
    classes: Type.Optional(
      Type.Array(words(EVIDENCE_CLASSES, "A class of data."), {
        description: "With an exposure only: what else it holds of the person.",
      }),
    ),
    value: Type.Optional(
      Type.Unsafe<string | number | boolean>({
        anyOf: [{ type: "string" }, { type: "integer" }, { type: "boolean" }],
        description:
          "What the kind says; there with these kinds and with no other. `line_status`: `active`, `inactive` or `absent`. `subscription`: `prepaid` or `postpaid`. `call_forwarding`, `catch_all`: true or false. `tenure`, `sim_unchanged`: whole days.",
      }),
    ),
  },
  {
    $id: "EvidenceLine",
    description:
      "Exactly one of `email` and `phone_number`. A member `password` is refused; other unknown members are ignored.",
  },
)
export type EvidenceLine = Static<typeof EvidenceLine>

/**
 * The lines have no type, so that one that does not fit gets its own problem and spoils no other.
 */
export const EvidenceRequest = Type.Unsafe<readonly unknown[]>({
  $id: "EvidenceRequest",
  type: "array",
  description: `1 to ${grouped(EVIDENCE_LINES_MAX)} lines, at most 8 MiB. A line that does not fit gets a problem of its own.`,
  minItems: 1,
  items: { description: "Each item is a line, as EvidenceLine describes it." },
  examples: [
    [
      {
        email: "ana.silva@mail.example",
        kind: "breach",
        source: "acme-soc",
        observed_at: "2026-11-02",
      },
    ],
  ],
})

/** The outcome of one line: where it stands now, or why it was refused. */
export type EvidenceItem =
  | { readonly index: number; readonly status: EvidenceStatus; readonly problem?: never }
  | { readonly index: number; readonly problem: ProblemDetails; readonly status?: never }
export type EvidenceStatus = "stored" | "known"

export const EvidenceItem = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: "Place in the request, from 0." }),
    status: Type.Optional(
      words(
        ["stored", "known"],
        "`stored`: it is in your next score. `known`: it was there already.",
      ),
    ),
    problem: Type.Optional(
      Type.Unsafe<ProblemDetails>({ $ref: `${(ProblemDetails as { $id?: string }).$id ?? ""}#` }),
    ),
  },
  {
    $id: "EvidenceItem",
    additionalProperties: false,
    description: "Has either `status` or `problem`, whose pointers are into the line.",
  },
)

export const EvidenceResult = Type.Object(
  {
    results: Type.Unsafe<readonly EvidenceItem[]>({
      type: "array",
      items: { $ref: "EvidenceItem#" },
      description: "One for each line, in its order.",
    }),
  },
  { $id: "EvidenceResult", additionalProperties: false },
)
export type EvidenceResult = Static<typeof EvidenceResult>

function listed(kinds: readonly string[]): string {
  return kinds.map((kind) => `\`${kind}\``).join(", ")
}
