/** A page as an answer. Sealers give nothing else. */
export interface Answer {
  readonly status: number
  readonly page: string
  /**
   * The answer's size is rounded up to a multiple of this, so that it does not reveal what is on
   * the page.
   */
  readonly padding: number
}

/** Of every answer that may carry a code, which is every answer but those below. */
export const CODE_PADDING = 64 * 1024
/** Of answers that carry replies: four of the longest, with every character escaped. */
export const REPLIES_PADDING = 1536 * 1024

const OPENING = "<!-- "
const CLOSING = " -->\n"

/** The page in UTF-8, brought to a multiple of `padding` by a comment at its end. */
export function paddedPage(page: string, padding: number): Buffer {
  const length = Buffer.byteLength(page)
  const frame = OPENING.length + CLOSING.length
  const size = Math.ceil((length + frame) / padding) * padding
  return Buffer.from(page + OPENING + " ".repeat(size - length - frame) + CLOSING)
}
