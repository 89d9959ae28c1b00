// The service behind a custom authentication extension of Microsoft Entra External ID, for the event
// OnAttributeCollectionSubmit: Entra calls it when a person has filled the sign-up form.
// Environment: ASSAY_URL, ASSAY_KEY; ENTRA_ISSUER, ENTRA_KEYS_URL and ENTRA_AUDIENCE, of the tokens
// that Entra calls with; PORT, and ASSAY_FAIL_CLOSED=true to block while Assay is away.
import { createPublicKey, verify } from "node:crypto"
import { createServer } from "node:http"

// Entra waits a second unless told otherwise, and 2 at most.
const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs = 700 } = process.env
const { ENTRA_ISSUER, ENTRA_KEYS_URL, ENTRA_AUDIENCE } = process.env
const { ASSAY_FAIL_CLOSED, PORT } = process.env
if (!url || !key || !ENTRA_ISSUER || !ENTRA_KEYS_URL || !ENTRA_AUDIENCE)
  throw new Error("ASSAY_URL, ASSAY_KEY and the three settings of ENTRA are needed")

/** Who calls custom authentication extensions, in every tenant. */
const ENTRA_ID = "99045fe1-7639-4a75-9d4a-577b6ca3810f"
const BODY_MAX = 256 * 1024
const KEYS_MS = 3_600_000
const KEYS_RETRY_MS = 60_000

const server = createServer(async (request, response) => {
  try {
    if (request.method !== "POST" || !(await isEntra(request.headers.authorization))) {
      response.writeHead(401).end()
      return
    }
    const { data } = JSON.parse(await textOf(request))
    const body = JSON.stringify(await answerTo(data))
    response.writeHead(200, { "content-type": "application/json" }).end(body)
  } catch {
    response.writeHead(400).end()
  }
})
server.listen(Number(PORT ?? 3000), () => console.log(`Listening on ${server.address().port}`))

async function answerTo({ authenticationContext, userSignUpInfo }) {
  const email = userSignUpInfo.identities?.find(({ signInType }) => signInType === "email")
  const identity = email?.issuerAssignedId ?? userSignUpInfo.attributes?.email?.value
  if (!identity) return action("continueWithDefaultBehavior")
  const recommendation = await recommended({ url, key, timeoutMs }, identity, {
    event: "sign-up",
    ip: authenticationContext?.client?.ip || null,
  })
  if (recommendation === "block" || recommendation === "unreadable")
    return blocked("This account cannot be created. Please contact support.")
  if (recommendation === null && ASSAY_FAIL_CLOSED === "true")
    return blocked("Sign-up is not possible now. Please try again later.")
  return action("continueWithDefaultBehavior")
}

function blocked(message) {
  return action("showBlockPage", { title: "Sign-up", message })
}

function action(name, members = {}) {
  const type = `microsoft.graph.attributeCollectionSubmit.${name}`
  return {
    data: {
      "@odata.type": "microsoft.graph.onAttributeCollectionSubmitResponseData",
      actions: [{ "@odata.type": type, ...members }],
    },
  }
}

/** A token that Entra signed, for this service, and that has not ended. */
async function isEntra(authorization = "") {
  const [head, claims, signature] = authorization.replace(/^Bearer /, "").split(".")
  if (!signature) return false
  const { alg, kid } = decoded(head)
  const { iss, aud, azp, appid, nbf, exp } = decoded(claims)
  const now = Date.now() / 1000
  const isOurs = iss === ENTRA_ISSUER && aud === ENTRA_AUDIENCE && (azp ?? appid) === ENTRA_ID
  if (alg !== "RS256" || !isOurs || !(exp > now) || nbf > now + 60) return false
  const jwk = await keyOf(kid)
  if (jwk === undefined) return false
  const publicKey = createPublicKey({ key: jwk, format: "jwk" })
  const signed = Buffer.from(`${head}.${claims}`)
  return verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"))
}

function decoded(part) {
  return JSON.parse(Buffer.from(part, "base64url"))
}

const known = { keys: [], at: 0 }

async function keyOf(kid) {
  const find = () => known.keys.find((each) => each.kid === kid && each.kty === "RSA")
  const age = Date.now() - known.at
  // Keys change seldom; one that is not known yet is looked for, but not for every made-up token.
  if (age > KEYS_MS || (find() === undefined && age > KEYS_RETRY_MS)) {
    try {
      const signal = AbortSignal.timeout(Number(timeoutMs))
      const response = await fetch(ENTRA_KEYS_URL, { signal })
      known.keys = (await response.json()).keys
      known.at = Date.now()
    } catch (error) {
      // Those that are known go on being good.
      console.log(`Entra's keys could not be read: ${error.name}`)
    }
  }
  return find()
}

async function textOf(request) {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk
    if (text.length > BODY_MAX) throw new Error("too long")
  }
  return text
}

/** What Assay recommends; null, and a line in the log, where it gave no answer in time. */
async function recommended({ url, key, timeoutMs = 1000 }, identity, context) {
  const [path, body] = identity.includes("@")
    ? ["/api/v1/risk/score", { email: identity, context }]
    : ["/api/v1/phone-risk", { phone_number: identity, context }]
  try {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(Number(timeoutMs)),
    })
    // Assay cannot read what was typed. That is an answer: otherwise whoever types such a thing
    // would go unchecked.
    if ([400, 413, 422].includes(response.status)) {
      console.log(`Assay cannot read it: status ${response.status}`)
      return "unreadable"
    }
    const answer = response.ok ? await response.json() : {}
    const action = answer.recommended_action ?? answer.recommendation
    if (action === undefined) {
      console.log(`Assay gave no answer: status ${response.status}`)
      return null
    }
    if (action !== "allow")
      console.log(`Assay recommends ${action}, ${response.headers.get("x-decision-id")}`)
    return action
  } catch (error) {
    // The message is not logged: it could quote what was sent.
    console.log(`Assay gave no answer: ${error.name}`)
    return null
  }
}
