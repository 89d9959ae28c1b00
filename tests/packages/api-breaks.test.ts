import assert from "node:assert/strict"
import { test } from "node:test"
import { type Api, apiBreaks, type Schema } from "../../scripts/api-breaks.ts"
import { publishedPart } from "../../scripts/published-api.ts"

const TODAY = "2026-11-18"

const answer: Schema = {
  type: "object",
  required: ["score", "stage", "seen"],
  properties: {
    score: { type: "integer", minimum: 0, maximum: 100 },
    stage: { type: "string", enum: ["CLEAN", "LEAKED"] },
    seen: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
    reasons: { type: "array", items: { type: "string" } },
  },
  additionalProperties: false,
}
const question: Schema = {
  type: "object",
  required: ["email"],
  properties: {
    email: { type: "string", maxLength: 320 },
    event: { type: ["string", "null"], enum: ["login", "signup", null] },
  },
}

interface Changed {
  readonly answer?: Schema
  readonly question?: Schema
  readonly operation?: object
  readonly event?: Schema
  readonly problems?: Api["problems"]
}

/** A small API, as it was or with a change. */
function api(changed: Changed = {}): Api {
  return {
    paths: {
      "/score": {
        post: {
          "x-scopes": ["score"],
          "x-body-bytes-max": 1000,
          parameters: [{ name: "explain", in: "query", schema: { type: "string" } }],
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Question" } } },
          },
          responses: {
            200: {
              content: { "application/json": { schema: { $ref: "#/components/schemas/Answer" } } },
            },
          },
          ...changed.operation,
        },
      },
    },
    webhooks: {
      "score.changed": {
        post: {
          requestBody: { content: { "application/json": { schema: changed.event ?? answer } } },
        },
      },
    },
    components: {
      schemas: { Answer: changed.answer ?? answer, Question: changed.question ?? question },
    },
    problems: changed.problems ?? { "not-found": 404 },
  }
}

/** A schema with other members, or without those that are undefined. */
function members(schema: Schema, changes: Readonly<Record<string, Schema | undefined>>): Schema {
  const all = { ...schema.properties, ...changes }
  const properties = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, Schema] => entry[1] !== undefined),
  )
  return { ...schema, properties }
}

const ofAnswer = (name: string, schema: Schema | undefined): Changed => ({
  answer: members(answer, { [name]: schema }),
})
const ofQuestion = (name: string, schema: Schema | undefined): Changed => ({
  question: members(question, { [name]: schema }),
})
const { post } = api().paths["/score"] as { post: object }

