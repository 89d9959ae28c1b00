// One Lambda function for two triggers of an Amazon Cognito user pool, Pre sign-up and Pre
// authentication: an error that it throws refuses the person. Environment: ASSAY_URL, ASSAY_KEY,
// and ASSAY_FAIL_CLOSED=true to refuse while Assay is away.

export async function handler(event) {
  const { ASSAY_URL: url, ASSAY_KEY: key, ASSAY_TIMEOUT_MS: timeoutMs } = process.env
  const { userAttributes = {}, userNotFound } = event.request
  const identity = userAttributes.email ?? userAttributes.phone_number
  // An administrator who makes an account knows for whom; nobody is there to be checked.
  if (!identity || userNotFound || event.triggerSource === "PreSignUp_AdminCreateUser") return event
  const signsUp = event.triggerSource.startsWith("PreSignUp_")
  const action = await recommended({ url, key, timeoutMs }, identity, {
    event: signsUp ? "sign-up" : "login",
    account_id: event.userName,
  })
  if (action === "block" || (action === "unreadable" && signsUp))
    throw new Error("This was refused. Please contact support.")
  if (action === null && process.env.ASSAY_FAIL_CLOSED === "true")
    throw new Error("This is not possible now. Please try again later.")
  return event
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
