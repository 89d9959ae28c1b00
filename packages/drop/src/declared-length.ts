const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const TAB = 0x09
const [ZERO, NINE] = [0x30, 0x39]
const LETTER_CASE = 0x20
const NAME = Buffer.from("content-length:")

/**
 * The length that a request declares for its body; null unless it is one plain number. Read byte by
 * byte: a string of a head would stay in the memory of this process.
 */
export function declaredLength(head: Buffer): number | null {
  for (let at = head.indexOf(LF); at >= 0; at = head.indexOf(LF, at + 1)) {
    if (isName(head, at + 1)) return numberAt(head, at + 1 + NAME.length)
    if (head[at + 1] === LF || head[at + 1] === CR) return null
  }
  return null
}

const HEAD_END = Buffer.from("\r\n\r\n")

/** Whether the body arrived with the head, in the length the head declares. */
export function isWhole(request: Buffer): boolean {
  const end = request.indexOf(HEAD_END)
  const length = declaredLength(request)
  return end >= 0 && length !== null && request.length - end - HEAD_END.length >= length
}

function isName(head: Buffer, at: number): boolean {
  return NAME.every((byte, n) => ((head[at + n] ?? 0) | LETTER_CASE) === (byte | LETTER_CASE))
}

function numberAt(head: Buffer, start: number): number | null {
  let at = start
  while (head[at] === SPACE || head[at] === TAB) at++
  let [value, digits] = [0, 0]
  for (let byte = head[at] ?? 0; byte >= ZERO && byte <= NINE; byte = head[++at] ?? 0) {
    value = value * 10 + (byte - ZERO)
    digits++
  }
  const isWhole = head[at] === CR || head[at] === LF
  return digits > 0 && digits <= 15 && isWhole ? value : null
}
