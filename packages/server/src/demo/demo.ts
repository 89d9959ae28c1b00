import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  IDENTITY_TAGS,
  type IdentityKey,
  identityKey,
  passwordFingerprint,
} from "@assay/core/identity"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import type { Entry, ExposureIndex, Row, SourceDescription } from "@assay/stores/exposure-index"
import { HOUR_MS } from "@assay/runtime/time"
import {
  demoEmails,
  demoLists,
  demoPhones,
  demoSources,
  type DemoObservation,
} from "./demo-identities.ts"

/**
 * Loads the demo's evidence, dated from this hour on, so that a SIM changed "2 hours ago" is that
 * at every start. The batches of an earlier start are removed; loading twice in one hour changes
 * nothing.
 */
export async function loadDemoCorpus(
  index: ExposureIndex,
  secrets: Secrets,
  nowMs: number,
): Promise<void> {
  const hour = Math.floor(nowMs / HOUR_MS)
  const before = await index.catalogue()
  const live = new Set(
    [...before.batches.values()]
      .filter(({ state }) => state === "live")
      .map(({ fingerprint }) => fingerprint),
  )
  for (const description of demoSources) {
    const fingerprint = `demo ${description.name} ${hour}`
    if (live.has(fingerprint)) continue
    const batch = await index.openBatch(description, fingerprint, nowMs)
    if (batch.state !== "loading") continue
    const rows = demoRows(description, batch.id, secrets, nowMs)
    await index.merge(batch.id, rows)
    await index.goLive(batch.id, { rows: rows.length, identities: rows.length }, nowMs)
  }
  for (const { id, fingerprint, state } of before.batches.values()) {
    const stale = fingerprint.startsWith("demo ") && !fingerprint.endsWith(` ${hour}`)
    if (stale && state !== "removed") await index.removeBatch(id, nowMs)
  }
}

/** Writes the demo's list entries where the operator's own lists stand. */
export function writeDemoLists(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lines = demoLists.map(({ domain, category, note }) => `${domain},${category},${note}`)
  writeFileSync(
    join(directory, "demo.csv"),
    `# Made by the demo; safe to delete.\n${lines.join("\n")}\n`,
    { mode: 0o600 },
  )
}

function demoRows(
  { name }: SourceDescription,
  batchId: number,
  secrets: Secrets,
  nowMs: number,
): Row[] {
  const rows: Row[] = []
  const { identity } = secrets.subkeys
  // Written in their canonical form, so that no start loads what reads addresses and numbers.
  const identities = [
    ...demoEmails.map(({ email, observations }) => ({
      key: identityKey(sha256, identity, IDENTITY_TAGS.email, email),
      observations,
    })),
    ...demoPhones.map(({ phone, observations }) => ({
      key: identityKey(sha256, identity, IDENTITY_TAGS.phone, phone),
      observations,
    })),
  ]
  for (const { key, observations } of identities) {
    const entries = observations.filter(({ source }) => source === name)
    if (entries.length > 0)
      rows.push({
        key,
        entries: entries.map((seen) => entryOf(seen, key, batchId, secrets, nowMs)),
      })
  }
  return rows
}

function entryOf(
  seen: DemoObservation,
  key: IdentityKey,
  batchId: number,
  secrets: Secrets,
  nowMs: number,
): Entry {
  const {
    kind,
    secret = "none",
    password,
    hoursAgo,
    daysAgo = 0,
    value = null,
    item = null,
    confidence = null,
  } = seen
  const hour = Math.floor(nowMs / HOUR_MS - (hoursAgo ?? daysAgo * 24))
  return {
    kind,
    secret,
    // E-mail evidence is dated by day, telecom evidence by hour.
    hours: hoursAgo === undefined ? Math.floor(hour / 24) * 24 : hour,
    fingerprint:
      password === undefined
        ? null
        : passwordFingerprint(sha256, secrets.subkeys.password, key, Buffer.from(password)),
    aliasTag: 0,
    batchId,
    item,
    confidence,
    classes: seen.classes ?? [],
    value,
  }
}
