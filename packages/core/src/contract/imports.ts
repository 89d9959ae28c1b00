import { Type, type Static } from "typebox"
import { referred } from "./referred.ts"
import { words } from "./words.ts"

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const countOrNull = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const saidOfSource = {
  source: Type.String({
    pattern: "^[a-z0-9._-]{1,64}$",
    description:
      "Name of the source the file is evidence of: lower-case letters, digits, `.`, `_` and `-`.",
  }),
  title: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "For people; its name unless given.",
    }),
  ),
  kind: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Kind of evidence, such as `breach`; otherwise what the format says.",
    }),
  ),
  date: Type.Optional(
    Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      description: "UTC day of what happened; otherwise what rows say, or the day of the import.",
    }),
  ),
  format: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "How the file is written; otherwise found by looking at it.",
    }),
  ),
  map: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "What columns mean: `email=Mail,password=3`.",
    }),
  ),
}

/** What is said of an upload; its body is the file. */
export const ImportQuery = Type.Object(saidOfSource)
export type ImportQuery = Static<typeof ImportQuery>

export const ImportFileRequest = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Name of a file in the folder that ASSAY_IMPORT_FOLDER names.",
    }),
    ...saidOfSource,
  },
  { $id: "ImportFileRequest" },
)
export type ImportFileRequest = Static<typeof ImportFileRequest>

export const ImportPreviewQuery = Type.Object({
  format: saidOfSource.format,
  map: saidOfSource.map,
})

export const ImportPreview = Type.Object(
  {
    format: Type.String({ description: "What was recognised, in words." }),
    kind: Type.String({ description: "The kind of evidence in such a file, unless one is named." }),
    rows: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ minimum: 1 }),
          identity: orNull("A letter or two of the identity; null for a row that is rejected."),
          secret: orNull("What form its password has; the password is not shown."),
          kind: orNull("Where the row itself says it."),
          day: orNull("UTC day, where the row itself says it."),
          rejected: orNull("Why the row is not imported; null for one that is."),
        },
        { additionalProperties: false },
      ),
      { description: "The first rows." },
    ),
  },
  { $id: "ImportPreview", additionalProperties: false },
)
export type ImportPreview = Static<typeof ImportPreview>

const ImportReport = Type.Object(
  {
    changed: Type.Boolean({
      description: "False: exactly this was imported before, and nothing changed.",
    }),
    batch: Type.Integer(),
    rows: Type.Integer({ description: "Rows of the file, those rejected included." }),
    imported: Type.Integer({ description: "Observations that are new." }),
    known: Type.Integer({ description: "Observations that were held already." }),
    repeated: Type.Integer({ description: "Rows that were there more than once in the file." }),
    rejected: Type.Integer(),
    rejects: Type.Array(
      Type.Object(
        { reason: Type.String(), count: Type.Integer() },
        { additionalProperties: false },
      ),
      { description: "By reason, the most frequent first. Nothing of a rejected row is kept." },
    ),
    identities: Type.Integer(),
    circulates: Type.Boolean({ description: "It passes on what older sources held." }),
    same_as: orNull("Name of an older source that holds the same data."),
    decided: Type.Union(
      [
        Type.Object(
          {
            identities: Type.Integer({ minimum: 0 }),
            days: Type.Integer({
              minimum: 1,
              description: "30, or as many as decisions are kept.",
            }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        description:
          "How many identities of the file were decided about in the last days, by all tenants together; exact. null: not counted yet, or it could not be counted, and `detail` says why.",
      },
    ),
  },
  { additionalProperties: false },
)

const PHASES = [
  "starting",
  "examining",
  "reading",
  "sorting",
  "merging",
  "measuring",
  "compacting",
  "counting",
] as const

export const ImportState = Type.Object(
  {
    id: Type.String({ description: "`imp_` and letters." }),
    source: Type.String(),
    from: words(["upload", "folder"], "Where the file came from."),
    state: words(
      ["running", "done", "failed", "stopped"],
      "Of `failed` and `stopped` nothing was imported.",
    ),
    phase: words(
      PHASES,
      "What it does, or did last. An upload has to go on until `sorting`; the rest goes on without it. While `counting` its evidence counts already.",
    ),
    done: Type.Integer({
      description:
        "Of `total`: bytes while examining and reading, rows while sorting, merging and counting, steps while measuring, identities while compacting. In a phase it only grows, and so does its share of `total`.",
    }),
    total: countOrNull(
      "null until it is known how much there is. While sorting and merging it becomes less where rows are repeated.",
    ),
    rows: Type.Integer({ description: "Rows read, or merged." }),
    rejected: Type.Integer({
      minimum: 0,
      description: "Rows rejected so far; `report` has them by reason.",
    }),
    rows_per_second: countOrNull("In this phase; null where rows say nothing of it."),
    seconds_left: countOrNull(
      "Of this phase, as it went so far; null where it is not known, as in its first second.",
    ),
    phases: Type.Array(
      Type.Object(
        {
          phase: words(PHASES, "As in `phase`."),
          seconds: Type.Number({ minimum: 0 }),
        },
        { additionalProperties: false },
      ),
      {
        description:
          "Where its time went, by phase in the order in which they began; up to now while it runs. Some begin before others end, and are told by the one that holds it up. Empty of imports before this was kept.",
      },
    ),
    started_at: Type.String({ format: "date-time" }),
    ended_at: orNull("null while it runs."),
    detail: orNull(
      "Why it failed, or what was left undone of one that is done; without a word of the file.",
    ),
    code: orNull("The problem that an answer would have, of one that failed."),
    report: Type.Union([ImportReport, Type.Null()], {
      description:
        "From the moment its evidence counts; also null of one whose service was killed at that moment.",
    }),
    watched: Type.Union(
      [
        Type.Object(
          {
            identities: Type.Integer({ minimum: 0 }),
            complete: Type.Boolean({ description: "False while they are looked for." }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      {
        description:
          "How many identities that were on watch lists when its evidence began to count are in it, of all tenants that may hear of its source. null: nobody is watched, or there is no report.",
      },
    ),
  },
  { $id: "ImportState", additionalProperties: false },
)
export type ImportState = Static<typeof ImportState>

export const ImportList = Type.Object(
  {
    imports: Type.Array(referred(ImportState), {
      description: "The newest first, at most 20, those before the service was started too.",
    }),
    folder: Type.Union(
      [
        Type.Array(
          Type.Object(
            { name: Type.String(), bytes: Type.Integer() },
            { additionalProperties: false },
          ),
        ),
        Type.Null(),
      ],
      { description: "Files that can be imported by name; null where no folder is set." },
    ),
    formats: Type.Array(Type.String(), { description: "What `format` takes." }),
    kinds: Type.Array(Type.String(), { description: "What `kind` takes." }),
  },
  { $id: "ImportList", additionalProperties: false },
)
export type ImportList = Static<typeof ImportList>

export const ImportParams = Type.Object({ id: Type.String({ pattern: "^imp_[a-f0-9]{24}$" }) })
