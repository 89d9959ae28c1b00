// Somebody without JavaScript who writes to the drop and looks for replies while others attack.
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { getPage, type PlainPage, postForm, textOf } from "../drop-plain-visitor.ts"
import { oldFormToken } from "../drop-visitor.ts"
import type { Service } from "../service.ts"

export interface Sender {
  /** How long pages took, in milliseconds, since this was last asked. */
  takeTimes(): PageTimes
  /** Texts that the drop said it keeps. */
  readonly sent: ReadonlySet<string>
  readonly wrong: readonly string[]
  /** How often it has sent a message and then looked for replies. */
  visits(): number
  /** Pages that asked to come back later. */
  busy(): number
  stop(): Promise<void>
}

interface PageTimes {
  /** From pressing the button to the page that says the message was sent. */
  readonly sending: number[]
  readonly reading: number[]
}

const EVERY_MS = 2_000
/** Past this nobody will answer. */
const UNANSWERED_MS = 120_000

export function openSender(service: Service, dropUrl: string): Sender {
  let times: PageTimes = { sending: [], reading: [] }
  const sent = new Set<string>()
  const wrong: string[] = []
  let visits = 0
  let busy = 0
  const until = new AbortController()

  const isRight = (what: string, page: PlainPage): boolean => {
    if (page.status === 200) return true
    if (page.status === 503 && page.headers.get("retry-after") !== null) busy++
    else wrong.push(`${what}: ${page.status} ${textOf(page, "form-fault")}`)
    return false
  }
  const timed = async (
    what: keyof PageTimes,
    post: () => Promise<PlainPage>,
  ): Promise<PlainPage> => {
    const from = performance.now()
    const page = await post()
    if (page.status === 200) times[what].push(performance.now() - from)
    return page
  }
  const visitOnce = async (): Promise<void> => {
    const form = await getPage(`${dropUrl}/drop`)
    if (!isRight("form", form)) return
    const message = `from a sender ${randomBytes(8).toString("hex")}`
    const values = { message, mode: "two-way", token: oldFormToken(service) }
    const done = await timed("sending", () => postForm(dropUrl, form, "drop-form", values))
    if (!isRight("send", done)) return
    sent.add(message)
    const code = textOf(done, "code-line")
    const asking = await getPage(`${dropUrl}/drop/replies`)
    if (!isRight("replies", asking)) return
    const replies = await timed("reading", () =>
      postForm(dropUrl, asking, "replies-form", { code }),
    )
    // The pages promise that reading replies is never refused.
    if (replies.status === 200) visits++
    else wrong.push(`replies: ${replies.status}`)
  }

  const visiting = (async () => {
    while (!until.signal.aborted) {
      const late = new AbortController()
      const unanswered = delay(UNANSWERED_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error("a page did not come")
      })
      await Promise.race([visitOnce(), unanswered]).catch((error: unknown) =>
        wrong.push(String(error)),
      )
      unanswered.catch(() => undefined)
      late.abort()
      await delay(EVERY_MS)
    }
  })()
  return {
    takeTimes() {
      const taken = times
      times = { sending: [], reading: [] }
      return taken
    },
    sent,
    wrong,
    visits: () => visits,
    busy: () => busy,
    async stop() {
      until.abort()
      await visiting
    },
  }
}
