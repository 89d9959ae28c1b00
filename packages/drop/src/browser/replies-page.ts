import { shownText } from "@assay/core/drop"
import { codeFault, readEntry } from "./code-entry.ts"
import { button, element, made, say as put, shown } from "./dom.ts"
import { Failure } from "./failure.ts"
import type { TakenForm } from "./plain-form.ts"
import { deleteReplies, fetchMailbox } from "./requests.ts"
import type { Visit } from "./visit.ts"
import type { Reply } from "./worker-calls.ts"

/**
 * The page for replies: the code is read here, replies are opened here, and the server sees
 * neither.
 */
export function repliesPage(
  visit: Visit,
  forms: { readonly ask: TakenForm; readonly deletion: TakenForm },
): { clear(): void } {
  const { say } = visit
  const code = element("code", HTMLInputElement)
  const list = element("reply-list", HTMLElement)

  const look = async (): Promise<void> => {
    put("code-fault", "")
    put("replies-outcome", say("script-looking"))
    try {
      const entry = await readEntry(visit, code.value)
      if ("fault" in entry) {
        put("replies-outcome", "")
        put("code-fault", codeFault(visit, entry))
        code.focus()
        return
      }
      const keys = await visit.keys()
      const { mailbox } = await visit.worker.call("requests", [entry.secret, keys])
      const slots = await fetchMailbox(mailbox)
      const opened = await visit.worker.call("openReplies", [entry.secret, keys, slots])
      // Nothing remembers which numbers earlier visits used.
      visit.thread = { secret: entry.secret, next: null }
      code.value = ""
      put("replies-outcome", "")
      show(opened)
    } catch (error) {
      put("replies-outcome", say(reasonOf(error, "failure-replies")))
    }
  }

  const show = (replies: readonly (Reply | null)[]): void => {
    list.replaceChildren(...replies.map(replyItem))
    list.hidden = replies.length === 0
    shown("no-replies", replies.length === 0)
    shown("delete-form", replies.length > 0)
    shown("ask", false)
    shown("replies", true)
    element("replies-title", HTMLElement).focus()
  }

  const replyItem = (reply: Reply | null, index: number): HTMLElement => {
    const item = made("li")
    item.append(made("h2", say("reply-number", { number: index + 1 })))
    if (reply === null) {
      item.append(made("p", say("reply-unreadable")))
      return item
    }
    const text = shownText(reply.message)
    item.append(made("div", text, { class: "reply", dir: "auto", translate: "no" }))
    const { file } = reply
    if (file !== null) item.append(button(say("script-save-file"), () => save(file)))
    return item
  }

  const erase = async (): Promise<void> => {
    const { thread } = visit
    if (thread === null) return
    put("delete-outcome", say("script-working"))
    try {
      const keys = await visit.keys()
      const { deletion } = await visit.worker.call("requests", [thread.secret, keys])
      await deleteReplies(deletion)
      list.replaceChildren()
      list.hidden = true
      shown("delete-form", false)
      put("delete-outcome", say("replies-deleted"))
    } catch {
      put("delete-outcome", say("failure-delete"))
    }
  }

  shown("no-script-code-note", false)
  forms.ask.onSubmit(() => void look())
  forms.deletion.onSubmit(() => void erase())
  return {
    clear() {
      code.value = code.defaultValue = ""
      list.replaceChildren()
      shown("replies", false)
      shown("ask", true)
    },
  }
}

/** The sentence of what happened, or of the step it happened in. */
export function reasonOf(error: unknown, step: Failure["text"]): Failure["text"] {
  return error instanceof Failure && error.text !== "failure-sealing" ? error.text : step
}

/**
 * Never shown in the page: bytes of a stranger go to a file, as bytes, when the person asks for it.
 */
function save({ name, bytes }: NonNullable<Reply["file"]>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }))
  made("a", "", { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
