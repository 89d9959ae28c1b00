/**
 * Reads a body of JSON, and gives up on it at the first byte past `bytesMax`, counted after
 * decompression. undefined: it is too long or no JSON. The parser's message is not passed on: it
 * quotes the text, and that may name a person.
 */
export async function boundedJson(response: Response, bytesMax: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? []
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    return undefined
  }
}
