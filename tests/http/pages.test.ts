import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { after, before, test } from "node:test"
import { promisify } from "node:util"
import {
  EVENT_KINDS,
  EVENTS,
  type ProblemCode,
  ProblemDetails,
  problems,
  RIGHTS,
  SERVICE_SCOPES,
  TENANT_SCOPES,
} from "@assay/core/contract"
import { Value } from "typebox/value"
import { ofOneNode } from "./about-one-node.ts"
import { exchange } from "./raw-exchange.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"
import { freePort } from "../../packages/stores/testing/free-port.ts"

const temporary = temporaryDirectory()
let service: Service
before(async () => {
  // Streams of Shared Signals are among what is described.
  service = await startService({ env: { ASSAY_SSF_ORIGIN: "http://localhost" } })
})
after(() => service.stop())

interface Operation {
  operationId?: string
  requestBody?: {
    content: Record<
      string,
      { schema: { $ref: string }; examples?: Record<string, { value: unknown }> }
    >
  }
  responses: Record<
    string,
    {
      description: string
      content?: Record<string, { examples?: Record<string, { value: unknown }> }>
    }
  >
  security?: object[]
  "x-scopes"?: string[]
}
interface Description {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<
      string,
      { examples?: unknown[]; properties?: Record<string, { examples?: unknown[] }> }
    >
  }
}

async function description(): Promise<Description> {
  const response = await service.request("/openapi.json", { key: null })
  assert.equal(response.status, 200)
  return (await response.json()) as Description
}

test("the front page tells a person what this is, where the reference is, and a first call", async () => {
  const response = await service.request("/", { key: null })
  assert.equal(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
  const text = await response.text()
  assert.match(text, /Scores how risky/)
  assert.match(text, /href="\/docs"/)
  assert.ok(text.includes(`<code>${service.baseUrl}</code>`))
  assert.ok(text.includes(`curl -s ${service.baseUrl}/api/v1/risk/score`))
  assert.match(text, /npx assay keys create/)
  // Nothing runs but files of ours, by what the policy allows.
  assert.doesNotMatch(text, /<script(?! type="module" src="\/console\/files\/[\w.-]+")/)
})

test("every problem has a page of its own, and the list has them all", async () => {
  const list = await (await service.request("/problems", { key: null })).text()
  for (const [code, { status, title }] of Object.entries(problems)) {
    assert.ok(list.includes(`/problems/${code}`))
    const page = await service.request(`/problems/${code}`, { key: null })
    assert.equal(page.status, 200)
    const text = await page.text()
    assert.ok(text.includes(title.replaceAll("'", "&#39;")), code)
    assert.ok(text.includes(`HTTP status ${status}`))
  }
  assert.equal((await service.request("/problems/unheard-of", { key: null })).status, 404)
})

test("every kind of event has a page of its own, and the list has them all", async () => {
  const list = await (await service.request("/event-types", { key: null })).text()
  for (const kind of EVENT_KINDS) {
    assert.ok(list.includes(`/event-types/${kind}`))
    const page = await service.request(`/event-types/${kind}`, { key: null })
    assert.equal(page.status, 200)
    const text = await page.text()
    assert.ok(text.includes(EVENTS[kind].summary), kind)
    for (const member of Object.keys(EVENTS[kind].data.properties))
      assert.ok(text.includes(`<code>${member}</code>`), `${kind} ${member}`)
  }
  assert.equal((await service.request("/event-types/unheard.of", { key: null })).status, 404)
})

test("the API description is OpenAPI 3.1 and describes exactly the operations there are", async () => {
  const { openapi, paths } = await description()
  assert.match(openapi, /^3\.1\./)
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  assert.deepEqual(operations.sort(), Object.keys(RIGHTS).sort())
  for (const path of [
    "/api/v1/decisions/{id}",
    "/api/v1/evidence",
    "/api/v1/feedback/{id}",
    "/api/v1/phone-risk",
    "/api/v1/phone-risk/batch",
    "/api/v1/risk/score",
    "/api/v1/risk/score/batch",
    "/api/v1/sources",
    "/api/v1/subjects/erase",
    "/api/v1/usage",
    "/healthz",
    "/readyz",
  ])
    assert.ok(path in paths, path)
  for (const path of ["/api/v1/phone-risk", "/api/v1/risk/score"]) {
    const { post } = paths[path] ?? {}
    assert.deepEqual(post?.security, [{ apiKey: [] }])
    assert.deepEqual(Object.keys(post.responses).sort(), [
      "200",
      "400",
      "401",
      "403",
      "408",
      "413",
      "415",
      "421",
      "422",
      "429",
      "431",
      "500",
      "503",
    ])
    for (const [status, { content }] of Object.entries(post.responses)) {
      assert.deepEqual(Object.keys(content ?? {}), [
        status === "200" ? "application/json" : "application/problem+json",
      ])
    }
  }
})

test("every scope that a key can have opens an operation, and none that it cannot have is asked for", async () => {
  const { paths } = await description()
  const opened = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap((operation) => operation["x-scopes"] ?? []),
  )
  assert.deepEqual(new Set(opened), new Set([...TENANT_SCOPES, ...SERVICE_SCOPES]))
})

