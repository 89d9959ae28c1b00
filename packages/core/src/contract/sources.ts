import { Type, type Static } from "typebox"
import { words } from "./words.ts"

const day = (description: string) =>
  Type.Union([Type.String({ format: "date" }), Type.Null()], { description })

const counted = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const SourceFlags = Type.Object(
  {
    spam_list: Type.Boolean({ description: "A list of addresses to send to: no breach." }),
    fabricated: Type.Boolean({ description: "The breach never happened." }),
    sensitive: Type.Boolean({ description: "Acts for verified tenants only." }),
    verified: Type.Boolean({ description: "Somebody made sure that it is what it says." }),
    stealer_log: Type.Boolean({ description: "Taken from machines by malware." }),
  },
  { additionalProperties: false },
)

const Circulation = Type.Object(
  {
    decided_by: words(["measured", "operator"], "Who decided `circulates`."),
    identities: Type.Integer({
      minimum: 0,
      description: "Identities of its sample, which is one in 64 of all that there are.",
    }),
    known_identities: Type.Integer({
      minimum: 0,
      description: "How many of them an older source holds too.",
    }),
    pairs: Type.Integer({
      minimum: 0,
      description: "Identities of the sample with a password, counted by password.",
    }),
    known_pairs: Type.Integer({
      minimum: 0,
      description: "How many of these an older source holds too.",
    }),
    same_as: Type.Union([Type.String(), Type.Null()], {
      description: "Name of an older source that holds the same data.",
    }),
    origins: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "Name of an older source." }),
          identities: Type.Integer({
            minimum: 1,
            description: "Identities of the sample of which it is the oldest source.",
          }),
        },
        { additionalProperties: false },
      ),
      { description: "Whom it circulates, the most first; at most 16." },
    ),
  },
  { additionalProperties: false },
)

/** A source as a caller may see it. */
const SourceSummary = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description: "What explanations call it. Never changes. Plans that name sources.",
      }),
    ),
    title: Type.Optional(
      Type.String({ description: "For people to read. Plans that name sources." }),
    ),
    kind: Type.String({ description: "The kind of its evidence, such as `breach` or `stealer`." }),
    event_date: day("UTC day of what happened, where it is known."),
    published_date: day("UTC day on which it became public."),
    acquired_date: day("UTC day on which this service's operator came to hold it."),
    imported_at: Type.String({ format: "date-time", description: "When it was first imported." }),
    rows: counted(
      "Observations that scores rest on; null for a source whose evidence arrives one by one, which is not counted.",
    ),
    identities: counted(
      "Identities they are about; one that two imports name counts twice. null as for `rows`.",
    ),
    flags: Type.Optional(SourceFlags),
    circulates: Type.Optional(
      Type.Boolean({
        description:
          "It passes on what older sources held, so its exposures count as reposts. Plans that name sources.",
      }),
    ),
    circulation: Type.Optional(
      Type.Union([Circulation, Type.Null()], {
        description:
          "Whom it circulates, as measured; null where nothing was measured. Plans that name sources.",
      }),
    ),
  },
  { additionalProperties: false },
)
export type SourceSummary = Static<typeof SourceSummary>

export const SourceList = Type.Object(
  {
    sources: Type.Array(SourceSummary, { description: "In the order of their first import." }),
    newest: Type.Union(
      [
        Type.Object(
          {
            imported_at: Type.String({
              format: "date-time",
              description: "When anything was last imported that scores rest on.",
            }),
            event_date: day("The newest UTC day of what happened, where any is known."),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: "Of all these sources, on every page; null where there are none." },
    ),
    next: Type.Union([Type.String(), Type.Null()], {
      description: "Asks for the next page as `after`; null on the last one.",
    }),
  },
  { $id: "SourceList", additionalProperties: false },
)
export type SourceList = Static<typeof SourceList>

export const SourceListQuery = Type.Object({
  after: Type.Optional(
    Type.String({ pattern: "^[1-9][0-9]{0,9}$", description: "The `next` of the page before." }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 100 unless given." }),
  ),
})
