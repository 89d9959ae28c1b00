import type { Review, ReviewOutcome } from "@assay/client"
import { BANDS_OF_REVIEW, STAGES_OF_REVIEW } from "./choices.ts"
import { Button, Checkbox, Group, NativeSelect } from "@mantine/core"
import { useHotkeys } from "@mantine/hooks"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type ReactElement, useEffect, useRef, useState } from "react"
import { Link, useLocation, useRoute, useSearchParams } from "wouter"
import { listOf } from "../decision/decision-address.ts"
import { DecisionLink } from "../decision/decision-link.tsx"
import { DecisionPanel } from "../decision/decision-panel.tsx"
import { Actor } from "../ui/actor.tsx"
import { actionWords, Band } from "../ui/band.tsx"
import { useChange } from "../ui/change.ts"
import { reasonWords } from "../ui/reason-words.ts"
import { isAnalyst, service, useSession } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { Views } from "../ui/views.tsx"
import { outcomeWords } from "../ui/words.ts"

const PAGE = 50
const PATH = "/console/review"
const FILTERS = ["state", "band", "stage", "action", "assignee"] as const

const OUTCOMES: readonly [key: string, outcome: ReviewOutcome, words: string][] = [
  ["f", "confirmed_fraud", "Confirm fraud"],
  ["g", "genuine", "Genuine"],
  ["c", "cannot_tell", "Cannot tell"],
]

/** The queue of decisions that wait for an analyst, for hands that stay on the keyboard. */
export default function ReviewPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const [, route] = useRoute<{ id: string }>(`${PATH}/:id`)
  const opened = route?.id ?? null
  const { data: session } = useSession()
  const filter = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = search.get(name)
      return value === null || value === "" ? [] : [[name, value]]
    }),
  )
  const queue = useInfiniteQuery({
    queryKey: ["review", filter],
    queryFn: ({ signal, pageParam }) =>
      service.review.list(
        { ...filter, limit: String(PAGE), ...(pageParam !== null && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ reviews }) => (reviews.length < PAGE ? null : reviews.at(-1)?.id),
  })
  const reviews = queue.data?.pages.flatMap((page) => page.reviews) ?? []
  const mayDecide = isAnalyst(session)
  const change = (name: string, value: string): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (value === "") next.delete(name)
      else next.set(name, value)
      return next
    })
  return (
    <>
      <PageHead title="Review">
        <Views
          name="review-views"
          calls={service.review.views}
          all="All that wait"
          filter={filter}
          apply={(saved) => setSearch(new URLSearchParams(saved))}
          maySave={mayDecide}
        />
      </PageHead>
      <Group mb="md" align="flex-end">
        <NativeSelect
          label="State"
          value={filter["state"] ?? "waiting"}
          data={[
            { value: "waiting", label: "Waiting" },
            { value: "decided", label: "Decided" },
          ]}
          onChange={(event) => change("state", event.currentTarget.value)}
        />
        <NativeSelect
          label="Band"
          value={filter["band"] ?? ""}
          data={BANDS_OF_REVIEW}
          onChange={(event) => change("band", event.currentTarget.value)}
        />
        <NativeSelect
          label="Stage"
          value={filter["stage"] ?? ""}
          data={STAGES_OF_REVIEW}
          onChange={(event) => change("stage", event.currentTarget.value)}
        />
        <NativeSelect
          label="Action"
          value={filter["action"] ?? ""}
          data={[
            { value: "", label: "Any" },
            { value: "review", label: actionWords("review") },
            { value: "block", label: actionWords("block") },
          ]}
          onChange={(event) => change("action", event.currentTarget.value)}
        />
        <NativeSelect
          label="Works on it"
          value={filter["assignee"] ?? ""}
          data={[
            { value: "", label: "Anybody" },
            { value: "me", label: "Me" },
            { value: "nobody", label: "Nobody yet" },
          ]}
          onChange={(event) => change("assignee", event.currentTarget.value)}
        />
      </Group>
      {queue.error !== null && <Failure error={queue.error} retry={() => void queue.refetch()} />}
      {queue.isPending && <Loading />}
      {/* Also where nothing is left: what was decided last can be taken back. */}
      <Queue
        reviews={reviews}
        mayDecide={mayDecide}
        opened={opened}
        isDecided={filter["state"] === "decided"}
      />
      {queue.isSuccess && reviews.length === 0 && (
        <Nothing isNarrowed={Object.keys(filter).length > 0} />
      )}
      {queue.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void queue.fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  )
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }): ReactElement {
  if (isNarrowed)
    return (
      <Empty action={<Link href="/console/review">Show all that wait</Link>}>
        No decision in the queue matches these filters.
      </Empty>
    )
  return (
    <Empty action={<Link href="/console/decisions">See all decisions</Link>}>
      Nothing waits for you. What the policy sends to review or blocks comes here by itself;{" "}
      <Link href="/console/policy">see the policy</Link>.
    </Empty>
  )
}

