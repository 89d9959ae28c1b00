import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"

/**
 * SHA-256 of a file, in hexadecimal digits. `onBytes` gets the number of bytes in each piece read.
 */
export async function fileSha256(
  path: string,
  onBytes: (more: number) => void = () => undefined,
): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(piece as Buffer)
    onBytes((piece as Buffer).length)
  }
  return hash.digest("hex")
}
