import assert from "node:assert/strict"
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseDomain, type ParsedDomain } from "@assay/core/identity"
import { deriveSecrets } from "@assay/runtime/secrets"
import { domainValues } from "./domain-trust.ts"
import {
  domainHash,
  type KeptDomain,
  keptDomain,
  keptValues,
  keyedLists,
  withShipped,
} from "./kept-domain.ts"
import { type Lists, openLists } from "./lists.ts"
import { ownDomains } from "./lists/own-domains.ts"
import { shippedLists } from "./lists/shipped-lists.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-kept-"))
after(() => rmSync(directory, { recursive: true }))
const hashOf = domainHash(deriveSecrets(new Uint8Array(32).fill(7)).subkeys.identity)

const FILES = {
  "mine.csv": ["bad.example,toxic,", "denied.gnail.com,deny,", "firm.example,free,"],
  "other.csv": ["gmail.com,allow,", "denied.gnail.com,disposable,", "sub.firm.example,deny,"],
}

/** Some of the shipped lists' names, their subdomains, slips of providers, and names of nobody. */
function samples(): ParsedDomain[] {
  const names: string[] = []
  shippedLists().table.forEachName((name) => names.push(name))
  const some = names.sort().filter((_, at) => at % 1500 === 0)
  return [
    ...some,
    ...some.map((name) => `mail.${name}`),
    ..."gmail.com gnail.com mail.gnail.com denied.gnail.com a.denied.gnail.com gmail.co".split(" "),
    ..."bad.example x.bad.example firm.example sub.firm.example a.b.sub.firm.example".split(" "),
    ..."gmаil.com xn--80ak6aa92e.com acne.com acme.com acme.com.login.example co.uk".split(" "),
    ..."mit.edu somewhere.ac.uk privaterelay.appleid.com someone.github.io".split(" "),
  ].flatMap((name) => {
    const parsed = parseDomain(name)
    return "fault" in parsed ? [] : [parsed]
  })
}

function write(files: Readonly<Record<string, readonly string[]>>, atS: number): void {
  for (const file of Object.keys(FILES)) rmSync(join(directory, file), { force: true })
  for (const [file, lines] of Object.entries(files)) {
    writeFileSync(join(directory, file), `${lines.join("\n")}\n`)
    utimesSync(join(directory, file), atS, atS)
  }
}

async function agree(
  kept: ReadonlyMap<ParsedDomain, KeptDomain>,
  lists: Lists,
  domains: readonly string[] | null,
): Promise<number> {
  const keyed = await keyedLists(lists.own(), hashOf, false)
  const own = domains && ownDomains(domains)
  let count = 0
  for (const [parsed, value] of kept) {
    assert.deepEqual(
      keptValues(value, keyed, own, hashOf),
      domainValues(parsed, lists.about(parsed), own),
      parsed.domain,
    )
    count++
  }
  return count
}

const stored = (kept: KeptDomain): KeptDomain => JSON.parse(JSON.stringify(kept)) as KeptDomain

test("what is kept of a domain gives what the domain gives, before and after changes of lists and own domains", async () => {
  write({}, 1_700_000_000)
  const kept = new Map(samples().map((parsed) => [parsed, stored(keptDomain(parsed, hashOf))]))
  for (const [{ domain }, value] of kept)
    if (value.imitates !== domain) assert.ok(!JSON.stringify(value).includes(`"${domain}"`), domain)
  const lists = openLists(directory)
  const before = lists.version()
  assert.ok((await agree(kept, lists, null)) > 200)
  await agree(kept, lists, ["acme.com", "hp.example"])
  write(FILES, 1_700_000_100)
  lists.reload()
  assert.notEqual(lists.version(), before)
  await agree(kept, lists, null)
  await agree(kept, lists, ["acme.com", "gmail.com"])
})

test("the shipped lists of another release are taken over by keys", async () => {
  write(FILES, 1_700_000_200)
  const lists = openLists(directory)
  const keyed = await keyedLists(lists.own(), hashOf, true)
  for (const parsed of samples()) {
    const now = keptDomain(parsed, hashOf)
    const old = { ...now, shipped: { version: "another", marks: 0, seenMs: null } }
    assert.deepEqual(withShipped(stored(old), keyed), now, parsed.domain)
  }
  const parsed = samples()[0] as ParsedDomain
  const old = { ...keptDomain(parsed, hashOf), shipped: { version: "", marks: 0, seenMs: null } }
  const without = await keyedLists(lists.own(), hashOf, false)
  assert.throws(() => withShipped(old, without), /not keyed/)
})
