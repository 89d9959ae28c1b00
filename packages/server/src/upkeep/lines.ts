import { createReadStream, createWriteStream } from "node:fs"
import { createInterface } from "node:readline"
import { finished } from "node:stream/promises"
import { writeDrained } from "@assay/runtime/drained"

/** Writes values as lines of JSON into a new file that is on the disk when `end` resolves. */
export function jsonLines(path: string): {
  put(value: unknown): Promise<void>
  end(): Promise<void>
} {
  const stream = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true })
  // `put` and `end` report the error; this listener keeps one between two calls from being
  // uncaught.
  stream.on("error", () => undefined)
  return {
    put: (value) => writeDrained(stream, `${JSON.stringify(value)}\n`),
    async end() {
      stream.end()
      await finished(stream)
    },
  }
}

export async function* readJsonLines<T>(path: string): AsyncGenerator<T> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  for await (const line of lines) yield JSON.parse(line) as T
}