function Queue(props: {
  readonly reviews: readonly Review[]
  readonly mayDecide: boolean
  /** The one that is open beside the list, which may have left it. */
  readonly opened: string | null
  /** Whether these are decided already, to be taken back. */
  readonly isDecided: boolean
}): ReactElement {
  const { reviews, mayDecide, opened, isDecided } = props
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const placeOf = (id: string | null): number => reviews.findIndex((review) => review.id === id)
  const [place, setPlace] = useState(() => Math.max(0, placeOf(opened)))
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<readonly string[]>([])
  // Keys act on what a person looks at: on the one that is open, and on none that is out of sight.
  const at = opened === null ? Math.min(place, reviews.length - 1) : placeOf(opened)
  // The mark stays where the panel was when it is closed.
  if (opened !== null && at !== -1 && at !== place) setPlace(at)
  const marked = useRef<HTMLTableRowElement>(null)
  // The keys walk beyond the edge of the screen.
  useEffect(() => {
    if (place > 0) marked.current?.scrollIntoView({ block: "nearest" })
  }, [place])
  const current = reviews[at]
  // What a filter has taken from the list since is not meant.
  const chosen =
    opened === null ? reviews.filter(({ id }) => picked.has(id)).map(({ id }) => id) : []
  const isSeveral = chosen.length > 0
  const meant = (): readonly string[] =>
    isSeveral ? chosen : current === undefined ? [] : [current.id]
  const show = (review: Review | undefined, options?: { replace: boolean }): void =>
    go(`${review === undefined ? PATH : `${PATH}/${review.id}`}${listOf(search)}`, options)
  const decide = useChange(async (outcome: ReviewOutcome) => {
    const done: string[] = []
    const next = reviews[at + 1] ?? reviews[at - 1]
    try {
      for (const id of meant()) {
        await service.review.decide(id, { outcome })
        done.push(id)
      }
      if (isSeveral) setPicked(new Set())
      // Unless it was closed in the meantime.
      if (location.pathname === `${PATH}/${opened}`) show(next, { replace: true })
    } finally {
      // Of several, those before one that was refused can be taken back.
      setLast(done)
    }
  }, "review")
  const undo = useChange(async () => {
    for (const id of isDecided ? meant() : last) await service.review.undo(id)
    setPicked(new Set())
    setLast([])
  }, "review")
  const take = useChange(async () => {
    for (const id of meant()) await service.review.assign(id, { assignee: "me" })
  }, "review")
  const step = (by: number): void => {
    if (current === undefined) return
    const next = Math.max(0, Math.min(reviews.length - 1, at + by))
    setPlace(next)
    if (opened !== null) show(reviews[next], { replace: true })
  }
  const pick = (id: string): void =>
    setPicked((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const ifMay = (act: () => void) => () => {
    if (mayDecide) act()
  }
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
    ["o", () => show(opened === null ? current : undefined)],
    ["x", ifMay(() => current !== undefined && opened === null && pick(current.id))],
    ["a", ifMay(() => !isDecided && take.mutate(undefined))],
    ["u", ifMay(() => undo.mutate(undefined))],
    ...OUTCOMES.map(
      ([key, outcome]) =>
        [key, ifMay(() => !isDecided && decide.mutate(outcome))] as [string, () => void],
    ),
  ])
  const failed = decide.error ?? undo.error ?? take.error
  const several = isSeveral ? ` ${chosen.length}` : ""
  const hasRows = reviews.length > 0
  const tools = (
    <>
      {mayDecide && (opened === null || current !== undefined) && (
        <Group mb="sm" gap="xs">
          {hasRows && !isDecided && (
            <>
              {OUTCOMES.map(([key, outcome, words]) => (
                <Button
                  key={outcome}
                  size="compact-md"
                  fz="sm"
                  variant="default"
                  loading={decide.isPending && decide.variables === outcome}
                  onClick={() => decide.mutate(outcome)}
                >
                  {words}
                  {several}
                  <Key of={key} />
                </Button>
              ))}
              <Button
                size="compact-md"
                fz="sm"
                variant="default"
                onClick={() => take.mutate(undefined)}
              >
                Assign to me{several}
                <Key of="a" />
              </Button>
            </>
          )}
          {hasRows && isDecided && (
            <Button
              size="compact-md"
              fz="sm"
              variant="default"
              onClick={() => undo.mutate(undefined)}
            >
              Take back{several}
              <Key of="u" />
            </Button>
          )}
          {last.length > 0 && !isDecided && (
            <Button
              size="compact-md"
              fz="sm"
              variant="default"
              onClick={() => undo.mutate(undefined)}
            >
              Undo {last.length === 1 ? "the last" : `the last ${last.length}`}
              <Key of="u" />
            </Button>
          )}
          {hasRows && (
            <span className="soft key-hint">
              <kbd>j</kbd> next, <kbd>k</kbd> back,{" "}
              {opened === null ? (
                <>
                  <kbd>o</kbd> open, <kbd>x</kbd> pick
                </>
              ) : (
                <>
                  <kbd>Esc</kbd> close
                </>
              )}
            </span>
          )}
        </Group>
      )}
      {failed !== null && (
        <Failure
          error={failed}
          {...(chosen.length > 1 && {
            kept: "Those before it were changed, and the rest was not.",
          })}
        />
      )}
    </>
  )
  return (
    <>
      {opened === null && tools}
      <DecisionPanel path={PATH} id={opened}>
        {opened !== null && tools}
      </DecisionPanel>
      {current !== undefined && (
        <p className="visually-hidden" aria-live="polite">
          {place > 0 &&
            `${at + 1} of ${reviews.length}: score ${current.risk_score}, ${current.ref ?? current.id}`}
        </p>
      )}
      {hasRows && (
        <Table
          label="Reviews"
          columns={[
            ...(mayDecide ? ["Pick"] : []),
            "When",
            "#Score",
            "Band",
            "Stage",
            "Action",
            "Reasons",
            "Case",
            "Works on it",
            "Outcome",
          ]}
        >
          {reviews.map((review, row) => (
            <tr
              key={review.id}
              ref={review.id === current?.id ? marked : undefined}
              aria-current={review.id === current?.id}
              onClick={() => setPlace(row)}
            >
              {mayDecide && (
                <td>
                  <Checkbox
                    aria-label={`Pick ${review.ref ?? review.id}`}
                    checked={picked.has(review.id)}
                    onChange={() => pick(review.id)}
                  />
                </td>
              )}
              <td>
                <Moment at={review.decided_at} />
              </td>
              <td className="number">{review.risk_score}</td>
              <td>
                <Band name={review.band} />
              </td>
              <td>{review.threat_stage ?? ""}</td>
              <td>{actionWords(review.recommended_action)}</td>
              <td className="wide">{review.reasons.slice(0, 3).map(reasonWords).join(", ")}</td>
              <td>
                <DecisionLink path={PATH} id={review.id}>
                  {review.ref ?? <code title={review.id}>{shortId(review.id)}</code>}
                </DecisionLink>
              </td>
              <td>{review.assignee !== null && <Actor of={review.assignee} />}</td>
              <td>
                {review.outcome !== null && outcomeWords(review.outcome)}
                {review.note !== null && <div className="soft">{review.note}</div>}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

/** The end of an id, which tells it from others of the same minute. */
const shortId = (id: string): string => `dec_…${id.slice(-8)}`

/** The key that does the same; a phone has none. */
function Key({ of }: { readonly of: string }): ReactElement {
  return (
    <span className="key-hint">
      &nbsp;<kbd>{of}</kbd>
    </span>
  )
}
