import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { promisify } from "node:util"
import { constants, zstdCompress } from "node:zlib"
import { SEGMENT_FORMAT } from "./segment.ts"
import { type ThriftStruct, type ThriftValue, thriftBytes, varint } from "./thrift.ts"

const compressed = promisify(zstdCompress)
/** For keys and heads a higher level costs half as much again, and saves nothing. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Rows of a segment, column by column: numbers of 64 bits, little-endian. */
export interface SegmentColumns {
  readonly count: number
  readonly keysHigh: Uint8Array
  readonly keysLow: Uint8Array
  readonly heads: Uint8Array
  readonly extended: ReadonlyMap<number, Uint8Array>
}

/** The most rows that are added at once. */
export const BLOCK_ROWS = 8192
/** Rows of a group: what a reader of Parquet passes over or reads at once. */
export const GROUP_ROWS = 122_880
const MAGIC = Buffer.from("PAR1")

// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const INT64 = 2
const BYTE_ARRAY = 6
const UINT_64 = 14
const REQUIRED = 0
const OPTIONAL = 1
const PLAIN = 0
const RLE = 3
const UNCOMPRESSED = 0
const ZSTD = 6
const DATA_PAGE = 0

export interface WrittenSegment {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes the Parquet file of a segment group by group: each is on its way to the disk when `flush`
 * resolves, and all of it is there when `finish` does.
 */
export class SegmentWriter {
  readonly #file: FileHandle
  readonly #hash = createHash("sha256")
  #columns = newColumns()
  /** Those of the group before, which is being written. */
  #spare: Columns | null = null
  #extended = new Map<number, Uint8Array>()
  #held = 0
  #rows = 0
  #bytes = 0
  readonly #groups: ThriftStruct[] = []

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(path: string): Promise<SegmentWriter> {
    const writer = new SegmentWriter(await open(path, "wx", 0o600))
    try {
      await writer.#write(MAGIC)
      return writer
    } catch (error) {
      await writer.close()
      throw error
    }
  }

  /** Whether a group is full: then it must be flushed before more rows are added. */
  get full(): boolean {
    return this.#held + BLOCK_ROWS > GROUP_ROWS
  }

  /** Takes rows that come after all rows before them. */
  add({ count, keysHigh, keysLow, heads, extended }: SegmentColumns): void {
    const at = this.#held * 8
    this.#columns.keysHigh.set(keysHigh, at)
    this.#columns.keysLow.set(keysLow, at)
    this.#columns.heads.set(heads, at)
    for (const [row, bytes] of extended) this.#extended.set(this.#held + row, bytes)
    this.#held += count
  }

