import { latin1, uint } from "./bytes.ts"
import { inflate } from "./inflate.ts"

export interface ZipMember {
  readonly name: string
  /**
   * The first bytes of its content; null where they are encrypted, of another method or not well
   * formed.
   */
  readonly content: (max?: number) => Uint8Array | null
}

/** Of one member: texts about a document are shorter. */
const CONTENT_MAX = 65_536
const MEMBERS_MAX = 4096
const END_BYTES = 22

/**
 * The members by the directory at the end of an archive (APPNOTE 4.3.16). Null if there is none, or
 * if it names more members than can be read here: an unread member must not pass for an examined
 * one.
 */
export function zipMembers(bytes: Uint8Array): ZipMember[] | null {
  const start = Math.max(0, bytes.length - END_BYTES - 65_535)
  const end = start + latin1(bytes, start).lastIndexOf("PK\x05\x06")
  if (end < start) return null
  const members: ZipMember[] = []
  let at = uint(bytes, end + 16, 4, true)
  for (let n = 0; n < MEMBERS_MAX && latin1(bytes, at, at + 4) === "PK\x01\x02"; n++) {
    const number = (place: number, size: number): number => uint(bytes, at + place, size, true)
    const [encrypted, method, size] = [number(8, 2) & 1, number(10, 2), number(20, 4)]
    const nameLength = number(28, 2)
    const local = number(42, 4)
    members.push({
      name: latin1(bytes, at + 46, Math.min(at + 46 + nameLength, bytes.length)),
      content(max = CONTENT_MAX) {
        const from =
          local + 30 + uint(bytes, local + 26, 2, true) + uint(bytes, local + 28, 2, true)
        const packed = bytes.subarray(from, from + size)
        if (encrypted || !(from + size <= bytes.length)) return null
        if (method === 8) return inflate(packed, max)
        return method === 0 ? packed.subarray(0, max) : null
      },
    })
    at += 46 + nameLength + number(30, 2) + number(32, 2)
  }
  return members.length === uint(bytes, end + 10, 2, true) ? members : null
}
