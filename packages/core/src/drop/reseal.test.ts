import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption"
import { packMessage } from "./envelope.ts"
import { sealedSize } from "./padding.ts"
import type { Recipients, Suite } from "./recipients.ts"
import { contentMark, reseal, sealedBody } from "./reseal.ts"
import { open, seal } from "./seal.ts"

const envelope = packMessage({
  sealedBy: "browser",
  mode: "one-way",
  lang: "en",
  message: "A canary",
  files: [{ bytes: new Uint8Array(90_000), type: "a/b", extension: "", metadata: "kept" }],
})

async function newKeys(
  count: number,
  suite: Suite,
): Promise<{ identities: string[]; recipients: Recipients }> {
  const generate = suite === "pq" ? generateHybridIdentity : generateX25519Identity
  const identities = await Promise.all(Array.from({ length: count }, () => generate()))
  return {
    identities,
    recipients: { suite, keys: await Promise.all(identities.map(identityToRecipient)) },
  }
}

for (const [from, to] of [
  ["x25519", "x25519"],
  ["x25519", "pq"],
  ["pq", "x25519"],
] as const) {
  test(`a file resealed from ${from} to ${to} keeps its body, and opens with the new keys alone`, async () => {
    const [old, next] = [await newKeys(1, from), await newKeys(2, to)]
    const sealed = await seal(envelope, old.recipients)
    const resealed = await reseal(sealed, old.identities, next.recipients)
    assert.deepEqual(sealedBody(resealed.sealed), sealedBody(sealed))
    assert.deepEqual(
      resealed.sealed.subarray(0, resealed.header.length),
      resealed.header.subarray(),
    )
    assert.equal(resealed.sealed.length, sealedSize(envelope.length, 2, to))
    for (const identity of next.identities)
      assert.deepEqual(await open(resealed.sealed, [identity]), envelope)
    await assert.rejects(open(resealed.sealed, old.identities), { code: "identity" })
    assert.equal(await contentMark(resealed.sealed), await contentMark(sealed))
  })
}

test("a content sealed a second time has another mark, and no mark is made of what is no sealed file", async () => {
  const { recipients } = await newKeys(1, "x25519")
  const [one, other] = [await seal(envelope, recipients), await seal(envelope, recipients)]
  assert.notEqual(await contentMark(one), await contentMark(other))
  await assert.rejects(contentMark(envelope), { code: "header" })
})

test("a file that was changed, or that is not ours to open, is not resealed", async () => {
  const [own, other] = [await newKeys(1, "x25519"), await newKeys(1, "x25519")]
  const sealed = await seal(envelope, own.recipients)
  const changed = Uint8Array.from(sealed)
  changed[sealed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  await assert.rejects(reseal(changed, own.identities, other.recipients), { code: "damaged" })
  await assert.rejects(reseal(sealed, other.identities, other.recipients), { code: "identity" })
})

test("stock age opens what was resealed", async () => {
  const [old, next] = [await newKeys(1, "x25519"), await newKeys(1, "x25519")]
  const { sealed } = await reseal(
    await seal(envelope, old.recipients),
    old.identities,
    next.recipients,
  )
  const folder = mkdtempSync(join(tmpdir(), "assay-reseal-"))
  try {
    writeFileSync(join(folder, "key"), `${next.identities[0] ?? ""}\n`)
    const opened = execFileSync("age", ["-d", "-i", join(folder, "key")], {
      input: sealed,
      maxBuffer: 1e6,
    })
    assert.ok(opened.equals(envelope))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
