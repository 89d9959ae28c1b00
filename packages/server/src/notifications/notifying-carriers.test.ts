import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { Problem } from "../base/problem.ts"
import type { CarrierSettings } from "../score/providers/camara/camara-settings.ts"
import { isExplained } from "@assay/runtime/explained"
import { openNotifyingCarriers } from "./notifying-carriers.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-carriers-"))
after(() => rmSync(folder, { recursive: true }))

const ONE = "token-of-carrier-one-0001"
const TWO = "token-of-carrier-two-0002"

function carrier(name: string, ranges: string[], token: string | null): CarrierSettings {
  const file = join(folder, `${name}.token`)
  if (token !== null) writeFileSync(file, `${token}\n`)
  return {
    name,
    ranges,
    base_url: "https://carrier.example",
    token_url: "https://carrier.example/token",
    client_id: "assay",
    private_key_file: "/key.pem",
    apis: {},
    ...(token !== null && { notification_token_file: file }),
  }
}

const isRefused = (error: unknown): boolean => {
  assert.ok(error instanceof Problem)
  assert.equal(error.code, "unauthenticated")
  assert.match(error.headers["www-authenticate"] ?? "", /^Bearer realm="assay-carrier"/)
  assert.doesNotMatch(error.message, /token-of/)
  return true
}

test("the token says which carrier it is, and no other text does", () => {
  const { authenticate } = openNotifyingCarriers({
    camara: [carrier("one", ["+49"], ONE), carrier("two", ["+44"], TWO)],
  })
  assert.equal(authenticate(`Bearer ${ONE}`).name, "one")
  assert.equal(authenticate(`bearer ${TWO}`).source, "camara:two")
  for (const header of [
    undefined,
    "",
    ONE,
    "Bearer ",
    `Bearer ${ONE} `,
    `Bearer ${ONE}x`,
    `Bearer ${ONE.slice(0, -1)}`,
    `Bearer ${ONE.toUpperCase()}`,
    `Basic ${ONE}`,
    `Bearer ${ONE} ${TWO}`,
  ])
    assert.throws(() => authenticate(header), isRefused)
})

test("without a carrier that has a token, every token is a wrong one", () => {
  for (const settings of [null, {}, { camara: [carrier("one", ["+49"], null)] }]) {
    const { authenticate } = openNotifyingCarriers(settings)
    assert.throws(() => authenticate(undefined), isRefused)
    assert.throws(() => authenticate(`Bearer ${ONE}`), isRefused)
  }
})

test("a carrier speaks for its ranges, and not where a longer range of another fits", () => {
  const { authenticate } = openNotifyingCarriers({
    camara: [
      carrier("one", ["+49", "+4475"], ONE),
      carrier("two", ["+4915", "+44"], TWO),
      // It has no token; its numbers still belong to nobody else.
      carrier("three", ["+4917"], null),
      carrier("four", ["+44"], "token-of-carrier-four-04"),
    ],
  })
  const one = authenticate(`Bearer ${ONE}`)
  const two = authenticate(`Bearer ${TWO}`)
  const four = authenticate("Bearer token-of-carrier-four-04")
  const speaking = (e164: string): string =>
    [one, two, four]
      .filter((each) => each.speaksFor(e164))
      .map(({ name }) => name)
      .join()
  assert.equal(speaking("+493012345678"), "one")
  assert.equal(speaking("+4915123456789"), "two")
  assert.equal(speaking("+4917123456789"), "")
  assert.equal(speaking("+447512345678"), "one")
  assert.equal(speaking("+447400123456"), "two,four")
  assert.equal(speaking("+33612345678"), "")
})

test("a token that can be guessed, is no token or is another carrier's is refused without being told", () => {
  for (const token of ["", "short", "x".repeat(19), "two words of a sentence", "x".repeat(1025)])
    assert.throws(
      () => openNotifyingCarriers({ camara: [carrier("one", ["+49"], token)] }),
      (error) => {
        assert.ok(isExplained(error, "settings-file"))
        assert.match(error.message, /^at \/camara\/0\/notification_token_file: /)
        assert.ok(token === "" || !error.message.includes(token))
        return true
      },
    )
  const same = [carrier("one", ["+49"], ONE), carrier("two", ["+44"], ONE)]
  assert.throws(() => openNotifyingCarriers({ camara: same }), {
    code: "settings-file",
    message: "at /camara: two carriers have the same notification token",
  })
})
