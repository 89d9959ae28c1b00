import { readFileSync, statSync } from "node:fs"
import { type Static, Type } from "typebox"
import { Value } from "typebox/value"
import { parseTime } from "@assay/runtime/rfc3339"
import { DATA_CLASSES, type DataClass } from "@assay/stores/entry"
import type { SourceDescription } from "@assay/stores/exposure-index"
import { InputError } from "./inputs/member.ts"

/**
 * A verified breach gets more confidence than an unverified one; a fabricated one sets no stage by
 * itself.
 */
const CATALOGUE_CONFIDENCE = { verified: 0.95, unverified: 0.8, fabricated: 0.3 } as const
/** The whole public catalogue has a few megabytes. */
const FILE_BYTES_MAX = 64 << 20

/**
 * An entry as the public breach catalogue writes it. It may have other members (counts, texts,
 * logos), which are not read here.
 */
const CatalogueEntry = Type.Object({
  Name: Type.String({ minLength: 1 }),
  Title: Type.Optional(Type.String()),
  Domain: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  BreachDate: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  AddedDate: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  DataClasses: Type.Optional(Type.Array(Type.String())),
  IsVerified: Type.Optional(Type.Boolean()),
  IsFabricated: Type.Optional(Type.Boolean()),
  IsSensitive: Type.Optional(Type.Boolean()),
  IsSpamList: Type.Optional(Type.Boolean()),
  IsMalware: Type.Optional(Type.Boolean()),
  IsStealerLog: Type.Optional(Type.Boolean()),
})
type CatalogueEntry = Static<typeof CatalogueEntry>

/**
 * What an entry may be called by, and in this order: a name is meant before a title, and that
 * before a domain.
 */
const CALLED_BY = ["Name", "Title", "Domain"] as const
const NAMED_MAX = 3

/**
 * Describes a source by an entry of a breach catalogue. The file holds one entry, or a list with an
 * entry of this name. Names of sources have no capitals and no spaces, so only letters and digits
 * are compared. The source is called `name`, whatever a single entry is called. Throws InputError.
 */
export function readSourceFile(path: string, name: string): SourceDescription {
  const document = documentOf(path)
  if (!Array.isArray(document)) return describe(path, withKnownMembers(document), name)
  const entries = (document as unknown[]).map(withKnownMembers)
  const exact = entries.find((entry) => entry["Name"] === name)
  return describe(path, exact ?? calledEntry(path, entries, name), name)
}

function calledEntry(path: string, entries: readonly Entry[], name: string): Entry {
  const letters = lettersOf(name)
  for (const member of letters === "" ? [] : CALLED_BY) {
    const found = entries.filter((entry) => lettersOf(entry[member]) === letters)
    if (found.length > 1) {
      const names = found.slice(0, NAMED_MAX).map((entry) => JSON.stringify(entry["Name"]))
      throw new InputError(
        `${path} has ${found.length} entries that ${name} may mean: ${names.join(", ")}. Give a file with the one that is meant`,
      )
    }
    if (found[0] !== undefined) return found[0]
  }
  throw new InputError(`${path} has no entry with the name, title or domain ${name}`)
}

type Entry = Readonly<Record<string, unknown>>

/**
 * The same entry with the members that are read here in our spelling: `breach_date` becomes
 * `BreachDate`.
 */
function withKnownMembers(entry: unknown): Entry {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return {}
  const known = new Map(
    Object.keys(CatalogueEntry.properties).map((member) => [lettersOf(member), member]),
  )
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(entry)) {
    const member = known.get(lettersOf(name))
    // Where both spellings are there, our own is meant.
    if (member !== undefined && (name === member || !(member in entry))) members[member] = value
  }
  return members
}

/** Without case, accents and anything but letters and digits; empty for a value that is no text. */
function lettersOf(value: unknown): string {
  if (typeof value !== "string") return ""
  return value
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")
}

