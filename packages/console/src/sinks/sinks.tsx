import type { SinkState, SinkTestResult } from "@assay/client"
import { Alert, Button } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useChange } from "../ui/change.ts"
import { duration } from "../ui/duration.ts"
import { service } from "../ui/service.ts"
import { Answer, Empty, Failure, PageHead } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { faultWords, kindWords, standing } from "./words.ts"

const count = new Intl.NumberFormat()
/** As far as the service counts what waits. */
const COUNTED_MAX = 100_000

interface Tested {
  readonly name: string
  readonly result: SinkTestResult
}

/** The security tools that get every event, and how far they are. */
export default function Sinks(): ReactElement {
  const [tested, setTested] = useState<Tested | null>(null)
  const sinks = useQuery({
    queryKey: ["sinks"],
    queryFn: ({ signal }) => service.service.sinks({ signal }),
    refetchInterval: 10_000,
  })
  const test = useChange(async (name: string) => {
    setTested(null)
    setTested({ name, result: await service.service.testSink(name) })
  }, "sinks")
  return (
    <>
      <PageHead title="Sinks" />
      <p>
        Every event of every tenant is sent to these tools, in order and until they have taken it.
        They are named in the file of <code>ASSAY_SINKS</code>, which is read at the start.
      </p>
      {tested !== null && <TestNotice of={tested} />}
      {test.error !== null && <Failure error={test.error} />}
      <Answer of={sinks}>
        {({ sinks: list }) =>
          list.length === 0 ? (
            <Empty>
              There is no sink. Splunk, Elasticsearch, Sentinel, OCSF over HTTP, syslog and files
              can be one: <a href="/docs">the documentation</a> says how.
            </Empty>
          ) : (
            <SinkTable
              sinks={list}
              testing={test.isPending ? test.variables : null}
              test={(name) => test.mutate(name)}
            />
          )
        }
      </Answer>
    </>
  )
}

function SinkTable(props: {
  readonly sinks: readonly SinkState[]
  readonly testing: string | null
  readonly test: (name: string) => void
}): ReactElement {
  return (
    <Table
      label="Sinks"
      columns={["Sink", "Receiver", "State", "#Waiting", "Lag", "Last took", ""]}
    >
      {props.sinks.map((sink) => (
        <tr key={sink.name}>
          <td>{sink.name}</td>
          <td>{kindWords(sink.kind)}</td>
          <td className="wide">
            <State of={sink} />
          </td>
          <td className="number">
            {count.format(sink.behind)}
            {sink.behind >= COUNTED_MAX && " or more"}
          </td>
          <td>{sink.behind === 0 ? "None" : duration(sink.lag_seconds)}</td>
          <td>{sink.last_taken_at === null ? "Not yet" : <Moment at={sink.last_taken_at} />}</td>
          <td>
            <Button
              size="xs"
              variant="default"
              loading={props.testing === sink.name}
              aria-label={`Send a test to ${sink.name}`}
              onClick={() => props.test(sink.name)}
            >
              Send a test
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  )
}

const STATES = {
  sound: ["low", "●", "Sound"],
  waiting: ["elevated", "▲", "Not begun"],
  fault: ["critical", "■", "Fault"],
} as const

function State({ of }: { readonly of: SinkState }): ReactElement {
  const [band, shape, word] = STATES[standing(of)]
  return (
    <>
      <span className="band" data-band={band}>
        <span aria-hidden="true">{shape}</span> {word}
      </span>
      {of.fault !== null && (
        <>
          {" "}
          {faultWords(of.fault.code)} <span className="soft">Tried </span>
          <Moment at={of.fault.at} />
        </>
      )}
      {of.sent_elsewhere && <span className="soft"> Another service sends to it.</span>}
    </>
  )
}

function TestNotice({ of: { name, result } }: { readonly of: Tested }): ReactElement {
  const { fault, event_id: id, duration_ms: ms } = result
  return (
    <Alert
      color={fault === null ? "teal" : "red"}
      title={fault === null ? `${name} took the test` : `${name} did not take the test`}
      role="status"
      my="md"
    >
      <p>
        {fault === null ? (
          <>
            Look there for <code>{id}</code>. It took {count.format(ms)} ms.
          </>
        ) : (
          <>{faultWords(fault)} Nothing else changed, and no event is lost by it.</>
        )}
      </p>
    </Alert>
  )
}
