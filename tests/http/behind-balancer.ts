import { mkdtemp } from "node:fs/promises"
import { cpSync, existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import { type Balancer, startBalancer } from "./balancer.ts"
import { aboutOneNode } from "./about-one-node.ts"
import { requestTo } from "./request-to.ts"
import type { Service, ServiceOptions } from "./service.ts"
import { storesOf, testNodes } from "./shared-stores.ts"
import { summedMetrics } from "./summed-metrics.ts"
import { removeWithTombstones } from "./temporary.ts"

type StartNode = (options: ServiceOptions) => Promise<Service>

/**
 * Starts equal nodes and a balancer before them, which a test then takes for the service. The first
 * node has the data directory that was asked for and, where there is one, the drop.
 */
export async function behindBalancer(
  startNode: StartNode,
  options: ServiceOptions,
): Promise<Service> {
  const reason = aboutOneNode(process.argv[1] ?? "")
  if (reason !== null) throw new Error(`This file is about one node: ${reason}`)
  const isTemporary = options.dataDirectory === undefined
  const dataDirectory = options.dataDirectory ?? (await mkdtemp(join(tmpdir(), "assay-http-")))
  const directoryOf = (number: number): string =>
    number === 0 ? dataDirectory : `${dataDirectory}-node-${number}`
  const stores = await storesOf(dataDirectory)
  const { PORT: wanted = "0", ...given } = options.env ?? {}
  const port = wanted === "0" ? await freePort() : Number(wanted)
  const inProduction = given["NODE_ENV"] === "production"
  const env = {
    // People reach it by the balancer. In production they say where that is.
    ...(!inProduction && { CONSOLE_ORIGIN: `http://localhost:${port}` }),
    ...stores,
    ...given,
  }
  const started: Service[] = []
  // What whoever runs several nodes keeps alike on all of them.
  for (const files of ["models", "lists"])
    for (let number = 1; number < testNodes; number++)
      if (existsSync(join(dataDirectory, files)))
        cpSync(join(dataDirectory, files), join(directoryOf(number), files), { recursive: true })
  const startNumber = async (number: number): Promise<void> => {
    const secret = join(dataDirectory, "secret")
    const isOwn = number === 0 || "ASSAY_SECRET_FILE" in env || !existsSync(secret)
    started[number] = await startNode({
      ...options,
      dataDirectory: directoryOf(number),
      env: {
        ...env,
        ...(!isOwn && { ASSAY_SECRET_FILE: secret }),
        ASSAY_NODE_PORT: String(await freePort()),
      },
      drop: number === 0 && options.drop === true,
    })
  }
  const removeDirectories = (): void => {
    if (isTemporary)
      for (let number = 0; number < testNodes; number++) removeWithTombstones(directoryOf(number))
  }
  let balancer: Balancer | undefined
  const end = async (): Promise<void> => {
    await Promise.all(started.map((node) => node.kill()))
    await balancer?.stop()
    balancer = undefined
  }
  try {
    // The first one makes the secret, the tables and the index; the last one prints the link that
    // the first person joins by, which takes the place of those before it.
    for (let number = 0; number < testNodes; number++) await startNumber(number)
    balancer = await startBalancer(
      port,
      started.map((node) => node.port),
    )
  } catch (error) {
    await end()
    removeDirectories()
    throw error
  }
  const [first] = started as [Service]
  const said = (of: "stdout" | "stderr"): string => started.map((node) => node[of]()).join("")
  const baseUrl = `http://127.0.0.1:${port}`
  const stop = async (): Promise<number> => {
    const codes = await Promise.all(started.map((node) => node.stop()))
    await end()
    removeDirectories()
    return Math.max(...codes)
  }
  return {
    baseUrl,
    port,
    dropUrl: first.dropUrl,
    key: first.key,
    dataDirectory,
    pid: first.pid,
    stdout: () => said("stdout"),
    stderr: () => said("stderr"),
    stop,
    kill: end,
    async request(path, init) {
      if (path !== "/metrics") return await requestTo(baseUrl, first.key, path, init)
      const answers = await Promise.all(started.map((node) => node.request(path, init)))
      const refused = answers.find(({ ok }) => !ok)
      if (refused !== undefined) return refused
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      return new Response(summedMetrics(texts), { headers: answers[0]?.headers ?? {} })
    },
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}
