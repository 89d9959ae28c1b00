import { MalformedBytes } from "../bytes.ts"
import {
  catalogueBytes,
  emptyCatalogue,
  readCatalogue,
  type CatalogueDocument,
} from "../catalogue.ts"
import { requireKnownFormat } from "../exposure-index.ts"
import { INDEX_BUCKET_BITS } from "../index-place.ts"
import type { ClusterConnection, Reply } from "./connection.ts"
import { metaKey } from "./layout.ts"
import { beginIndex, changeCatalogue, run } from "./scripts.ts"

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

/** The facts about the index as a whole. They lie in one key, so one read sees one moment. */
export interface Meta {
  /** The parameters of the index; null if there is none. */
  making(): Promise<(Making & { readonly complete: boolean }) | null>
  /** Keeps how the index is to be made, unless that is kept already. */
  begin(making: Making): Promise<void>
  /** From here on the index can be read. */
  complete(): Promise<void>
  version(): Promise<number>
  document(): Promise<CatalogueDocument>
  /**
   * False where the catalogue is no longer the one of version `before`; nothing has changed then.
   */
  replace(before: number, document: CatalogueDocument): Promise<boolean>
  keyCheck(): Promise<Uint8Array | undefined>
  /** Keeps the value unless there is one, and returns the one there is. */
  keepKeyCheck(value: Uint8Array): Promise<Uint8Array>
}

export function openMeta(connection: ClusterConnection, name: string): Meta {
  const key = metaKey(name)
  const read = async (...fields: string[]): Promise<readonly (Buffer | null)[]> =>
    values(await connection.send(key, ["HMGET", key, ...fields]), fields.length)
  const keyCheck = async (): Promise<Uint8Array | undefined> =>
    (await read("key-check"))[0] ?? undefined

  const askVersion = async (): Promise<number> => {
    const version = await connection.send(key, ["HGET", key, "version"])
    if (!(version instanceof Buffer)) throw new MalformedBytes("no catalogue version")
    return number(version)
  }
  /**
   * Lookups that begin at the same time, as those of a batch, share one request, sent after all of
   * them began.
   */
  let asked: Promise<number> | null = null

  return {
    async making() {
      const [format, bits, mark, version] = await read("format", "bits", "mark", "version")
      if (!format || !bits || !mark) {
        if (format || bits || mark || version) throw new MalformedBytes("an index without a format")
        return null
      }
      const making = { format: number(format), bits: number(bits), mark }
      requireKnownFormat(making.format)
      if (making.bits < INDEX_BUCKET_BITS.min || making.bits > INDEX_BUCKET_BITS.max) {
        throw new MalformedBytes("a number of buckets that no index has")
      }
      return { ...making, complete: version !== null }
    },

    async begin({ format, bits, mark }) {
      await run(connection, beginIndex, [key], [String(format), String(bits), mark])
    },

    async complete() {
      await run(connection, changeCatalogue, [key], ["", "0", bytesOf(emptyCatalogue)])
    },

    version() {
      if (asked !== null) return asked
      queueMicrotask(() => {
        asked = null
      })
      asked = askVersion()
      return asked
    },

    async document() {
      const [version, catalogue] = await read("version", "catalogue")
      if (!version || !catalogue) throw new MalformedBytes("no catalogue")
      const document = readCatalogue(catalogue)
      if (document.version !== number(version)) {
        throw new MalformedBytes("catalogue of another version")
      }
      return document
    },

    async replace(before, document) {
      const args = [String(before), String(document.version), bytesOf(document)]
      return (await run(connection, changeCatalogue, [key], args)) === 1
    },

    keyCheck,

    async keepKeyCheck(value) {
      await connection.send(key, ["HSETNX", key, "key-check", Buffer.from(value)])
      return (await keyCheck()) ?? value
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

function bytesOf(document: CatalogueDocument): Buffer {
  return Buffer.from(catalogueBytes(document))
}

function number(text: Buffer): number {
  const value = Number(text.toString("latin1"))
  if (!Number.isSafeInteger(value) || value < 0) throw new MalformedBytes("a number expected")
  return value
}
