import { randomBytes } from "node:crypto"

export interface FormUpload {
  readonly head: Buffer
  /** Parts of the body in order; the last closes it. */
  readonly parts: readonly Buffer[]
}

/** A POST of the drop's form with one file, as bytes for a connection. */
export function formUpload(fileBytes: number, message: string): FormUpload {
  const boundary = `b-${randomBytes(8).toString("hex")}`
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const parts = [
    Buffer.from(field("message", message) + field("mode", "one-way")),
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\n` +
        "Content-Type: application/octet-stream\r\n\r\n",
    ),
    randomBytes(fileBytes),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const head = Buffer.from(
    "POST /drop/form HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n`,
  )
  return { head, parts }
}
