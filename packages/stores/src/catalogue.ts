import { Type } from "typebox"
import { Value } from "typebox/value"
import { MalformedBytes } from "./bytes.ts"
import { BATCH_ID_MAX, DATA_CLASSES, ENTRY_KINDS, type DataClass, type EntryKind } from "./entry.ts"
import type { BatchState } from "./entry-set.ts"
import { fits } from "./fits.ts"

/** Whose evidence it is: everyone's, or one tenant's, by its id. */
export type Owner = "shared" | number

/** An operator's description of a source when importing from it. */
export interface SourceDescription {
  /** Names the source for good; unique among the sources of its owner. */
  readonly name: string
  readonly title: string
  readonly kind: EntryKind
  /** 0 to 1: how far the source is believed. */
  readonly confidence: number
  readonly classes: readonly DataClass[]
  readonly flags: SourceFlags
  /** The UTC day of the event, YYYY-MM-DD, if known. */
  readonly eventDate: string | null
  /**
   * The UTC days on which the operator of this service obtained it, and on which it became public.
   */
  readonly acquiredDate?: string | null
  readonly publishedDate?: string | null
  /** Passed around among attackers, not held by one: its exposures are presented as reposts. */
  readonly circulates: boolean
  /** The reason for the value of `circulates`; absent if nobody measured. */
  readonly circulation?: Circulation | null
}

/** How much of a source older sources hold already, and who decided the consequence. */
export interface Circulation {
  readonly decidedBy: "measured" | "operator"
  /**
   * Of the identities in the sample, and of their pairs with a fingerprint: how many, and how many
   * known before.
   */
  readonly identities: number
  readonly knownIdentities: number
  readonly pairs: number
  readonly knownPairs: number
  /**
   * The number of an older source that holds the same data, file for file or person for person;
   * absent where none does.
   */
  readonly sameAs?: number
  /**
   * The oldest sources of the known identities, and of how many each is the oldest, the most first;
   * absent where none is known. No more than `ORIGINS_MAX`.
   */
  readonly origins?: readonly CirculationOrigin[]
}

export interface CirculationOrigin {
  readonly sourceId: number
  /** Of the sample. */
  readonly identities: number
}

/** A catalogue is read often, so a source names no more of those it circulates than this. */
export const ORIGINS_MAX = 16

export interface SourceFlags {
  readonly spamList: boolean
  readonly fabricated: boolean
  readonly sensitive: boolean
  readonly verified: boolean
  /** Taken from machines by malware, according to the catalogue of a breach service. */
  readonly stealerLog?: boolean
}

export interface Source extends SourceDescription {
  readonly id: number
  readonly owner: Owner
  readonly importedAt: number
}

/** The members of an existing source that may change. */
export type SourceChange = Partial<Omit<SourceDescription, "name">>

/** The change of each source, by its id. */
export type SourceChanges = ReadonlyMap<number, SourceChange>

/** The facts about a batch that are known only once all its rows are in the index. */
export interface GoingLive {
  readonly rows: number
  readonly identities: number
  readonly importedBy?: string | null
  readonly segment?: SegmentReference | null
  readonly recipe?: ImportRecipe | null
  /** What the batch changes of sources, its own or others, from the moment it is live. */
  readonly sources?: SourceChanges
}

/** One import from a source; entries name it, and count only while it is live. */
export interface Batch {
  readonly id: number
  readonly sourceId: number
  readonly owner: Owner
  readonly state: BatchState
  /** Identifies the file and the options it was read with. */
  readonly fingerprint: string
  readonly rows: number
  readonly identities: number
  readonly createdAt: number
  readonly liveAt: number | null
  readonly removedAt: number | null
  /** Who imported it, as the command knew them; absent if no person did. */
  readonly importedBy?: string | null
  /** The file its rows are kept in; absent where they are not kept in one. */
  readonly segment?: SegmentReference | null
  /** How it was imported; absent if it was not imported from files. */
  readonly recipe?: ImportRecipe | null
}

/** All it takes to import the same rows again from the same files, under other keys. */
export interface ImportRecipe {
  /** Digests of the contents of each named file and folder; null if there were too many to keep. */
  readonly inputs: readonly string[] | null
  /** The options that the person who imported gave themselves. */
  readonly said: {
    readonly kind: EntryKind | null
    readonly date: string | null
    readonly format: string | null
    readonly map: Readonly<Record<string, string>>
  }
  /**
   * The defaults for rows that did not give their own; the source may have been corrected since.
   */
  readonly keyedAs: {
    /** null: each file decides by its look. */
    readonly kind: EntryKind | null
    /** null: each file by its stealer's log, else by its own date. */
    readonly eventDate: string | null
    /**
     * The files' own dates at that time, each from the member of this number until the next. Absent
     * if no row is dated by them, null if there were too many to keep: then the dates are read from
     * the files again.
     */
    readonly fileDays?: FileDays | null
  }
}

