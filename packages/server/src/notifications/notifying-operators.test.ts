import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { Problem } from "../base/problem.ts"
import {
  type OperatorSettings,
  ProviderSettingsError,
} from "../score/phone/providers/provider-settings.ts"
import { openNotifyingOperators } from "./notifying-operators.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-operators-"))
after(() => rmSync(folder, { recursive: true }))

const ONE = "token-of-operator-one-0001"
const TWO = "token-of-operator-two-0002"

function operator(name: string, ranges: string[], token: string | null): OperatorSettings {
  const file = join(folder, `${name}.token`)
  if (token !== null) writeFileSync(file, `${token}\n`)
  return {
    name,
    ranges,
    base_url: "https://operator.example",
    token_url: "https://operator.example/token",
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

test("the token says which operator it is, and no other text does", () => {
  const { authenticate } = openNotifyingOperators({
    camara: [operator("one", ["+49"], ONE), operator("two", ["+44"], TWO)],
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

test("without an operator that has a token, every token is a wrong one", () => {
  for (const settings of [null, {}, { camara: [operator("one", ["+49"], null)] }]) {
    const { authenticate } = openNotifyingOperators(settings)
    assert.throws(() => authenticate(undefined), isRefused)
    assert.throws(() => authenticate(`Bearer ${ONE}`), isRefused)
  }
})

test("an operator speaks for its ranges, and not where a longer range of another fits", () => {
  const { authenticate } = openNotifyingOperators({
    camara: [
      operator("one", ["+49", "+4475"], ONE),
      operator("two", ["+4915", "+44"], TWO),
      // Without a token of its own: its numbers are nobody else's all the same.
      operator("three", ["+4917"], null),
      operator("four", ["+44"], "token-of-operator-four-04"),
    ],
  })
  const one = authenticate(`Bearer ${ONE}`)
  const two = authenticate(`Bearer ${TWO}`)
  const four = authenticate("Bearer token-of-operator-four-04")
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

test("a token that can be guessed, is no token or is another operator's is refused without being told", () => {
  for (const token of ["", "short", "x".repeat(19), "two words of a sentence", "x".repeat(1025)])
    assert.throws(
      () => openNotifyingOperators({ camara: [operator("one", ["+49"], token)] }),
      (error) => {
        assert.ok(error instanceof ProviderSettingsError)
        assert.match(error.message, /^at \/camara\/0\/notification_token_file: /)
        assert.ok(token === "" || !error.message.includes(token))
        return true
      },
    )
  const same = [operator("one", ["+49"], ONE), operator("two", ["+44"], ONE)]
  assert.throws(
    () => openNotifyingOperators({ camara: same }),
    /^ProviderSettingsError: at \/camara: two operators have the same notification token$/,
  )
})
