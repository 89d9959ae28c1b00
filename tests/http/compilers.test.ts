import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { emailMix, phoneMix, seeded } from "../../bench/http/identity-mix.ts"
import { seedIndex } from "../../bench/http/known-identities.ts"
import { HOUR_MS } from "../../packages/runtime/src/time.ts"
import { type Service, startService } from "./service.ts"

const IDENTITIES = 300
/** A function is compiled anew as it is called more often, up to some ten thousand times. */
const ROUNDS = process.env["ASSAY_SOAK"] === undefined ? 6 : 120
const AT_ONCE = 16
const INTERPRETED = ["--no-sparkplug", "--no-maglev", "--no-turbofan"]

const directory = mkdtempSync(join(tmpdir(), "assay-compilers-"))
after(() => rmSync(directory, { recursive: true, force: true }))

interface Asked {
  readonly path: string
  readonly json: object
}

/** Those that were exposed, since most code is about them, and numbers known and unknown. */
function asked(): Asked[] {
  const known = emailMix().filter(({ exposures }) => exposures > 0)
  return [
    ...known
      .slice(0, IDENTITIES)
      .map(({ email }) => ({ path: "/api/v1/risk/score", json: { email } })),
    ...phoneMix()
      .slice(0, IDENTITIES / 4)
      .map((phone) => ({ path: "/api/v1/phone-risk", json: { phone_number: phone } })),
  ]
}

const halfHour = (): number => Math.floor(Date.now() / (HOUR_MS / 2))

async function answers(service: Service, of: readonly Asked[]): Promise<string[]> {
  const found: string[] = []
  for (let from = 0; from < of.length; from += AT_ONCE)
    found.push(
      ...(await Promise.all(
        of.slice(from, from + AT_ONCE).map(async ({ path, json }) => {
          const response = await service.request(path, { json })
          assert.equal(response.status, 200)
          return await response.text()
        }),
      )),
    )
  return found
}

// Between some 500 and some 15,000 requests after a start, code of V8's Maglev compiler took any
// age for a proven one where all exposures were young, and scores were up to 13 points too high.
// What is compiled depends on what was seen, so there are two kinds of traffic.
for (const oldestDays of [40, 2_920])
  test(`answers of exposures up to ${oldestDays} days old do not depend on how often the code ran and was compiled`, async () => {
    const of = asked()
    const dataDirectory = join(directory, `data-${oldestDays}`)
    const secretFile = join(directory, `secret-${oldestDays}`)
    const env = { ASSAY_SECRET_FILE: secretFile }
    await seedIndex(join(dataDirectory, "index"), secretFile, emailMix(), seeded(1), oldestDays)
    for (;;) {
      const from = halfHour()
      const interpreted = await startService({ dataDirectory, env, nodeFlags: INTERPRETED })
      const expected = await answers(interpreted, of)
      assert.equal(await interpreted.stop(), 0)
      const service = await startService({ dataDirectory, env })
      const differing = new Map<number, string>()
      for (let round = 0; round < ROUNDS; round++)
        for (const [n, text] of (await answers(service, of)).entries())
          if (text !== expected[n]) differing.set(n, text)
      assert.equal(await service.stop(), 0)
      // Ages are told to the nearest hour: what was asked before and after a half is asked again.
      if (halfHour() !== from) continue
      for (const [n, text] of differing)
        assert.equal(text, expected[n], JSON.stringify(of[n]?.json))
      return
    }
  })
