import assert from "node:assert/strict"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { parseDomain } from "@assay/core/identity"
import { judgeDomain } from "../../packages/server/src/score/email/lists/judgement.ts"
import { shippedLists } from "../../packages/server/src/score/email/lists/shipped-lists.ts"
import { assay, assayHere } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))
const env = { ASSAY_DATA: join(directory, "data") }
const lists = join(env.ASSAY_DATA, "lists")

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** Of the lists that are shipped, asked for once: it judges every name, which takes seconds. */
let stats = ""

test("stats print every list with entries, version, category and age, and make no directory", async () => {
  const { code, out } = await assay(["lists", "stats"], env)
  stats = out
  assert.equal(code, 0)
  assert.match(out, /^LIST +VERSION +CATEGORY +ENTRIES +UNUSABLE +AGE\n/)
  assert.match(out, /^disposable-email-domains-js +\d\S+ +curated +\d{4,} +0 +\d+ d$/m)
  assert.match(out, /^fakefilter +\d\S+ +curated +\d{4,} +0 +\d+ d$/m)
  assert.match(out, /^mailchecker +\d\S+ +bulk +\d{5,} +0 +\d+ d$/m)
  assert.match(out, /^disposable-domains +\d\S+ +bulk +\d{6,} +0 +\d+ d$/m)
  assert.match(out, /^email-providers +\d\S+ +free +\d{4,} +\d +\d+ d$/m)
  assert.match(out, /^masked-relays +1 +masked +\d\d +0 +\d+ d$/m)
  assert.match(out, /^Shipped: \d+ domains; \d+ disposable, \d+ on one bulk list alone, /m)
  assert.equal(existsSync(env.ASSAY_DATA), false)
})

test("stats count as disposable what is answered as disposable, not what is under guard", () => {
  const judged = { disposable: 0, likely: 0 }
  shippedLists().table.forEachName((name) => {
    const parsed = parseDomain(name)
    assert.ok(!("fault" in parsed), name)
    assert.equal(parsed.domain, name)
    const { category, disposableLikely } = judgeDomain(parsed, [])
    if (category === "disposable") judged.disposable++
    if (disposableLikely) judged.likely++
  })
  assert.match(
    stats,
    new RegExp(`; ${judged.disposable} disposable, ${judged.likely} on one bulk list alone, `),
  )
})

test("check says the verdict and who says so, the same for either spelling", async () => {
  const disposable = await assay(["lists", "check", "box.mailinator.com"], env)
  assert.equal(disposable.code, 0)
  assert.match(disposable.out, /^box\.mailinator\.com: disposable\n/)
  assert.match(disposable.out, /^shipped +fakefilter \S+ \(\S+\) +curated +mailinator\.com$/m)
  const unicode = await assayHere(["lists", "check", "gmаil.com"], env)
  const ascii = await assayHere(["lists", "check", "xn--gmil-63d.com"], env)
  assert.match(unicode.out, /^xn--gmil-63d\.com: imitates gmail\.com with look-alike letters\n/)
  assert.equal(unicode.out, ascii.out)
  assert.match((await assayHere(["lists", "check", "gmail.com"], env)).out, /: free, under guard\n/)
  const unknown = await assayHere(["lists", "check", "firm.example"], env)
  assert.equal(unknown.out, "firm.example: nothing known\nNo list names it.\n")
  const wrong = await assay(["lists", "check", "canary canary"], env)
  assert.deepEqual([wrong.code, wrong.err], [1, "assay: This is no domain\n"])
})

