/**
 * The compact protocol of Thrift, as far as the headers of Parquet need it:
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export type ThriftValue =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly bytes: Uint8Array | string }
  | { readonly list: readonly ThriftValue[] }
  | { readonly struct: ThriftStruct }

/** Fields by number, ascending. */
export type ThriftStruct = readonly (readonly [field: number, value: ThriftValue])[]

const TYPES = { i32: 5, i64: 6, bytes: 8, list: 9, struct: 12 } as const

export function thriftBytes(struct: ThriftStruct): Buffer {
  const pieces: Uint8Array[] = []
  writeStruct(struct, pieces)
  return Buffer.concat(pieces)
}

function writeStruct(fields: ThriftStruct, pieces: Uint8Array[]): void {
  let before = 0
  for (const [field, value] of fields) {
    // All fields of Parquet are less than 16 after the one before.
    pieces.push(Uint8Array.of(((field - before) << 4) | typeOf(value)))
    before = field
    writeValue(value, pieces)
  }
  pieces.push(Uint8Array.of(0))
}

function writeValue(value: ThriftValue, pieces: Uint8Array[]): void {
  if ("struct" in value) {
    writeStruct(value.struct, pieces)
    return
  }
  if ("list" in value) {
    const { list } = value
    const type = list[0] === undefined ? TYPES.i32 : typeOf(list[0])
    if (list.length < 15) pieces.push(Uint8Array.of((list.length << 4) | type))
    else pieces.push(Uint8Array.of(0xf0 | type), varint(list.length))
    for (const each of list) writeValue(each, pieces)
    return
  }
  if ("bytes" in value) {
    const bytes = Buffer.from(value.bytes)
    pieces.push(varint(bytes.length), bytes)
    return
  }
  // Zigzag; none of ours is below 0.
  pieces.push(varint(2 * ("i32" in value ? value.i32 : value.i64)))
}

function typeOf(value: ThriftValue): number {
  return TYPES[Object.keys(value)[0] as keyof typeof TYPES]
}

export function varint(value: number): Uint8Array {
  const bytes: number[] = []
  // By division: sizes of files have more than 32 bits.
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
