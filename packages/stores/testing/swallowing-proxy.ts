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
  /**
   * Keeps back what is answered on the connection on which `asked` is sent next. Resolves once it
   * was sent, to what lets the answers pass.
   */
  holdAnswerTo(asked: string): Promise<() => void>
  stop(): Promise<void>
}

interface Pair {
  readonly caller: Socket
  readonly called: Socket
  deaf: boolean
  /** Answers that are kept back; null: they pass. */
  held: Buffer[] | null
}

export async function startSwallowingProxy(to: number): Promise<SwallowingProxy> {
  let swallows = false
  const open = new Set<Pair>()
  let waiting: { readonly asked: Buffer; sentOn(pair: Pair): void } | null = null

  const server = createServer((caller) => {
    const pair: Pair = { caller, called: connect(to, "127.0.0.1"), deaf: swallows, held: null }
    const { called } = pair
    open.add(pair)
    caller.on("data", (bytes: Buffer) => {
      if (pair.deaf) return
      if (waiting !== null && bytes.includes(waiting.asked)) {
        pair.held = []
        waiting.sentOn(pair)
        waiting = null
      }
      called.write(bytes)
    })
    called.on("data", (bytes: Buffer) => {
      if (pair.deaf) return
      if (pair.held === null) caller.write(bytes)
      else pair.held.push(bytes)
    })
    for (const [end, other] of [
      [caller, called],
      [called, caller],
    ] as const) {
      end.setNoDelay(true)
      end.on("error", () => undefined)
      // The end of a connection is lost like everything else.
      end.on("close", () => {
        if (!pair.deaf) other.destroy()
        if (caller.destroyed && called.destroyed) open.delete(pair)
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
    async holdAnswerTo(asked) {
      const { promise, resolve } = Promise.withResolvers<Pair>()
      waiting = { asked: Buffer.from(asked), sentOn: resolve }
      const pair = await promise
      return () => {
        for (const bytes of pair.held ?? []) pair.caller.write(bytes)
        pair.held = null
      }
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const { caller, called } of open) for (const each of [caller, called]) each.destroy()
      await closed
    },
  }
}
