import type { Delivery } from "@assay/client"
import { Button, Group, NativeSelect } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useLocation, useRoute, useSearchParams } from "wouter"
import { linkId } from "../ui/opened.ts"
import { service } from "../ui/service.ts"
import { Answer, Empty } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { DeliveryPanel } from "./delivery-panel.tsx"
import { answerWords, isStatus, statusMeanings, statusWords } from "./words.ts"

const PAGE = 50
/** While anything waits for its next attempt. */
const PENDING_MS = 3_000

/** What was sent to a webhook, the newest events first; each delivery opens beside the list. */
export function Deliveries({ id }: { readonly id: string }): ReactElement {
  const path = `/console/webhooks/${id}`
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const [, opened] = useRoute<{ delivery: string }>(`${path}/deliveries/:delivery`)
  const asked = search.get("status") ?? ""
  const status = isStatus(asked) ? asked : null
  const before = search.get("before") ?? ""
  const deliveries = useQuery({
    queryKey: ["deliveries", id, status, before],
    queryFn: ({ signal }) =>
      service.webhooks.deliveries(
        id,
        { limit: PAGE, ...(status !== null && { status }), ...(before !== "" && { before }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some((each) => each.status === "pending") === true
        ? PENDING_MS
        : false,
  })
  const to = (changes: Readonly<Record<string, string>>): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      for (const [name, value] of Object.entries(changes))
        if (value === "") next.delete(name)
        else next.set(name, value)
      return next
    })
  const list = search.toString() === "" ? "" : `?${search.toString()}`
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <Group align="flex-end" mb="md">
        <NativeSelect
          label="Status"
          value={status ?? ""}
          data={[
            { value: "", label: "Any" },
            ...Object.entries(statusWords).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(event) => to({ status: event.currentTarget.value, before: "" })}
        />
        {status !== null && <p className="soft">{statusMeanings[status]}</p>}
      </Group>
      <Answer of={deliveries}>
        {({ deliveries: page, next }) => (
          <>
            {page.length === 0 ? (
              <Nothing
                isNarrowed={status !== null}
                isFirst={before === ""}
                all={() => to({ status: "", before: "" })}
              />
            ) : (
              <DeliveryTable
                deliveries={page}
                path={path}
                list={list}
                opened={opened?.delivery ?? null}
              />
            )}
            <Group mt="md" gap="xs">
              {before !== "" && (
                <Button variant="default" onClick={() => to({ before: "" })}>
                  Newest
                </Button>
              )}
              {next !== null && (
                <Button
                  variant="default"
                  loading={deliveries.isPlaceholderData}
                  onClick={() => to({ before: next })}
                >
                  Older
                </Button>
              )}
            </Group>
          </>
        )}
      </Answer>
      <DeliveryPanel
        webhookId={id}
        id={opened?.delivery ?? null}
        close={() => go(`${path}${list}`)}
      />
    </section>
  )
}

function Nothing(props: {
  readonly isNarrowed: boolean
  readonly isFirst: boolean
  readonly all: () => void
}): ReactElement {
  if (props.isNarrowed)
    return (
      <Empty
        action={
          <Button size="xs" variant="default" onClick={props.all}>
            Show all deliveries
          </Button>
        }
      >
        {props.isFirst ? "No delivery has this status." : "No older delivery has this status."}
      </Empty>
    )
  return (
    <Empty>
      {props.isFirst
        ? "Nothing was sent yet. Send a test to see whether the receiver takes it."
        : "There is no older delivery."}
    </Empty>
  )
}

function DeliveryTable(props: {
  readonly deliveries: readonly Delivery[]
  readonly path: string
  readonly list: string
  readonly opened: string | null
}): ReactElement {
  const { deliveries, path, list, opened } = props
  return (
    <Table
      label="Deliveries"
      columns={[
        "Happened",
        "Event",
        "About",
        "Status",
        "Last answer",
        "#Failed",
        "Next",
        "Delivery",
      ]}
      opens
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.id} aria-current={delivery.id === opened ? "true" : undefined}>
          <td>
            <Moment at={delivery.happened_at} />
          </td>
          <td>{delivery.event_type}</td>
          <td>{delivery.ref ?? ""}</td>
          <td>{statusWords[delivery.status]}</td>
          <td>{answerWords(delivery.last_status, delivery.last_error)}</td>
          <td className="number">{delivery.failed_attempts}</td>
          <td>{delivery.next_attempt_at !== null && <Moment at={delivery.next_attempt_at} />}</td>
          <td>
            <Link
              href={`${path}/deliveries/${delivery.id}${list}`}
              id={linkId(delivery.id)}
              aria-label={`Open delivery ${delivery.id}`}
            >
              Open
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  )
}
