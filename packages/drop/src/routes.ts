import { EFFORT_MAX, mailboxTag, verifierOf, WITHDRAWABLE } from "@assay/core/drop"
import { type Answer, pageAnswer, wordAnswer } from "./answers.ts"
import type { BrowserFiles } from "./browser-files.ts"
import type { PublicDrop } from "./public-drop.ts"
import { freshForm } from "./fresh-form.ts"
import { CLEAR_SITE_DATA } from "./headers.ts"
import type { Visit } from "./visit.ts"
import { classOfSize, type Keys } from "./keys-in-use.ts"
import type { MailboxAnswers } from "./mailbox-answers.ts"
import type { NetworkCounter } from "./network-counter.ts"
import {
  busyPage,
  donePage,
  formPage,
  hashesPage,
  notSetUpPage,
  presealedPage,
  repliesPage,
  withdrawPage,
} from "./pages/index.ts"
import type { DropFacts, Locale } from "./pages/page-input.ts"
import { dropPath } from "./pages/paths.ts"
import { exactBody, jsonBody } from "./request-bodies.ts"
import { sealedUploads, type UploadServices } from "./sealed-upload.ts"

export interface Route {
  readonly get?: (visit: Visit) => Promise<Answer>
  readonly post?: (visit: Visit) => Promise<Answer>
  /** Refusals are one word instead of a page. */
  readonly forScripts?: true
}

export interface DropRoutes {
  /** The route of a name, and the rest of the path; null if there is none. */
  find(name: string): { readonly route: Route; readonly rest: string } | null
}

export interface RouteOptions extends UploadServices {
  readonly drop: PublicDrop
  readonly keys: Keys
  readonly files: BrowserFiles
  readonly mailboxes: MailboxAnswers
  readonly networks: NetworkCounter
}

/**
 * Posts to a page go to a sealer. One arrives here only if the door did not recognise it, because
 * it is written in a way that no browser writes it.
 */
const bySealer = async (): Promise<Answer> => ({ status: 400 })

const DONE = { status: 204 } as const
const KEY_BYTES = 32
const WAIT_SECONDS = 15
const WAIT_MAX_SECONDS = 600

