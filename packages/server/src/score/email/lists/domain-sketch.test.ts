import assert from "node:assert/strict"
import { hash } from "node:crypto"
import { test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { looksOf } from "./domain-looks.ts"
import { sketchLikeness, sketchOf } from "./domain-sketch.ts"
import { likenessToOwn, ownDomains } from "./own-domains.ts"
import { registrableDomain } from "./registrable-domain.ts"

const hashOf = (text: string): Uint8Array => hash("sha256", text, "buffer")

/** Asks the letters and the sketch, which must say the same. */
function both(domain: string, own: readonly string[]): void {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(domain)
  const looks = looksOf(parsed, registrableDomain(parsed.domain))
  const compared = ownDomains(own)
  const stored = JSON.stringify(sketchOf(parsed.domain, looks, hashOf))
  const sketch = JSON.parse(stored) as ReturnType<typeof sketchOf>
  assert.deepEqual(
    sketchLikeness(sketch, compared, hashOf),
    likenessToOwn(parsed.domain, looks, compared),
    `${domain} and ${own.join(" ")}`,
  )
  assert.ok(!stored.includes(parsed.domain), "the sketch does not name the domain")
}

const OWN = [
  ["acme.com"],
  ["hp.example", "müller.de"],
  ["acme-trading.co.uk", "acme.com", "аcme.de"],
  ["mama.com", "noon.example"],
]

test("a sketch says of every domain what its letters say", () => {
  for (const own of OWN)
    for (const domain of [
      ..."acme.com mail.acme.com acm.com acmee.com acne.com amce.com acrne.com acme-inc.com".split(
        " ",
      ),
      ..."acme-inc.net acme.net acme.co.uk acme.com.login.example acme.company.example".split(" "),
      ..."аcme.com mueller.de müller.de muller.de mull.de hp.example hq.example hp-inc.com".split(
        " ",
      ),
      ..."mama.com mmaa.com amma.com mamma.com maam.com nono.example noon.example on.example".split(
        " ",
      ),
      ..."gmail.com co.uk github.io someone.github.io acme.com.acme.com a.example".split(" "),
    ])
      both(domain, own)
})

test("a sketch agrees with the letters on every slip of a name, and on two", () => {
  const letters = ["a", "e", "m", "c", "-", "7"]
  const slipped = (name: string): string[] =>
    Array.from({ length: name.length + 1 }, (_, at) => [
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + (name[at + 1] ?? "") + (name[at] ?? "") + name.slice(at + 2),
      ...letters.map((letter) => name.slice(0, at) + letter + name.slice(at)),
      ...letters.map((letter) => name.slice(0, at) + letter + name.slice(at + 1)),
    ]).flat()
  const once = slipped("acme")
  const twice = once.filter((_, at) => at % 7 === 0).flatMap(slipped)
  const domains = [...new Set([...once, ...twice])].map((name) => `${name}.com`)
  const usable = domains.filter((domain) => !("fault" in parseDomain(domain)))
  assert.ok(usable.length > 300)
  for (const domain of usable) both(domain, ["acme.com"])
})
