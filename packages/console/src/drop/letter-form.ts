import { type Mode, WITHDRAWABLE } from "@assay/core/drop"
import { button, element, say as put, shown } from "./dom.ts"
import { Failure } from "./failure.ts"
import { filesReport } from "./files-report.ts"
import type { TakenForm } from "./plain-form.ts"
import { progressOf } from "./progress.ts"
import { sendLetter } from "./send-letter.ts"
import { nextOf, type OpenThread, type Visit } from "./visit.ts"
import type { Letter } from "./worker-calls.ts"

export interface LetterForm {
  /** Shows the form, empty, for another message. */
  again(): void
  /** Takes out all that was written. */
  clear(): void
}

/** The form of a message: checks it, seals it and sends it. Whatever fails, it says so and keeps the text. */
export function letterForm(
  taken: TakenForm,
  visit: Visit,
  onSent: (thread: OpenThread | null) => void,
): LetterForm {
  const { form } = taken
  const { say, data } = visit
  const message = element("message", HTMLTextAreaElement)
  const sendButton = element("send", HTMLButtonElement)
  // Absent while no files are taken.
  const files = form.querySelector<HTMLInputElement>("input[type=file]")
  const progress = progressOf(say)
  const choice = (name: string): string =>
    form.querySelector<HTMLInputElement>(`input[name=${name}]:checked`)?.value ?? ""
  const report =
    files === null ? null : filesReport(visit, files, () => choice("metadata") === "keep")
  let plain = false

  const clear = (): void => {
    message.value = message.defaultValue = ""
    if (files !== null) files.value = ""
    report?.clear()
    const box = form.querySelector<HTMLInputElement>("input[name=names]")
    if (box !== null) box.checked = false
  }

  /** Puts sentences at the fields that are not right; false where there are any. */
  const right = (): boolean => {
    const { messageMax, filesMax, fileMax } = data.limits
    const chosen = report?.chosen() ?? []
    const bytes = new TextEncoder().encode(message.value).length
    const large = chosen.findIndex(({ file }) => file.size > fileMax)
    const empty = chosen.findIndex(({ file }) => file.size === 0)
    const malformed = chosen.findIndex(
      ({ report, untouched }) => report?.treatment === "malformed" && !untouched,
    )
    const letters = messageMax.toLocaleString(data.locale)
    const size = `${Math.floor(fileMax / 1_048_576)} MB`
    let messageFault = ""
    if (message.value.trim() === "" && chosen.length === 0) messageFault = say("fault-empty")
    else if (bytes > messageMax) messageFault = say("fault-message-long", { letters })
    let filesFault = ""
    if (chosen.length > filesMax) filesFault = say("fault-files-many", { files: filesMax })
    else if (large !== -1) filesFault = say("fault-file-large", { number: large + 1, size })
    else if (empty !== -1) filesFault = say("fault-file-empty", { number: empty + 1 })
    else if (malformed !== -1)
      filesFault = say("fault-file-malformed", { number: malformed + 1 })
    put("message-fault", messageFault)
    if (files !== null) put("files-fault", filesFault)
    message.setAttribute("aria-invalid", String(messageFault !== ""))
    files?.setAttribute("aria-invalid", String(filesFault !== ""))
    if (messageFault !== "") message.focus()
    else if (filesFault !== "") files?.focus()
    return messageFault === "" && filesFault === ""
  }

  const busy = (is: boolean): void => {
    form.setAttribute("aria-busy", String(is))
    message.readOnly = is
    sendButton.disabled = is
    if (files !== null) files.disabled = is
  }

  const fail = (error: unknown): void => {
    const failure = error instanceof Failure ? error : new Failure("failure-sealing")
    put("failure", `${say(failure.text, failure.values)} ${say("failure-kept")}`)
    if (failure.text === "failure-no-crypto") offerPlainForm()
  }

  /** The person may let the server do it, and only the person may. */
  const offerPlainForm = (): void => {
    const offer = button(say("script-plain-form"), () => {
      plain = true
      taken.giveBack()
      report?.clear()
      put("failure", "")
      shown("no-script-note", true)
      if (files !== null) shown("metadata", true)
      sendButton.focus()
    })
    element("failure", HTMLElement).append(" ", offer)
  }

  const openThread = async (): Promise<OpenThread> =>
    (visit.thread ??= { secret: await visit.worker.call("newSecret", []), next: 0 })

  const send = async (): Promise<void> => {
    put("failure", "")
    if (!right()) return
    busy(true)
    try {
      const mode: Mode = choice("mode") === "one-way" ? "one-way" : "two-way"
      const thread = mode === "one-way" ? null : await openThread()
      const keepNames = choice("names") === "keep"
      const letter: Letter = {
        message: message.value,
        mode,
        lang: data.locale,
        files: (report?.chosen() ?? []).map(({ file, untouched }) => ({
          file,
          untouched,
          keptName: keepNames ? file.name : null,
        })),
        thread: thread === null ? null : nextOf(thread, WITHDRAWABLE),
      }
      await sendLetter(visit, letter, progress)
      clear()
      onSent(thread)
    } catch (error) {
      fail(error)
    } finally {
      progress.end()
      busy(false)
    }
  }

  shown("no-script-note", false)
  // Each file has a choice of its own instead.
  if (files !== null) shown("metadata", false)
  files?.addEventListener("change", () => {
    if (!plain) report?.take([...(files.files ?? [])])
  })
  taken.onSubmit(() => void send())
  if (!canProve()) fail(new Failure("failure-no-crypto"))

  return {
    again() {
      clear()
      form.hidden = false
      message.focus()
    },
    clear,
  }
}

/** Without it no ticket can be earned: browsers have it on HTTPS, on onion addresses and at home. */
export function canProve(): boolean {
  return (globalThis.crypto as { subtle?: unknown }).subtle !== undefined
}
