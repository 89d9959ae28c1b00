import type { IncomingMessage } from "node:http"
import type { PublicDrop } from "../public-drop.ts"
import { cameByOnion, fromElsewhere } from "../headers.ts"
import { notSetUpPage, refusalPage } from "../pages/index.ts"
import type { Locale, PageFiles } from "../pages/page-input.ts"
import { readTarget } from "../target.ts"
import { type Answer, CODE_PADDING } from "./answer.ts"
import { confirmCode, deleteReplies, showReplies, withdraw } from "./code-requests.ts"
import { type FormLimits, readFormBody } from "./form-body.ts"
import { presealed, PRESEALED_LIMITS } from "./presealed.ts"
import type { SealerSettings } from "./sealer-settings.ts"
import { SEND_LIMITS, sendForm } from "./send-form.ts"
import type { ConnectionHandler } from "./take-connection.ts"
import type { Visit } from "./visit.ts"

interface PlainRoute {
  readonly limits: FormLimits
  readonly answer: (visit: Visit) => Promise<Answer>
}

/** Forms with a code and no file: a line of text, with plenty of room. */
const CODE_LIMITS: FormLimits = {
  fileField: "",
  filesMax: 0,
  fileMax: 0,
  drainedMax: 1024 * 1024,
}

const ROUTES: ReadonlyMap<string, PlainRoute> = new Map([
  ["form", { limits: SEND_LIMITS, answer: sendForm }],
  ["confirm", { limits: CODE_LIMITS, answer: confirmCode }],
  ["replies", { limits: CODE_LIMITS, answer: showReplies }],
  ["replies/delete", { limits: CODE_LIMITS, answer: deleteReplies }],
  ["withdraw", { limits: CODE_LIMITS, answer: withdraw }],
  ["presealed", { limits: PRESEALED_LIMITS, answer: presealed }],
])

/**
 * Answers the posts of browsers without JavaScript. Reads every body before it answers: see
 * `readFormBody`.
 */
export function plainRequests(
  drop: PublicDrop,
  { pageFiles }: Pick<SealerSettings, "pageFiles">,
): ConnectionHandler {
  const files: PageFiles = {
    get(name) {
      const file = pageFiles[name]
      if (file === undefined) throw new Error("A page names a file that there is not")
      return file
    },
  }
  const refuse: ConnectionHandler["refuse"] = async (reason, request) => {
    const facts = await drop.facts({ byOnion: byOnion(request) })
    const gaveWay = reason === "gave-way"
    const status = gaveWay ? 503 : reason === "too-slow" ? 408 : reason
    const page = refusalPage(localeOf(request), facts, files, { status, gaveWay })
    // A sender who gave way is slow, and others wait for the sealer: the page is not padded.
    return { status, page, padding: gaveWay ? 1 : CODE_PADDING }
  }
  return {
    headers: (request) => drop.headers({ byOnion: byOnion(request) }),
    refuse,
    async answer(request, stopped) {
      const route = ROUTES.get(readTarget(request.url ?? "")?.name ?? "")
      const body = await readFormBody(request, route?.limits ?? CODE_LIMITS, stopped)
      if (body === null) return null
      if (body.fault === "gave-way") return await refuse("gave-way", request)
      if (route === undefined || request.method !== "POST") return await refuse(405, request)
      if (fromElsewhere(request.headers)) return await refuse(403, request)
      const locale = localeOf(request)
      const [facts, recipients] = await Promise.all([
        drop.facts({ byOnion: byOnion(request) }),
        drop.recipients(),
      ])
      if (recipients === null)
        return { status: 503, page: notSetUpPage(locale, facts, files), padding: CODE_PADDING }
      const { remoteAddress: address } = request.socket
      return await route.answer({ locale, facts, recipients, files, drop, body, address })
    },
  }
}

function localeOf(request: IncomingMessage | undefined): Locale {
  return readTarget(request?.url ?? "")?.locale ?? "en"
}

function byOnion(request: IncomingMessage | undefined): boolean {
  return cameByOnion(request?.headers.host)
}
