import assert from "node:assert/strict"
import { test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import { judgeDomain } from "./judgement.ts"
import { likenessToOwn, ownDomainOf, ownDomains, type OwnLikeness } from "./own-domains.ts"

const acme = ownDomains(["acme.com", "hp.example", "müller.de"])

function likeness(domain: string, own = acme): OwnLikeness | null {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(domain)
  const { known, looks } = judgeDomain(parsed, [])
  return known ? null : likenessToOwn(parsed.domain, looks, own)
}

test("slips, swapped letters, twins, company words and other suffixes imitate a tenant's domain", () => {
  for (const domain of [
    "acm.com",
    "acmee.com",
    "acne.com",
    "amce.com",
    "acrne.com",
    "acme-inc.com",
    "acme-inc.net",
    "acme.net",
    "acme.co.uk",
    "mail.acme.net",
    "acme.com.login.example",
  ])
    assert.deepEqual(
      likeness(domain),
      { own: false, imitates: "acme.com", byLetters: false },
      domain,
    )
})

test("look-alike letters imitate it by letters, accents of its own name do not make it another's", () => {
  assert.deepEqual(likeness("аcme.com"), { own: false, imitates: "acme.com", byLetters: true })
  assert.deepEqual(likeness("müller.de"), { own: true })
  assert.deepEqual(likeness("muller.de"), {
    own: false,
    imitates: "xn--mller-kva.de",
    byLetters: false,
  })
})

test("the domain itself and what is under it are the tenant's own", () => {
  for (const domain of ["acme.com", "mail.acme.com", "a.b.acme.com"])
    assert.deepEqual(likeness(domain), { own: true }, domain)
})

test("names that are only near are left alone, short ones above all", () => {
  for (const domain of [
    "acmeparts.com",
    "my-acme.com",
    "ackne.com",
    "acmme.net",
    "ip.example",
    "hpp.example",
    "notacme.com",
    "co.uk",
  ])
    assert.equal(likeness(domain), null, domain)
})

test("a real domain of the lists imitates no tenant, however near it is", () => {
  const near = ownDomains(["gmial.com", "appel.com", "yahooo.com", "outlok.com", "ebay-inc.com"])
  for (const file of ["./popular-domains.csv", "./mainstream-providers.csv"])
    for (const [domain = ""] of readDataFile(new URL(file, import.meta.url)))
      assert.equal(likeness(domain, near), null, domain)
})

test("a tenant names domains that somebody registered, and no public suffix", () => {
  assert.equal(ownDomainOf("Mail.Acme.com"), "acme.com")
  assert.equal(ownDomainOf("bücher.example"), "xn--bcher-kva.example")
  for (const none of ["", "acme", "co.uk", "a b.com", "http://acme.com"])
    assert.equal(ownDomainOf(none), null, none)
})
