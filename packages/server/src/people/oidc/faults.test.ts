import assert from "node:assert/strict"
import { test } from "node:test"
import { faultOf } from "./faults.ts"

test("only what is about one sign-in is refused; all else is the provider's", () => {
  const body = "OAUTH_RESPONSE_BODY_ERROR"
  assert.deepEqual(faultOf({ code: body, error: "invalid_grant" }), {
    kind: "refused",
    name: "invalid_grant",
  })
  assert.deepEqual(faultOf({ code: body, error: "invalid_client" }), {
    kind: "unavailable",
    name: `${body} invalid_client`,
  })
  assert.equal(faultOf({ code: "OAUTH_JWT_CLAIM_COMPARISON_FAILED" }).kind, "refused")
  assert.equal(faultOf({ code: "OAUTH_TIMEOUT" }).kind, "unavailable")
})

test("no text of the provider's is a name", () => {
  const told = "a text with ada@sso.example in it"
  for (const error of [new Error(told), { code: told, error: told }, new TypeError("fetch failed")])
    assert.deepEqual(faultOf(error), { kind: "unavailable", name: "unreachable" })
})
