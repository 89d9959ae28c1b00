import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { assay, assayHere } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true }))
const env = { ASSAY_DATA: join(directory, "data") }

test("a key is printed once, alone on standard output, and listed without what would let anyone use it", async () => {
  const made = await assay(
    [
      "keys",
      "create",
      "--tenant",
      "acme",
      "--plan",
      "enterprise",
      "--scopes",
      "score,usage:read",
      "--label",
      "checkout",
    ],
    env,
  )
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^ask_live_[0-9A-Za-z]{36}\n$/)
  assert.match(made.err, /Tenant acme is new, on the enterprise plan\./)
  assert.match(made.err, /shown this once/)
  const key = made.out.trim()

  const listed = await assay(["keys", "list"], env)
  assert.equal(listed.code, 0)
  assert.match(listed.out, /^ID +KEY +TENANT +PLAN +STATE +SCOPES +LABEL\n/)
  assert.match(
    listed.out,
    /key_[0-9a-f]{16} +ask_live_….{4} +acme +enterprise +active +score usage:read +checkout\n/,
  )
  assert.ok(!listed.out.includes(key.slice(9, 39)))
  for (const file of readdirSync(env.ASSAY_DATA, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  )) {
    const path = join(file.parentPath, file.name)
    assert.ok(!readFileSync(path).includes(key), `${path} holds the key`)
    assert.equal(statSync(path).mode & 0o077, 0, `${path} is readable by others`)
  }
})

test("rotating gives a new key and an end to the old one; revoking ends it at once", async () => {
  const id = async (): Promise<string[]> =>
    [...(await assayHere(["keys", "list"], env)).out.matchAll(/key_[0-9a-f]{16}/g)].map(
      ([found]) => found,
    )
  const [first = ""] = await id()
  const rotated = await assay(["keys", "rotate", first, "--overlap", "2h"], env)
  assert.equal(rotated.code, 0, rotated.err)
  assert.match(rotated.out, /^ask_live_[0-9A-Za-z]{36}\n$/)
  const again = await assay(["keys", "rotate", first], env)
  assert.equal(again.code, 1)
  assert.match(again.err, /^assay: /)
  assert.doesNotMatch(again.err, /\n {4}at /)

  const [, second = ""] = await id()
  assert.equal((await assay(["keys", "revoke", second], env)).code, 0)
  assert.equal((await assayHere(["keys", "revoke", second], env)).code, 0)
  assert.match(
    (await assayHere(["keys", "list", "--tenant", "acme"], env)).out,
    new RegExp(`${second}.*revoked`),
  )
})

test("a command that cannot be carried out says why in one line, changes nothing and fails", async () => {
  const before = (await assayHere(["keys", "list"], env)).out
  const cases: [string[], RegExp][] = [
    [["keys", "create"], /Name the tenant with --tenant/],
    [["keys", "create", "--tenant", "acme", "--plan", "free"], /is on the enterprise plan/],
    [["keys", "create", "--tenant", "new", "--plan", "gold"], /--plan takes free or enterprise/],
    [
      ["keys", "create", "--tenant", "acme", "--scopes", "subjects:admin"],
      /cannot have the scope subjects:admin/,
    ],
    // Of the service alone: the corpus is every tenant's.
    [
      ["keys", "create", "--tenant", "acme", "--scopes", "corpus:admin"],
      /cannot have the scope corpus:admin/,
    ],
    [["keys", "create", "--tenant", "acme", "--scopes", "scores"], /There is no scope scores/],
    [["keys", "create", "--service"], /Name the scopes of a service key/],
    [["keys", "create", "--service", "--scopes", "score"], /cannot have the scope score/],
    [["keys", "create", "--tenant", "acme", "--expires", "soon"], /A time is a number with h or d/],
    [["keys", "create", "--tenant", "a\u0007b"], /printable characters/],
    [["keys", "revoke", "key_0000000000000000"], /./],
    [["keys", "list", "--tenant", "nobody"], /There is no tenant nobody/],
  ]
  for (const [args, message] of cases) {
    const { code, out, err } = await assayHere(args, env)
    assert.equal(code, 1, `${args.join(" ")}: ${err}`)
    assert.equal(out, "")
    assert.match(err, message)
    assert.equal(err.trim().split("\n").length, 1, err)
  }
  assert.equal((await assayHere(["keys", "list"], env)).out, before)
})

test("a free tenant's key cannot be given more than the plan has", async () => {
  const refused = await assay(
    ["keys", "create", "--tenant", "small", "--scopes", "evidence:write"],
    env,
  )
  assert.equal(refused.code, 1)
  assert.match(refused.err, /it can have score, feedback:write, decisions:read, usage:read/)
  const all = await assayHere(["keys", "create", "--tenant", "small", "--scopes", "all"], env)
  assert.match(all.err, /scopes score, feedback:write, decisions:read, usage:read\./)
})

test("help lists every command, and a mistyped one fails with 2", async () => {
  const help = await assay(["--help"], env)
  assert.equal(help.code, 0)
  for (const verb of ["serve", "keys", "tenants", "model", "config", "doctor"])
    assert.match(help.out, new RegExp(`\\n  ${verb}`))
  assert.equal((await assay(["kyes"], env)).code, 2)
  assert.equal((await assay(["keys", "create", "--tenat", "x"], env)).code, 2)
})
