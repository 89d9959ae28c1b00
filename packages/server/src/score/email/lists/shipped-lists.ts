import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isMissing } from "@assay/runtime/if-present"
import { gatherLists, type ShippedLists } from "./gather-lists.ts"
import { DomainTable } from "./domain-table.ts"

export type { ShippedList, ShippedLists } from "./gather-lists.ts"

/**
 * The table of all names as the build made it, beside the built programs. Sources that run as they
 * are have none and gather the lists anew, which takes a third of a second in every worker.
 */
const MADE = join(dirname(import.meta.filename), "shipped-lists.bin")

let opened: ShippedLists | null = null

/** The lists that come with this release, read at the first call. */
export function shippedLists(): ShippedLists {
  return (opened ??= readMade() ?? gatherLists())
}

const VERSION_DIGITS = 16
let version: string | null = null

/** Another one with every release whose lists are others. */
export function shippedVersion(): string {
  if (version === null) {
    const { lists, table } = shippedLists()
    const origins = lists.map(({ origin }) => origin)
    version = hash("sha256", JSON.stringify([origins, table.size])).slice(0, VERSION_DIGITS)
  }
  return version
}

/** What the file begins with, after four bytes that tell how long it is. */
interface Head {
  readonly lists: ShippedLists["lists"]
  readonly masks: ShippedLists["masks"]
  readonly names: number
  readonly slots: number
}

const HEAD_LENGTH_BYTES = 4
const SLOT_BYTES = Int32Array.BYTES_PER_ELEMENT

/** The lists as the file that `readMade` reads. Slots are as this kind of machine has them. */
export function madeOf({ lists, masks, table }: ShippedLists): Buffer {
  const { size, slots, records } = table.toArrays()
  const head: Head = { lists, masks, names: size, slots: slots.length }
  const text = JSON.stringify(head)
  // Spaces after the text let the slots begin where numbers of four bytes may.
  const bytes = Buffer.from(text + " ".repeat(SLOT_BYTES - (Buffer.byteLength(text) % SLOT_BYTES)))
  const length = Buffer.alloc(HEAD_LENGTH_BYTES)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes, Buffer.from(slots.buffer), records])
}

function readMade(): ShippedLists | null {
  let file
  try {
    file = readFileSync(MADE)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  return listsOf(file)
}

/** The other way round: views of the file's bytes, of which only the head is parsed. */
export function listsOf(file: Buffer): ShippedLists {
  const slotsAt = HEAD_LENGTH_BYTES + file.readUInt32LE()
  const { lists, masks, names, slots } = JSON.parse(
    file.toString("utf8", HEAD_LENGTH_BYTES, slotsAt),
  ) as Head
  const recordsAt = slotsAt + slots * SLOT_BYTES
  const table = DomainTable.fromArrays({
    size: names,
    slots: new Int32Array(file.buffer, file.byteOffset + slotsAt, slots),
    records: file.subarray(recordsAt),
  })
  return { lists, masks, table }
}
