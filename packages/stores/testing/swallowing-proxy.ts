import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** Stands between a program and a server on this machine, as a network that may fail would. */
export interface SwallowingProxy {
  readonly port: number
  /**
   * From now on nothing passes, in either direction, and nobody is told: no connection ends. Those
   * that are open stay deaf for good; new ones are accepted and are deaf, too.
   */
  swallow(): void
  /** New connections pass again. */
  heal(): void
  stop(): Promise<void>
}

export async function startSwallowingProxy(to: number): Promise<SwallowingProxy> {
  let swallows = false
  const open = new Set<{ deaf: boolean; readonly ends: readonly Socket[] }>()
  const server = createServer((caller) => {
    const called = connect(to, "127.0.0.1")
    const pair = { deaf: swallows, ends: [caller, called] }
    open.add(pair)
    for (const [from, other] of [
      [caller, called],
      [called, caller],
    ] as const) {
      from.setNoDelay(true)
      from.on("data", (bytes) => {
        if (!pair.deaf) other.write(bytes)
      })
      from.on("error", () => undefined)
      // The end of a connection is lost like everything else.
      from.on("close", () => {
        if (!pair.deaf) other.destroy()
        if (pair.ends.every(({ destroyed }) => destroyed)) open.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    swallow() {
      swallows = true
      for (const pair of open) pair.deaf = true
    },
    heal() {
      swallows = false
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const { ends } of open) for (const each of ends) each.destroy()
      await closed
    },
  }
}
