import assert from "node:assert/strict"
import { test } from "node:test"
import { openEventNews } from "./event-news.ts"

const LONG_MS = 60_000

test("all who wait for an event are woken by it, by one look, and nobody looks when nobody waits", async () => {
  let [seq, looks] = [5, 0]
  const news = openEventNews({
    newest: async () => {
      looks++
      return seq
    },
    lookMs: 1,
  })
  const [first, second, later] = [4, 5, 6].map((after) => news.after(after, LONG_MS))
  await first?.woken
  const woken = Promise.all([second?.woken, later?.woken])
  seq = 6
  await second?.woken
  seq = 7
  await woken
  const before = looks
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(looks, before)
})

test("whoever waits is woken at once when it is told to look, and not by a look that finds nothing", async () => {
  let seq = 5
  const news = openEventNews({ newest: async () => seq, lookMs: LONG_MS })
  const { woken, gone } = news.after(5, LONG_MS)
  let isWoken = false
  const waited = woken.then(() => (isWoken = true))
  news.look()
  await new Promise(setImmediate)
  assert.equal(isWoken, false)
  seq = 6
  news.look()
  await waited
  gone()
  news.close()
})

test("nobody waits longer than asked, after having gone, or once it is closed", async () => {
  const news = openEventNews({ newest: async () => 0, lookMs: 1 })
  await news.after(9, 5).woken
  await news.after(9, 0).woken
  const { woken, gone } = news.after(9, LONG_MS)
  gone()
  await woken
  const last = news.after(9, LONG_MS)
  news.close()
  await last.woken
  await news.after(9, LONG_MS).woken
})

test("records that cannot be read wake those who wait, so that they are told", async () => {
  const news = openEventNews({
    newest: async () => {
      throw new Error("away")
    },
    lookMs: 1,
  })
  await news.after(9, LONG_MS).woken
  news.close()
})
