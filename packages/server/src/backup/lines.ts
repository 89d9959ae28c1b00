import { createReadStream, createWriteStream } from "node:fs"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { finished } from "node:stream/promises"

/** Writes values as lines of JSON into a new file that is on the disk when `end` resolves. */
export function jsonLines(path: string): {
  put(value: unknown): Promise<void>
  end(): Promise<void>
} {
  const stream = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true })
  // Whoever puts or ends hears of it; between two calls nobody listens.
  stream.on("error", () => undefined)
  return {
    async put(value) {
      if (stream.errored !== null) throw stream.errored
      if (!stream.write(`${JSON.stringify(value)}\n`)) await once(stream, "drain")
    },
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
