import type { Secrets } from "@assay/runtime/secrets"
import type { StoredEvent } from "@assay/stores/records-events"
import type { SharedSignalRecords, SharedStream } from "@assay/stores/records-shared-signals"
import { openKeyedHash, openSealer } from "../accounts/sealed.ts"
import {
  claimsOf,
  type SecurityEvent,
  securityEventsOf,
  type Subject,
  subjectOf,
} from "./security-events.ts"
import { openSigner, SIGNING_KEY } from "./sign.ts"
import { openTenantIssuers } from "./tenant-issuer.ts"

/** An event, and what a stream is told of it. */
export interface ToldEvent {
  readonly event: StoredEvent
  readonly sets: readonly SecurityEvent[]
}

/** Makes what streams are told: in workers, in the primary and in the thread that sends. */
export interface Sets {
  issuerOf(tenantId: number): string
  /** By this name of the issuer's path; null for none. */
  tenantOf(name: string): number | null
  /** Without those whom the stream leaves out. */
  toldOf(stream: SharedStream, events: readonly StoredEvent[]): Promise<ToldEvent[]>
  /** A token that carries it, signed now. */
  signed(about: SecurityEvent, stream: SharedStream): Promise<string>
  /** What is kept of a ref that a stream leaves out. */
  refHash(ref: string): Uint8Array
  /** The ref that a subject of this stream means; null for what means none. */
  refOf(subject: Subject, stream: SharedStream): string | null
}

interface SetsOptions {
  readonly records: Pick<SharedSignalRecords, "leftOut" | "sharedKeys">
  readonly subkeys: Secrets["subkeys"]
  /** Where the service is reached. */
  readonly origin: string
  readonly now: () => number
}

export function openSets({ records, subkeys, origin, now }: SetsOptions): Sets {
  const { issuerOf, tenantOf } = openTenantIssuers(subkeys.request, origin)
  const refHash = openKeyedHash(subkeys["sealed-identity"], "left out of shared signals")
  const sign = openSigner({
    keys: () => records.sharedKeys(),
    sealer: openSealer(subkeys["sealed-identity"], SIGNING_KEY),
    now,
  })
  return {
    issuerOf,
    tenantOf,
    refHash,
    async toldOf(stream, events) {
      const issuer = issuerOf(stream.tenantId)
      const told = events.map((event) => ({ event, sets: securityEventsOf(event, stream, issuer) }))
      const refs = new Set(
        told.flatMap(({ event: { ref }, sets }) => (sets.length === 0 || ref === null ? [] : ref)),
      )
      if (refs.size === 0) return told
      const hashes = new Map([...refs].map((ref) => [ref, hex(refHash(ref))]))
      const out = await records.leftOut({ id: stream.id, refHashes: [...refs].map(refHash) })
      const leftOut = new Set(out.map(hex))
      if (leftOut.size === 0) return told
      return told.map(({ event, sets }) =>
        leftOut.has(hashes.get(event.ref ?? "") ?? "") ? { event, sets: [] } : { event, sets },
      )
    },
    signed: async (about, stream) =>
      await sign(claimsOf(about, stream, issuerOf(stream.tenantId), now())),
    refOf(subject, stream) {
      const ref = subject.format === "opaque" ? subject.id : subject.sub
      const own = subjectOf(ref, stream, issuerOf(stream.tenantId))
      if (own.format !== subject.format) return null
      return own.format === "iss_sub" && subject.format === "iss_sub" && own.iss !== subject.iss
        ? null
        : ref
    },
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
