import type { SessionDetails } from "@assay/client"
import { useQuery } from "@tanstack/react-query"
import { queries, useSession } from "../ui/service.ts"
import { type Host, openHost, startHost } from "./host.ts"
import type { Kind, Lost, Order, Work } from "./kinds.ts"
import { marksIn } from "./marks.ts"

const RUNNING_MS = 1_000
/** What ended is kept as long as somebody asks for it. */
const HELD_MS = 20_000

const ofBrowser = marksIn(() => localStorage)
// Work of one tab is no business of the others.
const ofTab = marksIn(() => sessionStorage)
const marksOf = ({ survivesReload }: Host) => (survivesReload ? ofBrowser : ofTab)

const missed = new Set<string>()

interface Listed {
  readonly works: readonly (Work | Lost)[]
  readonly survivesReload: boolean
}

/** Long work of whoever is signed in, from whatever page it was begun. */
export function useWork(): Listed | undefined {
  const { data: session } = useSession()
  return useQuery({
    queryKey: ["work", session?.csrf_token],
    enabled: session != null,
    queryFn: () => listed(signedIn(session)),
    refetchInterval: ({ state: { data } }) => {
      if (data?.works.some(({ state }) => state === "running") === true) return RUNNING_MS
      return data === undefined || data.works.length === 0 ? false : HELD_MS
    },
    // Being asked is what keeps a service worker from being ended.
    refetchIntervalInBackground: true,
  }).data
}

export function useWorkOf<K extends Kind>(
  kind: K,
): Extract<Work, { kind: K }> | (Lost & { kind: K }) | undefined {
  return useWork()?.works.find((each) => each.kind === kind) as never
}

async function listed(session: SessionDetails): Promise<Listed> {
  const host = await openHost()
  const works = await host.ask(session.csrf_token, "list")
  const lost = marksOf(host).lost(works, session)
  // It may be lost because the session is over. That is asked once: asking is using the session.
  const isNew = lost.some(({ id }) => !missed.has(id))
  for (const { id } of lost) missed.add(id)
  if (isNew) void queries.invalidateQueries({ queryKey: ["session"] })
  return { works: [...works, ...lost], survivesReload: host.survivesReload }
}

function signedIn(session: SessionDetails | null | undefined): SessionDetails {
  if (session == null) throw new Error("Nobody is signed in")
  return session
}

const current = (): SessionDetails => signedIn(queries.getQueryData<SessionDetails>(["session"]))
const askAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ["work"] })

export async function beginWork(order: Order): Promise<void> {
  const session = current()
  const host = await startHost()
  const marks = marksOf(host)
  // What ended of its kind is not lost, but makes room.
  marks.removeKind(order.kind)
  marks.set(await host.ask(session.csrf_token, "begin", order), session)
  await askAgain()
}

export async function stopWork(id: string): Promise<void> {
  await (await openHost()).ask(current().csrf_token, "stop", id)
  await askAgain()
}

/** Somebody has seen how it ended, so other pages need not show it. */
export async function seeWork(id: string): Promise<void> {
  const host = await openHost()
  await host.ask(current().csrf_token, "see", id)
  marksOf(host).remove(id)
  await askAgain()
}

export async function discardWork(id: string): Promise<void> {
  const host = await openHost()
  marksOf(host).remove(id)
  await host.ask(current().csrf_token, "discard", id)
  await askAgain()
}

/** The lines that a batch has given so far. */
export async function scoresOf(id: string): Promise<readonly string[]> {
  return await (await openHost()).ask(current().csrf_token, "scores", id)
}

/** Before somebody signs out, or acts elsewhere: what was theirs ends, and is forgotten. */
export async function forgetWork(): Promise<void> {
  for (const marks of [ofBrowser, ofTab]) marks.clear()
  await endWork()
}

/** What was begun in a session that is over ends, and is forgotten. */
export async function endWork(): Promise<void> {
  const session = queries.getQueryData<SessionDetails | null>(["session"])
  try {
    await (await openHost()).ask(session?.csrf_token ?? "", "forget")
  } catch {
    // A worker that does not answer is ended by the browser, with all that it holds.
  }
}
