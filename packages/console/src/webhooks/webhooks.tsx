import type { Webhook } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useRoute } from "wouter"
import { service, useSession } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { NewWebhook } from "./new-webhook.tsx"
import { OneWebhook } from "./one-webhook.tsx"
import "./webhooks.css"
import { disabledWords } from "./words.ts"

const PATH = "/console/webhooks"

/** Where events are sent. Each webhook has an address of its own, with what was sent to it. */
export default function Webhooks(): ReactElement {
  const [, one] = useRoute<{ id: string; "*"?: string }>(`${PATH}/:id/*?`)
  return one === null ? <All /> : <OneWebhook key={one.id} id={one.id} />
}

function All(): ReactElement {
  const isTenant = useSession().data?.tenant_id !== null
  const webhooks = useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => service.webhooks.list({ signal }),
  })
  return (
    <>
      <PageHead title="Webhooks" />
      <p>
        {isTenant
          ? "Events of your tenant are sent to these addresses as they happen"
          : "Events of the service itself are sent to these addresses as they happen"}
        , signed as Standard Webhooks has it, and again for days where they are not taken.{" "}
        <Link href="/console/events">See the events</Link>
      </p>
      <Answer of={webhooks}>
        {({ webhooks: list }) => (
          <>
            <NewWebhook isFirst={list.length === 0} />
            {list.length === 0 ? (
              <Empty>
                There is no webhook yet. To see a first event on your own machine, run{" "}
                <code>npx assay dev receiver</code>.
              </Empty>
            ) : (
              <WebhookTable webhooks={list} />
            )}
          </>
        )}
      </Answer>
    </>
  )
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }): ReactElement {
  return (
    <Table label="Webhooks" columns={["URL", "Note", "Events", "State", "Made"]} opens>
      {webhooks.map((webhook) => (
        <tr key={webhook.id}>
          <td className="wide">
            <Link href={`${PATH}/${webhook.id}`} className="url">
              {webhook.url}
            </Link>
          </td>
          <td>{webhook.description}</td>
          <td className="wide">{webhook.events.join(", ")}</td>
          <td>
            <State of={webhook} />
          </td>
          <td>
            <Moment at={webhook.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function State({ of }: { readonly of: Webhook }): ReactElement {
  if (of.disabled === null) return <>Enabled</>
  return (
    <>
      <strong>Disabled</strong>
      <br />
      <span className="soft">{disabledWords[of.disabled.reason]}</span>
    </>
  )
}