/**
 * From the member of a number on, the day its file was last written; null where that cannot be
 * true.
 */
export type FileDays = readonly (readonly [member: number, day: string | null])[]

/** A segment as it was when its batch went live. */
export interface SegmentReference {
  /** Name of the file in the directory of segments. */
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

export interface Catalogue {
  /** Grows with each change, so that one small read shows a reader whether its copy is current. */
  readonly version: number
  readonly sources: ReadonlyMap<number, Source>
  readonly batches: ReadonlyMap<number, Batch>
}

/**
 * The catalogue with what only the index itself needs. A value: each change gives a new one of the
 * next version.
 */
export interface CatalogueDocument extends Catalogue {
  /** Tenants that may have their own evidence; only they need a second read. */
  readonly tenants: ReadonlySet<number>
  /**
   * By batch: a new description of a known source, which holds from the moment the batch goes live.
   */
  readonly revisions: ReadonlyMap<number, SourceDescription>
}

/** A change the catalogue does not allow: an unknown batch, or one in the wrong state for it. */
export class BatchRefused extends Error {
  override readonly name = "BatchRefused"
}

export const emptyCatalogue: CatalogueDocument = {
  version: 0,
  sources: new Map(),
  batches: new Map(),
  tenants: new Set(),
  revisions: new Map(),
}

/** The batch of this owner and fingerprint in any state, made as `loading` if there is none. */
export function withBatch(
  document: CatalogueDocument,
  description: SourceDescription,
  fingerprint: string,
  at: number,
  owner: Owner,
): { document: CatalogueDocument; batch: Batch } {
  for (const batch of document.batches.values()) {
    if (batch.owner === owner && batch.fingerprint === fingerprint) return { document, batch }
  }
  if (!isDescription(description)) {
    throw new RangeError("A source needs a name, a kind and a confidence from 0 to 1")
  }
  const known = [...document.sources.values()].find(
    (source) => source.owner === owner && source.name === description.name,
  )
  const described = pickDescription(description)
  const source = known ?? {
    ...described,
    id: nextId(document.sources),
    owner,
    importedAt: at,
  }
  const batch: Batch = {
    id: nextId(document.batches),
    sourceId: source.id,
    owner,
    state: "loading",
    fingerprint,
    rows: 0,
    identities: 0,
    createdAt: at,
    liveAt: null,
    removedAt: null,
  }
  const revised = known !== undefined && !Value.Equal(pickDescription(known), described)
  return {
    batch,
    document: {
      version: document.version + 1,
      sources: new Map(document.sources).set(source.id, source),
      batches: new Map(document.batches).set(batch.id, batch),
      tenants: owner === "shared" ? document.tenants : new Set(document.tenants).add(owner),
      revisions: revised
        ? new Map(document.revisions).set(batch.id, described)
        : document.revisions,
    },
  }
}

/**
 * Makes a loading batch live, together with the new description of its source; a live batch stays
 * unchanged.
 */
export function withLive(
  document: CatalogueDocument,
  batchId: number,
  going: GoingLive,
  at: number,
): CatalogueDocument {
  const batch = knownBatch(document, batchId)
  if (batch.state === "live") return document
  if (batch.state === "removed") throw new BatchRefused(`Batch ${batchId} was removed`)
  const { rows, identities, importedBy = null, segment = null, recipe = null } = going
  const revision = document.revisions.get(batchId)
  const source = document.sources.get(batch.sourceId)
  const sources = new Map(document.sources)
  if (revision !== undefined && source !== undefined) {
    sources.set(source.id, { ...source, ...revision, ...circulationAfter(source, revision) })
  }
  for (const [id, change] of going.sources ?? [])
    sources.set(id, changedSource(sources, id, change))
  return {
    version: document.version + 1,
    sources,
    batches: new Map(document.batches).set(batchId, {
      ...batch,
      state: "live",
      rows,
      identities,
      liveAt: at,
      importedBy,
      segment,
      recipe,
    }),
    tenants: document.tenants,
    revisions: without(document.revisions, batchId),
  }
}

/** The source with some of its description changed; its name stays. */
export function withSource(
  document: CatalogueDocument,
  sourceId: number,
  change: SourceChange,
): CatalogueDocument {
  return withSources(document, new Map([[sourceId, change]]))
}

/**
 * Changes several sources as one change of the catalogue; if nothing differs, the catalogue stays
 * unchanged.
 */
export function withSources(
  document: CatalogueDocument,
  changes: SourceChanges,
): CatalogueDocument {
  const sources = new Map(document.sources)
  let differs = false
  for (const [id, change] of changes) {
    const before = document.sources.get(id)
    const after = changedSource(sources, id, change)
    if (before !== undefined && Value.Equal(pickDescription(before), pickDescription(after))) {
      continue
    }
    sources.set(id, after)
    differs = true
  }
  return differs ? { ...document, version: document.version + 1, sources } : document
}

function changedSource(
  sources: ReadonlyMap<number, Source>,
  sourceId: number,
  change: SourceChange,
): Source {
  const source = sources.get(sourceId)
  if (source === undefined) throw new BatchRefused(`There is no source ${sourceId}`)
  const described = pickDescription({ ...source, ...change, name: source.name })
  if (!isDescription(described)) {
    throw new RangeError("A source needs a name, a kind and a confidence from 0 to 1")
  }
  return { ...source, ...described }
}

/** A new description that does not mention circulation keeps the measured or decided value. */
function circulationAfter(
  source: SourceDescription,
  revision: SourceDescription,
): Pick<SourceDescription, "circulates" | "circulation"> {
  const silent = (revision.circulation ?? null) === null
  const known = (source.circulation ?? null) !== null
  const { circulates, circulation = null } = silent && known ? source : revision
  return { circulates, circulation }
}

/**
 * Removes all batches of a source for good, as one change. The same files can be imported again:
 * the batches give up their fingerprints, and the source its circulation.
 */
export function withoutSource(
  document: CatalogueDocument,
  sourceId: number,
  at: number,
): CatalogueDocument {
  const source = changedSource(document.sources, sourceId, { circulates: false, circulation: null })
  const gone = [...document.batches.values()].filter(
    (batch) => batch.sourceId === sourceId && batch.state !== "removed",
  )
  if (gone.length === 0) return document
  const batches = new Map(document.batches)
  const revisions = new Map(document.revisions)
  for (const batch of gone) {
    const fingerprint = `${batch.fingerprint} removed ${batch.id}`
    batches.set(batch.id, { ...batch, fingerprint, state: "removed", removedAt: at })
    revisions.delete(batch.id)
  }
  return {
    ...document,
    version: document.version + 1,
    sources: new Map(document.sources).set(sourceId, source),
    batches,
    revisions,
  }
}

/** Removes a batch for good; a removed one stays unchanged. */
export function withoutBatch(
  document: CatalogueDocument,
  batchId: number,
  at: number,
): CatalogueDocument {
  const batch = knownBatch(document, batchId)
  if (batch.state === "removed") return document
  return {
    ...document,
    version: document.version + 1,
    batches: new Map(document.batches).set(batchId, { ...batch, state: "removed", removedAt: at }),
    revisions: without(document.revisions, batchId),
  }
}

/** The batch of this id; throws BatchRefused where there is none. */
export function knownBatch(catalogue: Catalogue, batchId: number): Batch {
  const batch = catalogue.batches.get(batchId)
  if (batch === undefined) throw new BatchRefused(`There is no batch ${batchId}`)
  return batch
}

/** The stored form: UTF-8 JSON. */
export function catalogueBytes(document: CatalogueDocument): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      version: document.version,
      sources: [...document.sources.values()],
      batches: [...document.batches.values()],
      tenants: [...document.tenants],
      revisions: [...document.revisions],
    }),
  )
}

