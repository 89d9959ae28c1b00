import assert from "node:assert/strict"
import { test } from "node:test"
import { openKeyedHash, openSealer } from "./sealed.ts"

const subkey = new Uint8Array(32).fill(7)
const CANARY = "ana.silva@mail.example"

test("a sealed text is opened by its own purpose and secret, and by no other", () => {
  const sealer = openSealer(subkey, "address")
  const sealed = sealer.seal(CANARY)
  assert.equal(sealer.open(sealed), CANARY)
  assert.ok(!Buffer.from(sealed).includes("ana"))
  assert.notDeepEqual(sealer.seal(CANARY), sealed)
  assert.equal(openSealer(subkey, "step").open(sealed), null)
  assert.equal(openSealer(new Uint8Array(32).fill(8), "address").open(sealed), null)
})

test("what is sealed for somebody is opened for nobody else, and not for everybody", () => {
  const sealer = openSealer(subkey, "address")
  const sealed = sealer.seal(CANARY, "tenant:1")
  assert.equal(sealer.open(sealed, "tenant:1"), CANARY)
  assert.equal(sealer.open(sealed, "tenant:11"), null)
  assert.equal(sealer.open(sealed), null)
  assert.equal(sealer.open(sealer.seal(CANARY), "tenant:1"), null)
})

test("a text with a byte changed, cut or added is not opened", () => {
  const sealer = openSealer(subkey, "address")
  const sealed = sealer.seal(CANARY)
  for (let place = 0; place < sealed.length; place++) {
    const changed = Uint8Array.from(sealed)
    changed[place] = (changed[place] ?? 0) ^ 1
    assert.equal(sealer.open(changed), null, String(place))
    assert.equal(sealer.open(sealed.subarray(0, place)), null)
  }
  assert.equal(sealer.open(Buffer.concat([sealed, Buffer.alloc(1)])), null)
})

test("a keyed hash is the same for a text and differs by purpose and secret", () => {
  const hash = openKeyedHash(subkey, "address")
  assert.deepEqual(hash(CANARY), hash(CANARY))
  assert.notDeepEqual(hash(CANARY), hash("b@mail.example"))
  assert.notDeepEqual(hash(CANARY), openKeyedHash(subkey, "code")(CANARY))
  assert.notDeepEqual(hash(CANARY), openKeyedHash(new Uint8Array(32), "address")(CANARY))
})
