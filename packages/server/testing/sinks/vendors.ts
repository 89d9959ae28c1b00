import assert from "node:assert/strict"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as delay } from "node:timers/promises"

// Receivers that take nothing but what their vendors document, and answer as they do.

export interface Vendor<Taken> {
  readonly url: string
  /** What it has, in the order in which it came. */
  readonly taken: Taken[]
  /** What was wrong with requests; a test looks that there is nothing. */
  readonly faults: string[]
  /** Set by a test: what comes instead of an answer. */
  trouble: (n: number) => Trouble | null
  close(): Promise<void>
}

export type Trouble = { readonly status: number; readonly retryAfter?: string } | "lost" | "hang"

interface Answer {
  readonly status: number
  readonly body?: unknown
}

type Take<Taken> = (request: IncomingMessage, body: string, taken: Taken[]) => Answer

async function startVendor<Taken>(take: Take<Taken>): Promise<Vendor<Taken>> {
  const [taken, faults]: [Taken[], string[]] = [[], []]
  let calls = 0
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const trouble = vendor.trouble(calls++)
      if (trouble === "hang") return
      if (trouble !== null && trouble !== "lost") {
        const { status, retryAfter } = trouble
        response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter })
        return void response.end()
      }
      try {
        const { status, body: answer } = take(request, body, taken)
        // It took the batch, and nobody hears of it.
        if (trouble === "lost") return void request.socket.destroy()
        response.writeHead(status, { "content-type": "application/json" })
        response.end(answer === undefined ? "" : JSON.stringify(answer))
      } catch (error) {
        faults.push((error as Error).message)
        response.writeHead(400).end("{}")
      }
    })
  })
  server.unref()
  server.listen(0, "127.0.0.1")
  while (!server.listening) await delay(1)
  const { port } = server.address() as AddressInfo
  const vendor: Vendor<Taken> = {
    ...{ url: `http://127.0.0.1:${port}/`, taken, faults, trouble: () => null },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return vendor
}

export interface SplunkEvent {
  readonly event: { readonly id: string; readonly type: string }
}

/**
 * Splunk's HTTP Event Collector: "Format events for HTTP Event Collector" and "Indexer
 * acknowledgment".
 */
export async function startSplunk(
  token: string,
  acknowledged = false,
): Promise<Vendor<SplunkEvent>> {
  const members = ["time", "host", "source", "sourcetype", "index", "event", "fields"]
  const unasked = new Map<number, number>()
  let acks = 0
  return await startVendor<SplunkEvent>((request, body, taken) => {
    assert.equal(request.method, "POST")
    const { authorization, "x-splunk-request-channel": channel } = request.headers
    if (authorization !== `Splunk ${token}`)
      return { status: 403, body: { text: "Invalid token", code: 4 } }
    const [path, query] = (request.url ?? "").split("?")
    if (acknowledged) assert.match(String(channel), /^[0-9a-f-]{36}$/)
    if (path === "/services/collector/ack") {
      assert.equal(query, `channel=${String(channel)}`)
      const { acks: asked } = JSON.parse(body) as { acks: number[] }
      // Indexers take a moment: the first time one is asked for, it is not there yet.
      const states = asked.map((ack) => {
        const times = unasked.get(ack) ?? assert.fail("an acknowledgement of nothing")
        unasked.set(ack, times + 1)
        return [String(ack), times > 0]
      })
      return { status: 200, body: { acks: Object.fromEntries(states) as object } }
    }
    assert.equal(path, "/services/collector/event")
    for (const each of concatenated(body)) {
      const event = each as SplunkEvent & Record<string, unknown>
      for (const member of Object.keys(event)) assert.ok(members.includes(member), member)
      assert.equal(typeof event["time"], "number")
      for (const name of ["host", "source", "sourcetype"])
        assert.equal(typeof event[name], "string", name)
      assert.ok(event.event)
      taken.push(event)
    }
    const ackId = acks++
    unasked.set(ackId, 0)
    const success = { text: "Success", code: 0 }
    return { status: 200, body: acknowledged ? { ...success, ackId } : success }
  })
}

/** Objects one after the other, with or without space between them. */
function concatenated(body: string): unknown[] {
  const found: unknown[] = []
  let [depth, from, inText] = [0, 0, false]
  for (let at = 0; at < body.length; at++) {
    const sign = body[at]
    if (inText) {
      if (sign === "\\") at++
      else if (sign === '"') inText = false
    } else if (sign === '"') inText = true
    else if (sign === "{") depth++
    else if (sign === "}" && --depth === 0) {
      found.push(JSON.parse(body.slice(from, at + 1)))
      from = at + 1
    } else if (depth === 0) assert.match(sign ?? "", /\s/, "something between objects")
  }
  assert.equal(body.slice(from).trim(), "", "something behind the last object")
  assert.ok(found.length > 0, "no data")
  return found
}