/**
 * Reads a stored catalogue. Throws MalformedBytes for anything catalogueBytes cannot have written.
 */
export function readCatalogue(bytes: Uint8Array): CatalogueDocument {
  let stored: unknown
  try {
    stored = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new MalformedBytes("catalogue is not JSON", { cause })
  }
  if (!isDocument(stored)) throw new MalformedBytes("catalogue of another shape")
  const sources = byId(stored.sources)
  const batches = byId(stored.batches)
  if (stored.batches.some(({ sourceId }) => !sources.has(sourceId))) {
    throw new MalformedBytes("catalogue has a batch without a source")
  }
  return {
    version: stored.version,
    sources,
    batches,
    tenants: new Set(stored.tenants),
    revisions: new Map(stored.revisions),
  }
}

const Time = Type.Integer({ minimum: 0 })
const Count = Type.Integer({ minimum: 0 })
const Day = Type.Union([Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }), Type.Null()])
const Id = Type.Integer({ minimum: 1, maximum: BATCH_ID_MAX })
const OwnerSchema = Type.Union([Type.Literal("shared"), Type.Integer({ minimum: 0 })])
const descriptionMembers = {
  name: Type.String({ minLength: 1 }),
  title: Type.String(),
  kind: Type.Unsafe<EntryKind>(Type.Enum([...ENTRY_KINDS])),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  classes: Type.Array(Type.Unsafe<DataClass>(Type.Enum([...DATA_CLASSES]))),
  flags: Type.Object({
    spamList: Type.Boolean(),
    fabricated: Type.Boolean(),
    sensitive: Type.Boolean(),
    verified: Type.Boolean(),
    stealerLog: Type.Optional(Type.Boolean()),
  }),
  eventDate: Day,
  acquiredDate: Type.Optional(Day),
  publishedDate: Type.Optional(Day),
  circulates: Type.Boolean(),
  circulation: Type.Optional(
    Type.Union([
      Type.Object({
        decidedBy: Type.Unsafe<Circulation["decidedBy"]>(Type.Enum(["measured", "operator"])),
        identities: Count,
        knownIdentities: Count,
        pairs: Count,
        knownPairs: Count,
        sameAs: Type.Optional(Id),
        origins: Type.Optional(Type.Array(Type.Object({ sourceId: Id, identities: Count }))),
      }),
      Type.Null(),
    ]),
  ),
}
const Kind = Type.Unsafe<EntryKind>(Type.Enum([...ENTRY_KINDS]))
export const KeyedAsSchema = Type.Object({
  kind: Type.Union([Kind, Type.Null()]),
  eventDate: Day,
  fileDays: Type.Optional(
    Type.Unsafe<FileDays | null>(
      Type.Union([Type.Array(Type.Tuple([Type.Integer({ minimum: 1 }), Day])), Type.Null()]),
    ),
  ),
})
const RecipeSchema = Type.Object({
  inputs: Type.Union([Type.Array(Type.String()), Type.Null()]),
  said: Type.Object({
    kind: Type.Union([Kind, Type.Null()]),
    date: Day,
    format: Type.Union([Type.String(), Type.Null()]),
    map: Type.Record(Type.String(), Type.String()),
  }),
  keyedAs: KeyedAsSchema,
})
const DescriptionSchema = Type.Object(descriptionMembers)
const isDescription = fits(DescriptionSchema)
export const DocumentSchema = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  sources: Type.Array(
    Type.Object({ ...descriptionMembers, id: Id, owner: OwnerSchema, importedAt: Time }),
  ),
  batches: Type.Array(
    Type.Object({
      id: Id,
      sourceId: Id,
      owner: OwnerSchema,
      state: Type.Unsafe<BatchState>(Type.Enum(["loading", "live", "removed"])),
      fingerprint: Type.String({ minLength: 1 }),
      rows: Count,
      identities: Count,
      createdAt: Time,
      liveAt: Type.Union([Time, Type.Null()]),
      removedAt: Type.Union([Time, Type.Null()]),
      importedBy: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      segment: Type.Optional(
        Type.Union([
          Type.Object({ file: Type.String(), bytes: Count, sha256: Type.String() }),
          Type.Null(),
        ]),
      ),
      recipe: Type.Optional(Type.Union([RecipeSchema, Type.Null()])),
    }),
  ),
  tenants: Type.Array(Type.Integer({ minimum: 0 })),
  revisions: Type.Array(Type.Tuple([Id, DescriptionSchema])),
})
const isDocument = fits(DocumentSchema)

/** Copies the members of a description and nothing else of the object. */
function pickDescription(from: SourceDescription): SourceDescription {
  const { name, title, kind, confidence, classes, eventDate, circulates } = from
  const { acquiredDate = null, publishedDate = null, circulation = null } = from
  const { spamList, fabricated, sensitive, verified, stealerLog = false } = from.flags
  return {
    name,
    title,
    kind,
    confidence,
    classes: [...classes],
    flags: { spamList, fabricated, sensitive, verified, stealerLog },
    eventDate,
    acquiredDate,
    publishedDate,
    circulates,
    circulation,
  }
}

function byId<T extends { readonly id: number }>(rows: readonly T[]): ReadonlyMap<number, T> {
  const map = new Map(rows.map((row) => [row.id, row]))
  if (map.size !== rows.length) throw new MalformedBytes("catalogue has an id twice")
  return map
}

function nextId(rows: ReadonlyMap<number, unknown>): number {
  let last = 0
  for (const id of rows.keys()) last = Math.max(last, id)
  return last + 1
}

function without<T>(map: ReadonlyMap<number, T>, key: number): ReadonlyMap<number, T> {
  if (!map.has(key)) return map
  const rest = new Map(map)
  rest.delete(key)
  return rest
}
