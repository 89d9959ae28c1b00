import assert from "node:assert/strict"
import { createHash, randomBytes } from "node:crypto"
import { test } from "node:test"
import fc from "fast-check"

import type { Drops, NewReply } from "../../src/store/drops.ts"
import { DropsError, type DropsFault } from "../../src/store/drops-error.ts"

/** A drop may be opened several times, one after the other. */
export type OpenDrops = () => Promise<Drops>

export const newId = (): string => randomBytes(16).toString("hex")
export const today = 20_000
export const days = { today, retentionDays: 30 }

export const refusedAs =
  (code: DropsFault) =>
  (error: unknown): boolean =>
    error instanceof DropsError && error.code === code

/** Brings a message in, and returns its id and the token it can be withdrawn with. */
export async function bring(
  drops: Drops,
  sealed: Uint8Array = randomBytes(3000),
  { id = newId(), pieceBytes = 1000, effort = 0 } = {},
): Promise<{ id: string; token: Uint8Array; verifier: Uint8Array }> {
  for (let at = 0; at < sealed.length; at += pieceBytes)
    await drops.appendPiece(id, at / pieceBytes, sealed.subarray(at, at + pieceBytes))
  const token = randomBytes(32)
  const verifier = createHash("sha256").update(token).digest()
  await drops.finishUpload({ id, size: sealed.length, withdrawVerifier: verifier, effort, ...days })
  return { id, token, verifier }
}

export const newReply = (changes: Partial<NewReply> = {}): NewReply => ({
  id: newId(),
  tag: randomBytes(32),
  deleteVerifier: randomBytes(32),
  sealed: randomBytes(2000),
  ...changes,
})

/** A message read back, piece by piece. */
export async function sealedOf(drops: Drops, id: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for (let index = 0; ; index++) {
    const piece = await drops.piece(id, index)
    if (piece === null) return Buffer.concat(pieces)
    pieces.push(piece)
  }
}

const ids = async (drops: Drops): Promise<string[]> => (await drops.messages()).map(({ id }) => id)
const plain = (all: readonly Uint8Array[]): string[] =>
  all.map((one) => Buffer.from(one).toString("hex")).sort()