const BREAKS: [what: string, changed: Changed, said: string][] = [
  [
    "a member of an answer goes",
    ofAnswer("reasons", undefined),
    "POST /score 200.reasons: is gone",
  ],
  [
    "a member of an answer may be left out",
    { answer: { ...answer, required: ["score", "stage"] } },
    "POST /score 200.seen: may be absent",
  ],
  [
    "a member of an answer gets another type",
    ofAnswer("score", { type: "number", minimum: 0, maximum: 100 }),
    "POST /score 200.score: may be number",
  ],
  [
    "a member of an answer may become null",
    ofAnswer("stage", { type: ["string", "null"], enum: ["CLEAN", "LEAKED", null] }),
    "POST /score 200.stage: may be null",
  ],
  [
    "a listed member of an answer gets another word",
    ofAnswer("stage", { type: "string", enum: ["CLEAN", "LEAKED", "TRADED"] }),
    "POST /score 200.stage: may be TRADED",
  ],
  [
    "a listed member of an answer becomes any text",
    ofAnswer("stage", { type: "string" }),
    "POST /score 200.stage: may be any string",
  ],
  [
    "a number of an answer goes beyond its bounds",
    ofAnswer("score", { type: "integer", minimum: 0 }),
    "POST /score 200.score: goes beyond its maximum",
  ],
  [
    "a text of an answer is written differently",
    ofAnswer("seen", { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] }),
    "POST /score 200.seen: has another format",
  ],
  [
    "items of an answer get another type",
    ofAnswer("reasons", { type: "array", items: { type: "object" } }),
    "POST /score 200.reasons[]: may be object",
  ],
  [
    "a member of a request becomes required",
    { question: { ...question, required: ["email", "event"] } },
    "POST /score body.event: is required",
  ],
  ["a member of a request goes", ofQuestion("event", undefined), "POST /score body.event: is gone"],
  [
    "a word of a request is refused",
    ofQuestion("event", { type: ["string", "null"], enum: ["login", null] }),
    "POST /score body.event: may no longer be signup",
  ],
  [
    "null of a request is refused",
    ofQuestion("event", { type: "string", enum: ["login", "signup"] }),
    "POST /score body.event: may no longer be null",
  ],
  [
    "a text of a request has to be shorter",
    ofQuestion("email", { type: "string", maxLength: 254 }),
    "POST /score body.email: has a tighter maxLength",
  ],
  [
    "a text of a request gets a pattern",
    ofQuestion("email", { type: "string", maxLength: 320, pattern: "@" }),
    "POST /score body.email: has another pattern",
  ],
  [
    "other members of a request are refused",
    { question: { ...question, additionalProperties: false } },
    "POST /score body: takes no other members",
  ],
  ["a parameter goes", { operation: { parameters: [] } }, "POST /score query explain: is gone"],
  [
    "a new parameter is required",
    {
      operation: {
        parameters: [
          { name: "explain", in: "query", schema: { type: "string" } },
          { name: "model", in: "query", required: true, schema: { type: "string" } },
        ],
      },
    },
    "POST /score query model: is required",
  ],
  [
    "a scope no longer opens an operation",
    { operation: { "x-scopes": ["score:email"] } },
    "POST /score: refuses score",
  ],
  [
    "a body has to be shorter",
    { operation: { "x-body-bytes-max": 500 } },
    "POST /score: takes 500 bytes and took 1000",
  ],
  [
    "another status of success",
    { operation: { responses: { ...(post as { responses: object }).responses, 202: {} } } },
    "POST /score: answers 202",
  ],
  [
    "no longer the same status of success",
    { operation: { responses: {} } },
    "POST /score: no longer answers 200",
  ],
  [
    "a member of an event goes",
    { event: members(answer, { seen: undefined }) },
    "score.changed.seen: is gone",
  ],
  ["a problem goes", { problems: {} }, "not-found: is gone"],
  [
    "a problem gets another status",
    { problems: { "not-found": 410 } },
    "not-found: has the status 410 and had 404",
  ],
]

for (const [what, changed, said] of BREAKS) {
  test(`breaks callers: ${what}`, () => {
    assert.ok(apiBreaks(api(), api(changed), TODAY).includes(said), said)
  })
}

const ALLOWED: [what: string, changed: Changed][] = [
  ["nothing", {}],
  ["an answer gets a member", ofAnswer("another", { type: "string" })],
  [
    "a member of an answer is always there",
    { answer: { ...answer, required: ["score", "stage", "seen", "reasons"] } },
  ],
  ["a member of an answer has fewer words", ofAnswer("stage", { type: "string", enum: ["CLEAN"] })],
  ["a member of an answer is never null", ofAnswer("seen", { type: "string", format: "date" })],
  ["a request may have a new member", ofQuestion("device", { type: "string" })],
  ["a member may be left out of a request", { question: { ...question, required: [] } }],
  [
    "a member of a request takes another word",
    ofQuestion("event", { type: ["string", "null"], enum: ["login", "signup", "reset", null] }),
  ],
  ["a text of a request may be longer", ofQuestion("email", { type: "string" })],
  [
    "another scope opens an operation, and a body may be longer",
    { operation: { "x-scopes": ["score", "score:email"], "x-body-bytes-max": 2000 } },
  ],
  ["an event gets a member", { event: members(answer, { another: { type: "string" } }) }],
  ["a new problem", { problems: { "not-found": 404, gone: 410 } }],
]

for (const [what, changed] of ALLOWED) {
  test(`breaks nobody: ${what}`, () => {
    assert.deepEqual(apiBreaks(api(), api(changed), TODAY), [])
  })
}

