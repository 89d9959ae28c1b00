import assert from "node:assert/strict"
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { createClient } from "@assay/client"
import type { SubjectErasure, SubjectExport } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../../packages/runtime/src/secrets.ts"
import { assay } from "../cli/assay.ts"
import { ofOneNode } from "./about-one-node.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const SENTENCE = "Exposure data is not available for this identity, so exposure was not checked"
const data = join(temporaryDirectory(), "subjects")
/** Known to the demo's corpus, under another spelling of the same mailbox here. */
const EMAIL = "Mei.Tanaka+shop@mail.example"

let service: Service
let admin: string
let acme: string
let other: string
before(async () => {
  service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
  admin = await newKey("--service", "--scopes", "subjects:admin")
  acme = await newKey("--tenant", "acme", "--plan", "enterprise", "--scopes", "all")
  other = await newKey("--tenant", "other-co", "--plan", "enterprise", "--scopes", "all")
})
after(() => service.stop())

async function newKey(...args: string[]): Promise<string> {
  const { out, err, code } = await assay(["keys", "create", ...args], { ASSAY_DATA: data })
  assert.equal(code, 0, err)
  return out.trim()
}

async function post(path: string, key: string, json: object): Promise<Response> {
  return await service.request(path, { key, json, headers: { connection: "close" } })
}

async function score(
  key: string,
): Promise<{ body: Record<string, unknown>; decision: string; input: Input }> {
  const response = await post("/api/v1/risk/score?explain=true", key, { email: EMAIL })
  assert.equal(response.status, 200)
  const { explanation, ...body } = (await response.json()) as { explanation: { input: Input } }
  return {
    body,
    decision: response.headers.get("x-decision-id") ?? "",
    input: explanation.input,
  }
}
interface Input {
  readonly coverage: { readonly credential: number; readonly darkweb: number }
}

async function exported(key: string): Promise<SubjectExport> {
  const response = await post("/api/v1/subjects/export", key, {
    email: EMAIL,
    reason: "subject_request",
  })
  assert.equal(response.status, 200)
  return (await response.json()) as SubjectExport
}

const skip = ofOneNode("it damages the journal of a data directory")
test(
  "a journal with a damaged beginning stops neither listings nor erasures, and the next erasure deletes it",
  { skip },
  async () => {
    // In one step: folding, each second, takes away the directory of a worker that left nothing.
    const left = join(temporaryDirectory(), "left")
    mkdirSync(left)
    writeFileSync(join(left, "00000001.closed"), "\u0000ssay decisions journal 1\nwhose\n")
    mkdirSync(join(data, "journal"), { recursive: true, mode: 0o700 })
    renameSync(left, join(data, "journal", "0000000000000000"))
    assert.equal((await service.request("/api/v1/decisions", { key: acme })).status, 200)
    const aside = join(data, "journal", "damaged")
    assert.deepEqual(readdirSync(aside), ["0000000000000000-1"])
    const { out } = await assay(["doctor"], { ASSAY_DATA: data })
    assert.match(out, /^warning +journal +1 damaged file .* the next erasure deletes them/m)
    const erasure = { email: "nobody.known@mail.example", reason: "subject_request" }
    assert.equal((await post("/api/v1/subjects/erase", admin, erasure)).status, 200)
    assert.deepEqual(readdirSync(aside), [])
    assert.match((await assay(["doctor"], { ASSAY_DATA: data })).out, /^ok +journal +/m)
    assert.match(service.stderr(), /damaged journal files were set aside/)
  },
)

test("a request that does not say whom and why is refused and nothing happens", async () => {
  for (const [json, status] of [
    [{ email: EMAIL }, 400],
    [{ email: EMAIL, reason: "because" }, 400],
    [{ reason: "incident" }, 400],
    [{ email: EMAIL, phone_number: "+447400123456", reason: "incident" }, 400],
    [{ email: EMAIL, reason: "incident", reference: "mei.tanaka@mail.example" }, 400],
    [{ email: "nobody", reason: "incident" }, 422],
    [{ phone_number: "12345", reason: "incident" }, 422],
  ] as const) {
    for (const path of ["erase", "export"]) {
      const response = await post(`/api/v1/subjects/${path}`, admin, json)
      assert.equal(response.status, status, JSON.stringify(json))
      assert.match(response.headers.get("content-type") ?? "", /problem\+json/)
    }
  }
  const scoreOnly = await newKey("--tenant", "acme", "--scopes", "score")
  const refused = await post("/api/v1/subjects/erase", scoreOnly, {
    email: EMAIL,
    reason: "incident",
  })
  assert.equal(refused.status, 403)
  assert.match(refused.headers.get("www-authenticate") ?? "", /subjects:admin subjects:own/)
})

test("an export shows all that is held and names no tenant; a tenant sees its own part", async () => {
  await score(acme)
  await score(other)
  const report = { email: EMAIL, outcome: "takeover_confirmed" }
  assert.equal((await post("/api/v1/feedback", acme, report)).status, 202)

  const all = await exported(admin)
  assert.equal(all.erased_at, null)
  assert.ok(all.evidence.some(({ owner, kind }) => owner === "shared" && kind === "stealer"))
  assert.ok(all.evidence.some(({ owner, kind }) => owner === "a_tenant" && kind !== "decided"))
  assert.ok(all.evidence.every(({ owner, source }) => (owner === "a_tenant") === (source === null)))
  assert.equal(all.reports.length, 1)
  assert.equal(all.decisions.length, 2)
  assert.doesNotMatch(JSON.stringify(all), /acme|other-co/)

  const own = await exported(acme)
  assert.ok(own.evidence.length > 0 && own.evidence.every(({ owner }) => owner === "own"))
  assert.deepEqual([own.reports.length, own.decisions.length], [1, 1])
  const none = await exported(other)
  assert.deepEqual([none.reports.length, none.decisions.length], [0, 1])
  assert.ok(none.evidence.every(({ kind }) => kind === "decided"))
})

