import { dayOf, monthOf } from "@assay/runtime/time"
import { MalformedBytes } from "../bytes.ts"
import {
  CONTEXT_NAMES,
  type ContextEvent,
  type ContextName,
  type Counters,
  type Lease,
  NAME_BYTES,
  NAMES_BYTES,
  type RateAndQuota,
  type Wanted,
} from "../counters.ts"
import { IndexUnavailable } from "../exposure-index.ts"
import type { Reply } from "./cluster-client.ts"
import type { ClusterConnection } from "./connection.ts"
import {
  admitTag,
  beginDay,
  beginMonth,
  countSignups,
  giveBackLookups,
  setStreams,
  takeLease,
  UNKNOWN,
} from "./counter-scripts.ts"
import type { Layout } from "./layout.ts"
import { run } from "./scripts.ts"

/** Time as tests set it. Without it the nodes of the cluster measure by their own clocks. */
export interface TestClocks {
  readonly now: () => number
  readonly elapsed: () => number
}

export interface ClusterCountersOptions {
  readonly connection: ClusterConnection
  readonly layout: Layout
  /** Of the index: a slot without it lost what it had. */
  readonly mark: Buffer
  /** Differs between any two primaries, also between one and the next on the same machine. */
  readonly node: string
  /** Names days and months. */
  readonly now: () => number
  /** What was counted before, for what the cluster does not know. */
  readonly before: {
    lookups(tenantId: number, month: string): Promise<number>
    identities(tenantId: number, day: string): Promise<readonly Uint8Array[]>
  }
  /** Called with each identity that is new to its day. */
  readonly onAdmitted: (day: string, tenantId: number, tag: Uint8Array) => void
  readonly bounds?: { readonly entriesMax: number; readonly membersMax: number }
  readonly clocks?: TestClocks
}

export interface ClusterCounters {
  of(worker: number): Counters
  forgetWorker(worker: number): Promise<void>
  /** Says of every stream that is open that it is still held. */
  holdOn(): Promise<void>
}

/**
 * How long what a holder has is its own without a word from it. A worker that uses lookups is heard
 * every second, and streams are told again every few.
 */
export const LEASE_MS = 15_000

/** Those of `embedded/velocity.ts`, for each tenant. */
const BOUNDS = { entriesMax: 6_000_000, membersMax: 500 }

/** The windows of sign-ups: the letter each has in the script, and the name that it counts. */
const WINDOWS = [
  { letter: "d", window: "device", member: "mailbox" },
  { letter: "n", window: "network", member: "mailbox" },
  { letter: "c", window: "cluster", member: "mailbox" },
  { letter: "m", window: "mailbox", member: "signup" },
  { letter: "a", window: "account", member: "mailbox" },
] as const satisfies readonly { letter: string; window: ContextName; member: ContextName }[]

const DAY_SECONDS = 86_400
/** More tags than any plan admits in a day, in one script. */
const TAGS_AT_ONCE = 1000
/** Streams that are open are open, however many a plan allows. */
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Counters in the cluster that has the index, for all nodes together. A tenant is counted in the
 * slot of one bucket of the index, so that each question is one round trip to one node:
 *
 *   NAME:{BUCKET}:tTENANT:rate         s, u: when the second began, what is used of it
 *   NAME:{BUCKET}:tTENANT:YYYY-MM      base and what each holder has, see `takeLease`
 *   NAME:{BUCKET}:tTENANT:YYYY-MM-DD   tags of identities
 *   NAME:{BUCKET}:tTENANT:streams      what each holder has
 *   NAME:{BUCKET}:tTENANT:nDAY         entries of the windows of a day
 *   NAME:{BUCKET}:tTENANT:WINDOW       eight bytes: the name of a window, under the key of its day
 *
 * Every one of them ends by itself.
 */