test("lists of all problem codes and of all types of events may grow, and no other list with them", () => {
  const codes = ["not-found", "rate-limited"]
  const problems = { "not-found": 404, "rate-limited": 429 }
  const more = { ...problems, "quota-exceeded": 429 }
  const told = (kinds: readonly string[]): Api["webhooks"] =>
    Object.fromEntries(kinds.map((kind) => [kind, api().webhooks["score.changed"] ?? {}]))
  const of = (changed: Changed, kinds: readonly string[]): Api => ({
    ...api(changed),
    webhooks: told(kinds),
  })
  const words = (...list: string[]): Schema => ({ type: "string", enum: list })
  const said = (stage: Schema): Changed => ({ answer: members(answer, { stage }) })
  const grown = (before: Schema, now: Schema): string[] =>
    apiBreaks(
      of({ ...said(before), problems }, ["a", "b"]),
      of({ ...said(now), problems: more }, ["a", "b", "c"]),
      TODAY,
    )
  assert.deepEqual(grown(words(...codes), words(...codes, "quota-exceeded")), [])
  assert.deepEqual(grown(words("a", "b"), words("a", "b", "c")), [])
  const another = (word: string): string[] => [`POST /score 200.stage: may be ${word}`]
  // A word that is no code, part of the codes, and a list of something else.
  assert.deepEqual(grown(words(...codes), words(...codes, "other")), another("other"))
  assert.deepEqual(
    grown(words("not-found"), words("not-found", "quota-exceeded")),
    another("quota-exceeded"),
  )
  assert.deepEqual(
    grown(words("a", "b"), words("a", "b", "quota-exceeded")),
    another("quota-exceeded"),
  )
  assert.deepEqual(
    grown({ type: "string", const: "a" }, { type: "string", const: "c" }),
    another("c"),
  )
  assert.deepEqual(grown(words(...codes), { type: "string" }), another("any string"))
})

test("an operation may go once its sunset has come, and not before", () => {
  const gone: Api = { ...api(), paths: {} }
  const ending = api({ operation: { deprecated: true, "x-sunset": "2027-12-01" } })
  const said = ["POST /score: is gone"]
  assert.deepEqual(apiBreaks(api(), gone, TODAY), said)
  assert.deepEqual(apiBreaks(ending, gone, "2027-11-30"), said)
  assert.deepEqual(apiBreaks(ending, gone, "2027-12-01"), [])
  const kinds: Api = { ...api(), webhooks: {} }
  assert.deepEqual(apiBreaks(api(), kinds, TODAY), ["score.changed: is gone"])
  const { post } = api().webhooks["score.changed"] ?? {}
  const marked = { ...post, deprecated: true, "x-sunset": "2027-12-01" }
  const endingKinds: Api = { ...api(), webhooks: { "score.changed": { post: marked } } }
  assert.deepEqual(apiBreaks(endingKinds, kinds, "2027-11-30"), ["score.changed: is gone"])
  assert.deepEqual(apiBreaks(endingKinds, kinds, "2027-12-01"), [])
})

test("schemas that refer to themselves are compared to their end", () => {
  const tree = (leaf: Schema): Api => ({
    ...api({
      answer: {
        type: "object",
        properties: {
          leaf,
          branches: { type: "array", items: { $ref: "#/components/schemas/Answer" } },
        },
      },
    }),
  })
  const [before, after] = [tree({ type: "string" }), tree({ type: "integer" })]
  assert.deepEqual(apiBreaks(before, before, TODAY), [])
  assert.deepEqual(apiBreaks(before, after, TODAY), ["POST /score 200.leaf: may be integer"])
})

test("what is published has no words for people, but members that are called like them", () => {
  const { components } = publishedPart({
    paths: {},
    webhooks: {},
    components: {
      schemas: {
        Note: {
          type: "object",
          description: "For people.",
          properties: { description: { type: "string", description: "Said again." } },
        },
      },
    },
  })
  assert.deepEqual(components.schemas, {
    Note: { type: "object", properties: { description: { type: "string" } } },
  })
})
