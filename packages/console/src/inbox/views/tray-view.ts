import type { Inbox, InboxAction } from "../inbox.ts"
import { button, h } from "./dom.ts"
import { failureText } from "./failure-text.ts"
import { threadTitle } from "./thread-view.ts"

/** What waits to be sent, and when it leaves. */
export function trayView(inbox: Inbox): { readonly element: HTMLElement; render(): void } {
  const fault = h("p", { class: "fault", role: "alert", hidden: true })
  const content = h("div", { "aria-live": "polite" })
  const element = h(
    "section",
    { class: "card tray", "aria-label": "Outbox" },
    h("h2", {}, "Outbox"),
    content,
    fault,
  )
  const send = async (): Promise<void> => {
    fault.hidden = true
    try {
      await inbox.outbox.flush()
    } catch (error) {
      fault.textContent = failureText(error)
      fault.hidden = false
    }
  }
  const line = (action: InboxAction): HTMLElement => {
    const thread = inbox.thread(action.thread)
    const title = thread === undefined ? "a thread" : threadTitle(thread)
    return h(
      "li",
      {},
      `${actionText(action)}: ${title} `,
      action.kind === "note"
        ? null
        : button("Take back", () => inbox.takeBack(action.id), {
            "aria-label": `Take back ${actionText(action).toLowerCase()}`,
          }),
    )
  }
  return {
    element,
    render() {
      const items = inbox.outbox.items()
      const leavesAt = inbox.outbox.leavesAt()
      if (leavesAt === null) {
        content.replaceChildren(h("p", { class: "soft" }, "Nothing waits."))
        return
      }
      const time = new Date(leavesAt).toISOString().slice(11, 16)
      content.replaceChildren(
        h(
          "p",
          {},
          `${items.length} waiting. All of it leaves together at ${time} UTC, half an hour after the last change, so that the time of an answer says little.`,
        ),
        inbox.mailboxFull()
          ? h(
              "p",
              { class: "warning" },
              "▲ Four replies wait in a mailbox already. What did not fit is sent again with the next batch.",
            )
          : h("span"),
        h("ul", {}, ...items.map(line)),
        h(
          "p",
          {},
          button("Send now", () => void send(), { class: "primary" }),
        ),
      )
    },
  }
}

function actionText(action: InboxAction): string {
  if (action.kind === "reply" && action.order === 0) return "Acknowledgement"
  if (action.kind === "reply") return action.file === undefined ? "Reply" : "Reply with a file"
  return action.kind === "note" ? "Note" : "Deletion"
}
