import assert from "node:assert/strict"
import { test } from "node:test"
import type { EntryKind } from "@assay/stores/exposure-index"
import { MailboxState } from "./mailbox-state.ts"

function mailbox(...seen: (readonly [EntryKind, age: number, value?: number])[]): MailboxState {
  const state = new MailboxState()
  for (const [kind, age, value = null] of seen) assert.ok(state.take(kind, age, value))
  return state
}

test("only what is about the mailbox is taken in", () => {
  const state = new MailboxState()
  for (const kind of ["breach", "fraud_confirmed", "ownership_verified", "decided"] as const)
    assert.equal(state.take(kind, 1, null), false)
  assert.equal(state.deliverable(), undefined)
  assert.equal(state.catchAll(), undefined)
  assert.equal(state.died(3), undefined)
  assert.equal(state.bouncedAfter(1000), false)
})

test("the newest report says whether mail arrives, on one day the bounce", () => {
  assert.equal(mailbox(["delivered", 5]).deliverable(), true)
  assert.equal(mailbox(["bounced", 5]).deliverable(), false)
  assert.equal(mailbox(["delivered", 5], ["bounced", 4], ["delivered", 9]).deliverable(), false)
  assert.equal(mailbox(["bounced", 4], ["bounced", 30], ["delivered", 3]).deliverable(), true)
  assert.equal(mailbox(["delivered", 4], ["bounced", 4]).deliverable(), false)
})

test("a bounce ends what was known before it and on its day, not what came after", () => {
  const state = mailbox(["bounced", 10])
  assert.equal(state.bouncedAfter(11), true)
  assert.equal(state.bouncedAfter(10), true)
  assert.equal(state.bouncedAfter(9), false)
})

test("a mailbox died if it worked once and now mail comes back", () => {
  assert.equal(mailbox(["bounced", 3]).died(null), undefined)
  assert.equal(mailbox(["bounced", 3]).died(400), true)
  assert.equal(mailbox(["bounced", 3], ["delivered", 50]).died(null), true)
  assert.equal(mailbox(["bounced", 3], ["delivered", 1]).died(400), undefined)
})

test("whether any name would have been taken is the newest word on it", () => {
  assert.equal(mailbox(["catch_all", 5]).catchAll(), true)
  assert.equal(mailbox(["catch_all", 5, 1], ["catch_all", 2, 0]).catchAll(), false)
  assert.equal(mailbox(["catch_all", 2, 0], ["catch_all", 5, 1]).catchAll(), false)
})