test("a tenant's erasure takes what it holds and nothing else", async () => {
  const before = await score(other)
  const client = createClient({ baseUrl: service.baseUrl, apiKey: acme })
  const erased = await client.eraseSubject({ email: EMAIL, reason: "consent_withdrawn" })
  assert.equal(erased.scope, "own")
  assert.equal(erased.reports, 1)
  assert.equal(erased.decisions, 1)
  const own = await client.exportSubject({ email: EMAIL, reason: "subject_request" })
  assert.deepEqual([own.evidence, own.reports, own.decisions], [[], [], []])
  assert.deepEqual((await score(other)).body, before.body)
})

test("an erasure leaves an honest answer, 410 for old decisions, and survives kill -9", async () => {
  const before = await score(other)
  assert.equal(before.body["exposed"], true)
  const response = await post("/api/v1/subjects/erase", admin, {
    email: "mei.tanaka@mail.example",
    reason: "subject_request",
    reference: "case-2026-11",
  })
  assert.equal(response.status, 200)
  const erased = (await response.json()) as SubjectErasure
  assert.equal(erased.scope, "everything")
  assert.ok(erased.decisions >= 1)

  const check = async (): Promise<void> => {
    const { body, input } = await score(other)
    assert.equal(body["threat_stage"], "CLEAN")
    assert.equal(body["exposed"], false)
    assert.equal(body["last_seen"], null)
    assert.ok((body["risk_reasons"] as string[]).includes(SENTENCE))
    assert.equal(input.coverage.credential, 0)
    assert.equal(input.coverage.darkweb, 0)
    const old = await service.request(`/api/v1/decisions/${before.decision}`, { key: other })
    assert.equal(old.status, 410)
    assert.equal(((await old.json()) as { code: string }).code, "decision-erased")
    const { evidence, erased_at, reports } = await exported(admin)
    assert.deepEqual([evidence, reports], [[], []])
    assert.ok(erased_at)
    assert.equal((await exported(other)).erased_at, null)
  }
  await check()
  await service.kill()
  service = await startService({ dataDirectory: data, args: ["--workers", "2"] })
  await check()

  // What is left of the key: the tombstones, and the decisions that were made after the erasure.
  assert.ok(!filesWith(EMAIL).length && !filesWith("mei.tanaka").length)
})

test("at most twenty exports an hour, and the audit trail names nobody", async () => {
  let status = 200
  let made = 0
  for (; status === 200 && made < 25; made++) {
    const response = await post("/api/v1/subjects/export", admin, {
      email: `person-${made}@mail.example`,
      reason: "incident",
    })
    status = response.status
    if (status === 429) {
      assert.equal(((await response.json()) as { code: string }).code, "exports-exceeded")
      assert.ok(Number(response.headers.get("retry-after")) > 3000)
    }
  }
  assert.equal(status, 429)
  assert.ok(made <= 20, "earlier tests made some")
})

test("the command does the same, with and without a service, and takes nobody's name as an argument", async () => {
  const env = { ASSAY_DATA: data }
  const noah = "noah.williams@mail.example\n"
  const shown = await assay(
    ["subjects", "export", "--reason", "subject_request", "--tenant", "other-co"],
    env,
    noah,
  )
  assert.equal(shown.code, 0, shown.err)
  assert.deepEqual((JSON.parse(shown.out) as SubjectExport).evidence, [])
  const tooMany = await assay(["subjects", "export", "--reason", "incident"], env, noah)
  assert.equal(tooMany.code, 1)
  assert.match(tooMany.err, /Too many exports/)
  await service.stop()
  const erased = await assay(["subjects", "erase", "--reason", "subject_request"], env, noah)
  assert.equal(erased.code, 0, erased.err)
  assert.match(erased.out, /^Erased \(everything\): 0 reports and 0 decisions/)
  for (const [args, input, message] of [
    [["erase"], noah, /--reason/],
    [["erase", "--reason", "x"], noah, /--reason takes one of/],
    [["erase", "--reason", "incident"], "", /standard input/],
    [["erase", "--reason", "incident"], "what?\n", /holds no e-mail address/],
    [["export", "--reason", "incident", "--tenant", "nobody"], noah, /There is no tenant/],
  ] as const) {
    const { code, err, out } = await assay(["subjects", ...args], env, input)
    assert.notEqual(code, 0)
    assert.match(err, message)
    assert.doesNotMatch(err + out, /noah/)
  }
  // Before the next score, which is a decision about it.
  const key = keyOf(noah.trim())
  assert.deepEqual(
    filesWith(key).filter((file) => file.includes("decisions")),
    [],
    "no decision was made about it before",
  )
  service = await startService({ dataDirectory: data })
  const response = await post("/api/v1/risk/score", other, { email: noah.trim() })
  const body = (await response.json()) as Record<string, unknown>
  assert.equal(body["exposed"], false)
})

function keyOf(email: string): Uint8Array {
  const parsed = parseEmail(email)
  assert.ok(!("fault" in parsed))
  const secrets = openSecrets(join(data, "secret"), false)
  return identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
}

function filesWith(what: string | Uint8Array): string[] {
  return readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(data, name)
    return statSync(path).isFile() && readFileSync(path).includes(what)
  })
}
