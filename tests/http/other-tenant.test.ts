// The column "other tenant" of the table of rights: every operation that a member may carry out, by
// an owner and by a key of another tenant, with the ids of what this tenant has. The operations
// come from the API's description, so one that is added must be given something to ask for here.
import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import {
  type MemberList,
  type OwnAccount,
  type Right,
  type ReviewList,
  type DeliveryList,
  type NewWebhook,
  RIGHTS,
  type SessionDetails,
} from "@assay/core/contract"
import { createKey, invite } from "../cli/assay.ts"
import { openRecordsOf } from "./records-of.ts"
import { type Service, startService } from "./service.ts"
import { joins, signsIn, tokenIn, type Visitor } from "./signed-in.ts"

interface Described {
  readonly operation: string
  readonly method: string
  readonly path: string
}

/** A tenant: its owner at a browser, and a key of every scope. */
interface Tenant {
  readonly name: string
  readonly owner: Visitor
  readonly key: string
}

interface Asked {
  readonly status: number
  readonly text: string
}

/** Attacked, so that the model blocks it and it waits for an analyst. */
const BLOCKED = "sofia.rossi@mail.example"

let service: Service
let operations: readonly Described[]
let mine: Tenant
let other: Tenant

before(async () => {
  service = await startService({
    args: ["--workers", "1"],
    env: { ASSAY_SSF_ORIGIN: "https://risk.example" },
  })
  operations = (await described()).filter(({ operation }) => isOfMembers(operation))
  mine = await newTenant("mine")
  other = await newTenant("other")
})
after(() => service.stop())

/** Whatever an owner may do: what an analyst or a viewer may is a part of it. */
function isOfMembers(operation: string): boolean {
  const { roles } = rightOf(operation)
  return roles === "signed-in" || roles.includes("owner")
}

function rightOf(operation: string): Right {
  const right = (RIGHTS as Record<string, Right | string>)[operation]
  return right === undefined || typeof right === "string" ? { scopes: [], roles: [] } : right
}

async function newTenant(name: string): Promise<Tenant> {
  const args = ["--tenant", name, "--plan", "enterprise", "--scopes", "all"] as const
  const key = await createKey(service, ...args)
  const link = await invite(service, "--tenant", name, "--role", "owner")
  return { name, key, owner: await joins(service, tokenIn(link), `${name}@people.example`) }
}

