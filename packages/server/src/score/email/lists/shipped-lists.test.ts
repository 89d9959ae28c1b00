import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { readDataFile } from "./data-file.ts"
import { isGuardedSuffix } from "./guarded-suffixes.ts"
import { type Judgement, judgeDomain } from "./judgement.ts"
import { registrableDomain } from "./registrable-domain.ts"
import { isRoleMailbox } from "./role-mailboxes.ts"
import { gatherLists } from "./gather-lists.ts"
import { listsOf, madeOf, shippedLists } from "./shipped-lists.ts"
import { shippedPackages } from "./shipped-packages.ts"

function judged(domain: string): Judgement {
  const parsed = parseDomain(domain)
  if ("fault" in parsed) assert.fail(domain)
  return judgeDomain(parsed, [])
}

function firstColumn(file: string): string[] {
  return readDataFile(new URL(file, import.meta.url)).map(([domain = ""]) => domain)
}

test("the versions named in explanations are those of the packages that are installed", () => {
  const { resolve } = createRequire(import.meta.url)
  for (const { name, version } of shippedPackages) {
    const manifest = JSON.parse(readFileSync(resolve(`${name}/package.json`), "utf8")) as {
      version: string
    }
    assert.equal(version, manifest.version, name)
  }
})

test("every list is read whole: as many entries as its package's own parser gives", () => {
  const require = createRequire(import.meta.url)
  const entries = Object.fromEntries(shippedLists().lists.map((list) => [list.name, list]))
  const sizes: Record<string, number> = {
    "disposable-email-domains-js": (
      require("disposable-email-domains-js/dist/dict/disposable_email_blocklist.json") as string[]
    ).length,
    mailchecker: (require("mailchecker") as { blacklist(): Set<string> }).blacklist().size,
    "disposable-domains": (require("disposable-domains/index.json") as string[]).length,
    "email-providers": (require("email-providers/all.json") as string[]).length,
  }
  for (const [name, size] of Object.entries(sizes)) {
    const list = entries[name]
    assert.equal((list?.entries ?? 0) + (list?.unusable ?? 0), size, name)
    assert.ok((list?.unusable ?? 0) <= 1, name)
  }
  assert.ok((entries["fakefilter"]?.entries ?? 0) > 4000)
  let seen = 0
  const { table } = shippedLists()
  table.forEachName((name) => {
    if (table.seenAt(name, 0) !== null) seen++
  })
  assert.equal(entries["fakefilter"]?.entries, seen)
})

test("no mainstream provider is called anything but free, itself or by a subdomain", () => {
  const domains = firstColumn("./mainstream-providers.csv")
  assert.ok(domains.length > 400)
  for (const domain of domains.flatMap((each) => [each, `mx.${each}`])) {
    const { category, blocklisted, toxic, imitates } = judged(domain)
    assert.deepEqual([category, blocklisted, toxic, imitates], ["free", null, false, null], domain)
  }
})

test("no relay is called anything but masked, whatever other lists say of it", () => {
  for (const domain of firstColumn("./masked-relays.csv").flatMap((each) => [each, `a.${each}`])) {
    const { category, blocklisted } = judged(domain)
    assert.deepEqual([category, blocklisted], ["masked", null], domain)
  }
})

test("domains that bulk lists name by mistake are neither disposable nor blocklisted", () => {
  const domains = firstColumn("./guarded.csv")
  for (const domain of [...domains, "craigslist.org", "nus.edu.sg", "angi.com"]) {
    const { category, blocklisted, guarded } = judged(domain)
    assert.notEqual(category, "disposable", domain)
    assert.equal(blocklisted, null, domain)
    assert.equal(guarded, true, domain)
  }
})

test("no popular domain, university or government is ever disposable or likely so", () => {
  const named = [
    ...firstColumn("./popular-domains.csv"),
    ...firstColumn("./universities.csv"),
    ...["lsmu.com", "uj.edu.pl", "tulane.edu", "marun.edu.tr", "ox.ac.uk", "hackney.gov.uk"],
    ...["news.uhd.edu", "aol.edu", "army.gov", "min.edu.gov", "berkshirehealthcare.nhs.uk"],
  ]
  assert.ok(named.length > 14_000)
  for (const domain of named.flatMap((each) => [each, `mail.${each}`])) {
    const { category, blocklisted, guarded } = judged(domain)
    assert.ok(category !== "disposable" && blocklisted === null && guarded, domain)
  }
})

test("no name of any list under a suffix of universities or governments is disposable or likely so", () => {
  let looked = 0
  for (const { kind, read } of shippedPackages) {
    if (kind === "free") continue
    read(
      (bytes, start, end) => {
        const domain = Buffer.from(bytes.subarray(start, end)).toString()
        const suffix = registrableDomain(domain)?.suffix
        if (suffix === undefined || !isGuardedSuffix(suffix)) return
        looked++
        const { category, blocklisted } = judged(domain)
        assert.ok(category !== "disposable" && blocklisted === null, domain)
      },
      () => undefined,
    )
  }
  assert.ok(looked > 50, String(looked))
})

test("where anybody can have a name under an academic suffix, a disposable host there is called so", () => {
  for (const domain of ["tmail.edu.rs", "yomail.edu.pl", "imail.edu.vn"])
    assert.equal(judged(domain).category, "disposable", domain)
  assert.equal(judged("uw.edu.pl").guarded, true)
})

test("well-known disposable services are called so", () => {
  for (const domain of ["mailinator.com", "yopmail.com", "guerrillamail.com", "temp-mail.org"])
    assert.equal(judged(domain).category, "disposable", domain)
})

test("our own lists have each domain once, in the form identity gives, with a second column", () => {
  for (const file of [
    "./mainstream-providers.csv",
    "./masked-relays.csv",
    "./guarded.csv",
    "./major-providers.csv",
    "./mistyped-providers.csv",
  ]) {
    const domains = firstColumn(file)
    assert.equal(new Set(domains).size, domains.length, file)
    for (const [domain = "", second = ""] of readDataFile(new URL(file, import.meta.url))) {
      const parsed = parseDomain(domain)
      assert.ok(!("fault" in parsed) && parsed.domain === domain, domain)
      assert.notEqual(second, "", domain)
    }
  }
})

test("the marks of all lists fit into two bytes, none shared", () => {
  const marks = shippedLists().lists.map(({ mark }) => mark)
  assert.equal(new Set(marks).size, marks.length)
  for (const mark of marks) assert.ok(mark > 0 && mark <= 32_768)
})

test("a role mailbox is known by its whole name, a tag aside", () => {
  for (const local of ["abuse", "postmaster", "info", "support+42", "no-reply", "hr"])
    assert.equal(isRoleMailbox(local), true, local)
  for (const local of ["info.smith", "administrators", "anna", "+info", "salesman", ""])
    assert.equal(isRoleMailbox(local), false, local)
})

test("the file that the build makes of the lists says the same, name by name", () => {
  const gathered = gatherLists()
  const made = listsOf(madeOf(gathered))
  assert.deepEqual(made.lists, gathered.lists)
  assert.deepEqual(made.masks, gathered.masks)
  assert.equal(made.table.size, gathered.table.size)
  let names = 0
  gathered.table.forEachName((name) => {
    names++
    assert.equal(made.table.marks(name, 0), gathered.table.marks(name, 0))
    assert.equal(made.table.seenAt(name, 0), gathered.table.seenAt(name, 0))
    assert.equal(made.table.marks(`${name}.`, 0), 0)
  })
  assert.ok(names > 150_000)
})
