import assert from "node:assert/strict"
import { test } from "node:test"
import type { ExaminedMember } from "./engine/examine.ts"
import { readingThreads } from "./reading-threads.ts"

function threads(
  megabytes: number,
  cores: number,
  { name = "list.txt", isStream = false } = {},
): number {
  const member: ExaminedMember = {
    ...{ number: 1, name, detected: null },
    ...{ logDay: null, fileDay: null },
  }
  return readingThreads({ members: [member], totalBytes: megabytes * 1e6 }, { cores, isStream })
}

test("an input has one thread for each 16 MB, as far as there are cores, and at most eight", () => {
  assert.deepEqual(
    [0, 12, 16, 17, 60, 1000].map((megabytes) => threads(megabytes, 4)),
    [1, 1, 1, 2, 4, 4],
  )
  assert.equal(threads(1000, 1), 1)
  assert.equal(threads(1000, 64), 8)
})

test("what is packed, or a stream that may be, is taken for four times as much", () => {
  assert.deepEqual(
    ["list.txt", "list.txt.gz", "logs.ZIP/one/Passwords.txt", "of.zip.txt"].map((name) =>
      threads(12, 4, { name }),
    ),
    [1, 3, 3, 1],
  )
  assert.equal(threads(12, 4, { isStream: true }), 3)
})