  /** Rows may be added meanwhile; the next flush must wait for this one. */
  async flush(): Promise<void> {
    const [rows, extended, columns] = [this.#held, this.#extended, this.#columns]
    if (rows === 0) return
    this.#held = 0
    this.#extended = new Map()
    this.#columns = this.#spare ?? newColumns()
    this.#spare = columns
    const { keysHigh, keysLow, heads } = columns
    const used = (column: Buffer): Buffer => column.subarray(0, rows * 8)
    const pages = await Promise.all([
      pageOf("key_high", used(keysHigh), rows, ZSTD),
      // Of a hash nothing can be saved.
      pageOf("key_low", used(keysLow), rows, UNCOMPRESSED),
      pageOf("head", used(heads), rows, ZSTD),
      pageOf("extended", optionalBytes(extended, rows), rows, ZSTD),
    ])
    const range = [keysHigh.subarray(rows * 8 - 8, rows * 8), keysHigh.subarray(0, 8)] as const
    const chunks: ThriftValue[] = []
    let size = 0
    for (const { name, page, plainBytes, codec } of pages) {
      const numbers = name !== "extended"
      // Readers pass over groups in which no key can be that they look for.
      const statistics: ThriftStruct =
        name === "key_high"
          ? [
              [3, { i64: 0 }],
              [5, { bytes: Buffer.from(range[0]) }],
              [6, { bytes: Buffer.from(range[1]) }],
            ]
          : [[3, { i64: numbers ? 0 : rows - extended.size }]]
      const meta: ThriftStruct = [
        [1, { i32: numbers ? INT64 : BYTE_ARRAY }],
        [2, { list: [{ i32: PLAIN }, { i32: RLE }] }],
        [3, { list: [{ bytes: name }] }],
        [4, { i32: codec }],
        [5, { i64: rows }],
        [6, { i64: plainBytes }],
        [7, { i64: page.length }],
        [9, { i64: this.#bytes }],
        [12, { struct: statistics }],
      ]
      chunks.push({
        struct: [
          [2, { i64: 0 }],
          [3, { struct: meta }],
        ],
      })
      size += plainBytes
      await this.#write(page)
    }
    this.#groups.push([
      [1, { list: chunks }],
      [2, { i64: size }],
      [3, { i64: rows }],
    ])
    this.#rows += rows
  }

  /** Writes what is left and what the file says of itself, and closes it. */
  async finish(facts: Readonly<Record<string, string>>): Promise<WrittenSegment> {
    await this.flush()
    const said = { assay_segment: String(SEGMENT_FORMAT), ...facts }
    const footer = thriftBytes([
      [1, { i32: 1 }],
      [2, { list: SCHEMA.map((struct) => ({ struct })) }],
      [3, { i64: this.#rows }],
      [4, { list: this.#groups.map((struct) => ({ struct })) }],
      [5, { list: Object.entries(said).map(([key, value]) => ({ struct: keyValue(key, value) })) }],
      [6, { bytes: "Assay" }],
      // The order of every column is that of its type.
      [7, { list: SCHEMA.slice(1).map(() => ({ struct: [[1, { struct: [] }]] })) }],
    ])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(footer.length)
    await this.#write(Buffer.concat([footer, length, MAGIC]))
    await this.#file.sync()
    await this.#file.close()
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") }
  }

  /** Closes the file as it is. */
  async close(): Promise<void> {
    await this.#file.close()
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    await this.#file.writeFile(bytes)
  }
}

const number = (name: string): ThriftStruct => [
  [1, { i32: INT64 }],
  [3, { i32: REQUIRED }],
  [4, { bytes: name }],
  [6, { i32: UINT_64 }],
]
const SCHEMA: readonly ThriftStruct[] = [
  [
    [4, { bytes: "segment" }],
    [5, { i32: 4 }],
  ],
  number("key_high"),
  number("key_low"),
  number("head"),
  [
    [1, { i32: BYTE_ARRAY }],
    [3, { i32: OPTIONAL }],
    [4, { bytes: "extended" }],
  ],
]

function keyValue(key: string, value: string): ThriftStruct {
  return [
    [1, { bytes: key }],
    [2, { bytes: value }],
  ]
}

type Columns = ReturnType<typeof newColumns>

function newColumns() {
  const column = (): Buffer => Buffer.allocUnsafeSlow(GROUP_ROWS * 8)
  return { keysHigh: column(), keysLow: column(), heads: column() }
}

interface Page {
  readonly name: string
  /** With its header. */
  readonly page: Buffer
  /** What it would take without compression, the header included. */
  readonly plainBytes: number
  readonly codec: number
}

async function pageOf(name: string, values: Buffer, rows: number, codec: number): Promise<Page> {
  const body = codec === ZSTD ? await compressed(values, FASTEST) : values
  const header = thriftBytes([
    [1, { i32: DATA_PAGE }],
    [2, { i32: values.length }],
    [3, { i32: body.length }],
    [
      5,
      {
        struct: [
          [1, { i32: rows }],
          [2, { i32: PLAIN }],
          [3, { i32: RLE }],
          [4, { i32: RLE }],
        ],
      },
    ],
  ])
  const plainBytes = header.length + values.length
  return { name, page: Buffer.concat([header, body]), plainBytes, codec }
}

/** Which rows have a value, then the values, each with its length before it. */
function optionalBytes(values: ReadonlyMap<number, Uint8Array>, rows: number): Buffer {
  const levels = values.size === 0 ? noneOf(rows) : bitsOf(values, rows)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(levels.length)
  const pieces: Uint8Array[] = [length, levels]
  for (const [, value] of [...values].sort(([a], [b]) => a - b)) {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(value.length)
    pieces.push(size, value)
  }
  return Buffer.concat(pieces)
}

/** One run of zeros. */
function noneOf(rows: number): Buffer {
  return Buffer.concat([varint(rows * 2), Uint8Array.of(0)])
}

/** A bit a row, in groups of eight. */
function bitsOf(values: ReadonlyMap<number, Uint8Array>, rows: number): Buffer {
  const bits = Buffer.alloc(Math.ceil(rows / 8))
  for (const row of values.keys()) bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7))
  return Buffer.concat([varint(bits.length * 2 + 1), bits])
}
