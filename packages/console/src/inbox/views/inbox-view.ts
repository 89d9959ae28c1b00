import { effortText, shownText } from "@assay/core/drop"
import type { Inbox, InboxThread } from "../inbox.ts"
import type { Opener } from "../opener-calls.ts"
import { hasWords } from "../search.ts"
import { button, field, h, save, show } from "./dom.ts"
import { failureText, faultText } from "./failure-text.ts"
import { guideView } from "./guide-view.ts"
import { dayText } from "./message-view.ts"
import { threadTitle, threadView } from "./thread-view.ts"
import { trayView } from "./tray-view.ts"

const orders: Readonly<Record<string, (a: InboxThread, b: InboxThread) => number>> = {
  "Extra work first": (a, b) => b.effort - a.effort,
  "Leaving first": (a, b) => a.purgeDay - b.purgeDay,
  Name: (a, b) => threadTitle(a).localeCompare(threadTitle(b)),
}

/** As many letters as a line of the list has room for. */
const FIRST_LINE = 80

/** How the thread begins, of the first message that has a text. */
function firstLine({ messages, duplicates }: InboxThread): string {
  const texts = [...messages, ...duplicates].map(({ opened }) => opened.message.trim())
  const [line = ""] = (texts.find((text) => text !== "") ?? "").split(/\r?\n/)
  const letters = Array.from(shownText(line))
  if (letters.length === 0) return "No text."
  return letters.length > FIRST_LINE
    ? `${letters.slice(0, FIRST_LINE).join("")}…`
    : letters.join("")
}

interface InboxView {
  readonly element: HTMLElement
  /** Redraws the parts that a change of the inbox affects; a draft in progress stays. */
  render(): void
  sync(): Promise<void>
}