export function dropRoutes(options: RouteOptions): DropRoutes {
  const { drop, keys, files, mailboxes, networks, tickets, budgets } = options

  /** A page that takes messages; while there are no keys, it shows that instead. */
  const page =
    (print: (visit: Visit, facts: DropFacts) => Promise<string>) =>
    async (visit: Visit): Promise<Answer> => {
      const facts = await drop.facts(visit)
      return facts.keyCount === 0
        ? pageAnswer(503, notSetUpPage(visit.locale, facts, files))
        : pageAnswer(200, await print(visit, facts))
    }
  const form = page(async ({ locale }, facts) =>
    formPage(locale, facts, files, {
      ...freshForm(await drop.newFormToken()),
      ...(budgets.plainTextLow() && { waitAt: waitPath(locale, WAIT_SECONDS) }),
    }),
  )
  /**
   * Reloads by itself, less and less often, and leads back to the form. Visitors with scripts never
   * see it.
   */
  const wait = async (visit: Visit): Promise<Answer> => {
    const { locale, query } = visit
    if (!budgets.plainTextLow()) return { status: 303, headers: { Location: dropPath(locale) } }
    const asked = Number(query.get("seconds"))
    const seconds = Math.min(Math.max(WAIT_SECONDS, Math.floor(asked) || 0), WAIT_MAX_SECONDS)
    const path = waitPath(locale, 2 * seconds)
    const facts = await drop.facts(visit)
    return pageAnswer(503, busyPage(locale, facts, files, { seconds, path }))
  }
  const routes: Readonly<Record<string, Route>> = {
    "": { get: form },
    wait: { get: wait },
    form: { post: bySealer },
    confirm: { post: bySealer },
    replies: {
      get: page(async ({ locale }, facts) =>
        repliesPage(locale, facts, files, {
          fault: null,
          form: freshForm(await drop.newFormToken()),
        }),
      ),
      post: bySealer,
    },
    "replies/delete": { post: bySealer },
    withdraw: {
      get: page(async ({ locale }, facts) => withdrawPage(locale, facts, files, { fault: null })),
      post: bySealer,
    },
    presealed: {
      get: page(async ({ locale }, facts) =>
        presealedPage(locale, facts, files, { token: await drop.newFormToken(), fault: null }),
      ),
      post: bySealer,
    },
    done: {
      get: async (visit) =>
        pageAnswer(200, donePage(visit.locale, await drop.facts(visit), files), CLEAR_SITE_DATA),
    },
    hashes: {
      get: async (visit) =>
        pageAnswer(
          200,
          hashesPage(visit.locale, await drop.facts(visit), files, { hashes: files.all() }),
        ),
    },
    "keys.txt": {
      async get() {
        const current = keys.current()
        return current === null ? wordAnswer(503, "keys-changed") : wordAnswer(200, current.file)
      },
      forScripts: true,
    },
    offline: {
      async get() {
        const { bytes, type } = files.get("offline")
        const page = bytes.toString("utf8")
        const current = keys.current()
        // Without keys the page asks for them.
        const body =
          current === null
            ? page
            : page.replace("{{keys}}</textarea>", () => `${current.file}</textarea>`)
        const headers = { "Content-Disposition": 'attachment; filename="drop-offline.html"' }
        return { status: 200, type, body, headers }
      },
    },
    files: {
      async get({ rest }) {
        const file = files.named(rest)
        return file === null ? { status: 404 } : { status: 200, type: file.type, body: file.bytes }
      },
    },

    challenge: {
      async get({ query }) {
        const effort = Number(query.get("effort") ?? 0)
        if (!Number.isInteger(effort) || effort < 0 || effort > EFFORT_MAX) return { status: 400 }
        const current = keys.current()
        if (current === null) return wordAnswer(503, "keys-changed")
        const size = query.get("size")
        const sizeClass = size === null ? 0 : classOfSize(current, Number(size))
        if (sizeClass === null) return wordAnswer(413, "size")
        const challenge = await tickets.challenge({ effort, sizeClass })
        return { status: 200, type: "application/json", body: JSON.stringify(challenge) }
      },
      forScripts: true,
    },
    ticket: {
      async post(visit) {
        const payload = await jsonBody(visit)
        if (!networks.admit(visit.request.socket.remoteAddress)) return wordAnswer(503, "busy")
        const ticket = await tickets.ticketFor(payload)
        return ticket === null ? wordAnswer(403, "ticket") : wordAnswer(200, ticket)
      },
      forScripts: true,
    },
    sealed: { post: sealedUploads(options), forScripts: true },
    mailbox: {
      async post(visit) {
        const mailbox = await exactBody(visit, KEY_BYTES)
        if (keys.current() === null) return wordAnswer(503, "keys-changed")
        const replies = await drop.replies(mailboxTag(mailbox))
        const body = mailboxes.answer(replies)
        return { status: 200, type: "application/octet-stream", body }
      },
      forScripts: true,
    },
    delete: {
      async post(visit) {
        const body = await exactBody(visit, 2 * KEY_BYTES)
        const [mailbox, token] = [body.subarray(0, KEY_BYTES), body.subarray(KEY_BYTES)]
        await drop.deleteReplies(mailboxTag(mailbox), verifierOf(token))
        return DONE
      },
      forScripts: true,
    },
    "withdraw-tokens": {
      async post(visit) {
        const body = await exactBody(visit, WITHDRAWABLE * KEY_BYTES)
        const verifiers = Array.from({ length: WITHDRAWABLE }, (_, n) =>
          verifierOf(body.subarray(n * KEY_BYTES, (n + 1) * KEY_BYTES)),
        )
        await drop.withdraw(verifiers)
        return DONE
      },
      forScripts: true,
    },
  }
  return {
    find(name) {
      if (Object.hasOwn(routes, name) && name !== "files") {
        const route = routes[name]
        return route === undefined ? null : { route, rest: "" }
      }
      const [, rest] = /^files\/([\w.-]+)$/.exec(name) ?? []
      const { files: route } = routes
      return rest === undefined || route === undefined ? null : { route, rest }
    },
  }
}

function waitPath(locale: Locale, seconds: number): string {
  return `${dropPath(locale, "wait")}?seconds=${seconds}`
}
