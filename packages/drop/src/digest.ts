import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Digest, Drops } from "./store/drops.ts"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { Explained } from "@assay/runtime/explained"
import type { DropConfig } from "./drop-config.ts"

/** How often it is looked at the clock. */
const LOOK_MS = 30_000
/**
 * A digest that could not be sent is tried again at fixed times of its hour, so that the time it
 * went reveals nothing.
 */
const TRIES = 4
const TRY_MS = HOUR_MS / TRIES
const SEND_MS = 60_000
/** All that the command gets of this process. */
const COMMAND_ENVIRONMENT = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
} as const

/**
 * Why a digest did not reach its recipients, as a code for the log: without addresses and answers.
 */
type DigestFault = "digest-webhook" | "digest-command" | "digest-event"

interface DigestOptions {
  readonly config: Pick<DropConfig, "digest" | "name">
  readonly drops: Pick<Drops, "digest" | "digestSent">
  readonly version: string
  /** Has the service make an event of it, dated by the hour it is due. */
  readonly tell: (digest: DigestNews) => Promise<void>
  readonly now: () => number
  readonly onFault: (error: unknown) => void
}

/** What the service learns of a day: of the same size every day. */
export interface DigestNews {
  readonly atMs: number
  readonly newMessages: "none" | "some"
  readonly wentUnread: string
}

/** A day's digest that has not reached everybody yet. */
interface Pending {
  readonly day: number
  readonly made: MadeDigest
  waiting: readonly Way[]
}

interface MadeDigest {
  readonly text: DigestText
  readonly news: DigestNews
}

interface Way {
  readonly fault: DigestFault
  /** Whether it arrived; not, where `ending` ended it. */
  send(digest: MadeDigest, ending: AbortSignal): Promise<boolean>
}

/**
 * Sends the digest every day in the same hour (UTC), whether or not messages came. An hour missed
 * while nothing ran is not made up for: the next day's digest includes its counts. Once a digest
 * reached one of its recipients, a restart does not send it again.
 */
export function keepDigest({ config, drops, version, tell, now, onFault }: DigestOptions): {
  lookNow(): Promise<void>
  stop(): Promise<void>
} {
  const { hour, url, command } = config.digest
  const told = eventOfService(tell)
  const chosen: Way[] = [
    ...(url === null ? [] : [webhook(url, version)]),
    ...(command === null ? [] : [localCommand(command)]),
  ]
  // An event is nearly always stored. Where the operator chose another way, that one decides
  // whether the counts reached anybody.
  const reaches = chosen.length === 0 ? [told] : chosen
  const ending = new AbortController()
  let pending: Pending | null = null
  let tried = -1

  const look = async (): Promise<void> => {
    const at = now()
    const day = Math.floor(at / DAY_MS)
    const thisTry = Math.floor(at / TRY_MS)
    if (Math.floor((at % DAY_MS) / HOUR_MS) !== hour || thisTry === tried) return
    tried = thisTry
    if (pending?.day !== day) {
      const digest = await drops.digest(day)
      const made = digest && {
        text: digestText(digest, config.name),
        news: digestNews(digest, day * DAY_MS + hour * HOUR_MS),
      }
      pending = made && { day, made, waiting: [...chosen, told] }
    }
    if (pending !== null) await send(pending)
  }

  const send = async (digest: Pending): Promise<void> => {
    const outcomes = await Promise.all(
      digest.waiting.map(async (way) => ({
        way,
        sent: await way.send(digest.made, ending.signal),
      })),
    )
    if (outcomes.some(({ way, sent }) => sent && reaches.includes(way)))
      await drops.digestSent(digest.day)
    digest.waiting = outcomes.filter(({ sent }) => !sent).map(({ way }) => way)
    for (const { fault } of digest.waiting)
      onFault(new Explained(fault, "The daily digest could not be sent"))
  }

  let looking: Promise<void> = Promise.resolve()
  const lookNow = (): Promise<void> => (looking = looking.then(look).catch(onFault))
  const timer = setInterval(() => void lookNow(), LOOK_MS)
  return {
    lookNow,
    async stop() {
      clearInterval(timer)
      ending.abort()
      await looking
    },
  }
}

function webhook(url: string, version: string): Way {
  return {
    fault: "digest-webhook",
    async send({ text: { json } }, ending) {
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": `assay/${version}` },
          body: json,
          // A redirect could lead to anybody's address.
          redirect: "error",
          signal: AbortSignal.any([AbortSignal.timeout(SEND_MS), ending]),
        })
        await response.body?.cancel()
        return response.ok
      } catch {
        return false
      }
    },
  }
}

function eventOfService(tell: DigestOptions["tell"]): Way {
  return {
    fault: "digest-event",
    send: ({ news }) =>
      tell(news).then(
        () => true,
        () => false,
      ),
  }
}

function localCommand(command: string): Way {
  return {
    fault: "digest-command",
    async send({ text: { mail } }, ending) {
      try {
        const child = spawn(command, [], {
          stdio: ["pipe", "ignore", "ignore"],
          env: COMMAND_ENVIRONMENT,
          signal: AbortSignal.any([AbortSignal.timeout(SEND_MS), ending]),
          killSignal: "SIGKILL",
        })
        // A command that does not read to the end shows by its exit code whether that was enough.
        child.stdin.on("error", () => undefined).end(mail)
        const [code] = (await once(child, "close")) as [number | null]
        return code === 0
      } catch {
        return false
      }
    },
  }
}

/**
 * The digest of one day. It has as many bytes as on every other day, so that an observer learns
 * nothing.
 */
interface DigestText {
  /** JSON, posted to the webhook. */
  readonly json: string
  /** A mail without addresses, given to the command. */
  readonly mail: string
}

const COUNT_DIGITS = 6
const COUNT_MAX = 10 ** COUNT_DIGITS - 1

/** `name`: what the drop calls itself; the same every day. */
export function digestText({ fresh, expiredUnread }: Digest, name: string): DigestText {
  const word = fresh ? "yes" : "no"
  // Spaces after it, which neither JSON nor a reader minds.
  const filling = " ".repeat("yes".length - word.length)
  const count = digits(expiredUnread)
  const title = "Daily digest of the drop"
  return {
    json: `{"digest":"drop/v1","name":${JSON.stringify(name)},"new":"${word}"${filling},"went_unread":"${count}"}\n`,
    mail: [
      `Subject: ${title}`,
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      `${title}${name === "" ? "" : ` ${name}`}, sent every day.`,
      "",
      `New messages that nobody has fetched: ${word}${filling}`,
      `Messages that went unread since the last digest: ${count}`,
      "",
    ].join("\n"),
  }
}

/** The same without the drop's name, and with words of one length. */
function digestNews({ fresh, expiredUnread }: Digest, atMs: number): DigestNews {
  return { atMs, newMessages: fresh ? "some" : "none", wentUnread: digits(expiredUnread) }
}

function digits(count: number): string {
  return String(Math.min(count, COUNT_MAX)).padStart(COUNT_DIGITS, "0")
}
