import { createWriteStream } from "node:fs"
import { once } from "node:events"
import { finished } from "node:stream/promises"

const DOMAINS = [
  "gmail.com",
  "yahoo.com",
  "hotmail.com",
  "outlook.com",
  "web.de",
  "mail.ru",
  "icloud.com",
  "gmx.net",
  "orange.fr",
  "proton.me",
]
/** Beside the large providers, lists hold some thousands of smaller domains. */
const SMALL_DOMAINS = 20_000
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
const LINES_AT_ONCE = 20_000

/**
 * Writes a list of made-up addresses and passwords, the same for the same seed. Returns its size in
 * bytes.
 */
export async function writeRows(path: string, rows: number, seed: number): Promise<number> {
  const random = xorshift(seed)
  const word = (length: number): string => {
    let text = ""
    for (let i = 0; i < length; i++) text += LETTERS[Math.floor(random() * LETTERS.length)] ?? ""
    return text
  }
  const stream = createWriteStream(path)
  let bytes = 0
  let lines: string[] = []
  const flush = async (): Promise<void> => {
    const text = lines.join("")
    bytes += text.length
    lines = []
    if (!stream.write(text)) await once(stream, "drain")
  }
  for (let row = 0; row < rows; row++) {
    const domain =
      random() < 0.9
        ? DOMAINS[Math.floor(random() * DOMAINS.length)]
        : `host-${Math.floor(random() * SMALL_DOMAINS)}.example`
    const local = word(8 + Math.floor(random() * 8))
    lines.push(`${local}@${domain ?? ""}:${word(6 + Math.floor(random() * 8))}\n`)
    if (lines.length === LINES_AT_ONCE) await flush()
  }
  await flush()
  stream.end()
  await finished(stream)
  return bytes
}

/** The addresses of the first rows of such a file, in another order than they stand in. */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const random = xorshift(seed)
  const copy = [...values]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j] as T, copy[i] as T]
  }
  return copy
}

function xorshift(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
