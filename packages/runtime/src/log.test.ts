import assert from "node:assert/strict"
import { test } from "node:test"
import { type LogFields, openLog } from "./log.ts"

function logged(write: (log: ReturnType<typeof openLog>) => void): string {
  const lines: string[] = []
  write(openLog("info", { write: (line: string) => void lines.push(line) }))
  return lines.join("")
}

test("a line holds its named fields", () => {
  const line = logged((log) =>
    log.info("request refused", { route: "/api/v1/risk/score", status: 422, requestId: "r-1" }),
  )
  const { level, msg, route, status, requestId } = JSON.parse(line) as Record<string, unknown>
  assert.deepEqual(
    [level, msg, route, status, requestId],
    ["info", "request refused", "/api/v1/risk/score", 422, "r-1"],
  )
})

test("a field nobody allowed is dropped, whatever it holds", () => {
  const sneaked = {
    status: 500,
    email: "canary@mail.example",
    body: { email: "canary@mail.example" },
  } as LogFields
  const line = logged((log) => log.error("request failed", sneaked))
  assert.doesNotMatch(line, /canary/)
  assert.match(line, /"status":500/)
})

test("an error is logged without its message, down its causes", () => {
  const cause = new Error("could not parse\n    at canary@mail.example")
  const error = Object.assign(new TypeError("failed for canary@mail.example", { cause }), {
    code: "E_TEST",
  })
  const line = logged((log) => log.error("request failed", { error }))
  assert.doesNotMatch(line, /canary/)
  assert.match(line, /TypeError/)
  assert.match(line, /E_TEST/)
  assert.match(line, /log\.test\.ts/)
})

test("lines under the level are not written", () => {
  assert.equal(
    logged((log) => log.debug("request", { status: 200 })),
    "",
  )
})