test("an import becomes a list of the operator's; again it changes nothing; removing undoes it", async () => {
  const hosts = file(
    "spam hosts.txt",
    "# from a feed\n0.0.0.0 bad.example\n0.0.0.0 worse.example\n",
  )
  const made3DaysAgo = new Date(Date.now() - 3 * 86_400_000)
  utimesSync(hosts, made3DaysAgo, made3DaysAgo)
  const args = ["lists", "import", hosts, "--category", "toxic", "--name", "feed", "--note", "a, b"]
  const made = await assay(args, env)
  assert.equal(made.code, 0, made.err)
  assert.equal(made.out, "feed.csv: 2 domains, toxic.\n")
  assert.match(made.err, /No service runs here/)
  const path = join(lists, "feed.csv")
  assert.equal(readFileSync(path, "utf8"), "bad.example,toxic,a, b\nworse.example,toxic,a, b\n")
  assert.equal(statSync(path).mode & 0o077, 0)
  const check = await assayHere(["lists", "check", "mx.bad.example"], env)
  assert.match(check.out, /^mx\.bad\.example: toxic\n/)
  assert.match(check.out, /^own +feed\.csv +toxic +bad\.example$/m)
  assert.match((await assay(["lists", "stats"], env)).out, /^feed\.csv +toxic +2 +0 +3 d$/m)

  const { mtimeMs } = statSync(path)
  assert.match((await assayHere(args, env)).out, /nothing changed\.\n$/)
  assert.equal(statSync(path).mtimeMs, mtimeMs)
  assert.deepEqual(readdirSync(lists), ["feed.csv"])

  const removed = await assay(["lists", "remove", "feed"], env)
  assert.deepEqual([removed.code, removed.out], [0, "feed.csv is removed.\n"])
  assert.match((await assayHere(["lists", "check", "bad.example"], env)).out, /nothing known/)
  assert.equal((await assay(["lists", "remove", "feed"], env)).code, 1)
})

test("a line that is no domain refuses the whole file by its number and changes nothing", async () => {
  const good = file("own.txt", "a.example\n")
  assert.equal((await assayHere(["lists", "import", good, "--category", "deny"], env)).code, 0)
  const before = readFileSync(join(lists, "own.csv"), "utf8")
  const bad = file("own.csv", "domain,note\nb.example,x\ncanary canary,x\nc.example,x\n")
  const { code, err } = await assay(["lists", "import", bad, "--category", "deny"], env)
  assert.equal(code, 1)
  assert.equal(err, "assay: Nothing was imported: own.csv, line 3: this is no domain\n")
  assert.equal(readFileSync(join(lists, "own.csv"), "utf8"), before)
  assert.deepEqual(readdirSync(lists), ["own.csv"])
})

test("wrong categories, names and files are refused before anything is read or written", async () => {
  const good = file("good.txt", "a.example\n")
  for (const [args, message] of [
    [[good, "--category", "nice"], /--category takes masked, disposable, free, toxic, allow, deny/],
    [[good, "--category", "deny", "--name", "../x"], /--name takes/],
    [[good, "--category", "deny", "--name", "demo"], /demo is the demo's own list/],
    [[good, "--category", "deny", "--note", "a\nb"], /--note takes/],
    [[join(directory, "nowhere"), "--category", "deny"], /The file cannot be read/],
  ] as const) {
    const { code, err } = await assayHere(["lists", "import", ...args], env)
    assert.equal(code, 1)
    assert.match(err, message)
  }
  assert.equal((await assay(["lists", "import", good], env)).code, 2)
  assert.deepEqual(readdirSync(lists), ["own.csv"])
})

test("a list that is broken already is named, and nothing is imported beside it", async () => {
  const data = join(directory, "broken")
  mkdirSync(join(data, "lists"), { recursive: true })
  writeFileSync(join(data, "lists", "old.csv"), "x.example,nonsense,\n")
  const good = file("fresh.txt", "a.example\n")
  const { code, err } = await assay(["lists", "import", good, "--category", "deny"], {
    ASSAY_DATA: data,
  })
  assert.equal(code, 1)
  assert.match(err, /^assay: old\.csv, line 1: /)
  assert.deepEqual(readdirSync(join(data, "lists")), ["old.csv"])
})
