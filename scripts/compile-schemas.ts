import { StandaloneValidator } from "@fastify/ajv-compiler"
import compilers from "@fastify/fast-json-stringify-compiler"
import { nullably, onceForSchemas } from "../packages/server/src/http/schema-compilers.ts"
import { allRoutes } from "../packages/server/src/run/all-routes.ts"
import type { Services } from "../packages/server/src/run/services.ts"

/** The part of a route that one validator or serialiser is for. */
interface Part {
  readonly method: string
  readonly url: string
  readonly httpPart?: string
  readonly httpStatus?: string
  readonly contentType?: string
}

/** The validators and serialisers of all routes. */
export interface CompiledSchemas {
  /** The code of each, as a CommonJS module. */
  readonly codes: readonly string[]
  /** Takes the place of http/schema-compilers.ts, and requires the codes as `schema:NUMBER`. */
  readonly compilersModule: string
}

/** Compiles them ahead: that is a fifth of a worker's start. */
export async function compileSchemas(): Promise<CompiledSchemas> {
  const codes: string[] = []
  const numbers = new Map<string, number>()
  const store = (part: Part, code: string): void => {
    // Every problem of every route has the same code.
    const known = codes.indexOf(code)
    numbers.set(keyOf(part), known === -1 ? codes.push(code) - 1 : known)
  }
  const serializerCodes = new Map<unknown, string>()
  const serializers = nullably(standaloneSerializers(serializerCodes))
  const app = await allRoutes(SERVICES, () => ANYTHING, {
    buildValidator: onceForSchemas(StandaloneValidator({ readMode: false, storeFunction: store })),
    buildSerializer: (schemas, options) => {
      const compile = serializers(schemas, options)
      return (route) => {
        const serialize = compile(route)
        store(route, serializerCodes.get(serialize) ?? "")
        return serialize
      }
    },
  })
  await app.ready()
  await app.close()
  return { codes, compilersModule: moduleOf(numbers) }
}

/** Makes serialisers and notes the code of each. */
function standaloneSerializers(codes: Map<unknown, string>): compilers.SerializerFactory {
  let latest = ""
  const factory = compilers.StandaloneSerializer({
    readMode: false,
    storeFunction: (_part, code) => void (latest = code),
  })
  return (schemas, options) => {
    const compile = factory(schemas, options)
    return (route) => {
      const serialize = compile(route)
      codes.set(serialize, latest)
      return serialize
    }
  }
}

function keyOf({ method, url, httpPart, httpStatus, contentType }: Part): string {
  return [method, url, httpPart ?? httpStatus, contentType ?? ""].join(" ")
}

/** A code is run when its route is called first, so that a start runs none of them. */
function moduleOf(numbers: ReadonlyMap<string, number>): string {
  const all = [...new Set(numbers.values())].sort((a, b) => a - b)
  const makers = all.map((number) => `  ${number}: () => require("schema:${number}"),`)
  // Thousands, so as data: a function for each took longer to make.
  return `
const numbers = ${JSON.stringify(Object.fromEntries(numbers))}
const makers = {
${makers.join("\n")}
}
${keyOf.toString()}
function find(part) {
  const make = makers[numbers[keyOf(part)]]
  if (make === undefined) throw new Error("Nothing was compiled for " + keyOf(part))
  return make
}
export const schemaCompilers = {
  buildValidator: () => (part) => {
    const make = find(part)
    const validate = (data) => {
      const made = make()
      const fits = made(data)
      validate.errors = made.errors
      return fits
    }
    return validate
  },
  buildSerializer: () => (part) => {
    const make = find(part)
    return (document) => make()(document)
  },
}
`
}

/**
 * Stands for every service: routes are only made here, never called, and what they are given is
 * theirs to call.
 */
const ANYTHING = new Proxy(() => ANYTHING, {
  get: (_target, name) => (name === "then" ? undefined : ANYTHING),
}) as never

const SERVICES = new Proxy(
  { config: { requestSeconds: 10, streamIdleSeconds: 60 }, refusalMs: 0 },
  { get: (target, name) => (name in target ? target[name as keyof typeof target] : ANYTHING) },
) as unknown as Services
