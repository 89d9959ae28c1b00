import type { AssayEvent } from "@assay/client"
import { Button, Group, NativeSelect } from "@mantine/core"
import type { ReactElement } from "react"
import { Link, useLocation, useRoute, useSearchParams } from "wouter"
import { eventWords, isEventKind, kindsOf } from "../ui/event-words.ts"
import { linkId } from "../ui/opened.ts"
import { useSession } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { EventPanel } from "./event-panel.tsx"
import { lineOf } from "./says.ts"
import { useTail } from "./use-tail.ts"

const PATH = "/console/events"

/** What happened, the newest first, as it happens; each opens beside the list. */
export default function Events(): ReactElement {
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const [, opened] = useRoute<{ id: string }>(`${PATH}/:id`)
  const { data: session } = useSession()
  const tenantId = session?.tenant_id ?? null
  const asked = search.get("type") ?? ""
  const kind = isEventKind(asked) ? asked : null
  const isPaused = search.has("paused")
  const { events, error, retry } = useTail(kind, isPaused)
  const set = (name: string, value: string): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      if (value === "") next.delete(name)
      else next.set(name, value)
      return next
    })
  const list = search.toString() === "" ? "" : `?${search.toString()}`
  return (
    <>
      <PageHead title="Events">
        <Button variant="default" onClick={() => set("paused", isPaused ? "" : "yes")}>
          {isPaused ? "Follow" : "Pause"}
        </Button>
      </PageHead>
      <p>
        {tenantId === null
          ? "What happened to the service itself: imports, service keys, its webhooks."
          : "What happened to your tenant: watched addresses and numbers, decisions, keys, webhooks."}{" "}
        Events are kept for 30 days. <Link href="/console/webhooks">Webhooks</Link> send them to
        your systems, and <a href="/docs">the API</a> reads them forward.
      </p>
      <Group align="flex-end" mb="md">
        <NativeSelect
          label="Kind"
          value={kind ?? ""}
          data={[{ value: "", label: "Any" }, ...kindsOf(tenantId)]}
          onChange={(event) => set("type", event.currentTarget.value)}
        />
        <p className="soft" role="status">
          {stateOf(events !== null, error !== null, isPaused)}
        </p>
      </Group>
      {kind !== null && <p className="soft">{eventWords(kind)}</p>}
      {error !== null && <Failure error={error} retry={retry} />}
      {events === null && error === null && <Loading />}
      {events?.length === 0 && (
        <Nothing
          isNarrowed={kind !== null}
          isTenant={tenantId !== null}
          all={() => set("type", "")}
        />
      )}
      {events !== null && events.length > 0 && (
        <EventTable events={events} opened={opened?.id ?? null} list={list} />
      )}
      <EventPanel id={opened?.id ?? null} close={() => go(`${PATH}${list}`)} />
    </>
  )
}

function stateOf(isRead: boolean, hasFailed: boolean, isPaused: boolean): string {
  if (hasFailed) return "Not followed."
  if (!isRead) return ""
  return isPaused
    ? "Paused. What happens meanwhile is shown when you follow again."
    : "New ones appear by themselves."
}

function Nothing(props: {
  readonly isNarrowed: boolean
  readonly isTenant: boolean
  readonly all: () => void
}): ReactElement {
  if (props.isNarrowed)
    return (
      <Empty
        action={
          <Button size="xs" variant="default" onClick={props.all}>
            Show all kinds
          </Button>
        }
      >
        No event of this kind happened in the last 30 days.
      </Empty>
    )
  return (
    <Empty
      action={props.isTenant ? <Link href="/console/watch-list">Watch somebody</Link> : undefined}
    >
      Nothing happened in the last 30 days. What happens from now on appears here.
    </Empty>
  )
}

function EventTable(props: {
  readonly events: readonly AssayEvent[]
  readonly opened: string | null
  readonly list: string
}): ReactElement {
  const { events, opened, list } = props
  return (
    <Table label="Events" columns={["When", "Kind", "About", "Says", "Event"]} opens>
      {events.map((event) => {
        const { about, says } = lineOf(event)
        return (
          <tr key={event.id} aria-current={event.id === opened ? "true" : undefined}>
            <td>
              <Moment at={event.timestamp} />
            </td>
            <td className="nowrap">{event.type}</td>
            <td className="wide">{about}</td>
            <td className="wide">{says}</td>
            <td>
              <Link href={`${PATH}/${event.id}${list}`} id={linkId(event.id)} className="nowrap">
                <code>{event.id}</code>
              </Link>
            </td>
          </tr>
        )
      })}
    </Table>
  )
}
