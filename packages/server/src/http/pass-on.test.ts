import assert from "node:assert/strict"
import { test } from "node:test"
import { fastify } from "fastify"
import type { App } from "./app.ts"
import { passOnUnmatched } from "./pass-on.ts"

/**
 * An application with one route, and one behind it with another. `fail` breaks the next opening.
 */
function openPair(): { app: App; opened: () => number; closed: () => number; fail(): void } {
  let [opened, closed, fails] = [0, 0, false]
  const app = fastify() as unknown as App
  app.get("/near", async () => ({ by: "first" }))
  passOnUnmatched(app, async () => {
    opened += 1
    if (fails) {
      fails = false
      throw new Error("could not be opened")
    }
    const behind = fastify() as unknown as App
    behind.post("/far", async ({ body }) => ({ by: "second", body: body as object }))
    behind.addHook("onClose", async () => void (closed += 1))
    return behind
  })
  return { app, opened: () => opened, closed: () => closed, fail: () => void (fails = true) }
}

const far = { method: "POST", url: "/far", payload: { a: 1 } } as const

test("the application behind is opened by the first request that needs it, and once", async () => {
  const { app, opened, closed } = openPair()
  assert.deepEqual((await app.inject("/near")).json(), { by: "first" })
  assert.equal(opened(), 0)
  const answers = await Promise.all([app.inject(far), app.inject(far), app.inject("/near")])
  assert.deepEqual(
    answers.map((answer) => answer.json<object>()),
    [{ by: "second", body: { a: 1 } }, { by: "second", body: { a: 1 } }, { by: "first" }],
  )
  assert.deepEqual((await app.inject(far)).json(), { by: "second", body: { a: 1 } })
  assert.equal(opened(), 1)
  await app.close()
  assert.equal(closed(), 1)
})

test("an application that could not be opened is tried again by the next request", async () => {
  const { app, opened, fail } = openPair()
  fail()
  assert.equal((await app.inject(far)).statusCode, 500)
  assert.equal((await app.inject(far)).statusCode, 200)
  assert.equal(opened(), 2)
  await app.close()
})

test("nothing is opened by closing", async () => {
  const { app, opened, closed } = openPair()
  await app.ready()
  await app.close()
  assert.deepEqual([opened(), closed()], [0, 0])
})
