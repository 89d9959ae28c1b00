import assert from "node:assert/strict"
// What the service and its commands answer about the data of tests/fixtures/older-data: asked once
// of the program that wrote them, and by older-data.test.ts of this one.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Outcome } from "../cli/assay.ts"
import type { Service } from "./service.ts"

/** When the questions are asked, by the clock of the service. The data were written before. */
export const ASKED_AT = Date.parse("2026-11-16T12:30:00Z")

/** Names for values that the program that wrote the data chose at random. */
export interface Names {
  readonly keys: Readonly<Record<"acme" | "zenith" | "admin" | "recipient", string>>
  readonly decisions: Readonly<Record<string, { key: "acme" | "zenith"; id: string }>>
  /** The feedback that is undone, and the score it then moves. */
  readonly undone: { readonly id: string; readonly email: string }
}

const CARRIER_TOKEN = "token-of-carrier-one-7f31c2"
export const EMAILS = [
  "ana.silva@mail.example",
  "ben.okafor@mail.example",
  "chloe.martin@mail.example",
  "dmitri.volkov@mail.example",
  "eva.novak@mail.example",
  "farid.haddad@mail.example",
  "grace.kim@mail.example",
  "hugo.lind@mail.example",
  "ines.costa@mail.example",
  "jonas.berg+shop@mail.example",
] as const
const PHONES = ["+447400100001", "+447400100002", "+447400100003", "+447400100004"] as const
const SUBJECTS = [
  ...EMAILS.map((email) => ({ email })),
  ...PHONES.map((phone_number) => ({ phone_number })),
]

const REPEATED_FEEDBACK = {
  idempotency: "feedback-of-the-fixture",
  json: {
    email: "ana.silva@mail.example",
    outcome: "fraud_confirmed",
    occurred_at: "2020-05-06T07:08:09Z",
    reference: "case-1",
  },
}
const REPEATED_EVIDENCE = [
  {
    email: "grace.kim@mail.example",
    kind: "paste",
    source: "own-watch",
    observed_at: "2021-02-03",
    secret: "plaintext",
    confidence: 0.7,
    classes: ["dob"],
    item: "paste-17",
  },
  {
    phone_number: "+447400100002",
    kind: "port",
    source: "own-telecom",
    observed_at: "2021-03-04T05:00:00Z",
  },
]
const REPEATED_NOTIFICATION = {
  specversion: "1.0",
  id: "9c1b5a0e-2f63-4a51-93a1-000000000001",
  source: "https://notifications.carrier.example",
  type: "org.camaraproject.sim-swap-subscriptions.v0.swapped",
  time: "2026-11-16T02:10:00Z",
  datacontenttype: "application/json",
  data: { phoneNumber: "+447400100003", subscriptionId: "qs15-h556-rt89-1298" },
}
const CONTEXT = { event: "sign-up", device_id: "device-of-the-fixture", ip: "203.0.113.9" }

/** Settings of providers for carriers whose notifications are taken and who are never asked. */
export function writeProviders(folder: string, privateKeyPem: string): string {
  writeFileSync(join(folder, "key.pem"), privateKeyPem, { mode: 0o600 })
  writeFileSync(join(folder, "one.token"), CARRIER_TOKEN, { mode: 0o600 })
  const file = join(folder, "providers.json")
  const one = {
    name: "one",
    ranges: ["+4474"],
    base_url: "https://carrier.example",
    token_url: "https://carrier.example/token",
    client_id: "assay",
    private_key_file: "key.pem",
    notification_token_file: "one.token",
    apis: {},
  }
  writeFileSync(file, JSON.stringify({ daily_cap: 0, tenant_daily_cap: 0, camara: [one] }))
  return file
}

/** Lines of the audit trail as they were before it was chained. */
function unchained({ code, out, err }: Outcome): string[] | string {
  if (code !== 0) return err
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ action }) => action !== "audit.chained")
    .map(({ tenant_id: _, request_id: _request, mac: _mac, ...entry }) => JSON.stringify(entry))
}

type Command = (args: readonly string[]) => Promise<Outcome>
type Request = Parameters<Service["request"]>[1]
type Subject = { readonly email: string } | { readonly phone_number: string }
export type Answers = Record<string, unknown>

