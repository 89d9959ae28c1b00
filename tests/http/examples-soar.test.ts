// The playbook of examples/soar: from a change of a watched account at the real service, by its
// signed webhook and the example's receiver, through the steps of the playbook.
import assert from "node:assert/strict"
import { createServer, type IncomingMessage } from "node:http"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import type { NewWebhook, WatchList } from "@assay/core/contract"
import { freePort } from "../../packages/stores/testing/free-port.ts"
import {
  assertNamesNobody,
  examplePath,
  logHas,
  nobodyThere,
  PEOPLE,
  type Program,
  startExample,
} from "./examples.ts"
import { type Service, startService } from "./service.ts"

interface Variable {
  readonly type: string
  readonly value?: string
}

interface Command {
  readonly type: string
  readonly command: string
  readonly headers?: Record<string, readonly string[]>
  readonly content?: string
}

interface Step {
  readonly type: string
  readonly condition?: string
  readonly commands?: readonly Command[]
  readonly agent?: string
  readonly targets?: readonly string[]
  readonly [next: `on_${string}`]: string | undefined
}

interface Playbook {
  readonly id: string
  readonly playbook_variables: Record<string, Variable>
  readonly workflow_start: string
  readonly workflow: Record<string, Step>
  readonly agent_definitions: Record<string, { readonly type: string }>
  readonly target_definitions: Record<
    string,
    { readonly name: string; readonly address: { readonly url: readonly string[] } }
  >
}

const playbook = JSON.parse(readFileSync(examplePath("soar", "playbook.json"), "utf8")) as Playbook

const OKTA_TOKEN = "okta-token-of-this-test"
const THEHIVE_KEY = "thehive-key-of-this-test"
const REF = "00u1abcdEFGH"

interface Call {
  readonly at: string
  readonly line: string
  readonly authorization: string | undefined
  readonly body: string
}

/** What the products of the playbook were asked, in order. */
const calls: Call[] = []
/** Names of the steps that ran, of every run. */
const runs: string[][] = []
let triggerAnswers: number[] = []

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk as string
  return text
}

const closing: (() => unknown)[] = []
async function listening(
  answer: (request: IncomingMessage, body: string) => Promise<[number, string]>,
): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const [status, body] = await answer(request, await textOf(request))
      response.writeHead(status).end(body)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Okta or TheHive, which take what they are asked. */
async function product(name: string, status: number): Promise<string> {
  return await listening(async ({ method, url, headers: { authorization } }, body) => {
    calls.push({ at: name, line: `${String(method)} ${String(url)}`, authorization, body })
    return [status, ""]
  })
}

let service: Service
let receiver: Program
let secret: string
let urls: Record<string, string>
let installed: Record<string, Variable>
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
  urls = {
    Assay: `${service.baseUrl}/`,
    Okta: await product("Okta", 204),
    TheHive: await product("TheHive", 201),
  }
  const set = (name: string, value: string): Variable => ({
    ...(playbook.playbook_variables[name] ?? assert.fail(`no variable ${name}`)),
    value,
  })
  installed = {
    ...playbook.playbook_variables,
    __assay_key__: set("__assay_key__", service.key ?? ""),
    __okta_token__: set("__okta_token__", OKTA_TOKEN),
    __thehive_key__: set("__thehive_key__", THEHIVE_KEY),
  }
  // SOARCA: POST /trigger/playbook/{id} takes variables, and answers with the id of the execution.
  const soarca = await listening(async ({ method, url }, body) => {
    const status = triggerAnswers.shift() ?? 200
    if (status !== 200) return [status, "{}"]
    assert.equal(`${String(method)} ${String(url)}`, `POST /trigger/playbook/${playbook.id}`)
    const given = JSON.parse(body) as Record<string, Variable>
    for (const [name, { type }] of Object.entries(given))
      assert.equal(type, playbook.playbook_variables[name]?.type)
    runs.push(await run({ ...installed, ...given }))
    return [200, JSON.stringify({ execution_id: crypto.randomUUID(), payload: playbook.id })]
  })
  const port = await freePort()
  const made = await service.request("/api/v1/webhooks", {
    json: { url: `http://127.0.0.1:${port}/`, events: ["risk.email.changed"] },
  })
  const text = await made.text()
  assert.equal(made.status, 201, text)
  secret = (JSON.parse(text) as NewWebhook).secret
  receiver = await startExample(["soar", "receive.mjs"], {
    WEBHOOK_SECRET: secret,
    TRIGGER_URL: `${soarca}trigger/playbook/${playbook.id}`,
    PORT: String(port),
  })
})
after(async () => {
  for (const close of closing) await close()
  await service.stop()
})

