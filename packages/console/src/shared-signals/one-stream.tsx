import type { SharedSignalsStream } from "@assay/client"
import { Alert, Button, Group } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useLocation } from "wouter"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { faultWords, methodWords, statusMeanings, statusWords } from "./words.ts"

const PATH = "/console/shared-signals"
const count = new Intl.NumberFormat()

/** One stream: how it stands, and what can be done about it. */
export function OneStream({ id }: { readonly id: string }): ReactElement {
  const stream = useQuery({
    queryKey: ["shared-signals", id],
    queryFn: ({ signal }) => service.sharedSignals.get(id, { signal }),
    refetchInterval: 5_000,
  })
  return (
    <>
      <PageHead title="Stream">
        <Link href={PATH}>All streams</Link>
      </PageHead>
      <Answer of={stream}>
        {(found) => (
          <>
            {found.last_fault !== null && <FaultNotice of={found} />}
            <About of={found} />
            <Acts of={found} />
          </>
        )}
      </Answer>
    </>
  )
}

function FaultNotice({ of }: { readonly of: SharedSignalsStream }): ReactElement {
  return (
    <Alert color="red" title="The last attempt failed" role="status" mb="md">
      <p>
        <span className="capital">{faultWords(of.last_fault?.code ?? "")}</span>,{" "}
        <Moment at={of.last_fault?.at ?? ""} />.
        {of.next_attempt_at !== null && (
          <>
            {" "}
            It is tried again <Moment at={of.next_attempt_at} />.
          </>
        )}
      </p>
    </Alert>
  )
}

function About({ of }: { readonly of: SharedSignalsStream }): ReactElement {
  const { verification } = of
  return (
    <dl className="facts">
      {of.description !== "" && (
        <>
          <dt>Note</dt>
          <dd>{of.description}</dd>
        </>
      )}
      <dt>State</dt>
      <dd>
        {statusWords[of.status]}. {statusMeanings[of.status]}
        {of.reason !== null && ` ${of.reason}`}
      </dd>
      <dt>Tokens</dt>
      <dd>
        {methodWords[of.method]}
        {of.dialect === "okta" && ", as Okta has it"}
      </dd>
      {of.url !== null && (
        <>
          <dt>URL</dt>
          <dd className="url">{of.url}</dd>
        </>
      )}
      <dt>For</dt>
      <dd className="url">{of.audience.join(", ")}</dd>
      <dt>Names somebody by</dt>
      <dd>
        {of.subject_format === "opaque"
          ? "your name of the watch item"
          : `${of.subject_issuer ?? "your issuer"} and your name of the watch item`}
      </dd>
      <dt>Events</dt>
      <dd>{of.events.join(", ")}</dd>
      <dt>Waiting</dt>
      <dd>
        {count.format(of.behind)}
        {of.oldest_waiting_at !== null && (
          <>
            {" "}
            since <Moment at={of.oldest_waiting_at} />
          </>
        )}
      </dd>
      <dt>Last took</dt>
      <dd>{of.last_taken_at === null ? "Never" : <Moment at={of.last_taken_at} />}</dd>
      <dt>Verification</dt>
      <dd>
        {verification === null ? (
          "Never asked for"
        ) : verification.taken_at === null ? (
          <>
            Sent <Moment at={verification.asked_at} />, and not taken yet
          </>
        ) : (
          <>
            Taken <Moment at={verification.taken_at} />
          </>
        )}
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{of.id}</code>
      </dd>
    </dl>
  )
}

/** Verifies, holds, ends and deletes. */
function Acts({ of }: { readonly of: SharedSignalsStream }): ReactElement {
  const [, go] = useLocation()
  const verify = useChange(() => service.sharedSignals.verify(of.id), "shared-signals")
  const change = useChange(
    (status: SharedSignalsStream["status"]) => service.sharedSignals.change(of.id, { status }),
    "shared-signals",
  )
  const remove = useChange(async () => {
    await service.sharedSignals.delete(of.id)
    go(PATH)
  }, "shared-signals")
  const failed = verify.error ?? change.error
  const others = (["enabled", "paused", "disabled"] as const).filter((each) => each !== of.status)
  return (
    <>
      <Group my="md">
        <Button loading={verify.isPending} onClick={() => verify.mutate(undefined)}>
          Verify
        </Button>
        {others.map((status) => (
          <Button
            key={status}
            variant="default"
            title={statusMeanings[status]}
            loading={change.isPending && change.variables === status}
            onClick={() => change.mutate(status)}
          >
            {ACTS[status]}
          </Button>
        ))}
        <ConfirmedButton
          label="Delete stream"
          name={of.id}
          act={() => remove.mutateAsync(undefined)}
        >
          <p>
            The receiver is told nothing any more, and what it has not taken is not kept for it.
            This cannot be undone.
          </p>
        </ConfirmedButton>
      </Group>
      {verify.data !== undefined && of.verification?.taken_at == null && (
        <Alert color="teal" title="A verification is on its way" role="status" my="md">
          <p>
            {of.method === "push"
              ? "This page says when the receiver has taken it."
              : "It is there when the receiver next fetches tokens; this page says when it has."}
          </p>
        </Alert>
      )}
      {failed !== null && <Failure error={failed} />}
    </>
  )
}

const ACTS = {
  enabled: "Enable stream",
  paused: "Pause stream",
  disabled: "Disable stream",
} as const
