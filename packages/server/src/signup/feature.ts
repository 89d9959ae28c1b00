import {
  PURPOSES,
  type Purpose,
  SignUpApproval,
  SignUpConfirmation,
  SignUpList,
  type SignUpMode,
  SignUpOffer,
  SignUpParams,
  SignUpPending,
  SignUpRequest,
  SignUpResult,
  TERMS,
} from "@assay/core/contract"
import { parseEmail } from "@assay/core/identity"
import { DAY_MS } from "@assay/runtime/time"
import type { IncomingMessage } from "node:http"
import type { ConsoleOrigin } from "../accounts/caller-of.ts"
import { actorOf, type Caller } from "../accounts/callers.ts"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import { writerPort } from "../base/writer-port.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { holdsIdentity } from "../base/holds-identity.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import type { VisitorNetwork } from "../http/visitor-network.ts"
import {
  type Decider,
  type NewTenant,
  openSignUpWriter,
  type Refused,
  SIGN_UP_PLAN,
  type SignUps,
} from "./sign-up-writer.ts"

const OPEN = ["internal-error", "store-unavailable", "overloaded"] as const
const OF_BODIES = [
  "malformed-json",
  "invalid-request",
  "body-too-large",
  "unsupported-media-type",
] as const

const offerSchema = {
  operationId: "offerSignUp",
  summary: "See how to sign up for the free plan",
  tags: ["Sign-up"],
  security: [],
  response: {
    200: named(SignUpOffer, "The terms, and work for your computer."),
    ...failures("sign-up-off", ...OPEN),
  },
}

const askSchema = {
  operationId: "signUp",
  summary: "Sign up for the free plan",
  description: "No card is asked for. The key is shown this once.",
  tags: ["Sign-up"],
  security: [],
  body: named(SignUpRequest),
  response: {
    201: named(SignUpResult, "Made: a tenant and its first key."),
    202: named(SignUpPending, "Somebody must act first."),
    ...failures(
      "sign-up-off",
      "not-an-email",
      "terms-changed",
      "proof-refused",
      "sign-ups-exceeded",
      "mail-unavailable",
      ...OF_BODIES,
      ...OPEN,
    ),
  },
}

const confirmSchema = {
  operationId: "confirmSignUp",
  summary: "Complete a sign-up by its token",
  tags: ["Sign-up"],
  security: [],
  body: named(SignUpConfirmation),
  response: {
    201: named(SignUpResult, "Made: a tenant and its first key."),
    ...failures("sign-up-off", "token-over", ...OF_BODIES, ...OPEN),
  },
}

const listSchema = {
  operationId: "listSignUps",
  summary: "List sign-ups that wait for a decision",
  tags: ["Sign-up"],
  security: [{ session: [] }],
  response: {
    200: named(SignUpList, "Those that wait."),
    ...failures(...FAILURES_OF_READING),
  },
}