test("operations on many identities are described with both media types, of the request and of the answer", async () => {
  const { paths } = await description()
  for (const path of ["/api/v1/phone-risk/batch", "/api/v1/risk/score/batch", "/api/v1/evidence"]) {
    const both = ["application/json", "application/x-ndjson"]
    const { post } = paths[path] ?? {}
    assert.deepEqual(post?.security, [{ apiKey: [] }])
    assert.deepEqual(Object.keys(post.requestBody?.content ?? {}), both)
    assert.deepEqual(Object.keys(post.responses["200"]?.content ?? {}), both)
  }
})

function isForTenants({ security = [] }: Operation): boolean {
  return security.some((scheme) => "apiKey" in scheme)
}

test("notifications are described with the carrier's own token and both media types", async () => {
  const { paths } = await description()
  const { post } = paths["/api/v1/carrier/notifications"] ?? {}
  assert.deepEqual(post?.security, [{ carrierToken: [] }])
  assert.deepEqual(Object.keys(post.requestBody?.content ?? {}), [
    "application/cloudevents+json",
    "application/json",
  ])
  assert.deepEqual(Object.keys(post.responses).sort(), [
    "204",
    "400",
    "401",
    "408",
    "413",
    "415",
    "421",
    "422",
    "429",
    "431",
    "500",
    "503",
  ])
})

test("every failure has an example of each problem it stands for, and of no other", async () => {
  const { paths } = await description()
  let examined = 0
  for (const [path, operations] of Object.entries(paths))
    for (const { responses } of Object.values(operations))
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue
        const named = [...response.description.matchAll(/`([a-z-]+)`: /g)].map(([, code]) => code)
        const { examples = {} } = response.content?.["application/problem+json"] ?? {}
        assert.deepEqual(Object.keys(examples), named, `${path} ${status}`)
        for (const [code, { value }] of Object.entries(examples)) {
          assert.ok(Value.Check(ProblemDetails, value))
          const { title } = problems[code as ProblemCode]
          assert.deepEqual([value.code, value.status, value.title], [code, Number(status), title])
          examined++
        }
      }
  assert.ok(examined > 200)
})

test("the examples in the API description work when sent as they stand", async () => {
  const { paths, components } = await description()
  let sent = 0
  for (const [path, { post }] of Object.entries(paths)) {
    // The example key is a tenant's, and opens nothing that is a carrier's, the drop's recipients'
    // or administrators'.
    if (post?.requestBody === undefined || !isForTenants(post)) continue
    if (/^\/api\/v1\/(drop\/|tenants|corpus|lists)/.test(path)) continue
    // What they do depends on what was there before; their own tests send them.
    if (/^\/api\/v1\/(review|webhooks\/)/.test(path)) continue
    const { $ref } = post.requestBody.content["application/json"]?.schema ?? { $ref: "" }
    const schema = components.schemas[$ref.split("/").at(-1) ?? ""]
    const members = Object.entries(schema?.properties ?? {})
    const body =
      schema?.examples?.[0] ??
      Object.fromEntries(members.map(([name, { examples = [] }]) => [name, examples[0]]))
    const response = await service.request(path, { json: body })
    assert.ok(response.ok, `${path} ${JSON.stringify(body)}`)
    sent++
  }
  assert.equal(sent, 12)
})