/** The threads, the open one, and the outbox. */
export function inboxView(
  inbox: Inbox,
  opener: Opener,
  { ownKeyMissing, onLock }: { readonly ownKeyMissing: boolean; readonly onLock: () => void },
): InboxView {
  const status = h("p", { role: "status", class: "soft" })
  const keys = h("div")
  const list = h("ul", { class: "threads" })
  const refused = h("div")
  const detail = h("section", { class: "detail", "aria-label": "Thread" })
  const tray = trayView(inbox)
  const order = h(
    "select",
    { id: "order", change: () => render() },
    ...Object.keys(orders).map((name) => h("option", {}, name)),
  )
  const search = h("input", { id: "search", type: "search", input: () => render() })
  const muted = h("input", { id: "muted", type: "checkbox", change: () => render() })
  /** Replies that are being written, by thread. */
  const drafts = new Map<string, string>()
  let current: string | null = null

  const open = (id: string): void => {
    current = id
    inbox.shown(id)
    render()
    drawThread()
    detail.scrollIntoView({ block: "nearest" })
  }
  const drawThread = (): void => {
    const thread = current === null ? undefined : inbox.thread(current)
    if (thread === undefined) {
      detail.replaceChildren(h("p", { class: "soft" }, "Choose a thread."))
      return
    }
    const onDeleted = (): void => {
      current = null
      drawThread()
    }
    show(detail, threadView({ thread, inbox, opener, drafts, onChanged: drawThread, onDeleted }))
  }
  const line = (thread: InboxThread): HTMLElement => {
    const count = thread.messages.length + thread.duplicates.length
    const facts = [
      ...(thread.unread ? ["unread"] : []),
      `${count} ${count === 1 ? "message" : "messages"}`,
      `deleted on ${dayText(thread.purgeDay)}`,
      ...(thread.effort > 0 ? [effortText(thread.effort)] : []),
      ...(thread.contested ? ["▲ contested"] : []),
      ...(thread.duplicates.length > 0 ? ["▲ stored twice"] : []),
      ...(thread.messages.some(({ strange }) => strange !== null) ? ["▲ changed"] : []),
      ...(thread.note.muted ? ["muted"] : []),
      ...thread.note.labels,
    ]
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: thread.unread ? "thread-line unread" : "thread-line",
          "aria-current": thread.id === current ? "true" : "false",
          click: () => open(thread.id),
        },
        h("strong", {}, thread.unread ? `● ${threadTitle(thread)}` : threadTitle(thread)),
        h("span", { class: "first", dir: "auto" }, firstLine(thread)),
        h("span", { class: "soft" }, facts.join(" · ")),
      ),
    )
  }
  const drawKeys = (): void => {
    const words = inbox.fingerprint().join(" ")
    if (words === "") {
      keys.replaceChildren(
        h("p", { class: "warning" }, "▲ The drop has no key. Nothing can be sent to it."),
      )
      return
    }
    keys.replaceChildren(
      h("p", { class: "soft" }, "Key words of this drop: ", h("strong", {}, words)),
      inbox.keysConfirmed()
        ? h("span")
        : h(
            "div",
            { class: "warning" },
            h(
              "p",
              {},
              "▲ These words are new to this browser. Compare them with another recipient, by voice or in person: a server that adds a key of its own changes them. Nothing is sent before you confirm.",
            ),
            button("The words are right", () => inbox.confirmKeys()),
          ),
      h(
        "details",
        {},
        h("summary", {}, "After keys were added or are to be removed"),
        h(
          "p",
          {},
          "Messages that are here already are sealed to the keys of their day. Sealing them again lets a new recipient open them, and an old key go. ",
          button("Seal everything again", () => void reseal()),
        ),
      ),
      ownKeyMissing
        ? h(
            "p",
            { class: "warning" },
            "▲ Your key is not among the keys of this drop: new messages are not sealed to it.",
          )
        : h("span"),
    )
  }
  const drawRefused = (): void => {
    const found = inbox.refused()
    if (found.length === 0) {
      refused.replaceChildren()
      return
    }
    refused.replaceChildren(
      h("h2", {}, "Not shown"),
      h(
        "ul",
        {},
        ...found.map(({ id, fault, sealed }) =>
          h(
            "li",
            {},
            `${faultText(fault)} `,
            button(
              "Save as it is",
              () =>
                void sealed
                  .arrayBuffer()
                  .then((bytes) => save(`${id.slice(0, 8)}.age`, new Uint8Array(bytes))),
            ),
          ),
        ),
      ),
    )
  }
  const render = (): void => {
    drawKeys()
    const all = inbox.threads().filter(({ note }) => muted.checked || !note.muted)
    const threads = all.filter((thread) => hasWords(thread, threadTitle(thread), search.value))
    const compare = orders[order.value] ?? (() => 0)
    list.replaceChildren(...threads.toSorted(compare).map(line))
    if (threads.length === 0)
      list.append(
        h(
          "li",
          { class: "soft" },
          all.length === 0 ? "No messages." : "No thread has these words.",
        ),
      )
    drawRefused()
    tray.render()
  }
  const sync = async (): Promise<void> => {
    fetchNow.disabled = true
    try {
      await inbox.sync((done, total) => {
        status.textContent = `Opened ${done} of ${total}.`
      })
      const count = inbox.threads().length
      status.textContent = `${count} ${count === 1 ? "thread" : "threads"}, all fetched.`
      drawThread()
    } catch (error) {
      status.textContent = failureText(error)
    } finally {
      fetchNow.disabled = false
    }
  }
  const reseal = async (): Promise<void> => {
    try {
      const closed = await inbox.reseal((done, total) => {
        status.textContent = `Sealed ${done} of ${total} again.`
      })
      status.textContent =
        closed === 0
          ? "Everything is sealed to the keys in use now. An old key can be removed."
          : `${closed} could not be opened with your key and are sealed as before. Remove no key yet.`
    } catch (error) {
      status.textContent = failureText(error)
    }
  }
  const fetchNow = button("Fetch now", () => void sync())

  const element = h(
    "div",
    {},
    h("p", { class: "actions" }, fetchNow, button("Send all and lock", onLock)),
    status,
    keys,
    guideView(),
    h(
      "div",
      { class: "columns" },
      h(
        "nav",
        { "aria-label": "Threads" },
        h("h2", {}, "Threads"),
        field("Search", search, "In what is open here; nothing of it is sent."),
        field("Order", order),
        h("p", { class: "check" }, muted, h("label", { for: "muted" }, "Show muted threads")),
        list,
        refused,
        tray.element,
      ),
      detail,
    ),
  )
  drawThread()
  return { element, render, sync }
}