export interface EcsDocument {
  readonly _id: string
  readonly document: Readonly<Record<string, unknown>>
}

/** The bulk API of Elasticsearch, for one data stream: only `create` is taken, and an id once. */
export async function startElastic(
  key: string,
  stream: string,
  statusOf: (id: string) => number = () => 201,
): Promise<Vendor<EcsDocument>> {
  return await startVendor<EcsDocument>((request, body, taken) => {
    const [path, query = ""] = (request.url ?? "").split("?")
    assert.equal(`${request.method} ${path}`, `POST /${stream}/_bulk`)
    assert.equal(request.headers["content-type"], "application/x-ndjson")
    if (request.headers.authorization !== `ApiKey ${key}`) return { status: 401, body: {} }
    assert.ok(body.endsWith("\n"), "the last line has no end")
    const lines = body.slice(0, -1).split("\n")
    assert.equal(lines.length % 2, 0)
    const items: { create: { status: number } }[] = []
    for (let at = 0; at < lines.length; at += 2) {
      const action = JSON.parse(lines[at] ?? "") as { create: { _id: string } }
      assert.deepEqual(Object.keys(action), ["create"])
      const { _id } = action.create
      const document = JSON.parse(lines[at + 1] ?? "") as EcsDocument["document"]
      assert.equal(typeof document["@timestamp"], "string")
      const known = taken.some((each) => each._id === _id)
      const status = known ? 409 : statusOf(_id)
      if (status === 201) taken.push({ _id, document })
      items.push({ create: { status } })
    }
    const errors = items.some(({ create }) => create.status !== 201)
    assert.equal(query, "filter_path=errors,items.create.status")
    return { status: 200, body: { errors, items } }
  })
}

export interface SentinelRow {
  readonly EventId: string
  readonly [column: string]: unknown
}

export interface SentinelColumn {
  readonly name: string
  readonly type: string
}

const OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  datetime: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  string: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value),
  dynamic: (value) => typeof value === "object",
}

/** Entra's token endpoint and the Logs Ingestion API, for a table of these columns. */
export async function startSentinel(
  app: { directory: string; client: string; secret: string; rule: string; stream: string },
  columns: readonly SentinelColumn[],
): Promise<Vendor<SentinelRow> & { readonly tokens: string[] }> {
  const tokens: string[] = []
  const vendor = await startVendor<SentinelRow>((request, body, taken) => {
    assert.equal(request.method, "POST")
    if (request.url === `/${app.directory}/oauth2/v2.0/token`) {
      const form = Object.fromEntries(new URLSearchParams(body))
      assert.deepEqual(form, {
        grant_type: "client_credentials",
        client_id: app.client,
        client_secret: app.secret,
        scope: "https://monitor.azure.com/.default",
      })
      tokens.push(`token-${tokens.length}`)
      const access_token = tokens.at(-1)
      return { status: 200, body: { token_type: "Bearer", expires_in: 3599, access_token } }
    }
    const path = `/dataCollectionRules/${app.rule}/streams/${app.stream}`
    assert.equal(request.url, `${path}?api-version=2023-01-01`)
    if (request.headers.authorization !== `Bearer ${tokens.at(-1)}`) return { status: 401 }
    assert.equal(request.headers["content-type"], "application/json")
    assert.ok(Buffer.byteLength(body) <= 1_048_576, "more than a megabyte")
    for (const row of JSON.parse(body) as SentinelRow[]) {
      for (const [name, value] of Object.entries(row)) {
        const column = columns.find((each) => each.name === name) ?? assert.fail(name)
        assert.ok(value === null || OF_TYPE[column.type]?.(value), `${name} is no ${column.type}`)
      }
      taken.push(row)
    }
    return { status: 204 }
  })
  return Object.assign(vendor, { tokens })
}

/** Anybody who takes JSON arrays. */
export async function startArrays(authorization: string): Promise<Vendor<Record<string, unknown>>> {
  return await startVendor<Record<string, unknown>>((request, body, taken) => {
    if (request.headers.authorization !== authorization) return { status: 401 }
    taken.push(...(JSON.parse(body) as Record<string, unknown>[]))
    return { status: 202 }
  })
}
