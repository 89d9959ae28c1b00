// Requests that cost the service as much as a sender can make them cost.

const BODY_MAX = 16 * 1024
const SEED = 20_261_115

/** A name and a body of at most 16 KiB that is dear to somebody. */
export function* dearBodies(): Generator<[name: string, body: string]> {
  const distinct = Array.from({ length: 1000 }, (_, n) =>
    String.fromCodePoint(0x4e00 + 7 * n),
  ).join("")
  const texts: readonly (readonly [string, string])[] = [
    ["a long label", `a@${distinct}.com`],
    ["marks out of order", `e${"\u0316\u0301".repeat(2500)}@e${"\u0316\u0301".repeat(480)}.com`],
    ["runs of marks", `a@${`e${"\u0316\u0301".repeat(125)}.`.repeat(4)}com`],
    ["letters that join", `a@${"\u3131\u314f\u3133".repeat(330)}.com`],
    ["a long text", "a".repeat(16_000)],
    ["escapes", "\u0001".repeat(2600)],
    ["digits", `+${"9".repeat(16_000)}`],
    ["quotes", `"${"\\".repeat(60)}"@b.com`],
  ]
  for (const [name, text] of texts) {
    yield [`${name} as e-mail`, JSON.stringify({ email: text })]
    yield [`${name} as number`, JSON.stringify({ phone_number: text, outcome: text })]
    yield [
      `${name} in the context`,
      JSON.stringify({ email: "a@b.example", context: { ip: text, user_agent: text } }),
    ]
    yield [`${name} in lists`, JSON.stringify({ emails: [text], phone_numbers: [text] })]
    yield [`${name} in a line`, JSON.stringify([{ email: text, item: text, source: text }])]
  }
  const filled = (piece: string, end = ""): string =>
    piece.repeat(Math.floor((BODY_MAX - end.length) / piece.length)) + end
  yield ["open brackets", filled("[")]
  yield ["closed brackets", "[".repeat(8000) + "]".repeat(8000)]
  yield ["objects in objects", '{"a":'.repeat(2700) + "1" + "}".repeat(2700)]
  yield ["small objects", `[${filled("{},", "1]").slice(1)}`]
  yield ["many members", `{${Array.from({ length: 1300 }, (_, n) => `"m${n}":1`).join()}}`]
  yield ["one member again and again", `{${'"email":1,'.repeat(1600)}"email":1}`]
  yield ["a large number", "1".repeat(BODY_MAX)]
  yield ["numbers", `[${"1e308,".repeat(2700)}1]`]
  yield ["blanks", `${" ".repeat(BODY_MAX - 2)}{}`]
}

/** A name and headers that are dear to somebody. */
export function* dearHeaders(): Generator<[name: string, headers: Record<string, string>]> {
  for (const name of [
    "authorization",
    "idempotency-key",
    "accept",
    "x-request-id",
    "content-type",
    "content-encoding",
  ])
    for (const [of, value] of [
      ["letters", "a".repeat(7000)],
      ["commas", "a,;q=".repeat(1400)],
      ["blanks", `Bearer ${" ".repeat(6900)}x`],
    ] as const)
      yield [`${name} of ${of}`, { [name]: value }]
  yield ["many headers", Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, "1"]))]
}

/** A name and what follows the path. */
export function* dearQueries(): Generator<[name: string, query: string]> {
  yield ["many parameters", `?${"a=1&".repeat(1500)}`]
  yield ["one parameter again and again", `?${"explain=true&".repeat(500)}`]
  yield ["percent signs", `?explain=${"%41".repeat(2000)}`]
  yield ["a long path", `/${"a/".repeat(3000)}`]
}

/** Bodies put together from pieces of these, the same for every run. */
export function* changedBodies(count: number): Generator<[name: string, body: string]> {
  const next = numbers(SEED)
  const pool = [...dearBodies()].map(([, body]) => body)
  const from = (): string => pool[next() % pool.length] ?? ""
  for (let n = 0; n < count; n++) {
    const [one, other] = [from(), from()]
    const at = next() % (one.length + 1)
    const piece = other.slice(next() % (other.length + 1)).slice(0, next() % 4000)
    const body = `${one.slice(0, at)}${piece}${one.slice(at + (next() % 50))}`
    yield [`changed ${n}`, body.slice(0, BODY_MAX / 2)]
  }
}

/** The same numbers for the same seed (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