/** Times, the id of a request that is refused, and cursors, which have the minute in them. */
const VARYING = /"\d{4}-\d\d-\d\dT[^"]+"|"request_id":"\w+"|"cur_[^"]+"/g

/** What reads show that is of the service or of the person who asks, and of no tenant. */
const OF_NO_TENANT: readonly string[] = [
  "listSources",
  "getServiceLevels",
  "getSession",
  "getOwnAccount",
  "listOwnSessions",
]

test("what one tenant does shows in everything it reads, and in nothing that another reads", async () => {
  const reads = operations.filter(({ method, path }) => method === "GET" && !path.includes("{"))
  const read = async (of: Tenant): Promise<Map<string, string>> => {
    const texts = new Map<string, string>()
    for (const { operation, path } of reads) {
      const { status, text } = await byOwner(of, "GET", path)
      assert.ok([200, 404].includes(status), `${operation}: ${status} ${text}`)
      texts.set(operation, text.replaceAll(VARYING, ""))
    }
    return texts
  }
  const [othersBefore, mineBefore] = [await read(other), await read(mine)]
  await scored(mine)
  for (const [method, path, json] of [
    ["POST", "/api/v1/feedback", { email: "a@mail.example", outcome: "fraud_confirmed" }],
    ["PUT", "/api/v1/policy", { costs: { loss: 40 } }],
    ["PUT", "/api/v1/policy/shadow", { costs: { loss: 60 } }],
    ["POST", "/api/v1/review/views", { name: "Blocked", shared: true, filter: {} }],
    ["POST", "/api/v1/decisions/views", { name: "Blocked", shared: true, filter: {} }],
    ["POST", "/api/v1/watchlist", { emails: [{ value: "a@mail.example", ref: "a" }] }],
    ["POST", "/api/v1/keys", { scopes: ["score"] }],
    ["POST", "/api/v1/members/invitations", { role: "viewer" }],
    ["POST", "/api/v1/webhooks", webhook],
    ["POST", "/api/v1/shared-signals/streams", { method: "poll" }],
  ] as const)
    await changed(mine, method, path, json)
  await changed(mine, "POST", "/api/v1/review/bulk", {
    filter: { action: "block" },
    decide: { outcome: "confirmed_fraud" },
  })
  await scored(mine)
  // Usage is written down every second or so.
  for (let n = 0; !(await byOwner(mine, "GET", "/api/v1/usage")).text.includes('"email"'); n++) {
    assert.ok(n < 600, "usage was never counted")
    await delay(100)
  }
  const [othersAfter, mineAfter] = [await read(other), await read(mine)]
  for (const { operation } of reads) {
    assert.equal(othersAfter.get(operation), othersBefore.get(operation), operation)
    if (OF_NO_TENANT.includes(operation)) continue
    assert.notEqual(mineAfter.get(operation), mineBefore.get(operation), operation)
  }
})

/** Nobody listens there. */
const webhook = { url: "http://127.0.0.1:9/", events: ["exposure.added"] }

/** An operation, the ids that it is asked for, and a body that fits it. */
type Case = readonly [operation: string, id: string, json?: object]

test("by the id of what one tenant has, another does nothing, and the tenant itself does", async () => {
  const cases = await everyCase()
  const withIds = operations.filter(({ path }) => path.includes("{"))
  assert.deepEqual(
    cases.map(([operation]) => operation).toSorted(),
    withIds.map(({ operation }) => operation).toSorted(),
    "every operation with an id in its path has something to ask for",
  )
  for (const [operation, id, json] of cases) {
    const { method = "", path: template = "" } =
      withIds.find((each) => each.operation === operation) ?? {}
    const ids = id.split(" ")
    const path = template.replaceAll(/\{\w+\}/g, () => ids.shift() ?? "")
    const refused = await byOwner(other, method, path, json)
    assert.equal(refused.status, 404, `${operation} by the other's owner: ${refused.text}`)
    if (rightOf(operation).scopes.length > 0) {
      const byKey = await service.request(path, {
        method,
        key: other.key,
        ...(json !== undefined && { json }),
      })
      assert.equal(byKey.status, 404, `${operation} by the other's key: ${await byKey.text()}`)
    }
    const done = await byOwner(mine, method, path, json)
    assert.ok([200, 201, 202, 204].includes(done.status), `${operation} by its own: ${done.text}`)
  }
})

test("by what a body names, another tenant reaches nothing either", async () => {
  const id = await scored(mine)
  const bulk = { filter: {}, up_to: id, decide: { outcome: "genuine" } }
  const { text } = await byOwner(other, "POST", "/api/v1/review/bulk", bulk)
  assert.deepEqual(JSON.parse(text), { changed: 0, more: false })
  const review = await byOwner(mine, "GET", `/api/v1/review/${id}`)
  assert.match(review.text, /"state":"waiting"/)

  // Each tenant counts its versions by itself, so this one has more of them.
  const version = Number(await policyVersion())
  const revert = await byOwner(other, "POST", "/api/v1/policy/revert", { version })
  assert.equal(revert.status, 404, revert.text)

  const session = await byOwner(mine, "GET", "/api/v1/session")
  const { tenant_id } = JSON.parse(session.text) as SessionDetails
  const into = await byOwner(other, "PUT", "/api/v1/session/tenant", { tenant_id })
  assert.ok([403, 404].includes(into.status), into.text)
})

/** Something of this tenant for every operation that takes an id, what ends it last. */
async function everyCase(): Promise<Case[]> {
  // First, because it ends every session.
  const passkeyId = await passkey()
  const decision = await scored(mine)
  const feedback = { email: "b@mail.example", outcome: "fraud_confirmed" }
  const { id: feedbackId } = await changed(mine, "POST", "/api/v1/feedback", feedback)
  const view = { name: "Mine", shared: true, filter: {} }
  const { id: viewId } = await changed(mine, "POST", "/api/v1/review/views", view)
  const { id: decisionViewId } = await changed(mine, "POST", "/api/v1/decisions/views", view)
  const newKey = (await changed(mine, "POST", "/api/v1/keys", {
    scopes: ["score"],
  })) as unknown as {
    api_key: { id: string }
  }
  const keyId = newKey.api_key.id
  const invite = { role: "viewer" }
  const { id: invitationId } = await changed(mine, "POST", "/api/v1/members/invitations", invite)
  const { link } = await changed(mine, "POST", "/api/v1/members/invitations", invite)
  await joins(service, tokenIn(link ?? ""), "member@people.example")
  const members = JSON.parse((await byOwner(mine, "GET", "/api/v1/members")).text) as MemberList
  const memberId = members.members.find(({ roles }) => roles.includes("viewer"))?.person_id ?? ""
  const made = (await changed(mine, "POST", "/api/v1/webhooks", webhook)) as unknown as NewWebhook
  const webhookId = made.webhook.id
  await byOwner(mine, "POST", `/api/v1/webhooks/${webhookId}/test`)
  const sent = await byOwner(mine, "GET", `/api/v1/webhooks/${webhookId}/deliveries`)
  const [delivery] = (JSON.parse(sent.text) as DeliveryList).deliveries
  const deliveryId = `${webhookId} ${delivery?.id ?? ""}`
  const polled = { method: "poll" }
  const { id: streamId = "" } = await changed(
    mine,
    "POST",
    "/api/v1/shared-signals/streams",
    polled,
  )
  return [
    ["getSharedSignalsStream", streamId],
    ["changeSharedSignalsStream", streamId, { description: "mine" }],
    ["verifySharedSignalsStream", streamId],
    ["deleteSharedSignalsStream", streamId],
    ["getWebhook", webhookId],
    ["changeWebhook", webhookId, { description: "mine" }],
    ["rotateWebhookSecret", webhookId, {}],
    ["testWebhook", webhookId],
    ["replayWebhook", webhookId, { since: "2026-11-01T00:00:00Z" }],
    ["listDeliveries", webhookId],
    ["getDelivery", deliveryId],
    ["getEvent", delivery?.event_id ?? ""],
    ["replayDelivery", deliveryId],
    ["deleteWebhook", webhookId],
    ["getDecision", decision],
    ["compareDecision", decision],
    ["getReview", decision],
    ["assignReview", decision, { assignee: "me" }],
    ["decideReview", decision, { outcome: "genuine" }],
    ["undoReview", decision],
    ["undoFeedback", feedbackId ?? ""],
    ["deleteReviewView", viewId ?? ""],
    ["deleteDecisionView", decisionViewId ?? ""],
    ["getPolicyVersion", await policyVersion()],
    ["changeKey", keyId, { label: "checkout" }],
    ["rotateKey", keyId, {}],
    ["revokeKey", keyId],
    ["endInvitation", invitationId ?? ""],
    ["setMemberRole", memberId, { role: "analyst" }],
    ["removeMember", memberId],
    ["endOwnSession", await otherSession()],
    ["removePasskey", passkeyId],
  ]
}

async function policyVersion(): Promise<string> {
  const { text } = await byOwner(mine, "GET", "/api/v1/policy")
  return String((JSON.parse(text) as { version: number }).version)
}

/** A session of the owner in another browser. */
async function otherSession(): Promise<string> {
  await signsIn(service, "mine@people.example")
  const { text } = await byOwner(mine, "GET", "/api/v1/me/sessions")
  const { sessions } = JSON.parse(text) as { sessions: { id: string; current: boolean }[] }
  return sessions.find(({ current }) => !current)?.id ?? ""
}

async function passkey(): Promise<string> {
  const { text } = await byOwner(mine, "GET", "/api/v1/me")
  const { person_id: personId } = JSON.parse(text) as OwnAccount
  const records = await openRecordsOf(service.dataDirectory)
  const secret = new Uint8Array(32)
  await records.changeCredentials({
    personId,
    action: "passkey.added",
    remove: {},
    add: [{ id: "cGFzc2tleQ", kind: "passkey", secret, counter: 0, label: "", transports: [] }],
    keepSession: null,
    at: Date.now(),
    actor: "test",
  })
  await records.close()
  // Adding one by another's hand ends the sessions.
  await signsIn(service, "mine@people.example", { browser: mine.owner })
  return "cGFzc2tleQ"
}

/** A decision that waits for an analyst of this tenant. */
async function scored({ key }: Tenant): Promise<string> {
  const response = await service.request("/api/v1/risk/score", { key, json: { email: BLOCKED } })
  assert.equal(response.status, 200)
  await response.body?.cancel()
  const id = response.headers.get("x-decision-id") ?? ""
  // A list shows it as soon as its lines were folded.
  for (let n = 0; ; n++) {
    const list = await service.request("/api/v1/review", { key })
    const { reviews = [] } = (await list.json()) as Partial<ReviewList>
    if (reviews.some((each) => each.id === id)) return id
    assert.ok(n < 600, "the decision never waited")
    await delay(100)
  }
}

/** Asks as the console does: by the owner's session. */
async function byOwner(
  { owner }: Tenant,
  method: string,
  path: string,
  json?: object,
): Promise<Asked> {
  const { status, body } = await owner.send(method, path, json)
  return { status, text: JSON.stringify(body) }
}

async function changed(
  of: Tenant,
  method: string,
  path: string,
  json: object,
): Promise<Record<string, string>> {
  const headers = path === "/api/v1/policy" ? { "if-match": `"${await policyVersion()}"` } : {}
  const { status, body } = await of.owner.send(method, path, json, headers)
  assert.ok([200, 201, 202].includes(status), `${method} ${path}: ${JSON.stringify(body)}`)
  return body as unknown as Record<string, string>
}

async function described(): Promise<Described[]> {
  const response = await service.request("/openapi.json")
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = "" }]) => ({
      operation: operationId,
      method: method.toUpperCase(),
      path,
    })),
  )
}