/** The same of an entry that was read already. Throws InputError. */
function describe(path: string, entry: unknown, name: string): SourceDescription {
  if (!Value.Check(CatalogueEntry, entry)) {
    // The instance path is the name of a member, which the schema gives, not the file.
    const member = Value.Errors(CatalogueEntry, entry)[0]?.instancePath ?? ""
    throw new InputError(`${path} is no entry of a breach catalogue ${member}`.trimEnd())
  }
  const { IsStealerLog = false, IsMalware = false } = entry
  return {
    name,
    title: entry.Title ?? entry.Name,
    kind: IsStealerLog || IsMalware ? "stealer" : "breach",
    confidence: confidenceOf(entry),
    classes: classesByCatalogueName(entry.DataClasses ?? []),
    flags: {
      spamList: entry.IsSpamList ?? false,
      fabricated: entry.IsFabricated ?? false,
      sensitive: entry.IsSensitive ?? false,
      verified: entry.IsVerified ?? false,
      stealerLog: IsStealerLog,
    },
    eventDate: dayOf(path, "BreachDate", entry.BreachDate),
    acquiredDate: null,
    publishedDate: dayOf(path, "AddedDate", entry.AddedDate),
    circulates: false,
  }
}

function confidenceOf({ IsFabricated, IsVerified }: CatalogueEntry): number {
  if (IsFabricated === true) return CATALOGUE_CONFIDENCE.fabricated
  return IsVerified === true ? CATALOGUE_CONFIDENCE.verified : CATALOGUE_CONFIDENCE.unverified
}

/** The UTC day of a date or a time. */
function dayOf(path: string, member: string, text: string | null | undefined): string | null {
  if (text === undefined || text === null || text === "") return null
  const ms = parseTime(text.includes("T") ? text : `${text}T00:00:00Z`)
  if (ms === null) throw new InputError(`${path}: ${member} is no date`)
  return new Date(ms).toISOString().slice(0, 10)
}

function documentOf(path: string): unknown {
  let text: string
  try {
    if (statSync(path).size > FILE_BYTES_MAX) throw new InputError(`${path} is larger than 64 MiB`)
    text = readFileSync(path, "utf8")
  } catch (cause) {
    if (cause instanceof InputError) throw cause
    throw new InputError(`${path} cannot be read`, { cause })
  }
  try {
    return JSON.parse(text.replace(/^\ufeff/, "")) as unknown
  } catch {
    // No cause: the parser's message quotes the file.
    throw new InputError(`${path} is not JSON`)
  }
}

/** What the public breach catalogue calls the data of a breach, where the model weighs it. */
const NAMES: Readonly<Record<DataClass, readonly string[]>> = {
  phone: ["Phone numbers"],
  dob: ["Dates of birth", "Partial dates of birth", "Years of birth"],
  address: ["Physical addresses", "Partial physical addresses", "Home addresses"],
  gov_id: [
    "Government issued IDs",
    "Partial government issued IDs",
    "Social security numbers",
    "Partial social security numbers",
    "Passport numbers",
    "Driver's licenses",
    "National IDs",
    "Tax records",
    "Taxation records",
  ],
  security_qa: ["Security questions and answers", "Mothers maiden names", "Password hints", "PINs"],
  ip_geo: ["IP addresses", "Geographic locations", "GPS coordinates", "Location histories"],
  device: [
    "Device information",
    "Device serial numbers",
    "Device usage tracking data",
    "Browser user agent details",
    "User agent details",
    "IMEI numbers",
    "IMSI numbers",
    "MAC addresses",
  ],
  payment: [
    "Credit cards",
    "Credit card CVV",
    "Partial credit card data",
    "Bank account numbers",
    "Payment histories",
    "Payment methods",
    "Financial transactions",
    "Cryptocurrency wallet addresses",
  ],
  session: ["Auth tokens", "Authentication tokens", "Session tokens", "Browser cookies"],
}

const classByName = new Map(
  DATA_CLASSES.flatMap((dataClass) =>
    NAMES[dataClass].map((name) => [name.toLowerCase(), dataClass] as const),
  ),
)

/**
 * The data classes that these names mean, in their own order. Most names mean none that the model
 * weighs.
 */
export function classesByCatalogueName(names: readonly string[]): DataClass[] {
  const meant = new Set(names.map((name) => classByName.get(name.toLowerCase())))
  return DATA_CLASSES.filter((dataClass) => meant.has(dataClass))
}
