import { Type, type Static } from "typebox"

interface ProblemType {
  readonly status: number
  readonly title: string
  /** What a caller should know and do; printed on the problem's page and in the reference. */
  readonly meaning: string
}

/**
 * Every failure the service answers with. The key is the stable `code` and the last part of the
 * `type` URI; a code, once released, keeps its meaning.
 */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "The body is not valid JSON",
    meaning: "Send one JSON object, encoded as UTF-8. Nothing was evaluated.",
  },
  "invalid-request": {
    status: 400,
    title: "The request does not fit its description",
    meaning:
      "A member is missing, has the wrong type or is out of bounds; `errors` names each by JSON pointer. Nothing was evaluated.",
  },
  "malformed-http": {
    status: 400,
    title: "The request is not valid HTTP",
    meaning: "The bytes could not be read as an HTTP/1.1 request. The connection is closed.",
  },
  "request-incomplete": {
    status: 400,
    title: "The request ended before its body did",
    meaning:
      "The connection was closed before the whole body had arrived. Nothing was evaluated. Mostly seen in logs and metrics: whoever hangs up reads no answer.",
  },
  "host-not-allowed": {
    status: 421,
    title: "The service does not go by this name",
    meaning:
      "A demo answers only to localhost and to names and addresses of its own machine, so that no web page elsewhere can reach it through a browser here. ASSAY_DEMO_HOSTS allows more names.",
  },
  unauthenticated: {
    status: 401,
    title: "A valid API key is needed",
    meaning:
      "Send `Authorization: Bearer <API_KEY>`. The key may be missing, mistyped, expired or revoked; the answer does not say which.",
  },
  "insufficient-scope": {
    status: 403,
    title: "This key may not do that",
    meaning:
      "The key is valid but lacks the scope the operation needs; `WWW-Authenticate` names it.",
  },
  "not-found": {
    status: 404,
    title: "There is nothing here",
    meaning: "No operation or page has this path. The reference is at /docs.",
  },
  "feedback-not-found": {
    status: 404,
    title: "There is no such feedback",
    meaning:
      "No feedback of your own has this id. Feedback that was undone or has expired is forgotten after 90 days.",
  },
  "decision-not-found": {
    status: 404,
    title: "There is no such decision",
    meaning:
      "The id is mistyped, belongs to another tenant, or the decision is older than the time decisions are kept; the answer does not say which.",
  },
  "decision-erased": {
    status: 410,
    title: "The decision was erased",
    meaning:
      "The person the decision was about had their data erased; what was decided can no longer be read or repeated.",
  },
  "method-not-allowed": {
    status: 405,
    title: "This path does not take that method",
    meaning: "`Allow` lists the methods it takes.",
  },
  "request-timeout": {
    status: 408,
    title: "The request did not arrive in time",
    meaning: "The whole request must arrive within the published time. The connection is closed.",
  },
  "idempotency-in-progress": {
    status: 409,
    title: "The first request under this Idempotency-Key is still being carried out",
    meaning:
      "Send the same request again after `Retry-After`; it is then answered as the first one was. Nothing is done twice.",
  },
  "model-not-loaded": {
    status: 409,
    title: "The model of this decision is not loaded",
    meaning:
      "The decision was made by a version of the model this service does not have. Another version would give another number, so none is given.",
  },
  "drop-keys-exist": {
    status: 409,
    title: "The drop has keys already",
    meaning:
      "Only the first keys of a drop can be set here. Others are added, rotated and removed with `npx assay drop keys` on the machine of the service.",
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    meaning:
      "The reference gives the limit of each operation; a scoring body may have 16 KiB, a batch 512 KiB, a line of a stream 4 KiB, evidence 8 MiB and 10,000 lines, a batch for the drop 8 MiB.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body has another media type than the operation takes",
    meaning:
      "Send `Content-Type: application/json`, or `application/x-ndjson` where the operation takes a stream, without compression.",
  },
  "not-an-email": {
    status: 422,
    title: "This is not an e-mail address",
    meaning:
      "The text is well-formed JSON but cannot be an address mail is delivered to: `detail` says why. Nothing was evaluated; it counts toward the rate and not toward the month.",
  },
  "not-a-phone-number": {
    status: 422,
    title: "This is not a phone number in international format",
    meaning:
      "Send E.164: a plus sign, country code and subscriber digits, without separators. Well-formed numbers nobody holds are scored, not refused.",
  },
  "number-not-yours": {
    status: 422,
    title: "The number is not in this carrier's ranges",
    meaning:
      "A carrier speaks for the numbers that begin with a range it is set up with, unless a longer range of another carrier fits. Nothing was stored.",
  },
  "outcome-not-applicable": {
    status: 422,
    title: "This outcome cannot be said of such an identity",
    meaning:
      "`credential_rotated` is about the password of an e-mail account; a phone number has none. Nothing was stored.",
  },
  "password-refused": {
    status: 422,
    title: "Passwords are not taken",
    meaning:
      "A line of evidence has a member `password`. Leave it out and say in `secret` which form the password had. Nothing of the line was kept.",
  },
  "idempotency-mismatch": {
    status: 422,
    title: "This Idempotency-Key was used for another request",
    meaning:
      "Within 24 hours an `Idempotency-Key` stands for one body. Make a new one for each request that is to be carried out.",
  },
  "drop-batch-refused": {
    status: 422,
    title: "The batch does not fit the drop",
    meaning:
      "`detail` says what is wrong: the archive, its `actions.json`, or a file that is not sealed to the keys in use now. Nothing of the batch was done.",
  },
  "drop-keys-refused": {
    status: 422,
    title: "Nothing may be sealed to these keys",
    meaning:
      "Send one to sixteen different public age keys of one kind, `age1…` or `age1pq1…`. Nothing was stored.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning:
      "The plan's rate is used up; `Retry-After` says when to send again. Requests that are refused count toward the rate, and of a batch or stream every ten refused lines count as one.",
  },
  "quota-exceeded": {
    status: 429,
    title: "The plan's quota is used up",
    meaning: "The lookups of this month are used up; `Retry-After` counts to the next month.",
  },
  "identities-exceeded": {
    status: 429,
    title: "The plan's daily number of different identities is used up",
    meaning:
      "Identities already looked up today can be looked up again; new ones from the next day (UTC) on.",
  },
  "streams-exceeded": {
    status: 429,
    title: "Too many streams at once",
    meaning:
      "The plan's number of open streams is used up; the next one is taken when one of them has ended.",
  },
  "stream-refused": {
    status: 429,
    title: "Too many lines of the stream were refused",
    meaning:
      "On a plan with limits a stream ends after 100 lines in a row without a result. This is the last line of the answer: lines that have no answer were not evaluated or counted.",
  },
  "exports-exceeded": {
    status: 429,
    title: "Too many exports",
    meaning:
      "At most 20 exports of a person's data are made in an hour, so that nobody walks through the corpus by them; `Retry-After` says when the next one is.",
  },
  "headers-too-large": {
    status: 431,
    title: "The request's headers are too large",
    meaning: "All headers together may have 8 KiB. The connection is closed.",
  },
  "internal-error": {
    status: 500,
    title: "The service failed",
    meaning:
      "A fault of the service, not of the request. It is logged under the request id. Nothing was evaluated.",
  },
  "store-unavailable": {
    status: 503,
    title: "A store needed for the answer cannot be read",
    meaning:
      "An identity that could not be checked is never reported as clean. Try again after `Retry-After`.",
  },
  "model-unavailable": {
    status: 503,
    title: "The model chosen for this tenant is not loaded",
    meaning:
      "The operator set a model version whose document is missing. Nothing was evaluated: no other model answers in its place. Tell the operator.",
  },
  "limits-unavailable": {
    status: 503,
    title: "What the plan has left cannot be asked",
    meaning:
      "A plan with limits is answered only while its use can be counted. Nothing was evaluated or counted toward the month. Try again after `Retry-After`.",
  },
  "decision-not-recorded": {
    status: 503,
    title: "The decision could not be recorded",
    meaning:
      "This service answers only what it can record, and its journal cannot be written. Try again after `Retry-After`.",
  },
  "drop-off": {
    status: 503,
    title: "This service has no drop",
    meaning:
      "The anonymous drop is switched off, or in production has no port or origin of its own.",
  },
  "drop-unavailable": {
    status: 503,
    title: "The drop does not answer",
    meaning:
      "It is starting, its disk is full or it cannot be read. What was sent may be done in part; send the same again after `Retry-After`, what was done is not done twice.",
  },
  overloaded: {
    status: 503,
    title: "The service has more work than it can do",
    meaning:
      "The request was turned away before any work was done on it. Try again after `Retry-After`.",
  },
  "stream-interrupted": {
    status: 503,
    title: "The service ended the stream before its end",
    meaning:
      "The service is stopping. This is the last line of the answer: lines that have no answer were not evaluated or counted. Send them again.",
  },
} as const satisfies Record<string, ProblemType>

export type ProblemCode = keyof typeof problems

/** RFC 9457. `detail` and `errors` never quote what the caller sent. */
export const ProblemDetails = Type.Object(
  {
    type: Type.String({ description: "Path of a page that explains this problem." }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Unsafe<ProblemCode>({
      type: "string",
      enum: Object.keys(problems),
      description: "Stable; switch on this.",
    }),
    detail: Type.Optional(Type.String()),
    request_id: Type.Optional(
      Type.String({ description: "The id under which the service logged the request." }),
    ),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
        description: "Where the request does not fit, by JSON pointer.",
      }),
    ),
  },
  { $id: "Problem" },
)
export type ProblemDetails = Static<typeof ProblemDetails>
