import { IDENTITY_TAGS, identityKey, parseEmail, passwordFingerprint } from "@assay/core/identity"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import type { Entry, EntryKind, ExposureIndex } from "../../packages/stores/src/exposure-index.ts"
import { SECRET_CLASSES } from "../../packages/stores/src/entry.ts"
import { openLmdbIndex } from "../../packages/stores/src/lmdb/exposure-index.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"

/** An address of the bench and the number of exposures that the index will have of it. */
export interface KnownEmail {
  readonly email: string
  readonly exposures: number
}

const SOURCES = 80
const KINDS: readonly EntryKind[] = ["breach", "breach", "breach", "combolist", "stealer"]
const OLDEST_DAYS = 8 * 365

/**
 * Makes an index that knows the addresses, each from its own choice of sources, for up to
 * `oldestDays`. No service may run on the directory.
 */
export async function seedIndex(
  path: string,
  secretFile: string,
  known: readonly KnownEmail[],
  random: () => number,
  oldestDays = OLDEST_DAYS,
): Promise<void> {
  const index = await openLmdbIndex({ path })
  await fillIndex(index, secretFile, known, random, oldestDays)
  await index.close()
}

/** The same in an index that is open, and new. */
export async function fillIndex(
  index: ExposureIndex,
  secretFile: string,
  known: readonly KnownEmail[],
  random: () => number,
  oldestDays = OLDEST_DAYS,
): Promise<void> {
  const secrets = openSecrets(secretFile, true)
  await index.checkKeyCheckValue(secrets.checkValue)
  const nowMs = Date.now()
  const hour = Math.floor(nowMs / HOUR_MS)
  const rows = new Map<number, { key: Uint8Array; entries: Entry[] }[]>()
  for (const { email, exposures } of known) {
    const parsed = parseEmail(email)
    if ("fault" in parsed) throw new Error("A bench address is not valid")
    const key = identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
    const first = Math.floor(random() * SOURCES)
    for (let n = 0; n < exposures; n++) {
      const source = (first + n) % SOURCES
      const password = random() < 0.3 ? `password ${Math.floor(random() * 3)}` : null
      const hours = hour - Math.floor(random() * oldestDays * 24)
      const entry: Entry = {
        kind: KINDS[source % KINDS.length] as EntryKind,
        secret: SECRET_CLASSES[Math.floor(random() * SECRET_CLASSES.length)] ?? "unknown",
        hours: hours - (hours % 24),
        fingerprint:
          password === null
            ? null
            : passwordFingerprint(sha256, secrets.subkeys.password, key, Buffer.from(password)),
        aliasTag: 0,
        batchId: source + 1,
        item: null,
        confidence: null,
        classes: random() < 0.2 ? ["phone", "dob"] : [],
        value: null,
      }
      const of = rows.get(source) ?? []
      rows.set(source, of)
      of.push({ key, entries: [entry] })
    }
  }
  for (let source = 0; source < SOURCES; source++) {
    const { id } = await index.openBatch(
      {
        name: `bench-${source}`,
        title: `Bench source ${source}`,
        kind: KINDS[source % KINDS.length] as EntryKind,
        confidence: 0.8,
        classes: [],
        flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
        eventDate: null,
        circulates: false,
      },
      `bench ${source}`,
      nowMs,
    )
    if (id !== source + 1) throw new Error("The index is not new")
    const own = rows.get(source) ?? []
    await index.merge(id, own)
    await index.goLive(id, { rows: own.length, identities: own.length }, nowMs)
  }
}
