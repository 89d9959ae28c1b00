import assert from "node:assert/strict"
import { test } from "node:test"
import { claimOf, rolesOf } from "./roles.ts"

const roles = [
  { value: "chiefs", role: "owner", tenant: "shop" },
  { value: "lookers", role: "viewer", tenant: "shop" },
  { value: "lookers", role: "viewer", tenant: "bank" },
  { value: "admins", role: "administrator", tenant: null },
  { value: "admins", role: "drop-recipient", tenant: null },
] as const

const of = (groups: unknown) => rolesOf({ groups }, { rolesClaim: "groups", roles })

test("of several roles in one tenant the one that may do most is given", () => {
  const both = [
    { role: "owner", tenant: "shop" },
    { role: "viewer", tenant: "bank" },
  ]
  assert.deepEqual(of(["lookers", "chiefs"]), both)
  assert.deepEqual(of(["chiefs", "lookers", "chiefs"]), both)
  assert.deepEqual(of("admins"), [
    { role: "administrator", tenant: null },
    { role: "drop-recipient", tenant: null },
  ])
})

test("what is no text of the settings gives nothing", () => {
  for (const claim of [
    undefined,
    null,
    7,
    {},
    [],
    ["Chiefs", ["chiefs"], 7, null],
    "chiefs,admins",
  ])
    assert.deepEqual(of(claim), [])
})

test("a claim is found by its name, and else by its path", () => {
  const claims = {
    "https://a.example/roles": ["x"],
    realm: { roles: ["y"] },
    "a.b": 1,
    a: { b: 2 },
  }
  assert.deepEqual(claimOf(claims, "https://a.example/roles"), ["x"])
  assert.deepEqual(claimOf(claims, "realm.roles"), ["y"])
  assert.equal(claimOf(claims, "a.b"), 1)
  for (const name of ["realm.none", "none.roles", "realm.roles.length.x", "__proto__", "toString"])
    assert.equal(claimOf(claims, name), undefined)
})
