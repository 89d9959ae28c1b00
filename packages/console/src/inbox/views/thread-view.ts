import { LABEL_MAX, LABELS_MAX, NOTE_TEXT_MAX, shownText, SMALLEST_CLASS } from "@assay/core/drop"
import type { Inbox, InboxThread } from "../inbox.ts"
import type { Opener } from "../opener-calls.ts"
import { button, field, form, h } from "./dom.ts"
import { Rejected } from "../rejected.ts"
import { failureText } from "./failure-text.ts"
import { messageView } from "./message-view.ts"

interface ThreadView {
  readonly thread: InboxThread
  readonly inbox: Inbox
  readonly opener: Opener
  /** Drafts by thread: they outlive a redraw of the view. */
  readonly drafts: Map<string, string>
  /** Called after something changed that this view shows. */
  readonly onChanged: () => void
  readonly onDeleted: () => void
}

export function threadTitle({ name, messages, duplicates }: InboxThread): string {
  if (name !== null) return name
  const nid = (messages[0] ?? duplicates[0])?.opened.manifest.nid ?? ""
  return `One-way message ${nid.slice(0, 6)}`
}

export function threadView({
  thread,
  inbox,
  opener,
  drafts,
  onChanged,
  onDeleted,
}: ThreadView): HTMLElement {
  const { note, address, contested } = thread
  return h(
    "div",
    { class: "thread" },
    h("h2", {}, threadTitle(thread)),
    contested
      ? h(
          "p",
          { class: "warning", role: "note" },
          "▲ Another thread gives the same mailbox with another key. One of the two is not who it says it is. Reply to neither before you know which.",
        )
      : null,
    ...thread.messages.map((message) => messageView(message, opener, { duplicate: false })),
    ...thread.duplicates.map((message) => messageView(message, opener, { duplicate: true })),
    note.replies.length === 0
      ? null
      : h(
          "section",
          {},
          h("h3", {}, "What was answered"),
          ...note.replies.map((text) =>
            h("pre", { class: "text ours", dir: "auto", tabindex: "0" }, shownText(text)),
          ),
        ),
    address === null
      ? h(
          "p",
          { class: "soft" },
          "A one-way message: its sender did not ask for a reply, and there is nowhere to send one.",
        )
      : replyForm(thread, inbox, drafts, onChanged),
    noteForm(thread, inbox, onChanged),
    h(
      "p",
      { class: "actions" },
      button(note.muted ? "Unmute thread" : "Mute thread", () => {
        inbox.changeNote(thread.id, { muted: !note.muted })
        onChanged()
      }),
      button(
        "Delete thread",
        () => {
          inbox.deleteThread(thread.id)
          onDeleted()
        },
        { class: "danger" },
      ),
    ),
  )
}

function replyForm(
  { id }: InboxThread,
  inbox: Inbox,
  drafts: Map<string, string>,
  onChanged: () => void,
): HTMLElement {
  const text = h("textarea", {
    id: "reply",
    rows: "5",
    dir: "auto",
    input: () => void drafts.set(id, text.value),
  })
  text.value = drafts.get(id) ?? ""
  const file = h("input", { id: "reply-file", type: "file" })
  const keep = h("input", { id: "reply-keep", type: "checkbox" })
  const send = async (): Promise<void> => {
    const chosen = file.files?.[0]
    if (chosen !== undefined && chosen.size > SMALLEST_CLASS)
      throw new Rejected("Text and file of a reply have 64 kB together.")
    const bytes = chosen === undefined ? null : new Uint8Array(await chosen.arrayBuffer())
    const attached = bytes === null ? undefined : { bytes, keepMetadata: keep.checked }
    if (!(await inbox.reply(id, text.value, attached)))
      throw new Rejected("Write something, of at most 50,000 bytes, or choose a file.")
    drafts.delete(id)
    onChanged()
  }
  return form(
    [
      field("Reply", text, "It waits in the outbox and leaves with the next batch."),
      field("File", file, "One file; text and file have 64 kB together. Pictures are cleaned."),
      h(
        "p",
        { class: "check" },
        keep,
        h("label", { for: "reply-keep" }, "Send the file as it is, with what it says about you"),
      ),
    ],
    "Put reply in the outbox",
    send,
    failureText,
  )
}

function noteForm({ id, note }: InboxThread, inbox: Inbox, onChanged: () => void): HTMLElement {
  const labels = h("input", { id: "labels", value: note.labels.join(", ") })
  const text = h("textarea", { id: "note", rows: "3", dir: "auto" })
  text.value = note.text
  const saveNote = async (): Promise<void> => {
    const found = labels.value.split(",").map((label) => label.trim())
    const wanted = [...new Set(found.filter((label) => label !== ""))]
    if (wanted.length > LABELS_MAX || wanted.some((label) => label.length > LABEL_MAX))
      throw new Rejected(`At most ${LABELS_MAX} labels, of at most ${LABEL_MAX} characters each.`)
    if (text.value.length > NOTE_TEXT_MAX) throw new Rejected("The note is too long.")
    inbox.changeNote(id, { labels: wanted, text: text.value })
    onChanged()
  }
  return h(
    "details",
    { open: note.text !== "" || note.labels.length > 0 },
    h("summary", {}, "Labels and note for recipients"),
    form(
      [
        field("Labels", labels, "With commas between them."),
        field("Note", text, "Sealed to the recipients; the server cannot read it."),
      ],
      "Save note",
      saveNote,
      failureText,
    ),
  )
}
