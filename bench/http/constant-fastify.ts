// What the framework alone costs: the service's schemas and limits around handlers that do nothing.
import {
  EmailRiskRequest,
  EmailRiskResult,
  PhoneRiskRequest,
  PhoneRiskResult,
} from "@assay/core/contract"
import { fastify } from "fastify"
import type { AddressInfo } from "node:net"
import { constantAnswers } from "./constant-answers.ts"

const answers = constantAnswers(process.env)

// The options of the service's own server, so that the difference is what its routes and hooks do.
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

await app.listen({ port: 0, host: "127.0.0.1" })
process.on("SIGTERM", () => void app.close())
console.log(`listening on ${(app.server.address() as AddressInfo).port}`)
