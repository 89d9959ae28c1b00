import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

const EMAIL = "canary.zqxjkv+tag@canary-domain-zqxjkv.example"
const PHONE = "+61491570737"
/**
 * What would betray the identities: whole, in part, in either case, spelled for a URL, in base64 or
 * hexadecimal.
 */
const CANARIES = [
  EMAIL,
  "canary.zqxjkv",
  "canary-domain-zqxjkv",
  encodeURIComponent(EMAIL),
  PHONE,
  PHONE.slice(1),
  Buffer.from("canary.zqxjkv@canary-domain-zqxjkv.example").toString("base64").slice(0, 24),
  Buffer.from("canary.zqxjkv@").toString("hex"),
]

function assertWithout(text: string | Buffer, canaries: readonly string[], where: string): void {
  const lower = (Buffer.isBuffer(text) ? text.toString("latin1") : text).toLowerCase()
  for (const canary of canaries)
    assert.ok(!lower.includes(canary.toLowerCase()), `${where} holds ${canary}`)
}

function assertDirectoryWithout(directory: string, canaries: readonly string[]): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }))
    assertWithout(name, canaries, "a file name")
  for (const { path, bytes } of filesBelow(directory)) assertWithout(bytes, canaries, path)
}

/**
 * Puts the identities everywhere a caller can put them. Returns every answer that is not a score.
 */
async function sendEverywhere(service: Service, key: string): Promise<string[]> {
  const answers: string[] = []
  const send = async (
    path: string,
    init: Parameters<Service["request"]>[1] = {},
  ): Promise<void> => {
    const response = await service.request(path, { key, ...init })
    const headers = JSON.stringify([...response.headers])
    const body = await response.text()
    answers.push(response.status === 200 ? headers : headers + body)
  }
  await send("/api/v1/risk/score", { json: { email: EMAIL } })
  await send("/api/v1/risk/score?explain=true", { json: { email: EMAIL } })
  await send("/api/v1/phone-risk", { json: { phone_number: PHONE } })
  await send("/api/v1/risk/score", { json: { email: `${EMAIL} x` } })
  await send("/api/v1/risk/score", { json: { email: [EMAIL], [EMAIL]: EMAIL } })
  await send("/api/v1/phone-risk", { json: { phone_number: `tel:${PHONE}` } })
  await send("/api/v1/risk/score", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"email":"${EMAIL}"`,
  })
  await send("/api/v1/risk/score", {
    method: "POST",
    headers: { "content-type": `text/${EMAIL.replace("@", "-")}` },
    body: EMAIL,
  })
  for (const json of [
    { email: EMAIL },
    { phone_number: PHONE },
    { email: `${EMAIL} x` },
    { email: EMAIL, phone_number: PHONE },
    { email: EMAIL, [EMAIL]: EMAIL },
    { email: EMAIL, before: EMAIL, from: EMAIL },
    { email: EMAIL, until: PHONE },
  ])
    await send("/api/v1/decisions/search", { json })
  await send(`/api/v1/decisions?from=${encodeURIComponent(EMAIL)}&email=${EMAIL}`)
  await send(`/api/v1/risk/score/${encodeURIComponent(EMAIL)}`)
  await send(
    `/api/v1/risk/score?email=${encodeURIComponent(EMAIL)}&explain=${encodeURIComponent(EMAIL)}`,
    { json: { email: EMAIL } },
  )
  await send("/healthz", {
    headers: {
      "x-request-id": EMAIL,
      "user-agent": EMAIL,
      referer: `https://${EMAIL}/`,
      cookie: `id=${EMAIL}`,
    },
  })
  await send("/api/v1/risk/score", {
    key: null,
    headers: { authorization: `Bearer ${EMAIL}` },
    json: { email: EMAIL },
  })
  return answers
}

test("no identity and no key is in any log line, metric, error, header or file, running, stopped or killed", async () => {
  const data = join(temporary, "data")
  const before = new Set(readdirSync(tmpdir()))
  const service = await startService({ dataDirectory: data, env: { ASSAY_LOG_LEVEL: "debug" } })
  const all = ["--plan", "enterprise", "--scopes", "all"]
  const key = await createKey(service, "--tenant", "canary", ...all)
  const freeKey = await createKey(service, "--tenant", "canary-free")
  const secrets = [...CANARIES, key, key.slice(9, 39), freeKey, freeKey.slice(9, 39)]

  const answers = [
    ...(await sendEverywhere(service, key)),
    ...(await sendEverywhere(service, freeKey)),
  ]
  for (const answer of answers) assertWithout(answer, secrets, "an answer")
  assertWithout(await (await service.request("/metrics")).text(), secrets, "metrics")
  await delay(1500)
  assertDirectoryWithout(data, secrets)

  await service.kill()
  assertWithout(service.stderr(), secrets, "the log")
  assertWithout(service.stdout(), secrets, "standard output")
  assert.match(service.stderr(), /"route":"\/api\/v1\/risk\/score"/)
  assertDirectoryWithout(data, secrets)

  const again = await startService({ dataDirectory: data, env: { ASSAY_LOG_LEVEL: "debug" } })
  await sendEverywhere(again, key)
  assert.equal(await again.stop(), 0)
  assertWithout(again.stderr(), secrets, "the log")
  assertDirectoryWithout(data, secrets)
  const mine = readdirSync(tmpdir()).filter(
    (name) => !before.has(name) && !name.startsWith("assay-"),
  )
  for (const name of mine) assertWithout(name, secrets, "a temporary file's name")
})

let plain: Service
before(async () => {
  plain = await startService()
})
after(() => plain.stop())

test("what one tenant asks leaves no byte of difference in another's answer", async () => {
  const make = (tenant: string): Promise<string> =>
    createKey(plain, "--tenant", tenant, "--plan", "enterprise")
  const [one, other] = [await make("one"), await make("other")]
  // The id of each decision is its own; every other byte is compared.
  const answer = async (key: string): Promise<string> =>
    (
      await (
        await plain.request("/api/v1/risk/score?explain=true", {
          key,
          json: { email: "mei.tanaka@mail.example" },
        })
      ).text()
    ).replace(/dec_[0-9a-z]{26}/, "")
  const before = await answer(other)
  for (let n = 0; n < 20; n++) await answer(one)
  assert.equal(await answer(other), before)
})

test("a free plan sees how many sources there are, not which", async () => {
  const free = await createKey(plain, "--tenant", "free")
  const explained = async (key: string | null): Promise<string> =>
    await (
      await plain.request("/api/v1/risk/score?explain=true", {
        key,
        json: { email: "mei.tanaka@mail.example" },
      })
    ).text()
  assert.match(await explained(plain.key), /demo-market/)
  assert.doesNotMatch(await explained(free), /demo-/)
})
