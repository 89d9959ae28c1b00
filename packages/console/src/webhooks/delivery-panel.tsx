import type { DeliveryDetails } from "@assay/client"
import { Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { useChange } from "../ui/change.ts"
import { eventPage } from "../ui/event-words.ts"
import { useOpened } from "../ui/opened.ts"
import { service } from "../ui/service.ts"
import { SidePanel } from "../ui/side-panel.tsx"
import { Answer, Failure } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { AttemptNotice, Attempts } from "./attempts.tsx"
import { statusMeanings, statusWords } from "./words.ts"

/** One delivery with every attempt at it, at an address of its own; it can be sent again. */
export function DeliveryPanel(props: {
  readonly webhookId: string
  /** Null: none is open. */
  readonly id: string | null
  readonly close: () => void
}): ReactElement {
  const { webhookId, id, close } = props
  const shown = useOpened(id)
  return (
    <SidePanel title="Delivery" isOpen={id !== null} close={close}>
      {shown !== null && <One key={shown} webhookId={webhookId} id={shown} />}
    </SidePanel>
  )
}

function One(props: { readonly webhookId: string; readonly id: string }): ReactElement {
  const { webhookId, id } = props
  const delivery = useQuery({
    queryKey: ["deliveries", webhookId, "one", id],
    queryFn: ({ signal }) => service.webhooks.delivery(webhookId, id, { signal }),
  })
  const replay = useChange(() => service.webhooks.replayDelivery(webhookId, id), "deliveries")
  return (
    <Answer of={delivery}>
      {(details) => (
        <>
          <Facts of={details} />
          <Button
            my="md"
            loading={replay.isPending}
            title="Once, now, with the same id; whatever comes of it counts for nothing else."
            onClick={() => replay.mutate(undefined)}
          >
            Send it again
          </Button>
          {replay.error !== null && <Failure error={replay.error} />}
          {replay.data !== undefined && <AttemptNotice of={replay.data} />}
          <h2>Attempts</h2>
          {details.attempts.length === 0 ? (
            <p>It was not sent yet.</p>
          ) : (
            <Attempts attempts={details.attempts} />
          )}
        </>
      )}
    </Answer>
  )
}

function Facts({ of: { delivery } }: { readonly of: DeliveryDetails }): ReactElement {
  return (
    <dl className="facts">
      <dt>Event</dt>
      <dd>
        <Link href={`/console/events/${delivery.event_id}`}>{delivery.event_id}</Link>
      </dd>
      <dt>Kind</dt>
      <dd>
        <a href={eventPage(delivery.event_type)} target="_blank" rel="noreferrer">
          {delivery.event_type}
        </a>
      </dd>
      {delivery.ref !== null && (
        <>
          <dt>About</dt>
          <dd>{delivery.ref}</dd>
        </>
      )}
      <dt>Happened</dt>
      <dd>
        <Moment at={delivery.happened_at} />
      </dd>
      <dt>Status</dt>
      <dd>
        {statusWords[delivery.status]}. {statusMeanings[delivery.status]}
      </dd>
      {delivery.next_attempt_at !== null && (
        <>
          <dt>Next attempt</dt>
          <dd>
            <Moment at={delivery.next_attempt_at} />
          </dd>
        </>
      )}
    </dl>
  )
}
