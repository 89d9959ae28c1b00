import type { AssayEvent } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link } from "wouter"
import { Copy } from "../ui/copy.tsx"
import { eventPage, eventWords } from "../ui/event-words.ts"
import { useOpened } from "../ui/opened.ts"
import { service } from "../ui/service.ts"
import { SidePanel } from "../ui/side-panel.tsx"
import { Answer } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"

/** An event beside the list, at an address of its own. */
export function EventPanel(props: {
  /** Null: none is open. */
  readonly id: string | null
  readonly close: () => void
}): ReactElement {
  const { id, close } = props
  const shown = useOpened(id)
  return (
    <SidePanel title="Event" isOpen={id !== null} close={close}>
      {shown !== null && <One id={shown} />}
    </SidePanel>
  )
}

function One({ id }: { readonly id: string }): ReactElement {
  const event = useQuery({
    queryKey: ["event", id],
    queryFn: ({ signal }) => service.getEvent(id, { signal }),
    staleTime: Infinity,
  })
  return <Answer of={event}>{(found) => <Shown event={found} />}</Answer>
}

function Shown({ event }: { readonly event: AssayEvent }): ReactElement {
  const json = JSON.stringify(event, null, 2)
  return (
    <>
      <h2>
        <code>{event.type}</code>
      </h2>
      <p>
        {eventWords(event.type)}{" "}
        <a href={eventPage(event.type)} target="_blank" rel="noreferrer">
          What its members mean
        </a>
      </p>
      <dl className="facts">
        <dt>Happened</dt>
        <dd>
          <Moment at={event.timestamp} />
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{event.id}</code> <Copy text={event.id} what="id" />
        </dd>
        <About event={event} />
      </dl>
      <pre className="code" tabIndex={0} aria-label="The event as JSON">
        {json}
      </pre>
      <p>
        <Copy text={json} what="JSON" /> A webhook gets the same without <code>id</code>, which is
        in the header <code>webhook-id</code>.
      </p>
    </>
  )
}

/** Where in the console that is which the event is about. */
function About({ event }: { readonly event: AssayEvent }): ReactElement | null {
  if (event.type === "decision.critical" || event.type === "decision.review")
    return (
      <>
        <dt>Decision</dt>
        <dd>
          <Link href={`/console/decisions/${event.data.decision_id}`}>
            {event.data.decision_id}
          </Link>
        </dd>
      </>
    )
  if (event.type === "webhook.disabled" || event.type === "webhook.test")
    return (
      <>
        <dt>Webhook</dt>
        <dd>
          <Link href={`/console/webhooks/${event.data.webhook_id}`}>{event.data.webhook_id}</Link>
        </dd>
      </>
    )
  return null
}
