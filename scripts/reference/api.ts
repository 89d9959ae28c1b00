import { problems, type ProblemCode } from "@assay/core/contract"
import { askDemoServer } from "./demo-server.ts"
import { code, lines, table } from "./page.ts"

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
}
interface Operation {
  readonly summary: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>
}
interface Description {
  readonly info: { readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The operations and their bodies, from the description a running service gives of itself. */
export async function apiPage(): Promise<string> {
  const api = await askDemoServer(async (base) => {
    const response = await fetch(`${base}/openapi.json`)
    if (!response.ok) throw new Error(`/openapi.json answered ${response.status}`)
    return (await response.json()) as Description
  })
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationSection(path, method, operation)),
  )
  const schemas = Object.entries(api.components.schemas).map(
    ([name, schema]) => `### ${name}\n\n${schema.description ?? ""}\n\n${schemaTable(schema)}`,
  )
  return lines(
    "# HTTP API",
    `Version ${api.info.version}. ${api.info.description} A running service has the same as OpenAPI 3.1 at \`/openapi.json\` and to browse at \`/docs\`.`,
    "## Operations",
    ...operations,
    "## Bodies",
    ...schemas,
  )
}

function operationSection(path: string, method: string, operation: Operation): string {
  const { summary, description, security, parameters = [], requestBody, responses } = operation
  const parts = [`### ${method.toUpperCase()} ${path}`, `${summary}.`]
  if (description !== undefined) parts.push(description)
  parts.push(security === undefined ? "Needs no key." : "Needs an API key.")
  if (requestBody !== undefined) {
    parts.push(`Body: ${bodyOf(requestBody)}.`)
    for (const { schema } of Object.values(requestBody.content ?? {}).filter((each) =>
      isLines(each.schema),
    ))
      parts.push(`Lines: ${schema.description ?? ""}`)
  }
  if (parameters.length > 0) {
    parts.push(
      table(
        ["Parameter", "In", "Takes", "Meaning"],
        parameters.map(({ name, in: place, schema, description }) => [
          code(name),
          place,
          typeOf(schema),
          description ?? schema.description,
        ]),
      ),
    )
  }
  parts.push(table(["Status", "Answer"], Object.entries(responses).map(responseRow)))
  return parts.join("\n\n")
}

function responseRow([status, response]: [string, Operation["responses"][string]]): string[] {
  if (status.startsWith("2")) {
    const body = bodyOf(response)
    return [status, body === "" ? response.description : body]
  }
  const codes = Object.keys(problems).filter((name) => response.description.includes(code(name)))
  const titles = codes.map((name) => `${code(name)}: ${problems[name as ProblemCode].title}`)
  return [status, titles.join(". ")]
}

function bodyOf({ content = {} }: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `${isLines(schema) ? "lines" : typeOf(schema)} as ${code(type)}`)
    .join(", ")
}

/** A stream has no type: its description states what a line holds. */
function isLines({ $ref, type, description }: Schema): boolean {
  return $ref === undefined && type === undefined && description !== undefined
}

function schemaTable({ properties = {}, required = [], items }: Schema): string {
  if (items !== undefined) return items.description ?? typeOf(items)
  return table(
    ["Member", "Type", "Always there", "Meaning"],
    Object.entries(properties).map(([name, schema]) => [
      code(name),
      typeOf(schema),
      required.includes(name),
      schema.description,
    ]),
  )
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, properties } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    return `[${name}](#${name.toLowerCase()})`
  }
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ")
  if (items !== undefined) return `array of ${typeOf(items)}`
  if (properties !== undefined) return `object of ${Object.keys(properties).map(code).join(", ")}`
  return [schema.type ?? "any", ...boundsOf(schema)].join(" ")
}

function boundsOf({ minimum, maximum, format, pattern }: Schema): string[] {
  const bounds: string[] = []
  if (minimum !== undefined) bounds.push(`from ${minimum}`)
  if (maximum !== undefined) bounds.push(`to ${maximum}`)
  if (format !== undefined) bounds.push(`(${format})`)
  if (pattern !== undefined) bounds.push(`of the form ${code(pattern)}`)
  return bounds
}
