import assert from "node:assert/strict"
import { test } from "node:test"
import { columnsByName, FIELDS } from "./columns.ts"

/** By field the name of its column. */
function found(names: string[], hints = {}, samples: string[][] = []): Record<string, string> {
  const columns = columnsByName(names, samples, hints)
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const column = columns[field]
      return column === undefined ? [] : [[field, column.name]]
    }),
  )
}

test("columns are known by the names files have, whatever their case and signs", () => {
  for (const name of ["email", "E-Mail", "EMAIL_ADDRESS", "user_email", "User Email", "mail"]) {
    assert.deepEqual(found(["id", name]), { email: name })
  }
  assert.deepEqual(found(["MSISDN", "Passwd", "password_hash", "Salt", "URL", "breach_date"]), {
    phone: "MSISDN",
    password: "Passwd",
    hash: "password_hash",
    salt: "Salt",
    url: "URL",
    date: "breach_date",
  })
  assert.deepEqual(found(["user.contact.mail", "auth.pwd"]), {
    email: "user.contact.mail",
    password: "auth.pwd",
  })
})

test("a login is an address only where addresses stand under it", () => {
  assert.deepEqual(found(["login", "pass"], {}, [["ann", "x"]]), { password: "pass" })
  assert.deepEqual(found(["login", "pass"], {}, [["ann@example.com", "x"]]), {
    email: "login",
    password: "pass",
  })
  assert.equal(found(["login", "email"], {}, [["a@b.example", "c@d.example"]])["email"], "email")
})

test("when an account was made is not when it was exposed", () => {
  assert.deepEqual(found(["email", "created_at", "updated", "registered"]), { email: "email" })
})

test("a column called value or item means something only beside a kind", () => {
  const names = ["email", "value", "item", "secret", "confidence", "classes"]
  assert.deepEqual(found(names), { email: "email" })
  assert.equal(Object.keys(found([...names, "kind"])).length, 7)
})

test("what a person says of a column goes before its name, by name or number, and can leave it out", () => {
  const names = ["mail", "backup", "pw", "kind"]
  assert.deepEqual(found(names, { email: "backup", password: "3", kind: "" }), {
    email: "backup",
    password: "pw",
  })
  for (const hint of ["absent", "0", "5"]) {
    assert.throws(() => found(names, { email: hint }), { code: "unknown-column" })
  }
})
