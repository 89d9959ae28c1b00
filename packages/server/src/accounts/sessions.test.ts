import assert from "node:assert/strict"
import { test } from "node:test"
import type { SessionHolder } from "@assay/stores/records-sessions"
import { Problem } from "../base/problem.ts"
import { csrfTokenOf, hashOfToken, newToken, openSessions } from "./sessions.ts"

const HOUR = 3_600_000
const IDLE = HOUR / 2
const token = newToken()

/** Records of one session, which can be changed, ended or be away. */
function opened() {
  const state = {
    ms: 1_000_000,
    version: 1,
    reads: 0,
    away: false,
    holder: {
      session: {
        id: "ses_1",
        personId: "per_1",
        tenantId: null,
        method: "password",
        signedInAt: 1_000_000,
        seenAt: 1_000_000,
        expiresAt: 1_000_000 + HOUR,
      },
      name: "Ada",
      roles: ["administrator", "of another version"],
      member: null,
    } as SessionHolder | null,
    told: [] as { id: string; at: number }[],
  }
  const versionOrAway = async (): Promise<number> => {
    if (state.away) throw new Error("away")
    return state.version
  }
  const sessions = openSessions({
    records: {
      peopleVersion: versionOrAway,
      accountsVersion: async () => 1,
      sessionByToken: async (hash) => {
        state.reads++
        return Buffer.from(hash).equals(hashOfToken(token)) ? state.holder : null
      },
    },
    touch: async (seen) => void state.told.push(...seen),
    now: () => state.ms,
    elapsed: () => state.ms,
    idleMs: IDLE,
  })
  return { state, sessions }
}

const refused = (error: unknown): boolean =>
  error instanceof Problem && error.code === "unauthenticated"

test("a session is read once, and again after a change", async () => {
  const { state, sessions } = opened()
  const { person, tenantId, scopes } = await sessions.authenticate(token)
  assert.deepEqual([person.id, person.roles, tenantId], ["per_1", ["administrator"], null])
  assert.equal(scopes.size, 0)
  await sessions.authenticate(token)
  assert.equal(state.reads, 1)
  state.version++
  state.holder = null
  state.ms += 4_001
  await assert.rejects(sessions.authenticate(token), refused)
  sessions.close()
})

test("a token that is none is refused without a look", async () => {
  const { state, sessions } = opened()
  for (const wrong of ["", "x", `${token}x`, token.slice(1)])
    await assert.rejects(sessions.authenticate(wrong), refused)
  assert.equal(state.reads, 0)
  await assert.rejects(sessions.authenticate(newToken()), refused)
  sessions.close()
})

test("an unused session ends, one that is used goes on until its last moment", async () => {
  const { state, sessions } = opened()
  await sessions.authenticate(token)
  state.ms += IDLE - 1
  await sessions.authenticate(token)
  assert.deepEqual(state.told, [{ id: "ses_1", at: state.ms }])
  state.ms += IDLE - 1
  await sessions.authenticate(token)
  state.ms = 1_000_000 + HOUR
  await assert.rejects(sessions.authenticate(token), refused)
  sessions.close()

  const unused = opened()
  await unused.sessions.authenticate(token)
  unused.state.ms += IDLE
  await assert.rejects(unused.sessions.authenticate(token), refused)
  // It was used by way of another worker, which told the records.
  const { holder } = unused.state
  if (holder !== null) holder.session.seenAt = unused.state.ms - 1
  await unused.sessions.authenticate(token)
  unused.sessions.close()
})

test("while the records are away nobody is let in by an old memory", async () => {
  const { state, sessions } = opened()
  await sessions.authenticate(token)
  state.away = true
  state.ms += 4_001
  await assert.rejects(sessions.authenticate(token), /away/)
  sessions.close()
})

test("uses are told in the end, also of sessions that were forgotten", async () => {
  const { state, sessions } = opened()
  await sessions.authenticate(token)
  state.ms += 10
  await sessions.authenticate(token)
  assert.deepEqual(state.told, [])
  await sessions.flush()
  assert.deepEqual(state.told, [{ id: "ses_1", at: state.ms }])
  await sessions.flush()
  assert.equal(state.told.length, 1)
  sessions.close()
})

test("the token against forged requests follows from the session's and does not show it", () => {
  assert.equal(csrfTokenOf(token), csrfTokenOf(token))
  assert.notEqual(csrfTokenOf(token), csrfTokenOf(newToken()))
  assert.notEqual(Buffer.from(csrfTokenOf(token), "base64url"), Buffer.from(hashOfToken(token)))
  assert.match(newToken(), /^[\w-]{43}$/)
})
