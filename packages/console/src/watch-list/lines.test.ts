import assert from "node:assert/strict"
import { test } from "node:test"
import { portions, readLine } from "./lines.ts"

test("a line is an address, a number or a domain, with a name behind it where there is one", () => {
  const read = (text: string, deliver = false) => readLine(text, 3, deliver)?.wanted
  assert.deepEqual(read("ana@mail.example"), { email: "ana@mail.example" })
  assert.deepEqual(read(" ana@mail.example , customer 4711 "), {
    email: "ana@mail.example",
    ref: "customer 4711",
  })
  assert.deepEqual(read("+61 491 570 156;order, 12"), {
    phone_number: "+61491570156",
    ref: "order, 12",
  })
  assert.deepEqual(read("ana@mail.example\tc1", true), {
    email: "ana@mail.example",
    ref: "c1",
    deliver_identity: true,
  })
  // A domain has nobody to be delivered.
  assert.deepEqual(read("mail.example, ours", true), { domain: "mail.example", ref: "ours" })
  assert.deepEqual(read('{"domain":"mail.example"}', true), { domain: "mail.example" })
  for (const other of ["61.491.570", "1.5", "mail.", "a b.example"])
    assert.equal(read(other)?.domain, undefined, other)
  // What is no identity is the service's to refuse: it says why, and spoils no other line.
  assert.deepEqual(read("nobody"), { email: "nobody" })
  assert.equal(readLine("  ", 3, false), null)
})

test("a line of JSON is sent as it is, and says itself whether its identity is delivered", () => {
  const line = { email: "ana@mail.example", deliver_identity: false }
  assert.deepEqual(readLine(JSON.stringify(line), 1, true)?.wanted, line)
  const without = { phone_number: "+61491570156" }
  assert.deepEqual(readLine(JSON.stringify(without), 1, true)?.wanted, {
    ...without,
    deliver_identity: true,
  })
  assert.deepEqual(readLine('{"email":', 7, false), { line: 7, refused: "It is no JSON object." })
})

test("a file is read in portions, and lines keep their numbers", async () => {
  const texts = ["", ...Array.from({ length: 1_001 }, (_, n) => `a${n}@mail.example`), "{", ""]
  const read: (readonly [number, string])[][] = []
  for await (const portion of portions(new Blob([texts.join("\r\n")]), false))
    read.push(portion.map(({ line, wanted, refused }) => [line, wanted?.email ?? refused ?? ""]))
  assert.deepEqual(
    read.map((portion) => portion.length),
    [1_000, 2],
  )
  assert.deepEqual(read[0]?.[0], [2, "a0@mail.example"])
  assert.deepEqual(read[1], [
    [1_002, "a1000@mail.example"],
    [1_003, "It is no JSON object."],
  ])
})
