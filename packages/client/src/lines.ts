import { AssayUnavailable } from "./errors.ts"

/** The lines of a response as they arrive, blank ones left out. */
export async function* linesOf({ body, status }: Response): AsyncGenerator<string> {
  if (body === null) return
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line !== "") yield line
      if (done) break
    }
  } catch (cause) {
    throw new AssayUnavailable("network", "The response broke off", { status, cause })
  } finally {
    reader.releaseLock()
  }
  if (rest !== "") yield rest
}
