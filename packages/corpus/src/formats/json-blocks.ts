import { InputError } from "../inputs/input-error.ts"
import { JsonElements, NotJson } from "./json-elements.ts"

/**
 * Blocks of lines, each an element of the document. Throws InputError for one that is damaged or
 * cut off.
 */
export async function* jsonBlocks(
  name: string,
  bytes: AsyncIterable<Buffer>,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const elements = new JsonElements(blockBytes)
  try {
    for await (const piece of bytes) {
      const block = elements.push(piece)
      if (block !== null) yield block
    }
    const rest = elements.take()
    if (rest !== null) yield rest
    elements.end()
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    throw new InputError(`${name} is damaged JSON: ${error.message}`)
  }
}
