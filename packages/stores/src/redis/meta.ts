import { randomBytes } from "node:crypto"
import { MalformedBytes } from "../bytes.ts"
import {
  catalogueBytes,
  emptyCatalogue,
  readCatalogue,
  type CatalogueDocument,
} from "../catalogue.ts"
import { CLUSTER_INDEX_FORMAT, requireKnownFormat } from "../exposure-index.ts"
import { INDEX_BUCKET_BITS } from "../index-place.ts"
import type { Reply } from "./cluster-client.ts"
import type { ClusterConnection } from "./connection.ts"
import { metaKey } from "./layout.ts"
import { beginIndex, changeCatalogue, keepKeyCheck, repeatVersion, run } from "./scripts.ts"

/** The parameters set when the index was made; they never change. */
export interface Making {
  readonly format: number
  readonly bits: number
  /**
   * Random; every bucket carries it. A bucket without it is not of this index, so nothing is known
   * about its identities.
   */
  readonly mark: Buffer
}

/**
 * Names one catalogue: its version, and a random part. Where a primary dies before a replica has
 * its last change, there is a second catalogue of that version, and some may have read the first.
 * The random part is empty in what an older program has written.
 */
export interface Stamp {
  readonly version: string
  readonly random: string
}

export interface Stamped {
  readonly stamp: Stamp
  readonly document: CatalogueDocument
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.version === b.version && a.random === b.random
}

/** The facts about the index as a whole. They lie in one key, so one read sees one moment. */
export interface Meta {
  /** The parameters of the index; null if there is none. */
  making(): Promise<(Making & { readonly complete: boolean }) | null>
  /** Keeps how the index is to be made, unless that is kept already. */
  begin(making: Making): Promise<void>
  /** From here on the index can be read. */
  complete(): Promise<void>
  /** Which catalogue there is. */
  stamp(): Promise<Stamp>
  document(): Promise<Stamped>
  /** False where the catalogue is no longer the one that was read; nothing has changed then. */
  replace(before: Stamp, document: CatalogueDocument): Promise<boolean>
  /** Waits until a catalogue that was read cannot be lost; false where it is no longer the one. */
  isHeld(stamp: Stamp): Promise<boolean>
  keyCheck(): Promise<Uint8Array | undefined>
  /** Keeps the value unless there is one, and returns the one there is. */
  keepKeyCheck(value: Uint8Array): Promise<Uint8Array>
}

const STAMP_BYTES = 8

export function openMeta(connection: ClusterConnection, name: string): Meta {
  const key = metaKey(name)
  const read = async (...fields: string[]): Promise<readonly (Buffer | null)[]> =>
    values(await connection.send(key, ["HMGET", key, ...fields]), fields.length)
  const stampOf = (
    version: Buffer | null | undefined,
    random: Buffer | null | undefined,
  ): Stamp => {
    if (!version) throw new MalformedBytes("no catalogue version")
    return { version: version.toString("latin1"), random: random?.toString("latin1") ?? "" }
  }
  const askStamp = async (): Promise<Stamp> => {
    const [version, random] = await read("version", "stamp")
    return stampOf(version, random)
  }
  const change = async (before: Stamp, document: CatalogueDocument): Promise<boolean> => {
    const after = [String(document.version), randomBytes(STAMP_BYTES).toString("base64url")]
    const args = [before.version, before.random, ...after, Buffer.from(catalogueBytes(document))]
    return (await run(connection.replicated, changeCatalogue, [key], args)) === 1
  }
  /**
   * Lookups that begin at the same time, as those of a batch, share one request, sent after all of
   * them began.
   */
  let asked: Promise<Stamp> | null = null

  return {
    async making() {
      const [format, bits, mark, version] = await read("format", "bits", "mark", "version")
      if (!format || !bits || !mark) {
        if (format || bits || mark || version) throw new MalformedBytes("an index without a format")
        return null
      }
      const making = { format: number(format), bits: number(bits), mark }
      requireKnownFormat(making.format, CLUSTER_INDEX_FORMAT)
      if (making.bits < INDEX_BUCKET_BITS.min || making.bits > INDEX_BUCKET_BITS.max) {
        throw new MalformedBytes("a number of buckets that no index has")
      }
      return { ...making, complete: version !== null }
    },

    async begin({ format, bits, mark }) {
      await run(connection.replicated, beginIndex, [key], [String(format), String(bits), mark])
    },

    async complete() {
      await change({ version: "", random: "" }, emptyCatalogue)
    },

    stamp() {
      if (asked !== null) return asked
      queueMicrotask(() => {
        asked = null
      })
      asked = askStamp()
      return asked
    },

    async document() {
      const [version, random, catalogue] = await read("version", "stamp", "catalogue")
      if (!version || !catalogue) throw new MalformedBytes("no catalogue")
      const document = readCatalogue(catalogue)
      if (document.version !== number(version)) {
        throw new MalformedBytes("catalogue of another version")
      }
      return { stamp: stampOf(version, random), document }
    },

    replace: change,

    keyCheck: async () => (await read("key-check"))[0] ?? undefined,

    async isHeld({ version, random }) {
      if (!(await connection.hasReplica(key))) return true
      return (await run(connection.replicated, repeatVersion, [key], [version, random])) === 1
    },

    async keepKeyCheck(value) {
      const kept = await run(connection.replicated, keepKeyCheck, [key], [Buffer.from(value)])
      if (!(kept instanceof Buffer)) throw new MalformedBytes("a reply of another shape")
      return kept
    },
  }
}

/** The strings of a reply that is a list of `count`. */
export function values(reply: Reply, count: number): readonly (Buffer | null)[] {
  if (!Array.isArray(reply) || reply.length !== count) {
    throw new MalformedBytes("a reply of another shape")
  }
  return reply as (Buffer | null)[]
}

function number(text: Buffer): number {
  const value = Number(text.toString("latin1"))
  if (!Number.isSafeInteger(value) || value < 0) throw new MalformedBytes("a number expected")
  return value
}
