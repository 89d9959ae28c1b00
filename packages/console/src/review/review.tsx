import type { Review, ReviewOutcome } from "@assay/client"
import { BANDS_OF_REVIEW, STAGES_OF_REVIEW } from "./choices.ts"
import { Button, Checkbox, Group, NativeSelect } from "@mantine/core"
import { useHotkeys } from "@mantine/hooks"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type ReactElement, useEffect, useRef, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { Actor } from "../ui/actor.tsx"
import { actionWords, Band } from "../ui/band.tsx"
import { useChange } from "../ui/change.ts"
import { reasonWords } from "../ui/reason-words.ts"
import { service, useSession } from "../ui/service.ts"
import { Empty, Failure, Loading, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Table } from "../ui/table.tsx"
import { outcomeWords } from "../ui/words.ts"
import { Views } from "./views.tsx"

const PAGE = 50
const FILTERS = ["state", "band", "stage", "action", "assignee"] as const

const OUTCOMES: readonly [key: string, outcome: ReviewOutcome, words: string][] = [
  ["f", "confirmed_fraud", "Confirm fraud"],
  ["g", "genuine", "Genuine"],
  ["c", "cannot_tell", "Cannot tell"],
]

/** The queue of decisions that wait for an analyst, for hands that stay on the keyboard. */
export default function ReviewPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
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
  const mayDecide = session?.roles.some((role) => role === "owner" || role === "analyst") === true
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
      <Queue reviews={reviews} mayDecide={mayDecide} isDecided={filter["state"] === "decided"} />
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
        No decision in the queue is like this.
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
  /** Whether these are decided already, to be taken back. */
  readonly isDecided: boolean
}): ReactElement {
  const { reviews, mayDecide, isDecided } = props
  const [place, setPlace] = useState(0)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<readonly string[]>([])
  const [, go] = useLocation()
  const marked = useRef<HTMLTableRowElement>(null)
  // The keys walk beyond the edge of the screen.
  useEffect(() => {
    if (place > 0) marked.current?.scrollIntoView({ block: "nearest" })
  }, [place])
  const current = reviews[Math.min(place, reviews.length - 1)]
  // What a filter has taken from the list since is not meant.
  const chosen = reviews.filter(({ id }) => picked.has(id)).map(({ id }) => id)
  const meant = (): readonly string[] =>
    chosen.length > 0 ? chosen : current === undefined ? [] : [current.id]
  const decide = useChange(async (outcome: ReviewOutcome) => {
    const done: string[] = []
    try {
      for (const id of meant()) {
        await service.review.decide(id, { outcome })
        done.push(id)
      }
      setPicked(new Set())
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
  const step = (by: number): void =>
    setPlace((before) => Math.max(0, Math.min(reviews.length - 1, before + by)))
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
    ["o", () => current !== undefined && go(pathOf(current))],
    ["x", ifMay(() => current !== undefined && pick(current.id))],
    ["a", ifMay(() => !isDecided && take.mutate(undefined))],
    ["u", ifMay(() => undo.mutate(undefined))],
    ...OUTCOMES.map(
      ([key, outcome]) =>
        [key, ifMay(() => !isDecided && decide.mutate(outcome))] as [string, () => void],
    ),
  ])
  const failed = decide.error ?? undo.error ?? take.error
  const several = chosen.length > 0 ? ` ${chosen.length}` : ""
  const hasRows = reviews.length > 0
  return (
    <>
      {mayDecide && (
        <Group mb="sm" gap="xs">
          {hasRows && !isDecided && (
            <>
              {OUTCOMES.map(([key, outcome, words]) => (
                <Button
                  key={outcome}
                  size="compact-md"
                  variant="default"
                  loading={decide.isPending && decide.variables === outcome}
                  onClick={() => decide.mutate(outcome)}
                >
                  {words}
                  {several}&nbsp;<kbd>{key}</kbd>
                </Button>
              ))}
              <Button size="compact-md" variant="default" onClick={() => take.mutate(undefined)}>
                Assign to me{several}&nbsp;<kbd>a</kbd>
              </Button>
            </>
          )}
          {hasRows && isDecided && (
            <Button size="compact-md" variant="default" onClick={() => undo.mutate(undefined)}>
              Take back{several}&nbsp;<kbd>u</kbd>
            </Button>
          )}
          {last.length > 0 && !isDecided && (
            <Button size="compact-md" variant="default" onClick={() => undo.mutate(undefined)}>
              Undo {last.length === 1 ? "the last" : `the last ${last.length}`}&nbsp;<kbd>u</kbd>
            </Button>
          )}
          {hasRows && (
            <span className="soft">
              <kbd>j</kbd> next, <kbd>k</kbd> back, <kbd>o</kbd> open, <kbd>x</kbd> pick
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
      {current !== undefined && (
        <p className="visually-hidden" aria-live="polite">
          {place > 0 &&
            `${reviews.indexOf(current) + 1} of ${reviews.length}: score ${current.risk_score}, ${current.ref ?? current.id}`}
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
              <td>{review.reasons.slice(0, 3).map(reasonWords).join(", ")}</td>
              <td>
                <Link href={pathOf(review)}>
                  {review.ref ?? <code title={review.id}>{shortId(review.id)}</code>}
                </Link>
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

const pathOf = ({ id }: Review): string => `/console/decisions/${id}`
