import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { assay, createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const bootstrapKey = await mintKey()

async function mintKey(): Promise<string> {
  return (await assay(["keys", "mint"], {})).out.trim()
}

/**
 * A service of production: the corpus is empty, so the address and the lists are all there is to go
 * by.
 */
async function startEmpty(args: readonly string[] = []): Promise<Service> {
  return await startService({
    args,
    env: {
      NODE_ENV: "production",
      ASSAY_SECRET_IN_DATA: "true",
      ASSAY_BOOTSTRAP_KEY: bootstrapKey,
    },
  })
}

interface Answer {
  readonly risk_score: number
  readonly confidence: string
  readonly risk_reasons: readonly string[]
  readonly explanation: {
    readonly domain: Readonly<Record<string, unknown>>
    readonly input: { readonly trust: Readonly<Record<string, unknown>> }
  }
}

async function score(service: Service, email: string, key = bootstrapKey): Promise<Answer> {
  const answer = await service.request("/api/v1/risk/score?explain=true", { key, json: { email } })
  assert.equal(answer.status, 200)
  return (await answer.json()) as Answer
}

test("with an empty corpus a disposable address is elevated and says why; a plain one is low", async () => {
  await using service = await startEmpty()
  const disposable = await score(service, "anna.fischer@mailinator.com")
  assert.ok(disposable.risk_score >= 25, String(disposable.risk_score))
  assert.match(disposable.risk_reasons.join(" "), /[Dd]isposable/)
  const { category, origins } = disposable.explanation.domain
  assert.equal(category, "disposable")
  assert.match(String((origins as string[])[0]), /^disposable-email-domains-js \d\S+ \(\d{4}-/)

  const plain = await score(service, "anna.fischer@gmail.com")
  assert.ok(plain.risk_score < 25, String(plain.risk_score))
  assert.equal(plain.confidence, "low")
  assert.doesNotMatch(plain.risk_reasons.join(" "), /[Dd]isposable/)
  assert.equal(plain.explanation.input.trust["free"], true)

  const relay = await score(service, "x7k2q9zz81@privaterelay.appleid.com")
  assert.equal(relay.explanation.domain["category"], "masked")
  assert.equal(relay.explanation.input.trust["disposable"], undefined)

  const { explanation: unicode, ...unicodeBody } = await score(service, "anna@gmаil.com")
  const { explanation: ascii, ...asciiBody } = await score(service, "anna@xn--gmil-63d.com")
  assert.deepEqual({ ...unicodeBody, email: "" }, { ...asciiBody, email: "" })
  assert.deepEqual(unicode.domain, ascii.domain)
  assert.deepEqual(unicode.input, ascii.input)
  assert.equal(unicode.domain["imitates"], "gmail.com")
  assert.equal(unicode.domain["homograph"], true)
  assert.equal(unicode.input.trust["homograph"], true)
  const imitation = "Domain imitates gmail.com with look-alike letters"
  assert.ok(unicodeBody.risk_reasons.includes(imitation), unicodeBody.risk_reasons.join("; "))
})

test("an address that imitates the tenant's own domain is shown to that tenant, and to no other", async () => {
  await using service = await startEmpty()
  const env = { ASSAY_DATA: service.dataDirectory }
  const acme = await createKey(service, "--tenant", "Acme")
  const set = await assay(["tenants", "set", "Acme", "--domains", "acme.com"], env)
  assert.equal(set.out, "domains: none (default) → acme.com\n")
  const trustOf = async (email: string, by: string): Promise<Answer["explanation"]> =>
    (await score(service, email, by)).explanation

  const { risk_reasons: reasons, explanation: letters } = await score(service, "ceo@аcme.com", acme)
  const imitation = "Domain imitates acme.com with look-alike letters"
  assert.ok(reasons.includes(imitation), reasons.join("; "))
  assert.equal(letters.input.trust["homograph"], true)
  assert.equal(letters.input.trust["imitates"], "acme.com")
  assert.equal(letters.domain["imitates"], "acme.com")
  const { risk_reasons: slipReasons, explanation: slip } = await score(
    service,
    "ceo@acrne.com",
    acme,
  )
  assert.ok(slipReasons.includes("Domain imitates acme.com"), slipReasons.join("; "))
  assert.deepEqual(
    [slip.input.trust["typosquat"], slip.input.trust["imitates"]],
    [true, "acme.com"],
  )
  const own = await trustOf("ceo@mail.acme.com", acme)
  assert.equal(own.domain["imitates"], null)

  const others = await trustOf("ceo@acrne.com", bootstrapKey)
  assert.equal(others.input.trust["typosquat"], undefined)
  assert.equal(others.domain["imitates"], null)
})

test("an import changes the answers of every worker of a running service, and removing changes them back", async () => {
  await using service = await startEmpty(["--workers", "2"])
  const env = { ASSAY_DATA: service.dataDirectory }
  const file = join(temporary, "mine.txt")
  writeFileSync(file, "mailinator.com\n")
  const categories = async (): Promise<Set<unknown>> => {
    // Connections are shared out among workers; each of these is a connection of its own.
    const answers = Array.from({ length: 8 }, async () => {
      const { explanation } = await score(service, "anna@mailinator.com")
      return explanation.domain["category"]
    })
    return new Set(await Promise.all(answers))
  }
  assert.deepEqual(await categories(), new Set(["disposable"]))
  const made = await assay(["lists", "import", file, "--category", "masked"], env)
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, /The running service has taken it over/)
  assert.deepEqual(await categories(), new Set(["masked"]))

  // A file broken by hand stops the next command, and the service goes on with what it has.
  const broken = join(service.dataDirectory, "lists", "hand.csv")
  writeFileSync(broken, "x.example,nonsense,\n")
  const refused = await assay(["lists", "remove", "mine"], env)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /goes on with its old lists: hand\.csv, line 1/)
  assert.deepEqual(await categories(), new Set(["masked"]))
  writeFileSync(broken, "")
  const again = await assay(["lists", "import", file, "--category", "free"], env)
  assert.equal(again.code, 0, again.err)
  assert.deepEqual(await categories(), new Set(["free"]))
  assert.equal((await assay(["lists", "remove", "mine"], env)).code, 0)
  assert.deepEqual(await categories(), new Set(["disposable"]))
})
