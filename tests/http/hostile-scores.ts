import type { RawRequest } from "./raw-exchange.ts"

export interface HostileRequest extends RawRequest {
  /** The sender hangs up after this share of the bytes; all are sent unless given. */
  readonly cutAt?: number
}

const PATHS = ["/api/v1/risk/score", "/api/v1/phone-risk"] as const
const TARGETS = [
  "?",
  "?explain=true",
  "?explain=false",
  "?explain=maybe",
  "?x=1",
  "#a",
  "/",
  "//",
  "/batch",
  ";a",
  "%20",
  "%zz",
  "\xff",
]
const METHODS = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "post"]
const TYPES = [
  "application/json; charset=utf-8",
  "application/json;charset=utf-8",
  "application/json; charset=latin1",
  "application/json;",
  "APPLICATION/JSON",
  " application/json",
  "application/jsonx",
  "application/json, text/plain",
  "application/problem+json",
  "application/x-ndjson",
  "text/plain",
  "/",
  "",
]
const KEYS = ["", "Bearer", "Bearer  ", "Basic eDp5", "Bearer ask_live_x", "Bearer {key} ", "{key}"]
const IDS = ["a", "ok-1.2:3", "with space", "x".repeat(128), "x".repeat(129), "\xe9", "{}", "1, 2"]
const LENGTHS = ["0", "1", "01", "-1", "+5", "5, 5", "1e1", "0x10", "16384", "16385", "99999999999"]
const EMAILS = [
  "sofia.rossi@mail.example",
  "ana.silva@mail.example",
  "nobody@firm.example",
  "Who+tag@GMAIL.com",
  "é@exämple.example",
  "a@b",
  "@",
  "no at",
  "",
  "a@" + "b".repeat(300) + ".example",
  "\u0000@x.example",
  "x@mailinator.com",
]
const PHONES = ["+4917012345678", "+15550100", "+1 (212) 555-0199", "0171", "", "+", "++49", "+999"]

type Random = () => number

/** Requests that callers should not send, and some that they may, the same for every run. */
export function hostileScores(count: number, seed: number): HostileRequest[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => hostileScore(random))
}

/** mulberry32: short, and its period is longer than any count of requests. */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function hostileScore(random: Random): HostileRequest {
  const chance = (share: number): boolean => random() < share
  const path = oneOf(PATHS, random)
  const headers: Record<string, string> = {
    "content-type": chance(0.12) ? oneOf(TYPES, random) : "application/json",
    authorization: chance(0.12) ? oneOf(KEYS, random) : "Bearer {key}",
  }
  if (chance(0.03)) delete headers["content-type"]
  if (chance(0.03)) delete headers["authorization"]
  if (chance(0.15)) headers["x-request-id"] = oneOf(IDS, random)
  if (chance(0.04)) headers["content-encoding"] = oneOf(["gzip", "identity", ""], random)
  if (chance(0.04)) headers["accept-version"] = oneOf(["1.0.0", "*", "x"], random)
  if (chance(0.04)) headers["expect"] = oneOf(["100-continue", "nothing"], random)
  if (chance(0.03)) headers["upgrade"] = "websocket"
  if (chance(0.04)) headers["connection"] = oneOf(["close, x", "CLOSE"], random)
  if (chance(0.02)) headers["host"] = oneOf(["", "x:y", "elsewhere.example"], random)
  if (chance(0.02)) headers["x-pad"] = "x".repeat(oneOf([4000, 9000], random))
  const body = bodyFor(path, random)
  // Stands before the true length, so that the request has both, or only this one.
  if (chance(0.04)) headers["Content-Length"] = oneOf(LENGTHS, random)
  return {
    method: chance(0.06) ? oneOf(METHODS, random) : "POST",
    target: path + (chance(0.1) ? oneOf(TARGETS, random) : ""),
    headers,
    body,
    chunked: chance(0.05),
    ...(chance(0.03) && { cutAt: random() }),
  }
}

function bodyFor(path: string, random: Random): Buffer {
  const email = path === PATHS[0]
  const identity = oneOf<unknown>(email ? EMAILS : PHONES, random)
  const member = email ? "email" : "phone_number"
  const value: Record<string, unknown> = { [member]: random() < 0.1 ? odd(random) : identity }
  if (random() < 0.15) value["context"] = random() < 0.4 ? odd(random) : contextOf(random)
  if (random() < 0.1) value[oneOf(["x", "__proto__", "email", "toString"], random)] = odd(random)
  let text = JSON.stringify(value)
  if (random() < 0.05) text = `{"__proto__": {"email": "a@b.example"}, ${text.slice(1)}`
  if (random() < 0.05) text = text.replace("{", `{"${member}": 7, `)
  if (random() < 0.05) text = "[".repeat(oneOf([1, 32, 33, 5000], random)) + text
  if (random() < 0.03) text = text.replace("}", `, "pad": [${"0,".repeat(4100)}0]}`)
  if (random() < 0.05) text = text.padEnd(oneOf([16_383, 16_384, 16_385], random), " ")
  let bytes = Buffer.from(text)
  if (random() < 0.05) bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
  if (random() < 0.05) bytes = bytes.subarray(0, Math.floor(random() * bytes.length))
  if (random() < 0.08 && bytes.length > 0)
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
  return bytes
}

function contextOf(random: Random): object {
  const members: [string, unknown][] = [
    ["event", oneOf(["sign-up", "login", "payment", "x"], random)],
    ["anomaly", random() * 1.1],
    ["device", oneOf(["d1", "d2", ""], random)],
    ["ip", oneOf(["192.0.2.1", "2001:db8::1", "x"], random)],
    ["at", oneOf(["2026-11-14T09:30:00Z", "2036-11-14T09:30:00Z", "x"], random)],
    ["account", oneOf(["a1", "a2"], random)],
    ["none", 1],
  ]
  return Object.fromEntries(members.filter(() => random() < 0.4))
}

function odd(random: Random): unknown {
  return oneOf<unknown>(
    [null, 7, -0, Infinity, true, "", "x", [], {}, [[]], { a: 1 }, "\ud800", "x".repeat(400)],
    random,
  )
}

function oneOf<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T
}
