import { type AddressInfo, createServer } from "node:net"

/** A port of this machine that nothing listens on. */
export function freePort(): Promise<number> {
  return listenable(0)
}

/**
 * One that no outgoing connection takes either (ip_local_port_range begins at 32,768), so that who
 * had it can be killed and started again on it.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const found = await listenable(port).catch(() => null)
    if (found !== null) return found
  }
}

async function listenable(wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer().once("error", reject)
  probe.listen(wanted, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo
    probe.close(() => resolve(port))
  })
  return promise
}
