import { EVENT_DAYS, EVENT_KINDS, EVENTS, type EventKind } from "@assay/core/contract"
import { html, type Html, page } from "@assay/drop/pages/html"

const OWNERS = {
  tenant: "Belongs to a tenant.",
  service: "Belongs to the service itself.",
  either: "Belongs to whoever owns what it is about.",
} as const

/** Every kind of event, for a person. */
export function eventIndex(): string {
  return page(
    "Events · Assay",
    html`<h1>Events</h1>
<p>Something that happened, told by webhooks and by <code>GET /api/v1/events</code>. Each is kept for ${EVENT_DAYS} days.</p>
<dl>${EVENT_KINDS.map(
      (kind) => html`
<dt><a href="/event-types/${kind}"><code>${kind}</code></a></dt><dd>${EVENTS[kind].summary}</dd>`,
    )}
</dl>`,
  )
}

export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(EVENTS, kind)
}

/** What one kind of event says, and one that could be sent. */
export function eventPage(kind: EventKind): string {
  const { summary, owner, data, example } = EVENTS[kind]
  const body = { type: kind, timestamp: "2026-11-18T09:30:00.125Z", data: example }
  return page(
    `${kind} · Assay`,
    html`<p class="soft">Event</p>
      <h1><code>${kind}</code></h1>
      <p>${summary} ${OWNERS[owner]}</p>
      <h2>Members of <code>data</code></h2>
      <dl>${membersOf(data as Schema, "")}</dl>
      <h2>Example</h2>
      <pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>
      <p><a href="/event-types">All events</a> · <a href="/docs">API reference</a></p>`,
  )
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
}

/** A member with its meaning, those of objects inside behind a dot. */
function membersOf({ properties = {}, required = [] }: Schema, before: string): Html[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${before}${name}`
    const optional = required.includes(name) ? html`` : html` <span class="soft">optional</span>`
    const inside = schema.anyOf?.find((each) => each.properties !== undefined) ?? schema
    return [
      html`<dt><code>${path}</code>${optional}</dt><dd>${inCode(schema.description ?? "")}</dd>`,
      ...membersOf(inside, `${path}.`),
    ]
  })
}

/** Text in which what stands between backticks is code. */
export function inCode(text: string): Html[] {
  return text
    .split("`")
    .map((part, n) => (n % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}
