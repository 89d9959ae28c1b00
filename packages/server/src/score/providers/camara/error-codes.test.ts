import assert from "node:assert/strict"
import { test } from "node:test"
import { ERROR_CODES, refusal } from "./error-codes.ts"

function refused(http: number, body: unknown): { status: string; code: string | null } {
  const { status, code } = refusal(http, body)
  return { status, code }
}

test("every known code has its status, and is passed on by its own name", () => {
  for (const [code, { http, status }] of Object.entries(ERROR_CODES))
    assert.deepEqual(refused(http, { status: http, code, message: "no" }), { status, code })
})

test("a code with an HTTP status that is not its own does not make an outage an answer", () => {
  for (const http of [500, 502, 503])
    for (const code of ["IDENTIFIER_NOT_FOUND", "SERVICE_NOT_APPLICABLE", "OUT_OF_RANGE"])
      assert.equal(refused(http, { code }).status, "error", `${http} ${code}`)
})

test("a code that is not known means what its HTTP status means", () => {
  const code = "SIM_SWAP.SOMETHING_NEW"
  const statuses = [400, 401, 403, 404, 409, 422, 429, 500, 503, 504].map(
    (http) => refused(http, { code }).status,
  )
  assert.deepEqual(statuses, [
    "error",
    "unauthorized",
    "consent_required",
    "not_found",
    "error",
    "not_applicable",
    "rate_limited",
    "error",
    "error",
    "timeout",
  ])
  assert.equal(refused(404, { code }).code, code)
})

test("a 404 or 422 that is not in the carrier's words says nothing of the number", () => {
  for (const body of [undefined, null, [], "IDENTIFIER_NOT_FOUND", {}, { code: 404 }])
    for (const http of [404, 422])
      assert.deepEqual(refused(http, body), { status: "error", code: `http_${http}` })
})

test("a code that could hold a number, or is none, is not passed on", () => {
  for (const code of ["+61491570156", "61491570156", "CODE_61491570156", "a b", "", "X".repeat(65)])
    assert.equal(refused(403, { code }).code, "http_403", code)
  assert.deepEqual(refused(400, { code: "constructor" }), { status: "error", code: "http_400" })
})
