import { EVENT_KINDS, type EventKind, EVENTS } from "@assay/core/contract"

/** What a kind of event says, in a sentence; later versions have kinds that are not known here. */
export const eventWords = (kind: string): string =>
  isEventKind(kind) ? EVENTS[kind].summary : "A kind of event that this page does not know."

export function isEventKind(kind: string): kind is EventKind {
  return (EVENT_KINDS as readonly string[]).includes(kind)
}

/** Kinds that can happen to a tenant, or to the service itself. */
export function kindsOf(tenantId: number | null): readonly EventKind[] {
  const other = tenantId === null ? "tenant" : "service"
  return EVENT_KINDS.filter((kind) => EVENTS[kind].owner !== other)
}

/** The page that lists all kinds. */
export const EVENT_PAGES = "/event-types"
/** The page that describes a kind. */
export const eventPage = (kind: string): string => `${EVENT_PAGES}/${kind}`
