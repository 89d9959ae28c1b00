import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, afterEach, before, beforeEach, test } from "node:test"
import fc from "fast-check"
import type { Drops } from "./store/drops.ts"
import { bring, today } from "../testing/store/drops-suite.ts"
import { openSqliteDrops } from "./store/sqlite-drops.ts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { Explained } from "@assay/runtime/explained"
import { type DigestNews, digestText, keepDigest } from "./digest.ts"

const root = mkdtempSync(join(tmpdir(), "assay-digest-"))
const mails = join(root, "mails")
const command = join(root, "command.sh")
const MINUTE = 60_000
const HOUR = 8

/** The webhook's requests, to the byte, and its answers. */
let requests: string[] = []
let status = 200
let url = ""
const server = createServer((socket) => {
  let request = ""
  socket.setEncoding("utf8").on("data", (text: string) => {
    request += text
    if (!request.endsWith("}\n")) return
    requests.push(request)
    socket.end(`HTTP/1.1 ${status} x\r\nlocation: /other\r\nconnection: close\r\n\r\n`)
  })
})
let drops: Drops
let faults: unknown[] = []
let told: DigestNews[] = []
let areRecordsAway = false
let clock = 0

before(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  writeFileSync(
    command,
    `#!/bin/sh\n{ cat; env | grep -v '^PWD=\\|^SHLVL=\\|^_='; } >> ${mails}\ntest ! -e ${root}/fail\n`,
  )
  chmodSync(command, 0o700)
})
let stores = 0
beforeEach(async () => {
  drops = await openSqliteDrops(join(root, String(++stores)))
  requests = []
  faults = []
  told = []
  areRecordsAway = false
  status = 200
  rmSync(mails, { force: true })
  rmSync(join(root, "fail"), { force: true })
})
after(async () => {
  server.close()
  rmSync(root, { recursive: true })
})

const keepers: ReturnType<typeof keepDigest>[] = []
afterEach(async () => {
  for (const each of keepers.splice(0)) await each.stop()
  await drops.close()
})

function keeper(ways: { url?: string; command?: string }): ReturnType<typeof keepDigest> {
  const made = keepDigest({
    config: {
      name: "The Paper",
      digest: { hour: HOUR, url: ways.url ?? null, command: ways.command ?? null },
    },
    drops,
    version: "0.0.0",
    async tell(news) {
      if (areRecordsAway) throw new Error("The records are away")
      told.push(news)
    },
    now: () => clock,
    onFault: (error) => void faults.push(error),
  })
  keepers.push(made)
  return made
}
const at = (day: number, minutes: number): number =>
  (today + day) * DAY_MS + HOUR * HOUR_MS + minutes * MINUTE
const faultCodes = (): string[] =>
  faults.map((fault) => (fault instanceof Explained ? String(fault.code) : String(fault)))
const bodyOf = (request = ""): Record<string, string> =>
  JSON.parse(request.split("\r\n\r\n")[1] ?? "") as Record<string, string>

/** Looks at every minute of these hours, as the timer would and oftener. */
async function pass(
  digest: { lookNow(): Promise<void> },
  day: number,
  [from, to] = [-30, 90],
): Promise<void> {
  for (let minute = from; minute < to; minute++) {
    clock = at(day, minute)
    await digest.lookNow()
  }
}

test("a day with messages and one without are told in the same bytes but for the words, headers too", async () => {
  const digest = keeper({ url, command })
  await pass(digest, 0)
  const quietMail = readFileSync(mails, "utf8")
  rmSync(mails)
  await bring(drops)
  await pass(digest, 1)
  const mail = readFileSync(mails, "utf8")
  await drops.purge({ day: today + 38 })
  await pass(digest, 2)
  assert.equal(requests.length, 3)
  assert.deepEqual(
    requests.map((request) => [bodyOf(request)["new"], bodyOf(request)["went_unread"]]),
    [
      ["no", "000000"],
      ["yes", "000000"],
      ["no", "000001"],
    ],
  )
  const [heads, lengths] = [
    requests.map((request) => request.split("\r\n\r\n")[0]),
    requests.map((request) => Buffer.byteLength(request)),
  ]
  assert.equal(new Set(heads).size, 1)
  assert.equal(new Set(lengths).size, 1)
  assert.equal(Buffer.byteLength(mail), Buffer.byteLength(quietMail))
  assert.match(mail, /nobody has fetched: yes\n/)
  assert.match(quietMail, /nobody has fetched: no \n/)
  assert.match(mail, /^Subject: /)
  // Of this process's settings the command gets nothing but where programs are.
  assert.deepEqual(mail.split("\n").slice(-2), [
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "",
  ])
  assert.deepEqual(faults, [])
})

test("every digest has the same size, whatever it says", () => {
  const sizes = new Set<string>()
  fc.assert(
    fc.property(fc.boolean(), fc.nat(), (fresh, expiredUnread) => {
      const { json, mail } = digestText({ fresh, expiredUnread }, "The Paper")
      JSON.parse(json)
      sizes.add(`${Buffer.byteLength(json)} ${Buffer.byteLength(mail)}`)
    }),
    { seed: 7_11 },
  )
  assert.equal(sizes.size, 1)
})

