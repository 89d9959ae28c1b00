// What the framework alone costs: the service's schemas and limits around handlers that do nothing.
import {
  EmailRiskRequest,
  EmailRiskResult,
  PhoneRiskRequest,
  PhoneRiskResult,
} from "@assay/core/contract"
import cluster from "node:cluster"
import { fastify, type FastifyInstance } from "fastify"
import type { AddressInfo } from "node:net"
import { constantAnswers, WORKERS } from "./constant-answers.ts"

const workers = Number(process.env[WORKERS])
if (cluster.isPrimary && workers > 1) share()
else await serve()

/** Answers from several processes on one port, as the service does. */
function share(): void {
  let listening = 0
  cluster.on("listening", (_, { port }) => {
    if (++listening === workers) announce(port)
  })
  for (let n = 0; n < workers; n++) cluster.fork()
  // Workers end when their primary does.
  process.on("SIGTERM", () => process.exit(0))
}

async function serve(): Promise<void> {
  const app = bareApp()
  await app.listen({ port: 0, host: "127.0.0.1" })
  if (cluster.isWorker) return
  announce((app.server.address() as AddressInfo).port)
  process.on("SIGTERM", () => void app.close())
}

function announce(port: number): void {
  console.log(`listening on ${port}`)
}

function bareApp(): FastifyInstance {
  const answers = constantAnswers(process.env)
  // The options of the service's own server, so that the difference is what its routes and hooks
  // do.
  const app = fastify({
    logger: false,
    bodyLimit: 16 * 1024,
    requestTimeout: 10_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: true,
    return503OnClosing: false,
    http: { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, connectionsCheckingInterval: 500 },
    routerOptions: { maxParamLength: 200 },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
      },
    },
  })

  app.post(
    "/api/v1/risk/score",
    { schema: { body: EmailRiskRequest, response: { 200: EmailRiskResult } } },
    async () => answers.email,
  )
  app.post(
    "/api/v1/phone-risk",
    { schema: { body: PhoneRiskRequest, response: { 200: PhoneRiskResult } } },
    async () => answers.phone,
  )

  return app
}