/** Runs the steps as CACAO 2.0 says; returns the names of the products that were asked. */
async function run(variables: Record<string, Variable>): Promise<string[]> {
  const said = (text: string): string =>
    text.replaceAll(/(__\w+?__):value/g, (_, name: string) => variables[name]?.value ?? "")
  const asked: string[] = []
  const follow = async (from: string): Promise<void> => {
    for (let id: string | undefined = from; id !== undefined;) {
      const step: Step = playbook.workflow[id] ?? assert.fail(`no step ${id}`)
      if (step.type === "end") return
      if (step.type === "if-condition") {
        const [left = "", operator, right = ""] = said(step.condition ?? "").split(" ")
        assert.equal(operator, ">=")
        const branch = Number(left) >= Number(right) ? step["on_true"] : step["on_false"]
        if (branch !== undefined) await follow(branch)
      }
      let succeeded = true
      for (const command of step.commands ?? [])
        for (const target of step.targets ?? []) {
          const { name } = playbook.target_definitions[target] ?? assert.fail(`no target ${target}`)
          asked.push(name)
          const [method = "", path = "", version] = said(command.command).split(" ")
          assert.equal(version, "HTTP/1.1")
          const response = await fetch(new URL(path, urls[name]), {
            method,
            headers: Object.entries(command.headers ?? {}).flatMap(([header, values]) =>
              values.map((value): [string, string] => [header, said(value)]),
            ),
            ...(command.content !== undefined && { body: said(command.content) }),
          })
          await response.text()
          succeeded &&= response.ok
        }
      id = step["on_completion"] ?? (succeeded ? step["on_success"] : step["on_failure"])
    }
  }
  await follow(playbook.workflow_start)
  return asked
}

async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await isSo());) {
    assert.ok(Date.now() < deadline, `never so; ${receiver.output()}`)
    await delay(50)
  }
}

async function feedback(email: string, outcome: string): Promise<void> {
  const response = await service.request("/api/v1/feedback", { json: { email, outcome } })
  assert.equal(response.status, 202, await response.text())
}

/** An attempt as Assay makes one, by the library of Standard Webhooks. */
async function attempt(
  id: string,
  body: string,
  { by = secret, at = new Date(), sent = body } = {},
): Promise<number> {
  const response = await fetch(receiver.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": `v1a,AAAA ${new Webhook(by).sign(id, at, body)}`,
    },
    body: sent,
  })
  return response.status
}

const told = (ref: string, type = "risk.email.changed"): string =>
  JSON.stringify({ type, timestamp: new Date(), data: { ref, current: { risk_score: 90 } } })

test("the playbook names only steps, targets and agents that it has", () => {
  const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
  assert.match(playbook.id, new RegExp(`^playbook--${uuid}$`))
  for (const [id, step] of Object.entries(playbook.workflow)) {
    assert.match(id, new RegExp(`^${step.type}--${uuid}$`))
    for (const [name, value] of Object.entries(step))
      if (name.startsWith("on_")) assert.ok(String(value) in playbook.workflow, name)
    for (const target of step.targets ?? []) assert.ok(target in playbook.target_definitions)
    if (step.agent !== undefined) assert.ok(step.agent in playbook.agent_definitions)
    for (const { type } of step.commands ?? []) assert.equal(type, "http-api")
    // Either one way on, or one for each outcome.
    assert.ok(step["on_completion"] === undefined || step["on_success"] === undefined)
    const used = JSON.stringify(step).matchAll(/__\w+?__(?=:value)/g)
    for (const [name] of used) assert.ok(name in playbook.playbook_variables, name)
  }
})

