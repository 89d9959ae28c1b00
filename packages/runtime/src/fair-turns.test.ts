import assert from "node:assert/strict"
import { test } from "node:test"
import { openFairTurns } from "./fair-turns.ts"

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("owners take turns, and each one's work is done in its order, one piece at a time", async () => {
  const turns = openFairTurns<string>({ eachMax: 100 })
  const done: string[] = []
  let atOnce = 0
  const work = (name: string) => async () => {
    assert.equal(++atOnce, 1)
    await soon()
    done.push(name)
    atOnce--
    return name
  }
  const all = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) =>
    turns.take(name.slice(0, 1), 1, work(name)),
  )
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "a4", "b1", "b2", "c1"])
  assert.deepEqual(done, ["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
})

test("as many owners as are allowed work at once, each of them on one piece", async () => {
  const turns = openFairTurns<string>({ eachMax: 100, atOnce: 2 })
  const [begun, ends] = [[] as string[], new Map<string, () => void>()]
  const all = ["a1", "a2", "b1", "c1", "b2"].map((name) =>
    turns.take(name.slice(0, 1), 1, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }),
  )
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await soon()
  }
  assert.deepEqual(begun, ["a1", "b1"])
  await end("b1")
  assert.deepEqual(begun, ["a1", "b1", "c1"], "its first before another's second")
  await end("a1")
  assert.deepEqual(begun, ["a1", "b1", "c1", "a2"])
  await end("a2")
  await end("c1")
  await end("b2")
  await Promise.all(all)
  await turns.idle()
  assert.deepEqual(begun, ["a1", "b1", "c1", "a2", "b2"])
})

test("work that adds work of its owner before it waits does not work beside itself", async () => {
  const turns = openFairTurns<string>({ eachMax: 100, atOnce: 2 })
  const done: string[] = []
  await turns.take("a", 1, async () => {
    void turns.take("a", 1, async () => void done.push("second"))
    await soon()
    done.push("first")
  })
  await turns.idle()
  assert.deepEqual(done, ["first", "second"])
})

test("work that fails tells its owner, and the next begins clean", async () => {
  const turns = openFairTurns<string>({ eachMax: 100 })
  const failed = turns.take("a", 1, async () => Promise.reject(new Error("away")))
  const next = turns.take("a", 1, async () => "done")
  await assert.rejects(failed, /away/)
  assert.equal(await next, "done")
  await turns.idle()
  assert.equal(turns.hasRoom("a", 100), true)
})

test("work that has answered keeps its turn until it ends, and cannot fail any more", async () => {
  const turns = openFairTurns<string>({ eachMax: 100 })
  const rest = Promise.withResolvers<never>()
  let next = "waits"
  const answered = turns.take<string>("a", 1, async (answer) => {
    answer("early")
    return await rest.promise
  })
  const other = turns.take("b", 1, async () => void (next = "begins"))
  assert.equal(await answered, "early")
  await soon()
  assert.equal(next, "waits")
  rest.reject(new Error("afterwards"))
  await other
  assert.equal(next, "begins")
  await turns.idle()
})

test("a full queue is its owner's alone, and past the whole only those with nothing waiting have room", async () => {
  const turns = openFairTurns<string>({ eachMax: 4, allMax: 6 })
  const held = Promise.withResolvers<true>()
  const work = async (): Promise<unknown> => await held.promise
  const first = turns.take("a", 4, work)
  assert.equal(turns.hasRoom("a", 1), false)
  assert.equal(turns.hasRoom("b", 4), true)
  assert.equal(turns.hasRoom("b", 5), false)
  const second = turns.take("b", 3, work)
  assert.equal(turns.hasRoom("b", 1), false)
  assert.equal(turns.hasRoom("c", 4), true)
  held.resolve(true)
  await Promise.all([first, second])
  await turns.idle()
  assert.equal(turns.hasRoom("a", 4), true)
})

test("idle waits for what came while it waited", async () => {
  const turns = openFairTurns<number>({ eachMax: 10 })
  await turns.idle()
  let done = 0
  for (let n = 0; n < 5; n++)
    void turns.take(n, 1, async () => {
      await soon()
      done++
    })
  await turns.idle()
  assert.equal(done, 5)
})