test("the API description passes a linter", async () => {
  const file = join(temporary, "openapi.json")
  writeFileSync(file, JSON.stringify(await description()))
  const cli = resolve(import.meta.dirname, "../../node_modules/.bin/redocly")
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    NO_COLOR: "1",
  }
  const { stdout, stderr } = await promisify(execFile)(
    cli,
    ["lint", file, "--extends=recommended", "--skip-rule=operation-4xx-response"],
    { env },
  )
  assert.match(stdout + stderr, /valid/)
})

test("the reference loads nothing from outside", async () => {
  const html = await (await service.request("/docs", { key: null })).text()
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, address]) => address ?? "",
  )
  assert.ok(addresses.length > 3)
  for (const address of addresses) assert.doesNotMatch(address, /^(https?:)?\/\//)
  const policy =
    (await service.request("/docs/static/index.html", { key: null })).headers.get(
      "content-security-policy",
    ) ?? ""
  assert.match(policy, /default-src 'none'; script-src 'self'; /)
})

const climbs = ofOneNode("a balancer refuses such a path itself")
test(
  "what is not in the reference is not found, also by a path that climbs out of it",
  { skip: climbs },
  async () => {
    for (const target of [
      "/docs/nothing",
      "/docs/static/nothing.js",
      "/docs/static/../../../package.json",
      "/docs/static/%2e%2e/package.json",
    ]) {
      const { status, headers, body } = await exchange(service.port, { method: "GET", target })
      assert.equal(status, 404, target)
      assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/)
      assert.equal((JSON.parse(String(body)) as { code: string }).code, "not-found")
    }
    const head = await exchange(service.port, { method: "HEAD", target: "/docs" })
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
  },
)

test("the page of a problem sets names of members and headers as code, without Markdown", async () => {
  const text = await (await service.request("/problems/invalid-request", { key: null })).text()
  assert.ok(text.includes('All problems</a> · <a href="/docs">'), "letters beyond ASCII stay so")
  assert.match(text, /<code>errors<\/code> names each by JSON pointer/)
  assert.doesNotMatch(text, /`/)
})

test("metrics have the latency of each route and status, from every worker, with patterns for labels", async () => {
  for (let n = 0; n < 3; n++)
    await service.request("/api/v1/risk/score", { json: { email: "ana.silva@mail.example" } })
  await service.request("/api/v1/risk/score", { json: {} })
  await service.request("/some/unknown/path")
  const text = await (await service.request("/metrics", { key: null })).text()
  assert.match(
    text,
    /assay_http_request_seconds_count\{route="\/api\/v1\/risk\/score",method="POST",status="200"\} [3-9]/,
  )
  assert.match(
    text,
    /assay_http_request_seconds_count\{route="\/api\/v1\/risk\/score",method="POST",status="400"\} 1/,
  )
  assert.match(
    text,
    /assay_http_request_seconds_sum\{route="\/api\/v1\/risk\/score",method="POST",status="200"\} (?:0\.0*)?[1-9]/,
  )
  assert.match(text, /route="unmatched"/)
  assert.doesNotMatch(text, /unknown\/path/)
})

const ofMetrics = ofOneNode("it chooses the port of its metrics")
test(
  "metrics with a token or a port of their own answer only there",
  { skip: ofMetrics },
  async () => {
    await using guarded = await startService({
      env: { ASSAY_METRICS_TOKEN: "a-long-enough-token" },
    })
    assert.equal((await guarded.request("/metrics", { key: null })).status, 401)
    assert.equal((await guarded.request("/metrics", { key: "a-long-enough-tokeN" })).status, 401)
    assert.equal((await guarded.request("/metrics", { key: "a-long-enough-token" })).status, 200)

    const port = await freePort()
    await using apart = await startService({ env: { ASSAY_METRICS_PORT: String(port) } })
    assert.equal((await apart.request("/metrics", { key: null })).status, 404)
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    assert.equal(response.status, 200)
    assert.match(await response.text(), /assay_http_request_seconds/)
    assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/risk/score`)).status, 404)
  },
)

const ofLog = ofOneNode("it reads the log from its first line")
test(
  "pages make the service print lines of its log, and no warning of its runtime",
  { skip: ofLog },
  async () => {
    for (const path of ["/", "/docs/", "/openapi.json"])
      assert.equal((await service.request(path, { key: null })).status, 200)
    const [starting = "", ...lines] = service.stderr().split("\n").slice(0, -1)
    assert.match(starting, /^Starting on /)
    assert.ok(lines.length > 0)
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("{")),
      [],
    )
  },
)
