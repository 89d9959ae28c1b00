import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { openPressure } from "./pressure.ts"

test("what kept the loop busy before it was watched is no pressure", () => {
  mock.timers.enable({ apis: ["setInterval"] })
  let time = 0
  const pressure = openPressure(50, () => time)
  time += 3000
  mock.timers.tick(3000)
  assert.equal(pressure.isHigh(), false)
  pressure.begin()
  time += 100
  mock.timers.tick(100)
  assert.equal(pressure.isHigh(), false)
  pressure.close()
  mock.timers.reset()
})

test("a stalled loop is under pressure until a sample comes in time, and never before it stalled", () => {
  mock.timers.enable({ apis: ["setInterval"] })
  let time = 0
  const pressure = openPressure(50, () => time)
  pressure.begin()
  const sample = (lateMs: number): boolean => {
    time += 100 + lateMs
    mock.timers.tick(100)
    return pressure.isHigh()
  }
  assert.equal(pressure.isHigh(), false)
  assert.equal(sample(0), false)
  assert.equal(sample(50), false)
  assert.equal(sample(51), true)
  assert.equal(sample(3000), true)
  assert.equal(sample(2), false)
  pressure.close()
  mock.timers.reset()
})
