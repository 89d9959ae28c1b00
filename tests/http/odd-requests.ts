import type { RawRequest } from "./raw-exchange.ts"

/** The part of an API description that requests are made from. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
}
export interface Operation {
  readonly operationId: string
  readonly security?: readonly object[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: "path" | "query" | "header"
    readonly schema: Schema
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
  readonly "x-body-bytes-max"?: number
}
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface OddRequest extends RawRequest {
  readonly operation: Operation
  /** What is odd about it. */
  readonly what: string
  /** Whether it breaks a limit the description declares, and so must be refused. */
  readonly beyond: boolean
}

const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc3, 0x28])
const LONG = [201, 1000, 9000]

/** Requests nobody should send, made of every operation, parameter and limit that is described. */
export function oddRequests(api: Description): OddRequest[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const request = (what: string, rest: Partial<OddRequest>): OddRequest => ({
        operation,
        what,
        method: method.toUpperCase(),
        target: path.replace(/\{[^}]+\}/, "x"),
        beyond: false,
        ...rest,
      })
      return [
        request("no body and no type", {}),
        ...oddParameters(path, operation).map((odd) => request(odd.what, odd)),
        ...oddBodies(operation, api).map((odd) => request(odd.what, odd)),
      ]
    }),
  )
}

type Oddity = Partial<RawRequest> & Pick<OddRequest, "what" | "beyond">

function oddParameters(path: string, { parameters = [], requestBody }: Operation): Oddity[] {
  const body = requestBody === undefined ? {} : sentAs(requestBody.content, Buffer.from("{}"))
  return parameters.flatMap(({ name, in: place, schema }) => {
    const { maxLength, maximum, minimum } = schema
    const texts: [what: string, value: string, beyond?: boolean][] = [
      ["empty", ""],
      ...LONG.map((length): [string, string] => [`${length} characters`, "a".repeat(length)]),
      ["not UTF-8", NOT_UTF8.toString("latin1")],
      ["not UTF-8, escaped", "%ff%fe%c3%28"],
      ["no escape", "%zz"],
      ["not in the list", "none-of-these", schema.enum !== undefined],
    ]
    if (maxLength !== undefined) texts.push(["a character more", "a".repeat(maxLength + 1), true])
    if (maximum !== undefined) texts.push(["one more", String(maximum + 1), true])
    if (minimum !== undefined) texts.push(["one less", String(minimum - 1), true])
    return texts.map(([kind, value, beyond = false]): Oddity => {
      const what = `${name}: ${kind}`
      if (place === "header")
        return { what, beyond, ...body, headers: { ...body.headers, [name]: value } }
      const target = path.replace(`{${name}}`, value).replace(/\{[^}]+\}/, "x")
      return {
        what,
        beyond,
        ...body,
        target: place === "path" ? target : `${path}?${name}=${value}`,
      }
    })
  })
}

function sentAs(content: object, body: Buffer): Pick<RawRequest, "headers" | "body"> {
  return { headers: { "content-type": Object.keys(content)[0] ?? "" }, body }
}

const SENT_MAX = 1 << 30

function oddBodies(operation: Operation, api: Description): Oddity[] {
  const { requestBody } = operation
  if (requestBody === undefined) return []
  const bytesMax = operation["x-body-bytes-max"]
  if (bytesMax === undefined) throw new Error(`${operation.operationId} declares no limit of bytes`)
  const odd: Oddity[] = [
    { what: "a body and no type", beyond: true, body: Buffer.from("{}") },
    { what: "an empty chunked body and no type", beyond: true, chunked: true },
  ]
  for (const type of ["text/plain", "application/json;charset", "/", "undefined", "x".repeat(300)])
    odd.push({
      what: `type ${type}`,
      beyond: !type.startsWith("application/json"),
      headers: { "content-type": type },
      body: Buffer.from("{}"),
    })
  for (const [type, { schema }] of Object.entries(requestBody.content)) {
    const headers = { "content-type": type }
    const as = (what: string, body: Buffer, more: Partial<Oddity> = {}): void =>
      void odd.push({ what: `${type}: ${what}`, beyond: false, headers, body, ...more })
    as("empty", Buffer.alloc(0))
    as("empty, chunked", Buffer.alloc(0), { chunked: true })
    for (const text of ["{}", "[]", "null", "7", '"x"', "{", "\u0000", "[[]]", '{"a":1}\n{'])
      as(text, Buffer.from(text))
    as("not UTF-8", NOT_UTF8)
    // A stream has no limit of bytes as a whole.
    const streamed = type === "application/x-ndjson" && !operation.operationId.includes("Evidence")
    // Files to import may have more than a test can send.
    if (bytesMax <= SENT_MAX) {
      const tooLarge = Buffer.alloc(bytesMax + 1, " ")
      as("a byte more", tooLarge, { beyond: !streamed })
      as("a byte more, chunked", tooLarge, { beyond: !streamed, chunked: true })
    }
    if (!type.endsWith("json")) continue
    const whole = resolved(schema, api)
    const example = exampleOf(whole, api)
    for (const [what, value] of beyondLimits(whole, example, api))
      as(what, Buffer.from(JSON.stringify(value)), { beyond: true })
  }
  return odd
}

function resolved(schema: Schema, api: Description): Schema {
  const { $ref } = schema
  return $ref === undefined ? schema : (api.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {})
}

function exampleOf(schema: Schema, api: Description): unknown {
  const { examples, type, properties = {}, required = [], items } = schema
  if (examples !== undefined) return examples[0]
  if (schema.enum !== undefined) return schema.enum[0]
  if (type === "object" || Object.keys(properties).length > 0)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name, each]) => required.includes(name) || each.examples !== undefined)
        .map(([name, each]) => [name, exampleOf(resolved(each, api), api)]),
    )
  if (type === "array") return [exampleOf(resolved(items ?? {}, api), api)]
  return type === "string" ? "x" : 1
}

/** The example with one member beyond one limit, for every limit below `schema`. */
function* beyondLimits(
  schema: Schema,
  example: unknown,
  api: Description,
  place = "",
): Generator<[what: string, value: unknown]> {
  const { maxLength, maxItems, minItems, maximum, minimum, properties = {}, items } = schema
  if (maxLength !== undefined) yield [`${place} a character more`, "a".repeat(maxLength + 1)]
  if (maximum !== undefined) yield [`${place} one more`, maximum + 1]
  if (minimum !== undefined) yield [`${place} one less`, minimum - 1]
  if (minItems !== undefined && minItems > 0) yield [`${place} too few`, []]
  if (schema.enum !== undefined) yield [`${place} not in the list`, "none-of-these"]
  if (maxItems !== undefined) {
    const item = exampleOf(resolved(items ?? {}, api), api)
    yield [`${place} an item more`, Array.from({ length: maxItems + 1 }, () => item)]
  }
  if (schema.type === "array" && items !== undefined && Array.isArray(example)) {
    const [first, ...others] = example as unknown[]
    for (const [what, item] of beyondLimits(resolved(items, api), first, api, `${place}/0`))
      yield [what, [item, ...others]]
  }
  for (const [name, each] of Object.entries(properties)) {
    const member = resolved(each, api)
    const given = (example as Record<string, unknown>)[name]
    const inner = given ?? exampleOf(member, api)
    for (const [what, value] of beyondLimits(member, inner, api, `${place}/${name}`))
      yield [what, { ...(example as object), [name]: value }]
  }
}
