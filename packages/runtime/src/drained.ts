import type { Writable } from "node:stream"

/**
 * Writes and waits until there is room for more. Rejects where the stream fails or is closed, now
 * or earlier.
 */
export async function writeDrained(stream: Writable, data: string | Uint8Array): Promise<void> {
  if (stream.errored !== null) throw stream.errored
  if (stream.destroyed || stream.writableEnded) throw closed()
  if (stream.write(data)) return
  await new Promise<void>((resolve, reject) => {
    const settle = (error: Error | null): void => {
      stream.off("drain", drain).off("error", settle).off("close", close)
      if (error === null) resolve()
      else reject(error)
    }
    const drain = (): void => settle(null)
    // A stream that is destroyed without an error never drains.
    const close = (): void => settle(stream.errored ?? closed())
    stream.on("drain", drain).on("error", settle).on("close", close)
  })
}

function closed(): Error {
  return Object.assign(new Error("The stream is closed"), { code: "ERR_STREAM_DESTROYED" })
}
