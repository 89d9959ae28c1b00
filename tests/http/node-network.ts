import { join } from "node:path"
import { after } from "node:test"
import { pathToFileURL } from "node:url"
import {
  startSwallowingProxy,
  type SwallowingProxy,
} from "../../packages/stores/testing/swallowing-proxy.ts"

/** What stands between one node and the engines. */
export interface NodeNetwork {
  readonly postgres: SwallowingProxy
  readonly cluster: readonly SwallowingProxy[]
  /** What the node is started with, so that it goes through this. */
  readonly env: Readonly<Record<string, string>>
  readonly nodeFlags: readonly string[]
}

/** The network of a node to the engines that these URLs name. */
export async function networkTo(postgresUrl: string, clusterUrls: string): Promise<NodeNetwork> {
  const through: Record<string, number> = {}
  const proxyTo = async (url: string): Promise<SwallowingProxy> => {
    const { port } = new URL(url)
    const proxy = await startSwallowingProxy(Number(port))
    after(() => proxy.stop())
    through[port] = proxy.port
    return proxy
  }
  const postgres = await proxyTo(postgresUrl)
  const cluster = await Promise.all(clusterUrls.split(",").map(proxyTo))
  const preload = pathToFileURL(join(import.meta.dirname, "through-proxies.ts")).href
  return {
    postgres,
    cluster,
    env: { THROUGH_PROXIES: JSON.stringify(through) },
    nodeFlags: ["--import", preload],
  }
}
