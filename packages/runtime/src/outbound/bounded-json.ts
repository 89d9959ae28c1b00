/** A body that is too long or no JSON. Its message quotes nothing of the body. */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody"
}

/**
 * Reads a body of JSON, and gives up on it at the first byte past `bytesMax`, counted after
 * decompression.
 */
export async function boundedJson(response: Response, bytesMax: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new UnreadableBody("the body is too long")
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    // The parser's own message quotes the text, and that may name a person.
    throw new UnreadableBody("the body is not JSON")
  }
}
