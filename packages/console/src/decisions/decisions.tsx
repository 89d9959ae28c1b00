import type { DecisionList } from "@assay/client"
import { Alert, Button, Group, TextInput } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { ReactElement } from "react"
import { Link, useLocation, useRoute, useSearchParams } from "wouter"
import { bandOf } from "@assay/core/score"
import { listOf } from "../decision/decision-address.ts"
import { DecisionLink } from "../decision/decision-link.tsx"
import { DecisionPanel } from "../decision/decision-panel.tsx"
import { actionWords, Band } from "../ui/band.tsx"
import { sending, textIn } from "../ui/form.ts"
import { isAnalyst, service, useSession } from "../ui/service.ts"
import { Answer, Empty, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { subjectWords } from "../ui/words.ts"
import { Views } from "../ui/views.tsx"
import "./decisions.css"
import { FilterBar } from "./filter-bar.tsx"
import { asked, filterIn, filterOf, FILTERS, viewOf } from "./filter.ts"
import { identityOf, seek, useSought } from "./sought.ts"

const PAGE = 50
const PATH = "/console/decisions"
/** In an address: somebody is looked for, and who it is has to be typed. */
const ABOUT = "about"

/** Past decisions, the newest first; each opens beside the list, at an address of its own. */
export default function Decisions(): ReactElement {
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const [, opened] = useRoute<{ id: string }>(`${PATH}/:id`)
  const { data: session } = useSession()
  const typed = useSought()
  const filter = filterIn(search)
  const before = search.get("before")
  const isAbout = search.has(ABOUT)
  const sought = isAbout ? typed : null
  const isForgotten = isAbout && typed === null
  const decisions = useQuery({
    queryKey: ["decisions", filter, before, sought],
    queryFn: ({ signal }) => {
      const wanted = { ...asked(filter), limit: PAGE, ...(before !== null && { before }) }
      if (sought === null) return service.listDecisions({ ...wanted, signal })
      const { subject: _kind, ...others } = wanted
      return service.searchDecisions({ ...others, ...identityOf(sought) }, { signal })
    },
    enabled: !isForgotten,
    placeholderData: keepPreviousData,
  })
  /** Another list begins with its first page. */
  const change = (name: string, value: string): void =>
    setSearch((now) => {
      const next = new URLSearchParams(now)
      next.delete("before")
      if (value === "") next.delete(name)
      else next.set(name, value)
      return next
    })
  const lookFor = (identity: string | null): void => {
    seek(identity)
    change(ABOUT, identity === null ? "" : "somebody")
  }
  const clear = (): void => {
    seek(null)
    setSearch(new URLSearchParams())
  }
  return (
    <>
      <PageHead title="Decisions">
        <Group gap="xs">
          <Views
            name="decision-views"
            calls={service.decisionViews}
            all="All decisions"
            filter={viewOf(filter)}
            apply={(saved) => setSearch(new URLSearchParams(filterOf(saved)))}
            maySave={isAnalyst(session)}
          />
          <form
            onSubmit={sending((form) =>
              go(`${PATH}/${textIn(form, "id").trim()}${listOf(search)}`),
            )}
          >
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
        </Group>
      </PageHead>
      <FilterBar filter={filter} change={change} clear={clear} sought={sought} seek={lookFor} />
      {isForgotten ? (
        <Alert title="Type the address or number again" role="status" my="md">
          <p>
            This list was about one address or number. It was kept in the tab alone and is gone, as
            it is after every reload.
          </p>
          <Button size="xs" variant="default" onClick={() => lookFor(null)}>
            Show all decisions
          </Button>
        </Alert>
      ) : (
        <Answer of={decisions}>
          {({ decisions: page }) => (
            <>
              {page.length === 0 && (
                <Nothing
                  isNarrowed={FILTERS.some((name) => filter[name] !== undefined) || sought !== null}
                  isFirst={before === null}
                  clear={clear}
                />
              )}
              {page.length > 0 && <DecisionTable decisions={page} opened={opened?.id ?? null} />}
              <Group mt="md" gap="xs">
                {before !== null && (
                  <Button variant="default" onClick={() => change("before", "")}>
                    Newest
                  </Button>
                )}
                {page.length === PAGE && (
                  <Button
                    variant="default"
                    loading={decisions.isPlaceholderData}
                    onClick={() =>
                      setSearch((now) => {
                        const next = new URLSearchParams(now)
                        next.set("before", page.at(-1)?.id ?? "")
                        return next
                      })
                    }
                  >
                    Older
                  </Button>
                )}
              </Group>
            </>
          )}
        </Answer>
      )}
      <DecisionPanel path={PATH} id={opened?.id ?? null} />
    </>
  )
}

function Nothing(props: {
  readonly isNarrowed: boolean
  readonly isFirst: boolean
  readonly clear: () => void
}): ReactElement {
  if (props.isNarrowed)
    return (
      <Empty
        action={
          <Button variant="default" onClick={props.clear}>
            Clear all filters
          </Button>
        }
      >
        {props.isFirst
          ? "No decision passes these filters."
          : "No older decision passes these filters."}
      </Empty>
    )
  if (!props.isFirst) return <Empty>There is no older decision.</Empty>
  return (
    <Empty action={<Link href="/console/playground">Score something</Link>}>
      No decision was recorded yet. Every score is one.
    </Empty>
  )
}

function DecisionTable(props: DecisionList & { readonly opened: string | null }): ReactElement {
  return (
    <Table
      label="Decisions"
      columns={["When", "Kind", "#Score", "Band", "Stage", "Action", "Decision"]}
      opens
    >
      {props.decisions.map((decision) => (
        <tr key={decision.id} aria-current={decision.id === props.opened ? "true" : undefined}>
          <td>
            <Moment at={decision.decided_at} />
          </td>
          <td>{subjectWords(decision.subject)}</td>
          <td className="number">{decision.risk_score}</td>
          <td>
            <Band name={bandOf(decision.risk_score)} />
          </td>
          <td>{decision.threat_stage ?? ""}</td>
          <td>{actionWords(decision.recommended_action)}</td>
          <td>
            <DecisionLink path={PATH} id={decision.id}>
              <code>{decision.id}</code>
            </DecisionLink>
          </td>
        </tr>
      ))}
    </Table>
  )
}
