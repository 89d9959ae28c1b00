import {
  EVENT_BYTES_MAX,
  EVENT_DAYS,
  EVENT_KINDS,
  type EventKind,
  eventBodySchema,
  EVENTS,
  eventSchemaName,
} from "@assay/core/contract"
import { code, counted, lines, table } from "./page.ts"

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly "x-extensible-enum"?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
}

const OWNERS = {
  tenant: "Belongs to a tenant.",
  service: "Belongs to the service: administrators hear of it, no tenant does.",
  either: "Belongs to the tenant whose it is, or to the service.",
} as const

export function eventsPage(): string {
  return lines(
    "# Events",
    `Something that happened, told to the systems that must act. A webhook receives a body of \`type\`, \`timestamp\` and \`data\`, as [Standard Webhooks](https://www.standardwebhooks.com) has it, of less than ${counted(EVENT_BYTES_MAX)} bytes; the header \`webhook-id\` has its id. \`GET /api/v1/events\` answers with the same members and \`id\`. An event is kept ${EVENT_DAYS} days.`,
    "The id of an event never changes, and the same event may arrive more than once: take each id once. Ignore members you do not know, and types you do not know: [later versions add both](../versioning.md). No event names a person, except by `identity` in events about watch items that were registered with `deliver_identity: true`.",
    "[events.schema.json](events.schema.json) has the JSON Schema of every body. It leaves objects open, so that a copy of it takes the events of later versions too.",
    table(
      ["Type", "What happened"],
      EVENT_KINDS.map((kind) => [`[${kind}](#${anchorOf(kind)})`, EVENTS[kind].summary]),
    ),
    ...EVENT_KINDS.map(section),
  )
}

/** The JSON Schema of every body, as one document. */
export function eventsSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Body of an event",
    oneOf: EVENT_KINDS.map((kind) => ({ $ref: `#/$defs/${eventSchemaName(kind)}` })),
    $defs: Object.fromEntries(
      EVENT_KINDS.map((kind) => {
        const { $id: name, ...schema } = eventBodySchema(kind) as object as { $id: string }
        return [name, schema]
      }),
    ),
  }
}

function section(kind: EventKind): string {
  const { summary, owner, data, example } = EVENTS[kind]
  const body = { type: kind, timestamp: "2026-11-18T09:30:00.125Z", data: example }
  return lines(
    `## ${kind}`,
    `${summary} ${OWNERS[owner]}`,
    table(["Member of `data`", "Type", "Always there", "Meaning"], membersOf(data as Schema, "")),
    `\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``,
  )
}

/** A row for each member, those of objects inside behind a dot. */
function membersOf({ properties = {}, required = [] }: Schema, before: string): Row[] {
  return Object.entries(properties).flatMap(([name, schema]): Row[] => {
    const path = `${before}${name}`
    const row: Row = [code(path), typeOf(schema), required.includes(name), schema.description]
    const inside = schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema
    return [row, ...membersOf(inside, `${path}.`)]
  })
}
type Row = (string | boolean | undefined)[]

function typeOf(schema: Schema): string {
  const { anyOf, items, properties } = schema
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  const listed = schema.enum ?? schema["x-extensible-enum"]
  if (listed !== undefined) return listed.map(code).join(", ")
  if (items !== undefined) return `array of ${typeOf(items)}`
  if (properties !== undefined) return "object"
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

/** Where a reader of the page finds the section of a heading. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9 _-]/g, "")
}