/** Asks everything, the questions that change something last. */
export async function answersOf(
  start: () => Promise<Service>,
  command: Command,
  { keys, decisions, undone }: Names,
): Promise<Answers> {
  const answers: Answers = {}
  let service = await start()
  const asked = async (path: string, init: Request): Promise<Answer> => {
    const response = await service.request(path, init)
    const text = await response.text()
    return { status: response.status, body: text === "" ? null : (JSON.parse(text) as object) }
  }
  const ask = async (name: string, path: string, init: Request): Promise<void> =>
    void (answers[name] = lasting(await asked(path, init)))
  const print = async (...args: string[]): Promise<void> => {
    const { code, out, err } = await command(args)
    answers[`assay ${args.join(" ")}`] = code === 0 ? out.trim().split("\n") : err
  }

  answers["assay audit export"] = unchained(await command(["audit", "export"]))
  // What was there before the trail was chained is proven from now on.
  const verified = await command(["audit", "verify"])
  assert.equal(verified.code, 0, verified.out + verified.err)
  assert.match(verified.out, /were chained later than they were written/)
  await print("keys", "list")
  await print("providers", "costs", "--month", "2026-11", "--json")
  await print("lists", "check", "throwaway-of-the-fixture.example")
  await print("corpus", "show", "shop")
  await print("corpus", "show", "camara:one")
  for (const tenant of ["acme", "zenith"] as const) {
    await print("tenants", "show", tenant)
    for (const path of ["usage", "sources", "decisions?limit=100"])
      await ask(`${tenant}: ${path}`, `/api/v1/${path}`, { key: keys[tenant] })
  }
  for (const [name, { key, id }] of Object.entries(decisions))
    await ask(`decision ${name}`, `/api/v1/decisions/${id}`, { key: keys[key] })
  for (const subject of SUBJECTS)
    await ask(`export ${nameOf(subject)}`, "/api/v1/subjects/export", {
      key: keys.admin,
      json: { ...subject, reason: "subject_request" },
    })
  const scores = async (): Promise<Answers> => {
    const found: Answers = {}
    for (const tenant of ["acme", "zenith"] as const)
      for (const subject of SUBJECTS) {
        const answer = await asked(scoring(subject), { key: keys[tenant], json: subject })
        found[`${tenant} scores ${nameOf(subject)}`] =
          "email" in subject ? lasting(answer) : withoutHours(lasting(answer))
      }
    return found
  }
  const atFirst = await scores()
  Object.assign(answers, atFirst)
  await ask("a sign-up on a known device", "/api/v1/risk/score?explain=true", {
    key: keys.acme,
    json: { email: "new.person@mail.example", context: CONTEXT },
  })
  answers["drop"] = await dropOf(service, keys.recipient)

  await ask("feedback again", "/api/v1/feedback", {
    key: keys.acme,
    json: REPEATED_FEEDBACK.json,
    headers: { "idempotency-key": REPEATED_FEEDBACK.idempotency },
  })
  await ask("evidence again", "/api/v1/evidence", { key: keys.acme, json: REPEATED_EVIDENCE })
  await ask("notification again", "/api/v1/carrier/notifications", {
    key: CARRIER_TOKEN,
    json: REPEATED_NOTIFICATION,
  })
  await service.stop()
  // An index made anew comes from segments and records, so each row of theirs has to be there.
  const { code, err } = await command(["corpus", "rebuild", "--lost-index"])
  service = await start()
  const anew = Object.entries(await scores())
  answers["scores that differ once the index is made anew"] =
    code === 0 ? anew.filter(([name, answer]) => !isDeepStrictEqual(answer, atFirst[name])) : err
  await ask("feedback undone", `/api/v1/feedback/${undone.id}`, {
    key: keys.acme,
    method: "DELETE",
  })
  await ask("the score after that", "/api/v1/risk/score?explain=true", {
    key: keys.acme,
    json: { email: undone.email },
  })
  answers["assay corpus verify"] = (await command(["corpus", "verify"])).code
  await service.stop()
  return answers
}

const nameOf = (subject: Subject): string =>
  "email" in subject ? subject.email : subject.phone_number
const scoring = (subject: Subject): string =>
  `/api/v1/${"email" in subject ? "risk/score" : "phone-risk"}?explain=true`

/** Sealed messages as a recipient fetches them. */
async function dropOf(service: Pick<Service, "request">, key: string): Promise<unknown> {
  const response = await service.request("/api/v1/drop/sync", { key, json: { have: [] } })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  return { status: response.status, bytes: bytes.length, sha256 }
}

interface Answer {
  readonly status: number
  readonly body: object | null
}

/**
 * An answer without what is new in each, and with only those parts of the explanation that existed
 * then.
 */
function lasting({ status, body }: Answer): Answer {
  const {
    decision_id: _d,
    request_id: _r,
    exported_at: _e,
    assessment: _a,
    // Was not told by the older program.
    lookups_left: _l,
    ...rest
  } = {
    ...body,
  } as Record<string, unknown>
  if ("explanation" in rest) {
    const { input, matched } = rest["explanation"] as Record<string, unknown>
    rest["explanation"] = { input, matched }
  }
  return { status, body: body === null ? null : rest }
}

/** Facts about a number are dated to the second; all questions are asked in one hour. */
function withoutHours(answer: Answer): Answer {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      name === "as_of" ? "" : typeof value === "number" ? Math.floor(value) : value,
    ),
  ) as Answer
}
