import assert from "node:assert/strict"
import { mock, test } from "node:test"
import { type Progress, progressBar, progressLine, showProgress } from "./progress.ts"

const halfway: Progress = { rows: 12_000, bytesRead: 50, bytesTotal: 100, elapsedMs: 4000 }

test("a line shows rows and their rate, and for an input of known length its share and the time to go", () => {
  assert.equal(progressLine(halfway), "12,000 rows, 3,000 rows/s, 50 %, 0:04 to go")
  assert.equal(
    progressLine({ ...halfway, bytesTotal: 100_000, elapsedMs: 4_000_000 }),
    "12,000 rows, 3 rows/s, 0 %, 2221:06:40 to go",
  )
  assert.equal(progressLine({ ...halfway, bytesTotal: null }), "12,000 rows, 3,000 rows/s")
  const nothing = { rows: 0, bytesRead: 0, bytesTotal: 0, elapsedMs: 0 }
  assert.equal(progressLine(nothing), "0 rows, 0 rows/s")
  assert.equal(progressLine({ ...nothing, bytesTotal: 9 }), "0 rows, 0 rows/s, 0 %")
})

test("a bar is as full as the input is read, and no wider than the terminal", () => {
  assert.match(progressBar(halfway, 200), /^\[#{10}-{10}\] 12,000 rows/)
  assert.equal(progressBar(halfway, 30).length, 29)
  assert.doesNotMatch(progressBar({ ...halfway, bytesTotal: null }, 200), /\[/)
})

test("a terminal shows one line that is redrawn and goes at the end; anything else gets lines", () => {
  mock.timers.enable({ apis: ["setInterval"] })
  const shown = (isTTY: boolean): string[] => {
    const written: string[] = []
    const screen = { isTTY, columns: 80, write: (text: string) => written.push(text) }
    const hide = showProgress(screen, () => halfway)
    mock.timers.tick(10_000)
    hide()
    mock.timers.tick(10_000)
    return written
  }
  const plain = shown(false)
  assert.deepEqual(plain, [`${progressLine(halfway)}\n`])
  const drawn = shown(true)
  assert.equal(drawn.length, 51)
  assert.ok(drawn.every((text) => text.startsWith("\r\u001b[K") && !text.includes("\n")))
  assert.equal(drawn.at(-1), "\r\u001b[K")
  mock.timers.reset()
})