export function clusterCounters(options: ClusterCountersOptions): ClusterCounters {
  const { connection, layout, mark, node, before, onAdmitted, clocks } = options
  const { entriesMax, membersMax } = options.bounds ?? BOUNDS
  const now = clocks?.now ?? options.now
  const elapsed = (): string => (clocks === undefined ? "" : String(clocks.elapsed()))
  const wall = (): string => (clocks === undefined ? "" : String(clocks.now()))
  const keysOf = (tenantId: number): string => {
    // 2^32 divided by the golden ratio: neighbouring tenants land far apart.
    const spread = Math.imul(tenantId, 0x9e3779b1) >>> 0
    const bucket = Math.floor(spread / (2 ** 32 / layout.buckets))
    return `${layout.bucketKey(bucket)}:t${tenantId}:`
  }
  const bucketOf = (keys: string): string => keys.slice(0, keys.indexOf("}") + 1)
  const begun = new Map<string, Promise<void>>()
  /** By worker and tenant, the number of the last grant that reached the worker. */
  const reached = new Map<number, Map<number, number>>()
  const streams = new Map<number, Map<number, number>>()

  /** Callers that find the same day or month unknown bring it from the records together. */
  const once = async (key: string, begin: () => Promise<void>): Promise<void> => {
    const beginning = begun.get(key) ?? begin().finally(() => begun.delete(key))
    begun.set(key, beginning)
    await beginning
  }
  /** What a script answers, after it was told what it did not know. */
  const knowing = async (
    ask: () => Promise<Reply>,
    key: string,
    begin: () => Promise<void>,
  ): Promise<Reply> => {
    const reply = await ask()
    if (reply !== UNKNOWN) return reply
    await once(key, begin)
    const again = await ask()
    if (again === UNKNOWN) throw new IndexUnavailable("What was counted is lost again")
    return again
  }
  const asMonth = async (
    tenantId: number,
    month: string,
    ask: (key: string) => Promise<Reply>,
  ): Promise<Reply> => {
    const key = `${keysOf(tenantId)}${month}`
    return await knowing(
      () => ask(key),
      key,
      async () => {
        const used = await before.lookups(tenantId, month)
        await run(connection, beginMonth, [key], [String(used)])
      },
    )
  }
  const tellStreams = async (
    worker: number,
    tenantId: number,
    count: number,
    most: number,
  ): Promise<boolean> => {
    const args = [elapsed(), `${node}:${worker}`, String(count), String(most), String(LEASE_MS)]
    return (await run(connection, setStreams, [`${keysOf(tenantId)}streams`], args)) === 1
  }

  const of = (worker: number): Counters => {
    const holder = `${node}:${worker}`
    const grants = reached.get(worker) ?? new Map<number, number>()
    reached.set(worker, grants)
    const asking = new Map<number, Promise<unknown>>()
    /**
     * Whoever asks for lookups says which grant was the last, so there is one question at a time.
     */
    const inTurn = async <T>(tenantId: number, work: () => Promise<T>): Promise<T> => {
      const mine = (asking.get(tenantId) ?? Promise.resolve()).then(work, work)
      asking.set(tenantId, mine)
      try {
        return await mine
      } finally {
        if (asking.get(tenantId) === mine) asking.delete(tenantId)
      }
    }
    const takeFrom = async (
      tenantId: number,
      { perSecond, perMonth }: RateAndQuota,
      { requests, lookups }: Wanted,
    ): Promise<Lease> => {
      const month = monthOf(now())
      const rateKey = `${keysOf(tenantId)}rate`
      const reply = await asMonth(tenantId, month, (key) => {
        const last = grants.get(tenantId) ?? 0
        const numbers = [perSecond, perMonth, requests, lookups, last, LEASE_MS].map(String)
        return run(connection, takeLease, [rateKey, key], [elapsed(), holder, ...numbers])
      })
      const [forRequests, forLookups, windowEndsInMs, rateLeft, quotaLeft, grant] = six(reply)
      if (lookups > 0) grants.set(tenantId, grant)
      const left = { windowEndsInMs, month, rateLeft, quotaLeft }
      return { requests: forRequests, lookups: forLookups, ...left }
    }
    const held = streams.get(worker) ?? new Map<number, number>()
    streams.set(worker, held)
    return {
      clock: async () => now(),

      lease: (tenantId, limits, wanted) =>
        wanted.lookups === 0
          ? takeFrom(tenantId, limits, wanted)
          : inTurn(tenantId, () => takeFrom(tenantId, limits, wanted)),

      async giveBack(tenantId, month, lookups) {
        await inTurn(tenantId, async () => {
          const last = grants.get(tenantId) ?? 0
          const args = [elapsed(), holder, String(lookups), String(last)]
          await run(connection, giveBackLookups, [`${keysOf(tenantId)}${month}`], args)
        })
      },

      async admitIdentity(tenantId, tag, most) {
        const day = dayOf(now())
        const key = `${keysOf(tenantId)}${day}`
        const args = [Buffer.from(tag), String(most)]
        const reply = await knowing(
          () => run(connection, admitTag, [key], args),
          key,
          async () => {
            const tags = (await before.identities(tenantId, day)).map((each) => Buffer.from(each))
            for (let from = 0; from === 0 || from < tags.length; from += TAGS_AT_ONCE)
              await run(connection, beginDay, [key], tags.slice(from, from + TAGS_AT_ONCE))
          },
        )
        if (Array.isArray(reply)) return reply.map((each) => Uint8Array.from(each as Buffer))
        if (reply === 2) onAdmitted(day, tenantId, tag)
        return true
      },

      async holdStreams(tenantId, count, most) {
        const had = held.get(tenantId) ?? 0
        // Before it is told: what `holdOn` tells meanwhile must not be older.
        held.set(tenantId, count)
        const isHeld = await tellStreams(worker, tenantId, count, most)
        if (!isHeld) held.set(tenantId, had)
        if (held.get(tenantId) === 0) held.delete(tenantId)
        return isHeld
      },

      async velocity(event) {
        const { tenantId, atSeconds, isRecorded } = event
        const keys = keysOf(tenantId)
        const day = Math.floor(atSeconds / DAY_SECONDS)
        const windows = WINDOWS.filter(({ window }) => isGiven(event, window))
        const named = (window: ContextName, daysBefore: 0 | 1): Buffer =>
          Buffer.concat([Buffer.from(keys), nameOf(event, window, daysBefore)])
        const reply = await run(
          connection,
          countSignups,
          [
            bucketOf(keys),
            `${keys}n${day}`,
            `${keys}n${day - 1}`,
            ...windows.flatMap(({ window }) => [named(window, 0), named(window, 1)]),
          ],
          [
            wall(),
            mark,
            String(atSeconds),
            isRecorded ? "1" : "0",
            String(membersMax),
            String(entriesMax),
            ...windows.flatMap(({ letter, member }) => [
              letter,
              nameOf(event, member, 0).subarray(0, 4),
              nameOf(event, member, 1).subarray(0, 4),
            ]),
          ],
        )
        if (reply === -1) throw new IndexUnavailable("A part of the index is lost")
        const [device, network, cluster, mailbox, first, dropped] = six(reply)
        return {
          device: orNull(device),
          network: orNull(network),
          cluster: orNull(cluster),
          mailbox,
          firstSignupSeconds: orNull(first),
          dropped,
        }
      },
    }
  }

  return {
    of,
    async forgetWorker(worker) {
      reached.delete(worker)
      const held = [...(streams.get(worker) ?? [])]
      streams.delete(worker)
      await Promise.all(held.map(([tenantId]) => tellStreams(worker, tenantId, 0, ALL)))
    },
    async holdOn() {
      const all = [...streams].flatMap(([worker, held]) =>
        [...held].map(([tenantId, count]) => tellStreams(worker, tenantId, count, ALL)),
      )
      await Promise.all(all)
    },
  }
}

/** Eight bytes of a name under the key of the event's day (0) or of the day before (1). */
function nameOf({ names }: ContextEvent, name: ContextName, daysBefore: 0 | 1): Buffer {
  const at = daysBefore * NAMES_BYTES + CONTEXT_NAMES.indexOf(name) * NAME_BYTES
  return Buffer.from(names.subarray(at, at + NAME_BYTES))
}

function isGiven(event: ContextEvent, name: ContextName): boolean {
  return nameOf(event, name, 0).some((byte) => byte !== 0)
}

const orNull = (value: number): number | null => (value === -1 ? null : value)

type Six = [number, number, number, number, number, number]

function six(reply: Reply): Six {
  if (!Array.isArray(reply) || reply.length !== 6 || !reply.every(Number.isSafeInteger))
    throw new MalformedBytes("a reply of another shape")
  return reply as Six
}
