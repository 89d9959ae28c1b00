import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv, type ValidateFunction } from "ajv"
import formats from "ajv-formats"
import { parse } from "yaml"

type Json = Record<string, unknown>

export interface DefinedError {
  readonly status: number
  readonly code: string
}

/** One operation of a definition. */
export interface DefinedOperation {
  /** Of the definition, such as `sim-swap.yaml`. */
  readonly file: string
  readonly operationId: string
  readonly method: string
  /** With the base path, such as `/sim-swap/v2/check`. */
  readonly path: string
  /** Any one of these is enough. */
  readonly scopes: readonly string[]
  /** The errors it is defined to end in. */
  readonly errors: readonly DefinedError[]
  /** The faults of a request body by the definition; empty: none. */
  requestFaults(body: unknown): readonly string[]
  /**
   * The faults of an answer. A status the definition does not describe is checked against the error
   * form alone.
   */
  answerFaults(status: number, body: unknown): readonly string[]
}

/** The definitions of CAMARA's APIs, read from files that are not part of this repository. */
export interface Definitions {
  readonly operations: readonly DefinedOperation[]
  operation(file: string, operationId: string): DefinedOperation
  /** Every error that any of the files names. */
  readonly errors: readonly DefinedError[]
  /** The faults of the body of a notification. */
  notificationFaults(event: unknown): readonly string[]
}

/** The reason that tests print when the folder is not named. */
export const NO_DEFINITIONS = "ASSAY_CAMARA_SPECS does not name a folder with CAMARA's definitions"

const METHODS = ["get", "post", "delete"]
const SUBSCRIPTIONS = "sim-swap-subscriptions.yaml"

export function openDefinitions(folder: string): Definitions {
  const documents = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => ({ file, document: parse(readFileSync(join(folder, file), "utf8")) as Json }))
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
  formats.default(ajv)
  for (const { file, document } of documents) ajv.addSchema(converted(document, document), file)
  const operations = documents.flatMap(({ file, document }) => operationsOf(ajv, file, document))
  const event = validator(ajv, SUBSCRIPTIONS, "#/components/schemas/CloudEvent")
  return {
    operations,
    operation(file, operationId) {
      const found = operations.find((one) => one.file === file && one.operationId === operationId)
      if (found === undefined) throw new Error(`${file} has no operation ${operationId}`)
      return found
    },
    errors: documents.flatMap(({ document }) => errorsIn(document["components"])),
    notificationFaults: (body) => faultsOf(event, body),
  }
}

function operationsOf(ajv: Ajv, file: string, document: Json): DefinedOperation[] {
  const [server] = document["servers"] as { url: string }[]
  const base = (server?.url ?? "").replace("{apiRoot}", "")
  const found: DefinedOperation[] = []
  for (const [path, methods] of Object.entries(document["paths"] as Json)) {
    for (const method of METHODS) {
      const operation = (methods as Json)[method] as Json | undefined
      if (operation === undefined) continue
      const place = `#/paths/${pointer(path)}/${method}`
      const responses = operation["responses"] as Record<string, { $ref?: string } & Json>
      const answers = new Map<number, ValidateFunction | null>()
      for (const [status, response] of Object.entries(responses)) {
        const at = response.$ref ?? `${place}/responses/${status}`
        const hasBody = resolved(document, at)["content"] !== undefined
        answers.set(Number(status), hasBody ? validator(ajv, file, `${at}/${JSON_SCHEMA}`) : null)
      }
      const body = operation["requestBody"]
        ? validator(ajv, file, `${place}/requestBody/${JSON_SCHEMA}`)
        : null
      const error = validator(ajv, file, "#/components/schemas/ErrorInfo")
      found.push({
        file,
        operationId: operation["operationId"] as string,
        method: method.toUpperCase(),
        path: base + path,
        scopes: (operation["security"] as { openId: string[] }[]).flatMap(({ openId }) => openId),
        errors: Object.values(responses).flatMap((response) =>
          errorsIn(response.$ref === undefined ? response : resolved(document, response.$ref)),
        ),
        requestFaults: (value) => faultsOf(body, value),
        answerFaults: (status, value) =>
          faultsOf(answers.has(status) ? (answers.get(status) ?? null) : error, value),
      })
    }
  }
  return found
}

const JSON_SCHEMA = `content/${pointer("application/json")}/schema`

/** Refers to the place in the file, so that references from there are resolved against the file. */
function validator(ajv: Ajv, file: string, at: string): ValidateFunction {
  const document = ajv.getSchema(file)?.schema as Json
  return ajv.compile(choices(document, at, { $ref: `${file}${at}` }, file))
}

/** null: there must be no body. */
function faultsOf(validate: ValidateFunction | null, value: unknown): readonly string[] {
  if (validate === null) return value === undefined || value === "" ? [] : ["there is a body"]
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? "does not fit"}`,
  )
}

/** OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, `discriminator` a choice. */
function converted(document: Json, value: unknown, inAllOf = false): Json {
  if (Array.isArray(value)) return value.map((one) => converted(document, one, inAllOf)) as never
  if (value === null || typeof value !== "object") return value as never
  const { nullable, ...schema } = value as Json
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [
      name,
      converted(document, member, name === "allOf"),
    ]),
  ) as Json
  if (nullable === true && typeof schema["type"] === "string")
    members["type"] = [schema["type"], "null"]
  const reference = schema["$ref"]
  // A special form names its general one in `allOf`; choosing there again would never end.
  if (typeof reference !== "string" || inAllOf) return members
  return choices(document, reference, members, "")
}

/** Adds to a reference what the value's own discriminator asks for. */
function choices(document: Json, reference: string, schema: Json, file: string): Json {
  const target = reference.startsWith("#/") ? resolved(document, reference) : {}
  const inner = target["$ref"]
  if (typeof inner === "string" && target["discriminator"] === undefined)
    return choices(document, inner, schema, file)
  const discriminator = target["discriminator"] as
    | { propertyName: string; mapping: Record<string, string> }
    | undefined
  if (discriminator === undefined) return schema
  const { propertyName, mapping } = discriminator
  return {
    allOf: [
      schema,
      ...Object.entries(mapping).map(([word, special]) => ({
        if: { required: [propertyName], properties: { [propertyName]: { const: word } } },
        then: { $ref: `${file}${special}` },
      })),
    ],
  }
}

function resolved(document: Json, reference: string): Json {
  return reference
    .slice("#/".length)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<Json>((at, part) => (at[part] ?? {}) as Json, document)
}

function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))
}

/** An error is described by two members beside each other, each with its allowed values. */
function errorsIn(value: unknown): DefinedError[] {
  if (value === null || typeof value !== "object") return []
  const { status, code } = value as { status?: { enum?: number[] }; code?: { enum?: string[] } }
  const here = (status?.enum ?? []).flatMap((number) =>
    (code?.enum ?? []).map((word) => ({ status: number, code: word })),
  )
  return [...here, ...Object.values(value).flatMap(errorsIn)]
}
