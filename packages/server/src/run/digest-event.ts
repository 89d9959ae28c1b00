import { type EventData, EVENTS } from "@assay/core/contract"
import type { DigestNews } from "@assay/drop/digest"
import { derivedEventId } from "@assay/stores/event-id"
import type { NewEvent } from "@assay/stores/records-events"
import { Value } from "typebox/value"

/** The event of a day's digest of the drop; the same however often it is told. */
export function digestEvent({ atMs, newMessages, wentUnread }: DigestNews): NewEvent {
  const kind = "drop.digest"
  const data: EventData<"drop.digest"> = { new_messages: newMessages, went_unread: wentUnread }
  // The drop is what strangers reach: what comes from its process is not believed to fit.
  if (!Number.isSafeInteger(atMs) || !Value.Check(EVENTS[kind].data, data))
    throw new TypeError("That is no digest")
  const of = { tenantId: null, ref: null, identityKey: null, sealed: null }
  return { ...of, id: derivedEventId([kind, atMs]), kind, at: atMs, data }
}