test("it is sent once a day and in its hour alone, also across restarts", async () => {
  for (const minutes of [-1, 60, 120]) {
    clock = at(0, minutes)
    await keeper({ url }).lookNow()
  }
  assert.equal(requests.length, 0)
  for (const minutes of [0, 1, 16, 59]) {
    clock = at(0, minutes)
    const digest = keeper({ url })
    await digest.lookNow()
    await digest.lookNow()
  }
  assert.equal(requests.length, 1)
})

test("an hour missed is not made up for, and what it would have counted is in the next one", async () => {
  await bring(drops)
  await pass(keeper({ url }), 0)
  await drops.purge({ day: today + 38 })
  const digest = keeper({ url })
  clock = at(1, 61)
  await digest.lookNow()
  assert.equal(requests.length, 1)
  await pass(digest, 2)
  await pass(digest, 3)
  assert.deepEqual(
    requests.map((request) => bodyOf(request)["went_unread"]),
    ["000000", "000001", "000000"],
  )
})

test("a fault is told as a code and tried again at fixed times of the hour, then the next day", async () => {
  await bring(drops)
  await drops.purge({ day: today + 38 })
  status = 500
  const digest = keeper({ url })
  const tries: number[] = []
  for (let minute = 0; minute < 60; minute++) {
    clock = at(0, minute)
    const before = requests.length
    await digest.lookNow()
    if (requests.length > before) tries.push(minute)
  }
  assert.deepEqual(tries, [0, 15, 30, 45])
  assert.equal(new Set(requests).size, 1)
  assert.deepEqual(faultCodes(), Array(4).fill("digest-webhook"))
  for (const fault of faults) assert.ok(!String(fault).includes("127.0.0.1"))
  // A redirection is not followed: it could lead to anybody.
  status = 302
  await pass(digest, 1, [0, 1])
  assert.equal(requests.length, 5)
  status = 200
  await pass(digest, 1, [15, 60])
  assert.equal(requests.length, 6)
  assert.equal(bodyOf(requests[5])["went_unread"], "000001")
})

test("one that reached the webhook is tried again for the command alone", async () => {
  writeFileSync(join(root, "fail"), "")
  const digest = keeper({ url, command })
  await pass(digest, 0, [0, 20])
  assert.deepEqual(faultCodes(), ["digest-command", "digest-command"])
  rmSync(join(root, "fail"))
  await pass(digest, 0, [20, 60])
  assert.equal(requests.length, 1)
  assert.equal(readFileSync(mails, "utf8").split("Subject: ").length - 1, 3)
  // After a restart no recipient gets it a second time.
  await pass(keeper({ url, command }), 0, [0, 60])
  assert.equal(requests.length, 1)
})

test(
  "stopping does not wait for a recipient that does not answer",
  { timeout: 30_000 },
  async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, "127.0.0.1")
    await once(silent, "listening")
    const digest = keeper({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` })
    clock = at(0, 0)
    const looking = digest.lookNow()
    await once(silent, "connection")
    await digest.stop()
    await looking
    assert.deepEqual(faultCodes(), ["digest-webhook"])
    silent.close()
  },
)

test("a command that is missing is a fault", async () => {
  await pass(keeper({ command: join(root, "nothing") }), 0, [0, 1])
  assert.deepEqual(faultCodes(), ["digest-command"])
  assert.ok(!existsSync(mails))
})

test("the service is told every day, by the hour alone and in words of one length", async () => {
  const digest = keeper({})
  await pass(digest, 0)
  await bring(drops)
  await pass(digest, 1)
  await pass(keeper({}), 1)
  await drops.purge({ day: today + 38 })
  await pass(digest, 2)
  assert.deepEqual(told, [
    { atMs: at(0, 0), newMessages: "none", wentUnread: "000000" },
    { atMs: at(1, 0), newMessages: "some", wentUnread: "000000" },
    { atMs: at(2, 0), newMessages: "none", wentUnread: "000001" },
  ])
  assert.equal(new Set(told.map((news) => JSON.stringify(news).length)).size, 1)
  assert.deepEqual(faults, [])
})

test("what the service could not store is told again in its hour, and an event alone does not stand for the webhook", async () => {
  await bring(drops)
  await drops.purge({ day: today + 38 })
  areRecordsAway = true
  const digest = keeper({ url })
  status = 500
  await pass(digest, 0, [0, 15])
  assert.deepEqual(faultCodes(), ["digest-webhook", "digest-event"])
  areRecordsAway = false
  await pass(digest, 0, [15, 60])
  assert.equal(told.length, 1)
  // The webhook's own count goes on until it was reached.
  status = 200
  await pass(digest, 1)
  assert.equal(bodyOf(requests.at(-1))["went_unread"], "000001")
  assert.deepEqual(
    told.map(({ wentUnread }) => wentUnread),
    ["000001", "000001"],
  )
})
