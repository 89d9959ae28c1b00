import assert from "node:assert/strict"
import { test } from "node:test"
import { identityKeyOf } from "@assay/core/identity"
import { DAY_MS } from "@assay/runtime/time"
import { identityTagToday } from "./identity-tag.ts"

test("a tag is the same all day and links to no other day, tenant, secret or key", () => {
  const key = identityKeyOf(new Uint8Array(16).fill(1))
  const subkey = new Uint8Array(32).fill(2)
  const at = Date.UTC(2026, 10, 14, 3)
  const tag = (of = key, under = subkey, ms = at, tenant = 1): string =>
    Buffer.from(identityTagToday(under, of, ms)(tenant)).toString("hex")
  assert.match(tag(), /^[0-9a-f]{16}$/)
  assert.equal(tag(key, subkey, at + 3_600_000), tag())
  const others = [
    tag(identityKeyOf(new Uint8Array(16).fill(9))),
    tag(key, new Uint8Array(32).fill(3)),
    tag(key, subkey, at + DAY_MS),
    tag(key, subkey, at, 2),
  ]
  assert.equal(new Set([tag(), ...others]).size, 5)
  assert.ok(!tag().includes(Buffer.from(key).toString("hex").slice(0, 8)))
})
