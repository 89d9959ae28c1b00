import assert from "node:assert/strict"
import { after, before, beforeEach, test } from "node:test"
import { HOUR_MS } from "@assay/runtime/time"
import { openTrialCarrier, type TrialCarrier } from "./open-trial-carrier.ts"
import type { LineScript } from "./script.ts"
import {
  type DefinedOperation,
  NO_DEFINITIONS,
  openDefinitions,
} from "../testing/test-definitions.ts"
import { callApi, type RawAnswer, tokenFor } from "../testing/test-trial-session.ts"
import { makeTrialClient, type TrialClientKeys } from "./trial-client.ts"

const folder = process.env["ASSAY_CAMARA_SPECS"]
if (folder === undefined)
  test("the carrier's answers fit CAMARA's definitions", { skip: NO_DEFINITIONS }, () => {})
else checkAgainst(folder)

function checkAgainst(definitionsFolder: string): void {
  const { operation, notificationFaults } = openDefinitions(definitionsFolder)
  const NUMBER = "+61491570006"
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()
  let keys: TrialClientKeys
  let carrier: TrialCarrier
  before(async () => {
    keys = await makeTrialClient("bank")
    carrier = await openTrialCarrier({ clients: [keys.client], retryWaitsMs: [] })
  })
  after(() => carrier.close())
  beforeEach(() => carrier.script(NUMBER, {}))

  /** Every operation about a line, with requests that are in order and some that are not. */
  const asked: readonly (readonly [string, string, readonly object[], readonly unknown[]])[] = [
    ["sim-swap.yaml", "checkSimSwap", [{ phoneNumber: NUMBER, maxAge: 9 }], [{ maxAge: 0 }]],
    ["sim-swap.yaml", "retrieveSimSwapDate", [{ phoneNumber: NUMBER }], []],
    ["device-swap.yaml", "checkDeviceSwap", [{ phoneNumber: NUMBER }], [{ maxAge: 2401 }]],
    ["device-swap.yaml", "retrieveDeviceSwapDate", [{ phoneNumber: NUMBER }], []],
    [
      "number-recycling.yaml",
      "checkNumberRecycling",
      [{ phoneNumber: NUMBER, specifiedDate: "2024-05-01" }],
      [{ phoneNumber: NUMBER }, { phoneNumber: NUMBER, specifiedDate: "2024-02-30" }],
    ],
    [
      "call-forwarding-signal.yaml",
      "retrieveUnconditionalCallForwarding",
      [{ phoneNumber: NUMBER }],
      [],
    ],
    ["call-forwarding-signal.yaml", "retrieveCallForwarding", [{ phoneNumber: NUMBER }], []],
    [
      "device-reachability-status.yaml",
      "getReachabilityStatus",
      [
        { device: { phoneNumber: NUMBER } },
        { device: { phoneNumber: NUMBER, ipv6Address: "2001:db8::1" } },
      ],
      [{ device: {} }, { device: { phoneNumber: NUMBER, ipv4Address: {} } }],
    ],
    [
      "device-roaming-status.yaml",
      "getRoamingStatus",
      [
        { device: { phoneNumber: NUMBER } },
        {
          device: {
            phoneNumber: NUMBER,
            ipv4Address: { publicAddress: "203.0.113.7", publicPort: 59_765 },
          },
        },
      ],
      [{ device: { phoneNumber: 61_491_570_006 } }],
    ],
    [
      "kyc-tenure.yaml",
      "checkTenure",
      [{ phoneNumber: NUMBER, tenureDate: "2024-05-01" }],
      [{ phoneNumber: NUMBER, tenureDate: "last year" }],
    ],
    ["subscription-status.yaml", "retriveSubscriptionStatus", [{ phoneNumber: NUMBER }], []],
  ]
  const wrongForAll = [[], "text", 7, null, { phoneNumber: 7, device: 7 }]

  /** Lines on which every member of an answer takes every value it can. */
  const scripts: readonly LineScript[] = [
    {},
    {
      sim: { changed_at: hoursAgo(2) },
      device: { changed_at: hoursAgo(2) },
      recycled_on: "2025-01-01",
      forwarding: ["unconditional", "conditional_busy"],
      reachable_by: [],
      roaming: { mcc: 208, countries: ["FR"] },
      tenure: { since: "2026-01-01", contract: "PAYG" },
      services: { voice_sms_in: "suspended", voice_sms_out: "suspended", data: "throttled" },
    },
    {
      sim: { changed_at: null },
      device: { changed_at: null },
      forwarding: ["conditional_not_reachable", "conditional_no_answer"],
      reachable_by: ["SMS"],
      roaming: { mcc: 340, countries: [] },
      tenure: { contract: null },
      services: { data: "suspended" },
    },
    { sim: { history_days: 30 }, device: { history_days: 30 }, tenure: { contract: "Business" } },
    { sim: { history_days: "unsaid" }, device: { history_days: "unsaid" } },
    { sim: { answers: "check" }, device: { answers: "date" } },
    { sim: { answers: "date" }, device: { answers: "check" } },
    { sim: { look_back_hours: 1 }, device: { look_back_hours: 1 } },
  ]

  async function ask(
    { method, path }: DefinedOperation,
    token: string | null,
    body?: unknown,
  ): Promise<RawAnswer> {
    return await callApi(carrier, method, path, token, body, { "x-correlator": "a-1" })
  }

  function fits(defined: DefinedOperation, answer: RawAnswer, status: number): void {
    const { operationId } = defined
    const said = JSON.stringify(answer.body)
    assert.equal(answer.status, status, `${operationId} answered ${answer.status} ${said}`)
    assert.deepEqual(defined.answerFaults(status, answer.body), [], `${operationId}: ${said}`)
    assert.equal(answer.headers.get("x-correlator"), "a-1")
    const shown = (answer.body as { status?: unknown }).status
    if (status >= 400) assert.equal(shown, status)
  }

  for (const [file, id, good, wrong] of asked) {
    const defined = operation(file, id)

    test(`${id}: any of the defined scopes opens it, another does not, and none does not`, async () => {
      for (const body of good) assert.deepEqual(defined.requestFaults(body), [])
      for (const scope of defined.scopes) {
        const token = await tokenFor(carrier, keys, scope)
        for (const body of good) fits(defined, await ask(defined, token, body), 200)
      }
      fits(defined, await ask(defined, null, good[0]), 401)
      const other = await tokenFor(carrier, keys, "sim-swap-subscriptions:read")
      fits(defined, await ask(defined, other, good[0]), 403)
    })

    test(`${id}: whatever is so on a line, the answer fits`, async () => {
      const token = await tokenFor(carrier, keys, defined.scopes[0] ?? "")
      for (const script of scripts) {
        carrier.script(NUMBER, script)
        for (const body of good) {
          const answer = await ask(defined, token, body)
          assert.ok([200, 400, 404].includes(answer.status))
          fits(defined, answer, answer.status)
        }
      }
    })

    test(`${id}: what does not fit is refused, and so is a request about nobody`, async () => {
      const token = await tokenFor(carrier, keys, defined.scopes[0] ?? "")
      for (const body of [...wrong, ...wrongForAll]) {
        assert.notDeepEqual(defined.requestFaults(body), [], JSON.stringify(body))
        fits(defined, await ask(defined, token, body), 400)
      }
      fits(defined, await ask(defined, token, "{"), 400)
      const {
        phoneNumber: _number,
        device: _device,
        ...nobody
      } = good[0] as Record<string, unknown>
      fits(defined, await ask(defined, token, nobody), 422)
      fits(defined, await ask(defined, token, { ...good[0], more: 1 }), 400)
    })

    test(`${id}: every defined error can be scripted, and has the defined form`, async () => {
      const token = await tokenFor(carrier, keys, defined.scopes[0] ?? "")
      assert.ok(defined.errors.length > 5)
      for (const { status, code } of defined.errors) {
        carrier.script(NUMBER, { faults: [{ kind: "error", status, code }] })
        const answer = await ask(defined, token, good[0])
        fits(defined, answer, status)
        assert.equal((answer.body as { code: string }).code, code)
      }
    })
  }

  test("subscriptions are made, shown, listed and removed as defined", async () => {
    const create = operation("sim-swap-subscriptions.yaml", "createSimSwapSubscription")
    const get = operation("sim-swap-subscriptions.yaml", "retrieveSubscription")
    const list = operation("sim-swap-subscriptions.yaml", "retrieveSubscriptionList")
    const remove = operation("sim-swap-subscriptions.yaml", "deleteSubscription")
    const all = [create, get, list, remove]
    const token = await tokenFor(carrier, keys, all.flatMap(({ scopes }) => scopes).join(" "))
    const ahead = hoursAgo(-24)
    const body = {
      protocol: "HTTP",
      sink: "https://127.0.0.1:9/notifications",
      sinkCredential: {
        credentialType: "ACCESSTOKEN",
        accessToken: "sink-token",
        accessTokenExpiresUtc: ahead,
        accessTokenType: "bearer",
      },
      types: ["org.camaraproject.sim-swap-subscriptions.v0.swapped"],
      config: {
        subscriptionDetail: { phoneNumber: NUMBER },
        subscriptionExpireTime: ahead,
        subscriptionMaxEvents: 3,
      },
    }
    assert.deepEqual(create.requestFaults(body), [])
    const made = await ask(create, token, body)
    fits(create, made, 201)
    assert.ok(!JSON.stringify(made.body).includes("sink-token"))
    fits(create, await ask(create, token, body), 409)
    const { id } = made.body as { id: string }
    const at = (defined: DefinedOperation, name: string): DefinedOperation => ({
      ...defined,
      path: defined.path.replace("{subscriptionId}", name),
    })
    const shown = await ask(at(get, id), token)
    fits(get, shown, 200)
    assert.deepEqual(shown.body, made.body)
    fits(get, await ask(at(get, "another"), token), 404)
    const listed = await ask(list, token)
    fits(list, listed, 200)
    assert.deepEqual(listed.body, [made.body])
    for (const defined of all) fits(defined, await ask(at(defined, id), null, undefined), 401)

    const refused: readonly (readonly [object, number, string])[] = [
      [{ protocol: "KAFKA" }, 400, "INVALID_PROTOCOL"],
      [{ sink: "http://sink.example/" }, 400, "INVALID_SINK"],
      [{ sinkCredential: { credentialType: "PLAIN" } }, 400, "INVALID_CREDENTIAL"],
      [
        { sinkCredential: { ...body.sinkCredential, accessTokenType: "mac" } },
        400,
        "INVALID_TOKEN",
      ],
      [{ types: ["org.example.other"] }, 400, "INVALID_ARGUMENT"],
      [{ config: { subscriptionDetail: {} } }, 422, "MISSING_IDENTIFIER"],
      [{ config: { ...body.config, subscriptionExpireTime: hoursAgo(1) } }, 400, "OUT_OF_RANGE"],
    ]
    for (const [change, status, code] of refused) {
      const answer = await ask(create, token, { ...body, ...change })
      fits(create, answer, status)
      assert.equal((answer.body as { code: string }).code, code)
    }

    const gone = await callApi(carrier, "DELETE", at(remove, id).path, token)
    assert.equal(gone.status, 204)
    assert.deepEqual(remove.answerFaults(204, gone.body), [])
    fits(remove, await ask(at(remove, id), token), 404)
    assert.deepEqual((await ask(list, token)).body, [])
  })

  test("the check of notifications tells a defined event from another", () => {
    const event = {
      id: "1",
      source: "/trial-carrier",
      specversion: "1.0",
      type: "org.camaraproject.sim-swap-subscriptions.v0.swapped",
      time: hoursAgo(0),
      data: { subscriptionId: "1", phoneNumber: NUMBER },
    }
    assert.deepEqual(notificationFaults(event), [])
    assert.notDeepEqual(notificationFaults({ ...event, data: {} }), [])
    assert.notDeepEqual(notificationFaults({ ...event, time: "now" }), [])
  })
}
