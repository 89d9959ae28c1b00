import {
  aliasTag,
  IDENTITY_TAGS,
  identityKey,
  parseEmail,
  passwordFingerprint,
} from "@assay/core/identity"
import { type Secrets, sha256 } from "../../../packages/runtime/src/secrets.ts"
import type {
  DataClass,
  Entry,
  EntryKind,
  ExposureIndex,
  Row,
  SecretClass,
} from "../../../packages/stores/src/exposure-index.ts"
import { DAY_MS } from "../../../packages/runtime/src/time.ts"

/** One observation, as an import would have brought it. */
export interface Seen {
  readonly source: keyof typeof SOURCES
  readonly daysAgo: number
  readonly kind?: EntryKind
  readonly secret?: SecretClass
  readonly password?: string
  readonly classes?: readonly DataClass[]
  readonly confidence?: number
}

const SOURCES = {
  shop: ["breach", 0.8],
  forum: ["breach", 0.8],
  games: ["breach", 0.8],
  library: ["breach", 0.8],
  pastes: ["paste", 0.8],
  hearsay: ["breach", 0.3],
  "spam-list": ["breach", 0.8],
  "combo-north": ["combolist", 0.8],
  "combo-south": ["combolist", 0.8],
  board: ["repost", 0.8],
  "other-board": ["repost", 0.8],
  "log-cloud": ["stealer", 0.8],
  kits: ["phish", 0.8],
  market: ["listing", 0.8],
  seller: ["sale", 0.8],
  channel: ["mention", 0.8],
  checker: ["tested", 0.8],
  hits: ["ready", 0.8],
  telemetry: ["attack", 0.95],
  claims: ["monetized", 0.95],
  desk: ["blocklisted", 0.8],
  mailer: ["bounced", 1],
} as const satisfies Record<string, readonly [EntryKind, number]>

/** Brings the observations into the index as one live batch a source. */
export async function seed(
  observed: ReadonlyMap<string, readonly Seen[]>,
  index: ExposureIndex,
  { subkeys }: Secrets,
  nowMs: number,
): Promise<void> {
  const today = Math.floor(nowMs / DAY_MS)
  for (const [name, [kind, confidence]] of Object.entries(SOURCES)) {
    const batch = await index.openBatch(
      {
        name,
        title: name,
        kind,
        confidence,
        classes: [],
        flags: {
          spamList: name === "spam-list",
          fabricated: false,
          sensitive: false,
          verified: true,
        },
        eventDate: null,
        circulates: false,
      },
      name,
      nowMs,
    )
    const rows: Row[] = []
    for (const [email, all] of observed) {
      const parsed = parseEmail(email)
      if ("fault" in parsed) throw new Error(`${email} is no address`)
      const key = identityKey(sha256, subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
      const entries = all
        .filter(({ source }) => source === name)
        .map((seen): Entry => {
          const { password, daysAgo } = seen
          return {
            kind: seen.kind ?? kind,
            secret: seen.secret ?? "none",
            hours: (today - daysAgo) * 24,
            fingerprint:
              password === undefined
                ? null
                : passwordFingerprint(sha256, subkeys.password, key, Buffer.from(password)),
            aliasTag: aliasTag(sha256, subkeys.alias, key, parsed),
            batchId: batch.id,
            item: null,
            confidence: seen.confidence ?? null,
            classes: seen.classes ?? [],
            value: null,
          }
        })
      if (entries.length > 0) rows.push({ key, entries })
    }
    await index.merge(batch.id, rows)
    await index.goLive(batch.id, { rows: rows.length, identities: rows.length }, nowMs)
  }
}
