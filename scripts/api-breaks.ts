// Where a description of the API would break whoever relies on an earlier one, by the rules of
// docs/versioning.md. What we send may become narrower, what we take may become wider.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly [bound: string]: unknown
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}
interface Operation {
  readonly deprecated?: boolean
  readonly "x-sunset"?: string
  readonly "x-scopes"?: readonly string[]
  readonly "x-body-bytes-max"?: number
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface Api {
  readonly paths: Operations
  readonly webhooks: Operations
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  /** The status of every problem, by its code. */
  readonly problems: Readonly<Record<string, number>>
}

/** A sentence for each break, in the order of the earlier description; `today` is a UTC day. */
export function apiBreaks(earlier: Api, later: Api, today: string): string[] {
  const breaks: string[] = []
  const say = (place: string, what: string): void => void breaks.push(`${place}: ${what}`)
  for (const [path, methods] of Object.entries(earlier.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`
      const now = later.paths[path]?.[method]
      if (now !== undefined) breaks.push(...operationBreaks(place, operation, now))
      else if (!hasEnded(operation)) say(place, "is gone")
    }
  }
  for (const [kind, { post }] of Object.entries(earlier.webhooks)) {
    const now = later.webhooks[kind]?.["post"]
    if (now === undefined) {
      if (post === undefined || !hasEnded(post)) say(kind, "is gone")
    } else breaks.push(...sentContent(kind, post?.requestBody?.content, now.requestBody?.content))
  }
  for (const [code, status] of Object.entries(earlier.problems)) {
    const now = later.problems[code]
    if (now === undefined) say(code, "is gone")
    else if (now !== status) say(code, `has the status ${now} and had ${status}`)
  }
  return breaks

  function hasEnded(operation: Operation): boolean {
    const sunset = operation["x-sunset"]
    return operation.deprecated === true && sunset !== undefined && sunset <= today
  }

  function operationBreaks(place: string, old: Operation, now: Operation): string[] {
    const found: string[] = []
    for (const scope of old["x-scopes"] ?? [])
      if (!(now["x-scopes"] ?? []).includes(scope)) found.push(`${place}: refuses ${scope}`)
    const [most = 0, mostNow = most] = [old["x-body-bytes-max"], now["x-body-bytes-max"]]
    if (mostNow < most) found.push(`${place}: takes ${mostNow} bytes and took ${most}`)
    const parameters = new Map((now.parameters ?? []).map((each) => [nameOf(each), each]))
    const known = new Set((old.parameters ?? []).map(nameOf))
    for (const each of old.parameters ?? []) {
      const at = `${place} ${nameOf(each)}`
      const same = parameters.get(nameOf(each))
      if (same === undefined) found.push(`${at}: is gone`)
      else {
        if (same.required === true && each.required !== true) found.push(`${at}: is required`)
        found.push(...taken(at, each.schema, same.schema))
      }
    }
    for (const [name, { required }] of parameters)
      if (required === true && !known.has(name)) found.push(`${place} ${name}: is required`)
    if (now.requestBody?.required === true && old.requestBody?.required !== true)
      found.push(`${place} body: is required`)
    for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
      const same = now.requestBody?.content[type]
      if (same === undefined) found.push(`${place} body: is no longer taken as ${type}`)
      else found.push(...taken(`${place} body`, schema ?? {}, same.schema ?? {}))
    }
    const successes = (of: Operation): string[] =>
      Object.keys(of.responses ?? {}).filter((status) => status.startsWith("2"))
    for (const status of successes(now))
      if (!successes(old).includes(status)) found.push(`${place}: answers ${status}`)
    for (const status of successes(old)) {
      const same = now.responses?.[status]
      if (same === undefined) found.push(`${place}: no longer answers ${status}`)
      else
        found.push(
          ...sentContent(`${place} ${status}`, old.responses?.[status]?.content, same.content),
        )
    }
    return found
  }

  function sentContent(place: string, old: Content = {}, now: Content = {}): string[] {
    return Object.entries(old).flatMap(([type, { schema }]) => {
      const same = now[type]
      if (same === undefined) return [`${place}: is no longer ${type}`]
      return sent(place, schema ?? {}, same.schema ?? {})
    })
  }

  /**
   * Words that may be added to a list: of all types of events and of all problem codes, of which
   * callers expect others.
   */
  function newWords(words: readonly unknown[]): readonly unknown[] {
    for (const list of ["problems", "webhooks"] as const) {
      const all = Object.keys(earlier[list])
      if (words.length === all.length && all.every((word) => words.includes(word)))
        return Object.keys(later[list])
    }
    return []
  }

  /** Breaks of what we send: every value of today must have been possible before. */
  function sent(at: string, old: Schema, now: Schema, within: readonly string[] = []): string[] {
    const pair = `${old.$ref ?? ""} ${now.$ref ?? ""}`
    if (old.$ref !== undefined && within.includes(pair)) return []
    const inside = [...within, pair]
    const before = variants(resolved(old, earlier))
    return variants(resolved(now, later)).flatMap((variant) =>
      fewest(
        before
          .filter((one) => one.type === undefined || covers(one.type, variant.type))
          .map((one) => sentVariant(at, one, variant, inside)),
        `${at}: may be ${String(variant.type ?? "anything")}`,
      ),
    )
  }

  function sentVariant(at: string, old: Schema, now: Schema, within: readonly string[]): string[] {
    const found: string[] = []
    const words = valuesOf(old)
    const others = newWords(old.enum ?? [])
    for (const value of valuesOf(now) ?? [])
      if (words?.includes(value) === false && !others.includes(value))
        found.push(`${at}: may be ${String(value)}`)
    if (words !== undefined && valuesOf(now) === undefined)
      found.push(`${at}: may be any ${String(now.type)}`)
    for (const keyword of ["pattern", "format"] as const)
      if (old[keyword] !== undefined && old[keyword] !== now[keyword])
        found.push(`${at}: has another ${keyword}`)
    for (const [keyword, isTighter] of BOUNDS)
      if (typeof old[keyword] === "number" && !isTighter(now[keyword], old[keyword]))
        found.push(`${at}: goes beyond its ${keyword}`)
    for (const [name, schema] of Object.entries(old.properties ?? {})) {
      const member = now.properties?.[name]
      if (member === undefined) found.push(`${at}.${name}: is gone`)
      else {
        if (old.required?.includes(name) === true && now.required?.includes(name) !== true)
          found.push(`${at}.${name}: may be absent`)
        found.push(...sent(`${at}.${name}`, schema, member, within))
      }
    }
    if (old.items !== undefined) found.push(...sent(`${at}[]`, old.items, now.items ?? {}, within))
    const [rest, restNow] = [old.additionalProperties, now.additionalProperties]
    if (typeof rest === "object" && restNow !== false)
      found.push(...sent(`${at}.*`, rest, typeof restNow === "object" ? restNow : {}, within))
    return found
  }

  /** Breaks of what we take: every value of before must still be possible. */
  function taken(at: string, old: Schema, now: Schema, within: readonly string[] = []): string[] {
    const pair = `${old.$ref ?? ""} ${now.$ref ?? ""}`
    if (old.$ref !== undefined && within.includes(pair)) return []
    const inside = [...within, pair]
    const after = variants(resolved(now, later))
    return variants(resolved(old, earlier)).flatMap((variant) =>
      fewest(
        after
          .filter((one) => one.type === undefined || covers(one.type, variant.type))
          .map((one) => takenVariant(at, variant, one, inside)),
        `${at}: may no longer be ${String(variant.type ?? "anything")}`,
      ),
    )
  }

  function takenVariant(at: string, old: Schema, now: Schema, within: readonly string[]): string[] {
    const found: string[] = []
    for (const value of valuesOf(old) ?? [])
      if (valuesOf(now)?.includes(value) === false)
        found.push(`${at}: may no longer be ${String(value)}`)
    if (valuesOf(old) === undefined && valuesOf(now) !== undefined)
      found.push(`${at}: is one of a few words`)
    for (const keyword of ["pattern", "format"] as const)
      if (now[keyword] !== undefined && old[keyword] !== now[keyword])
        found.push(`${at}: has another ${keyword}`)
    for (const [keyword, isTighter] of BOUNDS)
      if (typeof now[keyword] === "number" && !isTighter(old[keyword], now[keyword]))
        found.push(`${at}: has a tighter ${keyword}`)
    for (const name of now.required ?? [])
      if (old.required?.includes(name) !== true) found.push(`${at}.${name}: is required`)
    for (const [name, schema] of Object.entries(old.properties ?? {})) {
      const member = now.properties?.[name]
      if (member === undefined) found.push(`${at}.${name}: is gone`)
      else found.push(...taken(`${at}.${name}`, schema, member, within))
    }
    if (old.additionalProperties !== false && now.additionalProperties === false)
      found.push(`${at}: takes no other members`)
    if (now.items !== undefined) found.push(...taken(`${at}[]`, old.items ?? {}, now.items, within))
    return found
  }
}

/** Keywords that bound a value, and whether one bound lies within another. */
const BOUNDS: readonly [string, (inner: unknown, outer: number) => boolean][] = [
  ["minimum", atLeast],
  ["minLength", atLeast],
  ["minItems", atLeast],
  ["minProperties", atLeast],
  ["maximum", atMost],
  ["maxLength", atMost],
  ["maxItems", atMost],
  ["maxProperties", atMost],
]

function atLeast(inner: unknown, outer: number): boolean {
  return typeof inner === "number" && inner >= outer
}

function atMost(inner: unknown, outer: number): boolean {
  return typeof inner === "number" && inner <= outer
}

function nameOf({ in: place, name }: Parameter): string {
  return `${place} ${name}`
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const]
}

function resolved(schema: Schema, { components }: Api): Schema {
  const name = schema.$ref?.slice(schema.$ref.lastIndexOf("/") + 1)
  return name === undefined
    ? schema
    : resolved(components.schemas[name] ?? {}, { components } as Api)
}

/** The kinds of value a schema allows, each with one type or none. */
function variants(schema: Schema): Schema[] {
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.flatMap(variants)
  if (typeof schema.type !== "object") return [schema]
  return schema.type.map((type) => {
    const { enum: words, ...rest } = schema
    if (words === undefined) return { ...rest, type }
    const own = words.filter((word) => (word === null) === (type === "null"))
    return type === "null" ? { type } : { ...rest, type, enum: own }
  })
}

function covers(wide: Schema["type"], narrow: Schema["type"]): boolean {
  return wide === narrow || (wide === "number" && narrow === "integer")
}

/** A value has to fit one of several schemas: the one that says least against it counts. */
function fewest(found: readonly string[][], none: string): string[] {
  return found.toSorted((a, b) => a.length - b.length)[0] ?? [none]
}
