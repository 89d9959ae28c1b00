import { type Agent, request } from "node:http"

export interface Asked {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly agent: Agent | false
  readonly over: AbortSignal
}

/** One request; its status, or 0 where no answer came. */
export async function ask({ port, path, headers, body, agent, over }: Asked): Promise<number> {
  return await new Promise((resolve) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      path,
      method: body === undefined ? "GET" : "POST",
      agent,
      signal: over,
      timeout: 30_000,
      headers: { ...headers },
    })
    sent.once("timeout", () => sent.destroy())
    sent.once("error", () => resolve(0))
    sent.once("response", (response) => {
      response.on("error", () => undefined)
      response.resume().once("close", () => resolve(response.statusCode ?? 0))
    })
    sent.end(body)
  })
}
