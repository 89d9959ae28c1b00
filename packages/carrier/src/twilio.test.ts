import assert from "node:assert/strict"
import { after, suite, test } from "node:test"
import { openTrialTwilio } from "./twilio.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")
const USER = "ACtrial"
const PASSWORD = "word"
const NUMBER = "+61491570156"

suite("Twilio for trials", async () => {
  const twilio = await openTrialTwilio({
    user: USER,
    password: PASSWORD,
    mount: "/twilio",
    now: () => NOW,
  })
  after(() => twilio.close())
  const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString("base64")}`

  async function get(path: string, authorization = basic): Promise<[number, unknown]> {
    const response = await fetch(twilio.url + path, { headers: { authorization } })
    return [response.status, await response.json()]
  }

  async function put(path: string, body: string): Promise<[number, unknown]> {
    const response = await fetch(twilio.url + path, { method: "PUT", body })
    return [response.status, await response.json()]
  }

  test("it wants user and password, and a field that was not asked for is null", async () => {
    const path = `v2/PhoneNumbers/${NUMBER}?Fields=line_status`
    const [refused, refusal] = await get(path, "Basic bm9ib2R5")
    assert.equal(refused, 401)
    assert.equal((refusal as { code: number }).code, 20003)
    const [status, document] = await get(path)
    assert.equal(status, 200)
    const { line_status, sim_swap } = document as Record<string, unknown>
    assert.deepEqual(line_status, { status: "reachable", error_code: null })
    assert.equal(sim_swap, null)
  })

  test("what is no number, no field or no date is refused without being repeated", async () => {
    const odd = {
      "v2/PhoneNumbers/0491570156?Fields=sim_swap": 404,
      "v2/Somewhere": 404,
      "v2/PhoneNumbers/+61491570156?Fields=sim_swap,age": 400,
      "v2/PhoneNumbers/+61491570156?Fields=reassigned_number": 400,
      "v2/PhoneNumbers/+61491570156?Fields=reassigned_number&LastVerifiedDate=2026-05-03": 400,
    }
    for (const [path, expected] of Object.entries(odd)) {
      const [status, body] = await get(path)
      assert.equal(status, expected, path)
      assert.doesNotMatch(JSON.stringify(body), /491570156/)
    }
  })

  test("a number has the same calm history from one time to the next, and not that of another", async () => {
    const simOf = async (number: string): Promise<unknown> => {
      const [, document] = await get(`v2/PhoneNumbers/${number}?Fields=sim_swap`)
      return (document as { sim_swap: unknown }).sim_swap
    }
    assert.deepEqual(await simOf(NUMBER), await simOf(NUMBER))
    assert.notDeepEqual(await simOf(NUMBER), await simOf("+61491570157"))
  })

  test("scripts come over HTTP too, are shown again, and act on their number", async () => {
    const script = { sim: { changed_at: "2026-11-15T10:00:00Z" }, status: "inactive" }
    const path = `trial/numbers/${NUMBER}`
    assert.deepEqual(await put(path, JSON.stringify(script)), [200, script])
    assert.deepEqual(await get(path), [200, script])
    const fields = "sim_swap,line_status"
    const [, document] = await get(`v2/PhoneNumbers/${NUMBER}?Fields=${fields}`)
    const { sim_swap, line_status } = document as Record<string, Record<string, unknown>>
    assert.deepEqual(sim_swap?.["last_sim_swap"], {
      last_sim_swap_date: "2026-11-15T10:00:00Z",
      swapped_period: "PT7200S",
      swapped_in_period: true,
    })
    assert.equal(line_status?.["status"], "inactive")
    twilio.script(NUMBER, {})
  })

  test("a script that cannot be played is refused by its place", async () => {
    for (const [body, detail] of [
      ["{", "The script is not JSON"],
      ['{"status":"asleep"}', "at /status"],
      ['{"colour":"red"}', "at /colour"],
    ] as const) {
      const [status, refusal] = await put(`trial/numbers/${NUMBER}`, body)
      assert.equal(status, 400)
      assert.ok((refusal as { message: string }).message.startsWith(detail))
    }
    assert.throws(() => twilio.script("0491", {}), { code: "INVALID_ARGUMENT" })
  })

  test("a fault acts as often as it says, on every number where the script is for all", async () => {
    twilio.scriptAll({ faults: [{ kind: "html", status: 503, times: 2 }] })
    const ask = async (): Promise<number> =>
      (
        await fetch(`${twilio.url}v2/PhoneNumbers/+61491570158?Fields=sim_swap`, {
          headers: { authorization: basic },
        })
      ).status
    assert.deepEqual([await ask(), await ask(), await ask()], [503, 503, 200])
    twilio.scriptAll({})
  })
})
