import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { suite, test } from "node:test"
import { parse } from "yaml"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { PhoneSignalProvider } from "../signals.ts"
import {
  type DefinedOperation,
  NO_DEFINITIONS,
  openDefinitions,
} from "@assay/carrier/testing/test-definitions"
import { ERROR_CODES, refusal } from "./error-codes.ts"
import {
  everyApi,
  openTrialProviders,
} from "../../../../testing/score/providers/camara/test-trial-providers.ts"

const NUMBER = "+61491570156"
const FILES = [
  "sim-swap.yaml",
  "device-swap.yaml",
  "number-recycling.yaml",
  "call-forwarding-signal.yaml",
  "device-reachability-status.yaml",
  "device-roaming-status.yaml",
  "kyc-tenure.yaml",
  "subscription-status.yaml",
]

const folder = process.env["ASSAY_CAMARA_SPECS"]
if (folder === undefined)
  test("what the provider sends and reads fits CAMARA's definitions", { skip: NO_DEFINITIONS })
else checkAgainst(folder)

function checkAgainst(definitionsFolder: string): void {
  test("no error code of the definitions is without a meaning, at the status it comes with", () => {
    const errors = FILES.flatMap((file) =>
      errorsIn(parse(readFileSync(join(definitionsFolder, file), "utf8"))),
    )
    const codes = new Set(errors.map(({ code }) => code))
    assert.ok(codes.size >= 15 && codes.has("INVALID_TOKEN_CONTEXT") && codes.has("OUT_OF_RANGE"))
    for (const { status, code } of errors) {
      assert.equal(ERROR_CODES[code]?.http, status, code)
      const { status: meaning, code: shownCode } = refusal(status, { status, code, message: "no" })
      assert.deepEqual([meaning, shownCode], [ERROR_CODES[code].status, code])
    }
  })

  suite("requests, by the definitions", async () => {
    const { operations } = openDefinitions(definitionsFolder)
    const { carrier, provider } = await openTrialProviders()
    const asked = async (from: PhoneSignalProvider): Promise<void> => {
      const results = await from.fetch({
        e164: NUMBER,
        signals: from.capabilities({ e164: NUMBER, region: "AU" }),
        simWindowHours: 240,
        sinceDate: new Date(Date.now() - 400 * DAY_MS).toISOString(),
        correlationId: crypto.randomUUID(),
        abort: new AbortController().signal,
      })
      // The carrier refuses members it does not know, so an answer shows that there were none.
      for (const { signal, status } of results)
        assert.ok(status === "ok" || status === "partial", `${signal} ${status}`)
    }
    // A line on which every API has to be asked as often as it ever is.
    const changed_at = new Date(Date.now() - HOUR_MS).toISOString()
    carrier.script(NUMBER, {
      sim: { changed_at },
      device: { changed_at },
      tenure: { since: changed_at.slice(0, 10) },
    })
    await asked(provider(everyApi("date")))
    await asked(provider(everyApi("check")))
    carrier.script(NUMBER, { sim: { changed_at, look_back_hours: 72 } })
    await asked(provider(everyApi("check")))
    const requests = carrier.requests().filter(({ path }) => path !== "/token")
    const operationAt = (path: string): DefinedOperation | undefined =>
      operations.find((operation) => operation.path === path && operation.method === "POST")

    test("every operation that is asked is one of a definition, and all eight APIs are asked", () => {
      const files = new Set(requests.map(({ path }) => operationAt(path)?.file))
      assert.deepEqual([...files].sort(), [...FILES].sort())
      assert.equal(new Set(requests.map(({ path }) => path)).size, 10)
    })

    test("every body fits", () => {
      for (const { path, body } of requests)
        assert.deepEqual(operationAt(path)?.requestFaults(JSON.parse(body)), [], path)
    })

    test("every request has a correlator of the form the definitions ask for", () => {
      for (const { headers } of requests)
        assert.match(String(headers["x-correlator"]), /^[a-zA-Z0-9-_:;./<>{}]{1,256}$/)
    })

    test("every token is asked for with one purpose and one scope that an operation names", () => {
      const scopes = new Set(operations.flatMap((operation) => operation.scopes))
      const forms = carrier.requests().filter(({ path }) => path === "/token")
      assert.ok(forms.length >= 10)
      for (const { body } of forms) {
        const [purpose, scope = "", ...more] =
          new URLSearchParams(body).get("scope")?.split(" ") ?? []
        assert.equal(purpose, "dpv:FraudPreventionAndDetection")
        assert.ok(scopes.has(scope), scope)
        assert.deepEqual(more, [])
      }
    })
  })
}

interface DefinedError {
  readonly status: number
  readonly code: string
}

/**
 * Definitions name errors as values that members may have, and in examples; some of them only in
 * one of the two ways.
 */
function errorsIn(value: unknown): DefinedError[] {
  if (typeof value !== "object" || value === null) return []
  const { status, code } = value as Record<string, unknown>
  const statuses = valuesOf(status).filter((each) => typeof each === "number")
  const codes = valuesOf(code).filter((each) => typeof each === "string")
  return [
    ...statuses.flatMap((each) => codes.map((word) => ({ status: each, code: word }))),
    ...Object.values(value).flatMap(errorsIn),
  ]
}

function valuesOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value]
  return "enum" in value && Array.isArray(value.enum) ? (value.enum as readonly unknown[]) : []
}