test("an account that becomes critical loses its sessions, one that recovers does not", async () => {
  const watched = await service.request("/api/v1/watchlist", {
    json: { emails: [{ value: PEOPLE.step_up_auth, ref: REF }] },
  })
  assert.equal(watched.status, 200, await watched.text())
  // What is told is a change of the first score.
  await eventually(async () => {
    const page = await service.request(`/api/v1/watchlist?ref=${REF}`)
    return ((await page.json()) as WatchList).items[0]?.risk != null
  })
  // The first attempt fails at SOARCA, and Assay sends the event again.
  triggerAnswers = [500]
  await feedback(PEOPLE.step_up_auth, "takeover_confirmed")
  await eventually(() => runs.length === 1)
  assert.deepEqual(runs, [["Assay", "Okta", "TheHive"]])
  await logHas(receiver.output, /^The playbook was not started: status 500$/m)
  await logHas(receiver.output, /^evt_\w+ started the playbook$/m)
  const event = /^(evt_\w+) started/m.exec(receiver.output())?.[1]
  const [sessions, alert] = calls
  assert.deepEqual(
    [sessions?.line, sessions?.authorization],
    [`DELETE /api/v1/users/${REF}/sessions`, `SSWS ${OKTA_TOKEN}`],
  )
  assert.deepEqual(
    [alert?.line, alert?.authorization],
    ["POST /api/v1/alert", `Bearer ${THEHIVE_KEY}`],
  )
  const { title, ...body } = JSON.parse(alert?.body ?? "") as Record<string, string>
  assert.match(title ?? "", new RegExp(`^The risk of ${REF} is \\d+$`))
  assert.deepEqual(body, {
    type: "assay",
    source: "assay",
    sourceRef: event,
    description: "risk.email.changed",
  })

  await feedback(PEOPLE.step_up_auth, "clear")
  await eventually(() => runs.length === 2)
  assert.deepEqual(runs[1], ["Assay", "TheHive"])
  assertNamesNobody(receiver.output() + JSON.stringify(calls), service.key ?? "")
})

test("the receiver takes what Assay signed, once, and nothing else", async () => {
  const before = runs.length
  const id = "evt_made0up0by0this0test"
  const body = told(REF)
  const old = new Date(Date.now() - 301_000)
  const other = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
  assert.equal(await attempt(id, body, { by: other }), 401)
  assert.equal(await attempt(id, body, { at: old }), 401)
  assert.equal(await attempt(id, body, { sent: body.replace("90", "91") }), 401)
  assert.equal(await attempt(id, "x".repeat(70_000)), 401)
  assert.equal((await fetch(receiver.url, { method: "POST", body })).status, 401)
  assert.equal((await fetch(receiver.url)).status, 401)
  assert.equal(runs.length, before)
  // Another kind, and a name that would lead elsewhere, are taken and start nothing.
  assert.equal(await attempt(id, told(REF, "webhook.test")), 204)
  for (const ref of ["../groups", "a b", "", 'x"}'])
    assert.equal(await attempt(`${id}-ref`, told(ref)), 204)
  assert.equal(runs.length, before)
  await logHas(receiver.output, /-ref was left out: its ref cannot be part of a request$/m)

  assert.equal(await attempt(id, body), 204)
  assert.equal(await attempt(id, body), 204)
  // Assay does not know the event, so the playbook does nothing but ask.
  assert.deepEqual(runs.slice(before), [["Assay"]])
})

test("an event whose playbook cannot be started is to be sent again", async () => {
  const lone = await startExample(["soar", "receive.mjs"], {
    WEBHOOK_SECRET: secret,
    TRIGGER_URL: await nobodyThere(),
  })
  const body = told(REF)
  const at = new Date()
  const response = await fetch(lone.url, {
    method: "POST",
    headers: {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
    },
    body,
  })
  assert.equal(response.status, 503)
  await logHas(lone.output, /^The playbook was not started: TypeError$/m)
  await lone.stop()
})
