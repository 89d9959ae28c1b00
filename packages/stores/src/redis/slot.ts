const SLOTS = 16_384
const POLYNOMIAL = 0x1021

/**
 * The slot of a key, which is that of the part in braces
 * (https://valkey.io/topics/cluster-spec#hash-tags).
 */
export function slotOf(key: string): number {
  const [from, to] = [key.indexOf("{"), key.indexOf("}", key.indexOf("{") + 1)]
  const hashed = from >= 0 && to > from + 1 ? key.slice(from + 1, to) : key
  let crc = 0
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) {
      crc = ((crc << 1) ^ (crc & 0x8000 ? POLYNOMIAL : 0)) & 0xffff
    }
  }
  return crc % SLOTS
}
