// Ten thousand guesses from as many networks, with ASSAY_SOAK; some hundred without.
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { after, before, test } from "node:test"
import { type Service, startService } from "./service.ts"
import { joins, PASSWORD, printedToken, signsIn, visitor, type Visitor } from "./signed-in.ts"

const isSoak = process.env["ASSAY_SOAK"] !== undefined
const GUESSES = isSoak ? 10_000 : 400
/** Guesses that are looked at, which takes a tenth of a second each: thrice as many as at once. */
const LOOKED_AT = isSoak ? 1_000 : 150
const AT_ONCE = 50
const OWNER = "olga.owner@people.example"

let service: Service
let own: Visitor
before(async () => {
  service = await startService({ args: ["--workers", "1"] })
  own = await joins(service, printedToken(service), OWNER)
})
after(() => service.stop())

/** From an address of this machine that no other guess comes from: each /24 is a network. */
async function guess(email: string, password: string, n: number): Promise<number> {
  const body = JSON.stringify({ email, password })
  return await new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: service.port,
        localAddress: `127.${1 + (n >> 8)}.${n & 255}.7`,
        path: "/api/v1/session",
        method: "POST",
        agent: false,
        headers: {
          host: `localhost:${service.port}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode ?? 0))
      },
    )
    sent.once("error", reject)
    sent.end(body)
  })
}

function residentMb(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

async function guessAll(
  emailOf: (n: number) => string,
  count = GUESSES,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  let next = 0
  const guesser = async (): Promise<void> => {
    while (next < count) {
      const n = next++
      const status = await guess(emailOf(n), `guess number ${n} of many`, n)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // In the middle of it all the owner signs in, with the browser of before.
      if (n === count >> 1) await signsIn(service, OWNER, { browser: own })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, guesser))
  return statuses
}

test(`${GUESSES} guesses from as many networks at one account: none succeeds, and the owner gets in`, async () => {
  const before = residentMb()
  const statuses = await guessAll(() => OWNER)
  assert.equal(statuses.has(200), false)
  // Ten are looked at, and the rest is turned away unseen.
  assert.equal(statuses.get(401), 10)
  assert.deepEqual([...statuses.keys()].toSorted(), [401, 429])
  await signsIn(service, OWNER, { browser: own })
  const me = await own.send("GET", "/api/v1/session")
  assert.equal(me.status, 200)
  // A browser nobody has seen yet waits, also with the right password: it could be a guess.
  const strange = await visitor(service).send("POST", "/api/v1/session", {
    email: OWNER,
    password: PASSWORD,
  })
  assert.deepEqual([strange.status, strange.body.code], [429, "guesses-exceeded"])
  assert.ok(Number(strange.headers.get("retry-after")) > 0)
  assert.ok(residentMb() - before < 300, `${before} MB became ${residentMb()} MB`)
})

test("guesses at many accounts that nobody has leave the owner a way in too", async () => {
  const before = residentMb()
  const statuses = await guessAll((n) => `nobody-${n}@people.example`, LOOKED_AT)
  assert.equal(statuses.has(200), false)
  await signsIn(service, OWNER, { browser: own })
  assert.ok(residentMb() - before < 300, `${before} MB became ${residentMb()} MB`)
})

test("the cookie of a browser is good for its own person alone, and not without a right password", async () => {
  const stolen = visitor(service)
  const device = own.cookies.get("__Host-assay-device") ?? ""
  stolen.cookies.set("__Host-assay-device", device)
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) {
    const { status } = await stolen.send("POST", "/api/v1/session", {
      email: OWNER,
      password: `guess with a cookie ${n}`,
    })
    statuses.push(status)
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429])
  const forged = visitor(service)
  forged.cookies.set("__Host-assay-device", `${device.slice(0, -4)}AAAA`)
  const json = { email: OWNER, password: PASSWORD }
  assert.equal((await forged.send("POST", "/api/v1/session", json)).status, 429)
})
