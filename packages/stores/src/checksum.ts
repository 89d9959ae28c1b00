import { crc32 } from "node:zlib"

export const CHECKSUM_BYTES = 4

/** Above this many bytes the call into zlib costs less than the loop. */
const LOOP_BYTES_MAX = 256
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let bits = byte
  for (let i = 0; i < 8; i++) bits = bits & 1 ? (bits >>> 1) ^ 0xedb8_8320 : bits >>> 1
  return bits
})

/**
 * CRC-32 of a key and the first `length` bytes of the value under it: a value that stands under
 * another key fails as well. It finds every flip of up to 32 neighbouring bits. It is no protection
 * against somebody who writes to the file.
 */
export function checksumOf(key: Uint8Array, value: Uint8Array, length = value.length): number {
  if (length > LOOP_BYTES_MAX) return crc32(value.subarray(0, length), crc32(key))
  let bits = -1
  for (let i = 0; i < key.length; i++) bits = step(bits, key[i] as number)
  for (let i = 0; i < length; i++) bits = step(bits, value[i] as number)
  return ~bits >>> 0
}

function step(bits: number, byte: number): number {
  return (TABLE[(bits ^ byte) & 0xff] as number) ^ (bits >>> 8)
}

/** Whether the four bytes at `at` spell this checksum. */
export function hasChecksum(bytes: Uint8Array, at: number, checksum: number): boolean {
  return (
    bytes[at] === checksum >>> 24 &&
    bytes[at + 1] === ((checksum >>> 16) & 0xff) &&
    bytes[at + 2] === ((checksum >>> 8) & 0xff) &&
    bytes[at + 3] === (checksum & 0xff)
  )
}

export function putChecksum(checksum: number, into: Uint8Array, at: number): void {
  into[at] = checksum >>> 24
  into[at + 1] = checksum >>> 16
  into[at + 2] = checksum >>> 8
  into[at + 3] = checksum
}
