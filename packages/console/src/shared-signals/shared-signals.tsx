import { AssayProblem, type SharedSignalsStream, type SharedSignalsStreamList } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useRoute } from "wouter"
import { Copy } from "../ui/copy.tsx"
import { service } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { NewStream } from "./new-stream.tsx"
import { OneStream } from "./one-stream.tsx"
import { faultWords, methodWords, statusWords } from "./words.ts"

const PATH = "/console/shared-signals"
const count = new Intl.NumberFormat()

/** Identity providers that are told of risk. Each stream has an address of its own. */
export default function SharedSignals(): ReactElement {
  const [, one] = useRoute<{ id: string }>(`${PATH}/:id`)
  return one === null ? <All /> : <OneStream key={one.id} id={one.id} />
}

function All(): ReactElement {
  const list = useQuery({
    queryKey: ["shared-signals"],
    queryFn: ({ signal }) => service.sharedSignals.list({ signal }),
    refetchInterval: 10_000,
  })
  const isOff = list.error instanceof AssayProblem && list.error.code === "shared-signals-off"
  return (
    <>
      <PageHead title="Shared signals" />
      <p>
        Identity providers hear of risk by OpenID Shared Signals, in tokens that are signed. A
        stream tells one of them about everybody on your{" "}
        <Link href="/console/watch-list">watch list</Link>, by your names and never by an address or
        a number.
      </p>
      {isOff ? (
        <Empty>
          The operator of this service has not set <code>ASSAY_SSF_ORIGIN</code>, so there are no
          streams.
        </Empty>
      ) : (
        <Answer of={list}>
          {(found) => (
            <>
              <NewStream isFirst={found.streams.length === 0} />
              {found.streams.length === 0 ? (
                <Empty>
                  There is no stream yet. Make one here, or have a receiver make its own.
                </Empty>
              ) : (
                <StreamTable streams={found.streams} />
              )}
              <Places of={found} />
            </>
          )}
        </Answer>
      )}
    </>
  )
}

function StreamTable({
  streams,
}: {
  readonly streams: readonly SharedSignalsStream[]
}): ReactElement {
  return (
    <Table
      label="Streams"
      columns={["Stream", "Events", "State", "#Waiting", "Last took", "Last fault"]}
      opens
    >
      {streams.map((stream) => (
        <tr key={stream.id}>
          <td className="wide">
            <Link href={`${PATH}/${stream.id}`}>
              {stream.description === "" ? stream.id : stream.description}
            </Link>
            <br />
            <span className="soft">
              {methodWords[stream.method]}
              {stream.dialect === "okta" && ", as Okta has it"}
            </span>
          </td>
          <td>{stream.events.join(", ")}</td>
          <td>{statusWords[stream.status]}</td>
          <td className="number">{count.format(stream.behind)}</td>
          <td>{stream.last_taken_at === null ? "Never" : <Moment at={stream.last_taken_at} />}</td>
          <td>
            {stream.last_fault === null ? (
              "None"
            ) : (
              <>
                <span className="capital">{faultWords(stream.last_fault.code)}</span>,{" "}
                <Moment at={stream.last_fault.at} />
              </>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** What a receiver has to be told. */
function Places({ of }: { readonly of: SharedSignalsStreamList }): ReactElement {
  const places = [
    ["Configuration", of.configuration_url],
    ["Issuer", of.issuer],
    ["Keys", of.jwks_url],
    ["Tokens for receivers", of.token_url],
  ] as const
  return (
    <section className="panel">
      <h2>For receivers</h2>
      <p className="soft">
        A receiver that makes its stream itself needs the configuration, and an{" "}
        <Link href="/console/keys">API key</Link> with webhooks:manage as its client: the id of the
        key and the key.
      </p>
      <dl className="facts">
        {places.map(([name, url]) => (
          <Place key={name} name={name} url={url} />
        ))}
      </dl>
    </section>
  )
}

function Place({ name, url }: { readonly name: string; readonly url: string }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code className="url">{url}</code> <Copy text={url} what={name} />
      </dd>
    </>
  )
}
