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
      "Send `Authorization: Bearer <API_KEY>`. The key may be missing, mistyped, expired or revoked; the answer does not say which. The same holds for the session of a person: sign in again.",
  },
  "sign-in-refused": {
    status: 401,
    title: "This does not sign anybody in",
    meaning:
      "The address, the password, the passkey or the code is wrong, or the code was used before. The answer does not say which, nor whether there is such a person.",
  },
  "insufficient-scope": {
    status: 403,
    title: "This key may not do that",
    meaning:
      "The key is valid but lacks the scope the operation needs; `WWW-Authenticate` names it.",
  },
  "insufficient-role": {
    status: 403,
    title: "This person may not do that",
    meaning:
      "Whoever is signed in has none of the roles that the operation needs in the tenant they act in, or its plan does not have the operation.",
  },
  "no-role": {
    status: 403,
    title: "Your organisation gives you no role here",
    meaning:
      "The provider of single sign-on knows you, and nothing it says of you gives a role in this service. Whoever sees to its groups can change that.",
  },
  "cross-site": {
    status: 403,
    title: "The request does not come from the console",
    meaning:
      "A request of a session must come from CONSOLE_ORIGIN and, unless it only reads, carry its `X-CSRF-Token`. Nothing was done.",
  },
  "sign-in-again": {
    status: 403,
    title: "This takes a sign-in of the last minutes",
    meaning:
      "What a person signs in by is changed only shortly after they did. Sign in again, then repeat the request.",
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
  "review-not-found": {
    status: 404,
    title: "There is no such review",
    meaning:
      "No decision of yours with this id waits for an analyst or did. Only decisions that recommended `review` or `block` do, and they leave the queue after ASSAY_REVIEW_DAYS or with the person's data.",
  },
  "review-decided": {
    status: 409,
    title: "The review is decided already",
    meaning:
      "Somebody decided it first, or you decided it otherwise. Nothing changed. Read it again, and undo it before deciding it anew.",
  },
  "view-not-found": {
    status: 404,
    title: "There is no such view",
    meaning: "No shared view of your tenant and none of your own has this id.",
  },
  "too-many-views": {
    status: 409,
    title: "There are too many views",
    meaning:
      "A tenant may have 100 views of a list, shared ones and those of its people together. Delete one.",
  },
  "watch-list-full": {
    status: 409,
    title: "The watch list is full",
    meaning:
      "A tenant may watch 1,000,000 identities. Nothing was added. End watching some, by identity or by ref.",
  },
  "decision-not-found": {
    status: 404,
    title: "There is no such decision",
    meaning:
      "The id is mistyped, belongs to another tenant, or the decision is older than the time decisions are kept; the answer does not say which.",
  },
  "cursor-unknown": {
    status: 400,
    title: "There is no such cursor",
    meaning:
      "It is mistyped, belongs to another tenant, or was made before the secret of the service was changed. Begin without one, from the oldest that is kept.",
  },
  "cursor-expired": {
    status: 410,
    title: "The cursor is too old",
    meaning:
      "Events that follow it may be gone already. Begin without one, from the oldest that is kept, and compare what you have with the state of now.",
  },
  "entry-not-found": {
    status: 404,
    title: "There is no such entry",
    meaning:
      "No member, invitation, session or passkey that you may see has this id. It may be gone already.",
  },
  "invitation-over": {
    status: 410,
    title: "This link is not good any more",
    meaning: "It was used, has ended, was taken back, or is mistyped. Ask for another one.",
  },
  "step-over": {
    status: 410,
    title: "This step took too long",
    meaning:
      "A step of signing in is good once and for a few minutes. Begin again; nothing was changed.",
  },
  "decision-erased": {
    status: 410,
    title: "The decision was erased",
    meaning:
      "The person the decision was about had their data erased; what was decided can no longer be read or repeated.",
  },
  "sign-up-off": {
    status: 404,
    title: "Nobody can sign up here",
    meaning:
      "This service takes no sign-ups (ASSAY_SIGNUP). Its operator makes tenants and keys with `npx assay keys create`.",
  },
  "sign-up-not-found": {
    status: 404,
    title: "No such sign-up waits",
    meaning: "No sign-up of this id waits for a decision; it may have been decided already.",
  },
  "key-not-found": {
    status: 404,
    title: "There is no such key",
    meaning: "No key of your tenant has this id. Nothing was changed.",
  },
  "sink-not-found": {
    status: 404,
    title: "There is no such sink",
    meaning: "Sinks are those that the file of ASSAY_SINKS names. Nothing was sent.",
  },
  "webhook-not-found": {
    status: 404,
    title: "There is no such webhook",
    meaning: "You have no webhook of this id. Nothing was changed.",
  },
  "shared-signals-off": {
    status: 404,
    title: "There are no streams of Shared Signals here",
    meaning: "The operator has not set ASSAY_SSF_ORIGIN, without which nothing can be signed.",
  },
  "shared-stream-not-found": {
    status: 404,
    title: "There is no such stream",
    meaning: "You have no stream of this id. Nothing was changed.",
  },
  "delivery-not-found": {
    status: 404,
    title: "There is no such delivery",
    meaning:
      "Your webhook has no delivery of this id. Deliveries are kept for 30 days, and go when the person they were about is erased.",
  },
  "event-not-found": {
    status: 404,
    title: "There is no such event",
    meaning:
      "You have no event of this id. Events are kept for 30 days, and go when the person they were about is erased.",
  },
  "tenant-not-found": {
    status: 404,
    title: "There is no such tenant",
    meaning: "No tenant has this number. Nothing was changed.",
  },
  "policy-not-found": {
    status: 404,
    title: "There is no such version",
    meaning:
      "The policy of your tenant has no version of this number. Versions are numbered from 1 up, by themselves for each tenant.",
  },
  "model-not-found": {
    status: 404,
    title: "There is no such model",
    meaning:
      "No model of this version is loaded for what the decision is about. `errors` names those that are.",
  },
  "shadow-not-found": {
    status: 404,
    title: "There is no such shadow",
    meaning:
      "Your tenant has had no shadow, or none of this version, so there is nothing to report on. `PUT /api/v1/policy/shadow` sets one.",
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
  "address-taken": {
    status: 409,
    title: "Somebody has this address already",
    meaning: "Whoever is known here signs in first and then takes up the invitation.",
  },
  "outside-account": {
    status: 409,
    title: "This person signs in at a provider",
    meaning:
      "Whoever signs in by single sign-on has no password, passkey or code of their own here. Nothing was changed.",
  },
  "last-owner": {
    status: 409,
    title: "The last owner stays",
    meaning:
      "A tenant has at least one owner, and the service at least one administrator. Make somebody else one first. Nothing was changed.",
  },
  "last-credential": {
    status: 409,
    title: "Nothing would be left to sign in by",
    meaning: "Add a passkey or a password before taking away the last one. Nothing was changed.",
  },
  "terms-changed": {
    status: 409,
    title: "These are not the terms of today",
    meaning:
      "`terms_version` is not the version in force. Read the terms again with `GET /api/v1/signup` and send the version they have. Nothing was kept.",
  },
  "token-over": {
    status: 410,
    title: "This token is no longer good",
    meaning:
      "It was used, has ended, or never was; the answer does not say which. Sign up again for another.",
  },
  "model-not-loaded": {
    status: 409,
    title: "The model of this decision is not loaded",
    meaning:
      "The decision was made by a version of the model this service does not have. Another version would give another number, so none is given.",
  },
  "key-ended": {
    status: 409,
    title: "The key has ended",
    meaning:
      "It is revoked, expired or already replaced by another one; `GET /api/v1/keys` says which. What has ended does not come back. Nothing was changed.",
  },
  "keys-exceeded": {
    status: 409,
    title: "The tenant has too many keys",
    meaning: "A tenant can have 100 keys that work. Revoke one that is not needed.",
  },
  "webhooks-exceeded": {
    status: 409,
    title: "There are too many webhooks",
    meaning: "A tenant can have 50 webhooks. Delete one that is not needed.",
  },
  "shared-streams-exceeded": {
    status: 409,
    title: "There are too many streams",
    meaning: "A tenant can have 10 streams of Shared Signals. Delete one that is not needed.",
  },
  "left-out-exceeded": {
    status: 409,
    title: "The stream leaves out too many",
    meaning: "A stream can leave out 100,000 subjects. Nothing was changed.",
  },
  "webhook-is-disabled": {
    status: 409,
    title: "The webhook is disabled",
    meaning:
      "Events are queued for enabled webhooks only. Enable it first. A single delivery, and a test, can be sent to a disabled one.",
  },
  "tenant-name-taken": {
    status: 409,
    title: "A tenant has this name",
    meaning: "Names of tenants are unique. Nothing was changed.",
  },
  "drop-keys-exist": {
    status: 409,
    title: "The drop has keys already",
    meaning:
      "Only the first keys of a drop can be set here. Others are added, rotated and removed with `npx assay drop keys` on the machine of the service.",
  },
  "policy-changed": {
    status: 412,
    title: "The policy was changed since it was read",
    meaning:
      "`If-Match` names another version than the one that acts. Read the policy again, and decide again. Nothing was changed.",
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
  "webhook-refused": {
    status: 422,
    title: "Nothing may be sent to this URL",
    meaning:
      "A webhook is an https URL without a name, password or fragment, at a public address. The operator may allow private ranges (ASSAY_WEBHOOK_ALLOW).",
  },
  "shared-stream-refused": {
    status: 422,
    title: "Nothing may be sent to this URL",
    meaning:
      "A stream is pushed to an https URL without a name, password or fragment, at a public address. The operator may allow private ranges (ASSAY_WEBHOOK_ALLOW).",
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
  "password-weak": {
    status: 422,
    title: "This password is too easy to guess",
    meaning:
      "Take a longer one, or several words. It must not be the address or one that many people use. Nothing was changed.",
  },
  "passkey-refused": {
    status: 422,
    title: "This passkey cannot be taken",
    meaning:
      "The browser's answer does not fit what it was asked, or the passkey is somebody's already. Begin again; nothing was changed.",
  },
  "policy-refused": {
    status: 422,
    title: "This cannot be a policy",
    meaning:
      "`errors` names each member that does not fit, by JSON pointer, and says what it takes. Nothing was changed.",
  },
  "not-backtestable": {
    status: 422,
    title: "Past decisions do not tell what this would have changed",
    meaning:
      "The members that `errors` names decide what is found out about an identity, and a past input has only what was found then. Such a change can only be shadowed: set it with `PUT /api/v1/policy/shadow`. Leave them as they are to back-test the rest.",
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
  "proof-refused": {
    status: 422,
    title: "The proof of work is not good",
    meaning:
      "The challenge was not solved, has ended, was used before, or is from before the last start. Get another with `GET /api/v1/signup`. Nothing was kept.",
  },
  "precondition-required": {
    status: 428,
    title: "Say which version this is to follow",
    meaning:
      "Send `If-Match` with the `ETag` of the policy as you read it, so that nobody's change is lost. Nothing was changed.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning:
      "The plan's rate is used up; `Retry-After` says when to send again. Requests that are refused count toward the rate, and of a batch or stream every ten refused lines count as one.",
  },
  "verification-too-soon": {
    status: 429,
    title: "The last verification was a moment ago",
    meaning:
      "A stream can be verified every few seconds; `Retry-After` says when again. Nothing was sent.",
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
  "sign-ups-exceeded": {
    status: 429,
    title: "Enough sign-ups for today",
    meaning:
      "Your network, or the whole service, has had its sign-ups of the day; `Retry-After` counts to the next day (UTC).",
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
  "imports-off": {
    status: 404,
    title: "Files are not imported over HTTP here",
    meaning:
      "In production that takes ASSAY_CONSOLE_IMPORTS=true; `npx assay corpus import` works on the machine itself. Nothing was read.",
  },
  "override-not-found": {
    status: 404,
    title: "No list has this override",
    meaning:
      "It may have been removed, or its file was changed. List the overrides again. Nothing was changed.",
  },
  "lists-unusable": {
    status: 409,
    title: "A list of the operator's cannot be used",
    meaning:
      "A file in `lists/` of the data directory cannot be read or written, or has a line that cannot be used; `detail` names it. Scores go on with the lists as they were last read. Mend the file and repeat the request.",
  },
  "import-not-found": {
    status: 404,
    title: "There is no such import",
    meaning:
      "Imports are listed until the service is started anew; one that has ended cannot be stopped. What was imported is among the sources.",
  },
  "import-running": {
    status: 409,
    title: "Another import is running",
    meaning:
      "One import runs at a time, whether it was begun here or by the command. Nothing was imported; try again when it has ended.",
  },
  "import-length-required": {
    status: 411,
    title: "How long the file is must be said first",
    meaning:
      "Send `Content-Length`. Without it the end of a connection that broke would look like the end of the file. Nothing was imported.",
  },
  "import-needs-folder": {
    status: 422,
    title: "This file cannot be read while it arrives",
    meaning:
      "Zip archives and Parquet files are read by places in them. Put the file into the folder that ASSAY_IMPORT_FOLDER names and import it from there. Nothing was imported.",
  },
  "import-refused": {
    status: 422,
    title: "The file cannot be imported",
    meaning: "`detail` says why. All of a file is imported or nothing: nothing was.",
  },
  "backtest-running": {
    status: 429,
    title: "A back-test is running",
    meaning:
      "A tenant has one back-test or report of a shadow at a time, and the service a few. Try again when it has ended, or hang up to end it.",
  },
  "exports-exceeded": {
    status: 429,
    title: "Too many exports",
    meaning:
      "At most 20 exports of a person's data are made in an hour, so that nobody walks through the corpus by them; `Retry-After` says when the next one is.",
  },
  "guesses-exceeded": {
    status: 429,
    title: "Too many attempts to sign in",
    meaning:
      "From this network or for this address too many attempts failed; `Retry-After` says when the next one is looked at. A browser that signed in before has attempts of its own, and a passkey is never kept waiting.",
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
  "people-off": {
    status: 503,
    title: "Nobody can sign in here",
    meaning:
      "In production people sign in once CONSOLE_ORIGIN gives the https:// origin they come by. API keys work without it.",
  },
  "mail-unavailable": {
    status: 503,
    title: "The mail could not be sent",
    meaning: "The mail server did not take it. Nothing was kept; try again after `Retry-After`.",
  },
  "sign-in-provider-unavailable": {
    status: 503,
    title: "The provider of single sign-on does not answer",
    meaning:
      "It cannot be reached, or what it answers cannot be used. Try again after `Retry-After`; people who have a password or a passkey here sign in by it.",
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