/** What this suite does not state, no caller may rely on. */
export function dropsSuite(engine: string, newStore: () => Promise<OpenDrops>): void {
  function onDrops(
    name: string,
    body: (drops: Drops, open: () => Promise<Drops>) => Promise<void>,
  ): void {
    const [, testId = "", sentence = name] = /^((?:T\d+(?:, )?)+: )?(.*)$/.exec(name) ?? []
    test(`${testId}${engine}: ${sentence}`, async () => {
      const open = await newStore()
      let drops = await open()
      const again = async (): Promise<Drops> => {
        await drops.close()
        return (drops = await open())
      }
      try {
        await body(drops, again)
      } finally {
        await drops.close()
      }
    })
  }

  onDrops("a drop keeps its id and its signing secret", async (drops, again) => {
    const [id, secret] = [await drops.dropId(), await drops.signingSecret()]
    assert.equal(id.length, 16)
    assert.equal(secret.length, 32)
    const later = await again()
    assert.deepEqual(await later.dropId(), id)
    assert.deepEqual(await later.signingSecret(), secret)
  })

  onDrops("a message comes back as it was sent, to the byte", async (drops, again) => {
    const sealed = randomBytes(2500)
    const { id } = await bring(drops, sealed, { effort: 3 })
    const later = await again()
    const [message, ...others] = await later.messages()
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...message, purgeDay: 0 },
      { id, size: 2500, purgeDay: 0, effort: 3, unread: true },
    )
    assert.ok(sealed.equals(await sealedOf(later, id)))
    assert.equal(await later.piece(newId(), 0), null)
  })

  onDrops("pieces are nothing until the upload is finished", async (drops) => {
    const id = newId()
    await drops.appendPiece(id, 0, randomBytes(100))
    assert.deepEqual(await drops.messages(), [])
    assert.equal(await drops.piece(id, 0), null)
    assert.equal(await drops.unordered(), 0)
  })

  onDrops("an upload that a restart cut off cannot be gone on with", async (drops, again) => {
    const id = newId()
    await drops.appendPiece(id, 0, randomBytes(100))
    const later = await again()
    await assert.rejects(later.appendPiece(id, 1, randomBytes(100)), refusedAs("refused"))
    await assert.rejects(
      later.finishUpload({
        id,
        size: 100,
        withdrawVerifier: randomBytes(32),
        effort: 0,
        ...days,
      }),
      refusedAs("refused"),
    )
    assert.deepEqual(await later.messages(), [])
  })

  onDrops("an abandoned upload leaves nothing; a finished one stays", async (drops) => {
    const id = newId()
    await drops.appendPiece(id, 0, randomBytes(100))
    await drops.abandonUpload(id)
    await drops.appendPiece(id, 0, randomBytes(100))
    await drops.abandonUpload(id)
    const kept = await bring(drops)
    await drops.abandonUpload(kept.id)
    assert.deepEqual(await ids(drops), [kept.id])
    assert.equal((await sealedOf(drops, kept.id)).length, 3000)
  })

  onDrops("pieces out of order, of another size or of a message are refused", async (drops) => {
    const id = newId()
    const finish = (size: number): Promise<void> =>
      drops.finishUpload({ id, size, withdrawVerifier: randomBytes(32), effort: 0, ...days })
    const refused = refusedAs("refused")
    await assert.rejects(drops.appendPiece(id, 1, randomBytes(10)), refused)
    await assert.rejects(drops.appendPiece("../../x", 0, randomBytes(10)), refused)
    await assert.rejects(finish(0), refused)
    await drops.appendPiece(id, 0, randomBytes(10))
    await assert.rejects(drops.appendPiece(id, 0, randomBytes(10)), refused)
    for (const size of [0, 9, 11]) await assert.rejects(finish(size), refused)
    await finish(10)
    await assert.rejects(finish(10), refused)
    await assert.rejects(drops.appendPiece(id, 1, randomBytes(10)), refused)
    assert.equal((await sealedOf(drops, id)).length, 10)
  })

  onDrops("one that is refused takes no other with it", async (drops) => {
    const good = newId()
    const outcomes = await Promise.allSettled([
      drops.appendPiece(good, 0, randomBytes(10)),
      drops.appendPiece(newId(), 7, randomBytes(10)),
      drops.stir(),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    )
    await drops.abandonUpload(good)
  })

  onDrops("messages are listed in the order of their ids, whichever came first", async (drops) => {
    const brought = [await bring(drops), await bring(drops), await bring(drops)]
    assert.deepEqual(await ids(drops), brought.map(({ id }) => id).sort())
  })

  onDrops(
    "a message sealed anew keeps its day, its effort and its withdrawal",
    async (drops, again) => {
      const before = randomBytes(3000)
      const { id, verifier } = await bring(drops, before, { effort: 2 })
      const [was] = await drops.messages()
      const upload = newId()
      const after = randomBytes(1500)
      await drops.appendPiece(upload, 0, after.subarray(0, 1000))
      await drops.appendPiece(upload, 1, after.subarray(1000))
      await assert.rejects(drops.reseal(id, upload, 1499), refusedAs("refused"))
      assert.equal(await drops.reseal(id, upload, 1500), true)
      const later = await again()
      assert.deepEqual(await later.messages(), [{ ...was, size: 1500 }])
      assert.ok(after.equals(await sealedOf(later, id)))
      await later.withdraw([verifier])
      assert.deepEqual(await later.messages(), [])
    },
  )

  onDrops("nothing is sealed anew that is gone, nor by a message that is one", async (drops) => {
    const upload = newId()
    await drops.appendPiece(upload, 0, randomBytes(100))
    assert.equal(await drops.reseal(newId(), upload, 100), false)
    const { id } = await bring(drops)
    const { id: other } = await bring(drops)
    await assert.rejects(drops.reseal(id, other, 3000), refusedAs("refused"))
    await assert.rejects(drops.reseal(id, newId(), 0), refusedAs("refused"))
    assert.deepEqual(await ids(drops), [id, other].sort())
  })

  onDrops("fetching marks what was fetched and nothing else", async (drops) => {
    const [fetched, other] = [await bring(drops), await bring(drops)]
    await drops.markRead([fetched.id, newId()])
    const unread = (await drops.messages()).filter((message) => message.unread)
    assert.deepEqual(
      unread.map(({ id }) => id),
      [other.id],
    )
  })

  onDrops("a recipient's deletion takes the named messages alone", async (drops) => {
    const [gone, kept] = [await bring(drops), await bring(drops)]
    await drops.deleteMessages([gone.id, newId(), gone.id])
    assert.deepEqual(await ids(drops), [kept.id])
    assert.equal(await drops.piece(gone.id, 0), null)
    assert.equal((await sealedOf(drops, kept.id)).length, 3000)
  })

  onDrops(
    "T20: withdrawing takes the messages of these verifiers and nobody else's",
    async (drops) => {
      const [mine, alsoMine, other] = [await bring(drops), await bring(drops), await bring(drops)]
      const guesses = Array.from({ length: 14 }, () => randomBytes(32))
      await drops.withdraw(guesses)
      await drops.withdraw([])
      // The token itself is no verifier, nor is an id.
      await drops.withdraw([other.token, Buffer.from(other.id, "hex")])
      assert.equal((await drops.messages()).length, 3)
      const again = [mine.verifier, ...guesses, alsoMine.verifier]
      await drops.withdraw(again)
      assert.deepEqual(await ids(drops), [other.id])
      await drops.withdraw(again)
      assert.deepEqual(await ids(drops), [other.id])
    },
  )

  onDrops("a mailbox holds the replies that were posted to it", async (drops, again) => {
    const reply = newReply()
    const second = newReply({ tag: reply.tag, deleteVerifier: reply.deleteVerifier })
    assert.equal(await drops.postReply(reply, days), "stored")
    assert.equal(await drops.postReply(second, days), "stored")
    assert.equal(await drops.postReply(newReply(), days), "stored")
    const later = await again()
    assert.deepEqual(plain(await later.replies(reply.tag)), plain([reply.sealed, second.sealed]))
    assert.deepEqual(await later.replies(randomBytes(32)), [])
  })

  onDrops(
    "a reply posted again changes nothing, even after it was deleted",
    async (drops, again) => {
      const reply = newReply()
      assert.equal(await drops.postReply(reply, days), "stored")
      assert.equal(await drops.postReply({ ...reply, sealed: randomBytes(9) }, days), "known")
      assert.deepEqual(plain(await drops.replies(reply.tag)), plain([reply.sealed]))
      await drops.deleteReplies(reply.tag, reply.deleteVerifier)
      const later = await again()
      assert.equal(await later.postReply(reply, days), "known")
      assert.deepEqual(await later.replies(reply.tag), [])
    },
  )

  onDrops(
    "T43: a flooded mailbox keeps its four oldest replies until they are deleted",
    async (drops) => {
      const first = newReply()
      const flood = Array.from({ length: 20 }, () =>
        newReply({ tag: first.tag, deleteVerifier: first.deleteVerifier }),
      )
      const outcomes: string[] = []
      for (const reply of [first, ...flood]) outcomes.push(await drops.postReply(reply, days))
      assert.deepEqual(outcomes, [
        ...Array<string>(4).fill("stored"),
        ...Array<string>(17).fill("full"),
      ])
      const oldest = [first, ...flood.slice(0, 3)].map(({ sealed }) => sealed)
      assert.deepEqual(plain(await drops.replies(first.tag)), plain(oldest))
      // Another mailbox has its own room.
      assert.equal(await drops.postReply(newReply(), days), "stored")
      await drops.deleteReplies(first.tag, first.deleteVerifier)
      // What found no room was never posted, so it can be posted now.
      assert.equal(await drops.postReply(flood[5] ?? first, days), "stored")
    },
  )

  onDrops(
    "T19: replies are deleted with their verifier alone; all else changes nothing and looks the same",
    async (drops) => {
      const [reply, other] = [newReply(), newReply()]
      await drops.postReply(reply, days)
      await drops.postReply(other, days)
      for (const wrong of [randomBytes(32), reply.tag, other.deleteVerifier, new Uint8Array(0)])
        await drops.deleteReplies(reply.tag, wrong)
      await drops.deleteReplies(other.tag, reply.deleteVerifier)
      assert.equal((await drops.replies(reply.tag)).length, 1)
      await drops.deleteReplies(reply.tag, reply.deleteVerifier)
      assert.deepEqual(await drops.replies(reply.tag), [])
      // Replayed.
      await drops.deleteReplies(reply.tag, reply.deleteVerifier)
      assert.equal((await drops.replies(other.tag)).length, 1)
    },
  )

  onDrops("a rogue reply to a known mailbox does not go with the others", async (drops) => {
    const reply = newReply()
    const rogue = newReply({ tag: reply.tag })
    await drops.postReply(reply, days)
    await drops.postReply(rogue, days)
    await drops.deleteReplies(reply.tag, reply.deleteVerifier)
    assert.deepEqual(plain(await drops.replies(reply.tag)), plain([rogue.sealed]))
  })

  onDrops("a note replaces those it names, once", async (drops) => {
    const [first, second, third] = [newId(), newId(), newId()].map((id) => ({
      id,
      sealed: randomBytes(50),
    })) as [
      { id: string; sealed: Buffer },
      { id: string; sealed: Buffer },
      { id: string; sealed: Buffer },
    ]
    await drops.putNote(first, [], today + 30)
    await drops.putNote(second, [], today + 30)
    await drops.putNote(third, [first.id, newId()], today + 30)
    assert.deepEqual(await drops.notes(), [second.id, third.id].sort())
    // Sent again after it was replaced, it does not come back, nor does it replace anything.
    await drops.putNote(first, [second.id], today + 30)
    assert.deepEqual(await drops.notes(), [second.id, third.id].sort())
    assert.ok(third.sealed.equals((await drops.note(third.id)) ?? new Uint8Array()))
    assert.equal(await drops.note(first.id), null)
    await drops.deleteNotes([second.id, third.id, newId()])
    assert.deepEqual(await drops.notes(), [])
  })

  onDrops("T34: after 38 days nothing is left", async (drops, again) => {
    const { id } = await bring(drops)
    await bring(drops)
    const reply = newReply()
    await drops.postReply(reply, days)
    await drops.putNote({ id: newId(), sealed: randomBytes(50) }, [], today + 37)
    await drops.purge({ day: today + 29 })
    assert.equal((await drops.messages()).length, 2)
    assert.equal((await drops.replies(reply.tag)).length, 1)
    assert.equal((await drops.notes()).length, 1)
    const later = await again()
    await later.purge({ day: today + 38 })
    assert.deepEqual(await later.messages(), [])
    assert.equal(await later.piece(id, 0), null)
    assert.deepEqual(await later.replies(reply.tag), [])
    assert.deepEqual(await later.notes(), [])
  })

  onDrops("each message goes on its own day and not before it", async (drops) => {
    for (let n = 0; n < 20; n++) await bring(drops, randomBytes(10))
    const all = await drops.messages()
    for (const { purgeDay } of all) {
      assert.ok(purgeDay >= today + 30 && purgeDay <= today + 37)
    }
    for (let day = today + 29; day <= today + 37; day++) {
      await drops.purge({ day })
      assert.deepEqual(
        await ids(drops),
        all.filter(({ purgeDay }) => purgeDay > day).map(({ id }) => id),
      )
    }
  })

  onDrops(
    "the digest says whether anything waits and counts what went unread",
    async (drops, again) => {
      assert.deepEqual(await drops.digest(1), { fresh: false, expiredUnread: 0 })
      await bring(drops)
      const fetched = await bring(drops)
      await drops.markRead([fetched.id])
      assert.deepEqual(await drops.digest(1), { fresh: true, expiredUnread: 0 })
      await drops.digestSent(1)
      // Once a day, whatever the clock does.
      assert.equal(await drops.digest(1), null)
      assert.equal(await drops.digest(0), null)
      // Sent or not, a waiting message is in the next day's digest again.
      assert.deepEqual(await drops.digest(2), { fresh: true, expiredUnread: 0 })
      await drops.purge({ day: today + 38 })
      // A digest that could not be sent yet goes on counting; the fetched message did not expire
      // unread.
      assert.deepEqual(await drops.digest(2), { fresh: false, expiredUnread: 1 })
      const later = await again()
      assert.deepEqual(await later.digest(3), { fresh: false, expiredUnread: 1 })
      await later.digestSent(3)
      assert.deepEqual(await later.digest(4), { fresh: false, expiredUnread: 0 })
    },
  )

  onDrops("a message deleted or withdrawn did not go unread", async (drops) => {
    const [deleted, withdrawn] = [await bring(drops), await bring(drops)]
    await drops.deleteMessages([deleted.id])
    await drops.withdraw([withdrawn.verifier])
    await drops.purge({ day: today + 38 })
    assert.deepEqual(await drops.digest(1), { fresh: false, expiredUnread: 0 })
  })

  onDrops(
    "a rewrite keeps all there is and ends the count of unordered messages",
    async (drops, again) => {
      const sealed = randomBytes(5000)
      const { id } = await bring(drops, sealed)
      await bring(drops)
      const reply = newReply()
      await drops.postReply(reply, days)
      const upload = newId()
      await drops.appendPiece(upload, 0, randomBytes(100))
      assert.equal(await drops.unordered(), 2)
      const before = await drops.messages()
      // Writers and readers that come meanwhile wait, and find all as it was.
      const [, late, found] = await Promise.all([
        drops.rewrite(),
        drops.postReply(reply, days),
        sealedOf(drops, id),
      ])
      assert.equal(late, "known")
      assert.ok(sealed.equals(found))
      assert.equal(await drops.unordered(), 0)
      // An upload under way goes on.
      await drops.appendPiece(upload, 1, randomBytes(100))
      await drops.abandonUpload(upload)
      const later = await again()
      assert.deepEqual(await later.messages(), before)
      assert.equal(await later.unordered(), 0)
      assert.deepEqual(plain(await later.replies(reply.tag)), plain([reply.sealed]))
    },
  )

  test(`${engine}: holds what a simple model holds, whatever is done to it`, async () => {
    const open = await newStore()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        let drops = await open()
        await drops.purge({ day: today + 38 })
        const model = new Map<string, { sealed: Buffer; verifier: Uint8Array }>()
        const nth = (n: number): string | undefined => [...model.keys()][n % (model.size || 1)]
        for (const [kind, n] of steps) {
          const id = nth(n)
          if (kind === "bring") {
            const sealed = randomBytes(n)
            const brought = await bring(drops, sealed, { pieceBytes: 64 })
            model.set(brought.id, { sealed, verifier: brought.verifier })
          } else if (kind === "rewrite") await drops.rewrite()
          else if (kind === "reopen") {
            await drops.appendPiece(newId(), 0, randomBytes(n))
            await drops.close()
            drops = await open()
          } else if (id !== undefined) {
            const { verifier } = model.get(id) ?? { verifier: new Uint8Array() }
            if (kind === "delete") await drops.deleteMessages([id])
            else await drops.withdraw([verifier])
            model.delete(id)
          }
        }
        assert.deepEqual(await ids(drops), [...model.keys()].sort())
        for (const [id, { sealed }] of model) assert.ok(sealed.equals(await sealedOf(drops, id)))
        await drops.close()
      }),
      { seed: 7_10, numRuns: process.env["ASSAY_SOAK"] ? 200 : 8 },
    )
  })
}

const step = fc.tuple(
  fc.constantFrom("bring", "bring", "bring", "delete", "withdraw", "rewrite", "reopen"),
  fc.integer({ min: 1, max: 300 }),
)
