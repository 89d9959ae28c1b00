import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import type { CarrierSettings } from "../../../../src/score/providers/camara/camara-settings.ts"

/** What the carrier does with a request. */
export type Reply = (response: ServerResponse) => void

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface TestCarrier {
  readonly settings: CarrierSettings
  readonly publicKey: KeyObject
  /** Everything that arrived at the token endpoint, and at the APIs. */
  readonly tokenRequests: readonly Received[]
  readonly asked: readonly Received[]
  /** What the next requests get, in turn; after that the last of them again. */
  answer(...replies: Reply[]): void
  answerTokens(...replies: Reply[]): void
}

const opened = new Set<Server>()
const folders: string[] = []
after(() => {
  for (const server of opened) {
    server.close()
    server.closeAllConnections()
  }
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** A carrier on loopback that gives the answers the test sets, whatever it is asked. */
export async function openTestCarrier(
  overrides: Partial<CarrierSettings> = {},
): Promise<TestCarrier> {
  const folder = mkdtempSync(join(tmpdir(), "assay-carrier-"))
  folders.push(folder)
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const keyFile = join(folder, "key.pem")
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })

  const tokenRequests: Received[] = []
  const asked: Received[] = []
  let replies: readonly Reply[] = [failing(500)]
  let tokenReplies: readonly Reply[] = [token("token-1")]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const { url: path = "", headers } = request
      const received = { path, headers, body: Buffer.concat(chunks).toString("utf8") }
      if (path === "/token") {
        const reply = tokenReplies[Math.min(tokenRequests.length, tokenReplies.length - 1)]
        tokenRequests.push(received)
        reply?.(response)
      } else {
        const [reply] = replies
        if (replies.length > 1) replies = replies.slice(1)
        asked.push(received)
        reply?.(response)
      }
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  opened.add(server)
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    settings: {
      name: "one",
      ranges: ["+61491570"],
      base_url: base,
      token_url: `${base}token`,
      client_id: "client-7",
      private_key_file: keyFile,
      key_id: "key-1",
      purpose: "dpv:FraudPreventionAndDetection",
      apis: {
        sim_swap: { price: 0.02, answers: "date" },
        device_swap: { price: 0.02, answers: "check" },
        number_recycling: { price: 0.01 },
        call_forwarding: { price: 0.01 },
        reachability: { price: 0.01 },
        roaming: { price: 0.01 },
        tenure: { price: 0.03 },
        subscription_status: { price: 0.01 },
      },
      ...overrides,
    },
    publicKey,
    tokenRequests,
    asked,
    answer: (...next) => void (replies = next),
    answerTokens: (...next) => void (tokenReplies = next),
  }
}

export function saying(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
}

export function documented(document: unknown): Reply {
  return saying(200, JSON.stringify(document))
}

/** A refusal as CAMARA words it. Its message holds what no log may hold. */
export function refusing(status: number, code: string, message = "no"): Reply {
  return saying(status, JSON.stringify({ status, code, message }))
}

export function failing(status: number): Reply {
  return saying(status, "<html>", { "content-type": "text/html" })
}

export function token(accessToken: string, expiresIn?: number): Reply {
  return documented({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: expiresIn ?? 600,
  })
}

/** The connection ends without an answer. */
export const breaking: Reply = (response) => void response.destroy()

/** The connection ends within the answer. */
export const truncating: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "40" })
  response.write('{"latestSimChange":', () => response.destroy())
}

/** Never answers. */
export const silent: Reply = () => undefined