const approveSchema = {
  operationId: "approveSignUp",
  summary: "Approve a sign-up",
  tags: ["Sign-up"],
  security: [{ session: [] }],
  params: SignUpParams,
  response: {
    200: named(SignUpApproval, "Whoever has the token completes it."),
    ...failures("sign-up-not-found", "not-found", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const refuseSchema = {
  operationId: "refuseSignUp",
  summary: "Refuse a sign-up",
  tags: ["Sign-up"],
  security: [{ session: [] }],
  params: SignUpParams,
  response: {
    204: { type: "null", description: "Refused; its token was never made." },
    ...failures("sign-up-not-found", "not-found", ...FAILURES_WITHOUT_LOOKUP),
  },
}

export interface SignUpServices {
  readonly config: Pick<Config, "signUp">
  readonly consoleOrigin: ConsoleOrigin
  readonly visitorNetwork: VisitorNetwork
  readonly now: () => number
}

/** A stranger becomes a tenant of the free plan. */
export const signUp: Feature<SignUpServices, SignUps> = {
  routes: signUpRoutes,
  port: writerPort<SignUps>(
    "signups",
    { challenge: true, ask: true, confirm: true, waiting: true, approve: true, refuse: true },
    { answerMs: 60_000 },
  ),
  writer: async ({ records, turns: { alone }, secrets, signUp: { mode, sendMail }, now }) =>
    openSignUpWriter({ mode, records, alone, secrets, sendMail, now }),
}

const offeredTerms = {
  version: TERMS.version,
  sentences: [...TERMS.sentences],
  purposes: (Object.keys(PURPOSES) as Purpose[]).map((name) => ({ name, meaning: PURPOSES[name] })),
}

function signUpRoutes(app: App, services: SignUpServices, signUps: SignUps): void {
  const { config, consoleOrigin, visitorNetwork, now } = services

  /** As if the operation were not there, while sign-ups are off. */
  const requireOn = (): Exclude<SignUpMode, "off"> => {
    if (config.signUp === "off") throw new Problem("sign-up-off", "Nothing was kept.")
    return config.signUp
  }
  const refusal = ({ refused }: Refused): Problem => {
    const retry =
      refused === "sign-ups-exceeded"
        ? Math.ceil((DAY_MS - (now() % DAY_MS)) / 1000)
        : refused === "mail-unavailable"
          ? 60
          : null
    const headers = retry === null ? {} : { "retry-after": String(retry) }
    return new Problem(refused, "Nothing was changed.", { headers })
  }
  const resultOf = (made: NewTenant, request: IncomingMessage): SignUpResult => ({
    tenant: made.tenant,
    plan: made.plan,
    key: made.key,
    key_id: made.keyId,
    owner_link: `${consoleOrigin(request) ?? ""}/console/join#${made.ownerToken}`,
  })

  app.get("/api/v1/signup", { schema: offerSchema }, async () => {
    const mode = requireOn()
    const challenge = (await signUps.challenge()) as unknown as Record<string, unknown>
    return { mode, plan: SIGN_UP_PLAN, terms: offeredTerms, challenge }
  })

  app.post("/api/v1/signup", { schema: askSchema }, async ({ body, raw, id: requestId }, reply) => {
    requireOn()
    const { organisation, purposes, proof, terms_version: terms } = body
    refuseOddName(organisation)
    const parsed = parseEmail(body.email)
    if ("fault" in parsed) throw new Problem("not-an-email", "The owner's address is none.")
    if (terms !== TERMS.version) throw new Problem("terms-changed", "Nothing was kept.")
    const email = body.email.trim()
    const network = visitorNetwork(raw)
    const asked = { organisation, email, purposes, terms, proof, network, requestId }
    const outcome = await signUps.ask(asked)
    if ("refused" in outcome) throw refusal(outcome)
    if ("state" in outcome) return reply.code(202).send(outcome)
    return reply.code(201).send(resultOf(outcome, raw))
  })

  app.post(
    "/api/v1/signup/confirm",
    { schema: confirmSchema },
    async ({ body, raw, id }, reply) => {
      requireOn()
      const outcome = await signUps.confirm(body.token, id)
      if ("refused" in outcome) throw refusal(outcome)
      return reply.code(201).send(resultOf(outcome, raw))
    },
  )

  app.get("/api/v1/signups", { schema: listSchema }, async () => {
    const waiting = await signUps.waiting()
    return {
      signups: waiting.map(({ id, at, organisation, email, purposes, terms }) => ({
        id,
        at: new Date(at).toISOString(),
        organisation,
        email,
        purposes,
        terms_version: terms,
      })),
    }
  })

  app.post("/api/v1/signups/:id/approve", { schema: approveSchema }, async (request) => {
    const outcome = await signUps.approve(request.params.id, deciderOf(request))
    if ("refused" in outcome) throw refusal(outcome)
    return outcome
  })

  app.post("/api/v1/signups/:id/refuse", { schema: refuseSchema }, async (request, reply) => {
    const refused = await signUps.refuse(request.params.id, deciderOf(request))
    if (refused !== null) throw refusal(refused)
    return reply.code(204).send(null)
  })
}

function deciderOf({ caller, id }: { readonly caller: Caller; readonly id: string }): Decider {
  return { actor: actorOf(caller), requestId: id }
}

/** It is kept as it is and shown to administrators, so it must not be a person's identity. */
function refuseOddName(organisation: string): void {
  const detail = holdsIdentity(organisation)
    ? "must not be an e-mail address or a phone number"
    : /[\p{Cc}\p{Cf}]/u.test(organisation) || organisation.trim() === ""
      ? "must be a name in printable characters"
      : null
  if (detail === null) return
  throw new Problem("invalid-request", "The organisation's name cannot be kept.", {
    errors: [{ pointer: "#/organisation", detail }],
  })
}
