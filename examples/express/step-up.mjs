// Express middleware that asks for a step-up, or refuses, as Assay recommends. Put it in front of
// what is worth protecting: a change of the address, a payment, an export.
import { isIP } from "node:net"

/**
 * `identityOf(req)` gives the address or number of who is signed in, `hasSteppedUp(req)` whether
 * they have just proven another factor. Where Assay gives no answer people go on, or with
 * `failClosed` are asked for a factor.
 */
export function stepUp({ url, key, timeoutMs, event = "other", failClosed = false, ...yours }) {
  const { identityOf, hasSteppedUp, accountOf = () => null, acrValues } = yours
  const acr = acrValues === undefined ? "" : `, acr_values="${acrValues}"`
  const challenge = `Bearer error="insufficient_user_authentication"${acr}`
  return async function assayStepUp(req, res, next) {
    try {
      const identity = identityOf(req)
      if (!identity) return next()
      const action = await recommended({ url, key, timeoutMs }, identity, {
        event,
        account_id: accountOf(req) || null,
        ip: isIP(req.ip ?? "") ? req.ip : null,
        user_agent: req.headers["user-agent"]?.slice(0, 1024) || null,
      })
      if (action === "block") return res.status(403).json({ error: "refused" })
      const asks = action === null ? failClosed : action !== "allow"
      if (!asks || hasSteppedUp(req)) return next()
      // RFC 9470: the client sends the person through the sign-in again, with another factor.
      res.set("WWW-Authenticate", challenge)
      return res.status(401).json({ error: "insufficient_user_authentication" })
    } catch (error) {
      return next(error)
    }
  }
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
