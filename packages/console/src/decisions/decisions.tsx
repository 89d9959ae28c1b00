import type { DecisionList } from "@assay/client"
import { Button, Group, TextInput } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, Route, Switch, useLocation } from "wouter"
import { bandOf } from "@assay/core/score"
import { actionWords, Band } from "../ui/band.tsx"
import { sending, textIn } from "../ui/form.ts"
import { service } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { DecisionPanel } from "./decision-panel.tsx"

const PAGE = 50
const PATH = "/console/decisions"

/** Past decisions, the newest first; each opens at an address of its own. */
export default function Decisions(): ReactElement {
  return (
    <Switch>
      <Route path={`${PATH}/:id`}>{({ id }) => <DecisionPanel id={id} />}</Route>
      <Route>
        <DecisionPages />
      </Route>
    </Switch>
  )
}

function DecisionPages(): ReactElement {
  const [, go] = useLocation()
  const decisions = useInfiniteQuery({
    queryKey: ["decisions"],
    queryFn: ({ signal, pageParam }) =>
      service.listDecisions({
        signal,
        limit: PAGE,
        ...(pageParam !== null && { before: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ decisions: page }) => (page.length < PAGE ? null : page.at(-1)?.id),
  })
  const all = decisions.data?.pages.flatMap((page) => page.decisions) ?? []
  return (
    <>
      <PageHead title="Decisions">
        <form onSubmit={sending((form) => go(`${PATH}/${textIn(form, "id").trim()}`))}>
          <Group gap="xs">
            <TextInput
              name="id"
              aria-label="Id of a decision"
              placeholder="dec_…"
              pattern="\s*dec_[0-7][0-9a-z]{25}\s*"
              title="dec_ and 26 characters, as X-Decision-Id has it"
              required
            />
            <Button type="submit" variant="default">
              Open
            </Button>
          </Group>
        </form>
      </PageHead>
      {decisions.error !== null && (
        <Failure error={decisions.error} retry={() => void decisions.refetch()} />
      )}
      {decisions.isPending && <Loading />}
      {decisions.isSuccess && all.length === 0 && (
        <Empty action={<Link href="/console/playground">Score something</Link>}>
          No decision was recorded yet. Every score is one.
        </Empty>
      )}
      {all.length > 0 && <DecisionTable decisions={all} />}
      {decisions.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={decisions.isFetchingNextPage}
          onClick={() => void decisions.fetchNextPage()}
        >
          Show older decisions
        </Button>
      )}
    </>
  )
}

function DecisionTable(props: DecisionList): ReactElement {
  return (
    <Table
      label="Decisions"
      columns={["When", "Kind", "#Score", "Band", "Stage", "Action", "Decision"]}
    >
      {props.decisions.map((decision) => (
        <tr key={decision.id}>
          <td>
            <Moment at={decision.decided_at} />
          </td>
          <td>{decision.subject}</td>
          <td className="number">{decision.risk_score}</td>
          <td>
            <Band name={bandOf(decision.risk_score)} />
          </td>
          <td>{decision.threat_stage ?? ""}</td>
          <td>{actionWords(decision.recommended_action)}</td>
          <td>
            <Link href={`${PATH}/${decision.id}`}>
              <code>{decision.id}</code>
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  )
}
