import { Type } from "typebox"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { notFound, outOfRange } from "./carrier-error.ts"
import { lastChange, lastChangeMs, type Line } from "./line.ts"
import { exactly, type LineOperation, PhoneNumber, readRequest, subject } from "./operation.ts"
import type { TrialApi } from "./script.ts"

const CheckRequest = Type.Object(
  { phoneNumber: Type.Optional(PhoneNumber), maxAge: Type.Optional(Type.Integer()) },
  exactly,
)
const DateRequest = Type.Object({ phoneNumber: Type.Optional(PhoneNumber) }, exactly)

const MAX_AGE_DEFAULT = 240
const MAX_AGE_MOST = 2400

/** SIM Swap 2.1 and Device Swap 1.0, which differ in names only. */
export const changeOperations: readonly LineOperation[] = [
  ...operationsFor("sim_swap", "sim", "/sim-swap/v2", "sim-swap", "latestSimChange"),
  ...operationsFor("device_swap", "device", "/device-swap/v1", "device-swap", "latestDeviceChange"),
]

function operationsFor(
  api: TrialApi,
  what: "sim" | "device",
  base: string,
  scope: string,
  member: string,
): readonly LineOperation[] {
  return [
    {
      api,
      path: `${base}/check`,
      scopes: [scope, `${scope}:check`],
      read(body) {
        const { phoneNumber, maxAge = MAX_AGE_DEFAULT } = readRequest(CheckRequest, body)
        if (maxAge < 1 || maxAge > MAX_AGE_MOST)
          throw outOfRange(`maxAge takes 1 to ${MAX_AGE_MOST} hours`)
        return {
          number: subject(phoneNumber),
          answer: (line, nowMs) => ({ swapped: changedWithin(line, what, maxAge, nowMs) }),
        }
      },
    },
    {
      api,
      path: `${base}/retrieve-date`,
      scopes: [scope, `${scope}:retrieve-date`],
      read(body) {
        const { phoneNumber } = readRequest(DateRequest, body)
        return {
          number: subject(phoneNumber),
          answer: (line, nowMs) => lastChangeAnswer(line, what, member, nowMs),
        }
      },
    },
  ]
}

function changedWithin(
  line: Line,
  what: "sim" | "device",
  maxAgeHours: number,
  nowMs: number,
): boolean {
  const { answers, look_back_hours: hours } = line[what]
  if (answers === "date") throw notFound("This carrier does not offer the check")
  if (maxAgeHours > hours)
    throw outOfRange(`Law keeps this carrier from looking back more than ${hours} hours`)
  return lastChangeMs(line, what) > nowMs - maxAgeHours * HOUR_MS
}

function lastChangeAnswer(
  line: Line,
  what: "sim" | "device",
  member: string,
  nowMs: number,
): Record<string, unknown> {
  const { answers, history_days: history } = line[what]
  if (answers === "check") throw notFound("This carrier does not offer dates")
  if (history === "unsaid") return { [member]: null }
  if (history !== "all" && lastChangeMs(line, what) < nowMs - history * DAY_MS)
    return { [member]: null, monitoredPeriod: history }
  return { [member]: lastChange(line, what) }
}
