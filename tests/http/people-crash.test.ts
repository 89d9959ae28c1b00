import assert from "node:assert/strict"
import { join } from "node:path"
import { test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { hashOfToken } from "../../packages/server/src/accounts/sessions.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { testServerOrSkip, untilAlone } from "../../packages/stores/testing/postgres/test-server.ts"
import { startService } from "./service.ts"
import { joins, PASSWORD, printedToken, signsIn, tokenIn, visitor } from "./signed-in.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()
const KILLS = process.env["ASSAY_SOAK"] === undefined ? 2 : 20
const ADMIN = "ada@people.example"

test(`sqlite: ${KILLS} times kill -9 in mid invitation and join leave the old state or the new`, async () => {
  const data = join(temporary, "sqlite")
  await killed(data, {}, () => openSqliteRecords({ file: join(data, "records.sqlite") }))
})

test(`postgres: ${KILLS} times kill -9 in mid invitation and join leave the old state or the new`, async (context) => {
  const postgres = await testServerOrSkip(context)
  if (postgres === null) return
  const url = await postgres.createDatabase()
  const env = { DATABASE_URL: url }
  await killed(join(temporary, "postgres"), env, async () => {
    await untilAlone(url)
    return await openPostgresRecords({ url, poolMax: 1 })
  })
  await postgres.stop()
})

async function killed(
  dataDirectory: string,
  env: Record<string, string>,
  open: () => Promise<Records>,
): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await startService({ dataDirectory, env, args: ["--workers", "1"] })
    const admin =
      kill === 0
        ? await joins(service, printedToken(service), ADMIN)
        : await signsIn(service, ADMIN)
    const invite = () =>
      admin.send<{ link: string }>("POST", "/api/v1/members/invitations", {
        role: "drop-recipient",
      })
    const tokens = await Promise.all([0, 1, 2].map(async () => tokenIn((await invite()).body.link)))
    const answered = new Set<string>()
    const work = tokens.map(async (token, n) => {
      const email = joinerOf(kill, n)
      const json = { token, name: email, email, password: PASSWORD }
      // The connection breaks at some moment: only what arrived counts.
      const answer = await visitor(service)
        .send("POST", "/api/v1/join", json)
        .catch(() => null)
      if (answer?.status === 200) answered.add(email)
      await invite().catch(() => null)
    })
    // Passwords take a tenth of a second each, two at a time: some are done by then, some are not.
    await delay(Math.random() * 600)
    await service.kill()
    await Promise.all(work)
    const records = await open()
    await assertWhole(records, tokens)
    const people = new Set((await records.people()).map(({ name }) => name))
    for (const email of answered) assert.ok(people.has(email), "somebody who was told so is lost")
    await records.close()
  }
}

const joinerOf = (kill: number, n: number): string => `joiner-${kill}-${n}@people.example`

async function assertWhole(records: Records, tokens: readonly string[]): Promise<void> {
  const trail = await records.auditAfter({ limit: 10_000, after: 0 })
  const noted = (action: string) => trail.filter((entry) => entry.action === action)
  const people = await records.people()
  // Of two who join at once, the one who came first may be written second.
  assert.deepEqual(
    noted("invitation.accept")
      .map(({ subject }) => subject)
      .toSorted(),
    people.map(({ id }) => `person:${id}`).toSorted(),
  )
  for (const { id, roles } of people) {
    const found = await records.personById(id)
    assert.equal(found?.credentials.length, 1)
    assert.equal(roles.length, 1)
    assert.ok((await records.sessionsOf(id)).length > 0)
  }
  // Each link was used by somebody who is there, or is still good.
  let used = 0
  for (const token of tokens) {
    const invitation = await records.invitationByToken(hashOfToken(token))
    assert.ok(invitation !== null)
    if (invitation.usedAt !== null) used++
  }
  const joined = new Set(noted("invitation.accept").map(({ detail }) => detail["invitation"]))
  const made = noted("invitation.create").map(({ subject }) => subject.replace("invitation:", ""))
  const open = await records.invitations({ tenantId: null, at: Date.now() })
  // The links of earlier starts ended when the first administrator was not there yet.
  assert.deepEqual(new Set(made.filter((id) => !joined.has(id))), new Set(open.map(({ id }) => id)))
  assert.ok(used <= tokens.length)
}
