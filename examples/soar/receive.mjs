// Takes webhooks of Assay's, checks them, and starts a playbook for each change of a watched account.
// Environment: WEBHOOK_SECRET (whsec_…, as Assay showed it), TRIGGER_URL (of SOARCA:
// http://soarca:8080/trigger/playbook/playbook--6f3b…), TRIGGER_AUTHORIZATION if it asks for one, PORT.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const { WEBHOOK_SECRET = "", TRIGGER_URL, TRIGGER_AUTHORIZATION, PORT } = process.env
if (!WEBHOOK_SECRET.startsWith("whsec_") || !TRIGGER_URL)
  throw new Error("WEBHOOK_SECRET and TRIGGER_URL are needed")

const BODY_MAX = 64 * 1024
const TOLERANCE_SECONDS = 300
const KEPT_MAX = 10_000
const TRIGGER_MS = 10_000
const TYPES = ["risk.email.changed", "risk.phone.changed"]
// What is put into requests of the playbook: nothing that could end a path or a text.
const PLAIN = /^[A-Za-z0-9][\w-]{0,127}$/

const key = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64")
/** Ids whose playbook was started. Assay sends an event again where our answer was lost. */
const taken = new Set()

const server = createServer(async (request, response) => {
  const status = await statusFor(request).catch((error) => {
    console.log(`The playbook was not started: ${error.name}`)
    // Assay sends the event again later.
    return 503
  })
  response.writeHead(status).end()
})
server.listen(Number(PORT ?? 3000), () => console.log(`Listening on ${server.address().port}`))

async function statusFor(request) {
  const id = String(request.headers["webhook-id"])
  const body = await bodyOf(request)
  if (request.method !== "POST" || body === null || !isGenuine(id, request.headers, body))
    return 401
  const { type, data } = JSON.parse(body)
  if (!TYPES.includes(type) || taken.has(id)) return 204
  if (!PLAIN.test(id) || !PLAIN.test(data.ref)) {
    console.log(`${id} was left out: its ref cannot be part of a request`)
    return 204
  }
  const started = await fetch(TRIGGER_URL, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(TRIGGER_AUTHORIZATION && { authorization: TRIGGER_AUTHORIZATION }),
    },
    body: JSON.stringify(variables({ id, type, data })),
    signal: AbortSignal.timeout(TRIGGER_MS),
  })
  if (!started.ok) {
    console.log(`The playbook was not started: status ${started.status}`)
    return 503
  }
  console.log(`${id} started the playbook`)
  taken.add(id)
  if (taken.size > KEPT_MAX) taken.delete(taken.values().next().value)
  return 204
}

function variables({ id, type, data }) {
  const values = {
    __event_id__: ["string", id],
    __event_type__: ["string", type],
    __ref__: ["string", data.ref],
    __risk_score__: ["integer", String(data.current.risk_score)],
  }
  const entries = Object.entries(values).map(([name, [of, value]]) => [
    name,
    { type: of, name, value, constant: false, external: true },
  ])
  return Object.fromEntries(entries)
}

/** Standard Webhooks 1.0: one of the signatures is of `id.timestamp.body`, and it is not old. */
function isGenuine(id, headers, body) {
  const timestamp = String(headers["webhook-timestamp"])
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= TOLERANCE_SECONDS)) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  return String(headers["webhook-signature"])
    .split(" ")
    .some((each) => {
      const [version, signature] = each.split(",")
      const given = Buffer.from(signature ?? "", "base64")
      return (
        version === "v1" && given.length === expected.length && timingSafeEqual(given, expected)
      )
    })
}

/** The bytes as they came, which are what is signed; null where there are too many. */
async function bodyOf(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > BODY_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
