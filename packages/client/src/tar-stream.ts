import { AssayUnavailable } from "./errors.ts"
import { notAssays } from "./response.ts"

/** A member of an archive that arrives. */
export interface ArrivedMember {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const BLOCK = 512
/**
 * The largest sealed message is a little over 32 MiB; more than this would be no answer of the
 * service.
 */
const MEMBER_MAX = 40 * 1024 * 1024

/**
 * The members of a ustar archive, one at a time, as its bytes arrive. Ends only at the archive's
 * own end mark.
 */
export async function* membersOf(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArrivedMember, void, undefined> {
  const source = pieces[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  const take = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const taken = new Uint8Array(length)
    for (let at = 0; at < length;) {
      if (rest.length === 0) {
        const next = await source.next()
        if (next.done === true) throw new AssayUnavailable("network", "The response broke off")
        rest = next.value
      }
      const part = rest.subarray(0, length - at)
      taken.set(part, at)
      at += part.length
      rest = rest.subarray(part.length)
    }
    return taken
  }
  try {
    for (;;) {
      const header = await take(BLOCK)
      if (header.every((byte) => byte === 0)) return
      const { name, size } = headerOf(header)
      const bytes = (await take(Math.ceil(size / BLOCK) * BLOCK)).subarray(0, size)
      yield { name, bytes }
    }
  } finally {
    await source.return?.()
  }
}

function headerOf(header: Uint8Array): { name: string; size: number } {
  const text = (at: number, length: number): string =>
    (String.fromCharCode(...header.subarray(at, at + length)).split("\0", 1)[0] ?? "").trim()
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  const size = Number.parseInt(text(124, 12), 8)
  const regular = text(257, 6) === "ustar" && (header[156] === 0x30 || header[156] === 0)
  if (!regular || Number.parseInt(text(148, 8), 8) !== sum || !(size <= MEMBER_MAX))
    throw notAssays()
  return { name: text(0, 100), size }
}
