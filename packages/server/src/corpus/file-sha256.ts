import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"

/** SHA-256 of a file, in hexadecimal digits. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(piece as Buffer)
  }
  return hash.digest("hex")
}
