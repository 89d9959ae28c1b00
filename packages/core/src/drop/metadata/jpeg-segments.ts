import { uint } from "./bytes.ts"

/**
 * Whether a segment that is kept holds what its kind holds and no byte more (ITU-T T.81, B.2): a
 * kept segment with room for something else would be a place to hide it.
 */
export function isExactSegment(marker: number, content: Uint8Array): boolean {
  const { length } = content
  if (marker === 0xdd || marker === 0xdc) return length === 2
  if (marker === 0xda) return length === 4 + 2 * (content[0] ?? 0)
  if (marker === 0xdb) return tablesFill(content, (at) => 65 + 64 * ((content[at] ?? 0) >> 4))
  if (marker === 0xcc) return length % 2 === 0
  if (marker === 0xc4)
    return tablesFill(content, (at) => {
      let size = 17
      for (let n = 1; n <= 16; n++) size += uint(content, at + n, 1)
      return size
    })
  return length === 6 + 3 * (content[5] ?? 0)
}

/** Tables stand one after the other and end where the segment does. */
function tablesFill(content: Uint8Array, sizeAt: (at: number) => number): boolean {
  let at = 0
  while (at < content.length) at += sizeAt(at)
  return at === content.length
}
