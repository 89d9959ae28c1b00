import { type Mode, WITHDRAWABLE } from "@assay/core/drop"
import { button, element, say as put, shown } from "./dom.ts"
import { Failure } from "./failure.ts"
import { filesReport } from "./files-report.ts"
import { letterFaults } from "./letter-faults.ts"
import type { TakenForm } from "./plain-form.ts"
import { type Progress, progressOf } from "./progress.ts"
import { fetchChallenge, fetchTicket, upload } from "./requests.ts"
import { nextOf, type OpenThread, type Visit } from "./visit.ts"
import type { Code, Letter } from "./worker-calls.ts"

export interface LetterForm {
  /** Makes the form ready for another message. */
  again(): void
  /** Takes out all that was written. */
  clear(): void
}

/**
 * The form of a message: checks it, seals it and sends it. If anything fails, it shows that and
 * keeps the text.
 */
export function letterForm(
  taken: TakenForm,
  visit: Visit,
  onSent: (thread: OpenThread | null, code: Code | null) => void,
): LetterForm {
  const { form } = taken
  const { say, data } = visit
  const message = element("message", HTMLTextAreaElement)
  const sendButton = element("send", HTMLButtonElement)
  const files = element("files", HTMLInputElement)
  const effort = element("effort", HTMLSelectElement)
  const progress = progressOf(say)
  // Of a later message the mode is no choice.
  const choice = (name: string): string =>
    form.querySelector<HTMLInputElement>(
      `input[name=${name}]:checked, input[type=hidden][name=${name}]`,
    )?.value ?? ""
  const report = filesReport(visit, files)

  const clear = (): void => {
    message.value = message.defaultValue = ""
    files.value = ""
    effort.value = "0"
    report.clear()
    element("names", HTMLInputElement).checked = false
    const code = form.querySelector<HTMLInputElement>("input[name=code]")
    if (code !== null) code.value = ""
  }

  /** Puts sentences at the fields that are not right; false where there are any. */
  const right = (): boolean => {
    const faults = letterFaults(say, data.limits, message.value, report.chosen())
    put("message-fault", faults.message)
    put("files-fault", faults.files)
    message.setAttribute("aria-invalid", String(faults.message !== ""))
    files.setAttribute("aria-invalid", String(faults.files !== ""))
    if (faults.message !== "") message.focus()
    else if (faults.files !== "") files.focus()
    return faults.message === "" && faults.files === ""
  }

  const busy = (is: boolean): void => {
    form.setAttribute("aria-busy", String(is))
    // A change made now would not be sent any more.
    element("letter", HTMLFieldSetElement).disabled = is
  }

  const fail = (error: unknown): void => {
    const failure = error instanceof Failure ? error : new Failure("failure-sealing")
    put("failure", `${say(failure.text, failure.values)} ${say("failure-kept")}`)
    if (failure.text === "failure-no-crypto") offerPlainForm()
  }

  /** Parts that concern only those whose message the server encrypts. */
  const forScriptless = (visible: boolean): void => {
    shown("no-script-note", visible)
    shown("effort-field", !visible)
    // The field exists only if the operators set a question.
    if (document.getElementById("question-field") !== null) shown("question-field", visible)
  }

  /** The person may let the server do it, and only the person may. */
  const offerPlainForm = (): void => {
    const offer = button(say("script-plain-form"), () => void giveBack().catch(fail))
    element("failure", HTMLElement).append(" ", offer)
  }

  const giveBack = async (): Promise<void> => {
    // The server cannot know which thread a later message belongs to.
    if (visit.thread !== null) {
      const { numbers } = await visit.worker.call("code", [visit.thread.secret, visit.list])
      const field = form.querySelector<HTMLInputElement>("input[name=code]")
      if (field !== null) field.value = numbers.join(" ")
    }
    taken.giveBack()
    put("failure", "")
    forScriptless(true)
    sendButton.focus()
  }

  const openThread = async (): Promise<OpenThread> =>
    (visit.thread ??= { secret: await visit.worker.call("newSecret", []), next: 0 })

  const send = async (): Promise<void> => {
    put("failure", "")
    put("form-fault", "")
    if (!right()) return
    busy(true)
    try {
      if (!canProve()) throw new Failure("failure-no-crypto")
      const mode: Mode = choice("mode") === "one-way" ? "one-way" : "two-way"
      const thread = mode === "one-way" ? null : await openThread()
      const keepNames = choice("names") === "keep"
      const letter: Letter = {
        sealedBy: "browser",
        message: message.value,
        mode,
        lang: data.locale,
        files: report.chosen().map(({ file, untouched }) => ({
          file,
          untouched,
          keptName: keepNames ? file.name : null,
        })),
        thread: thread === null ? null : nextOf(thread, WITHDRAWABLE),
      }
      // Before it is sent: for a message that is stored nothing must be left that can fail.
      const code = thread && (await visit.worker.call("code", [thread.secret, visit.list]))
      await sendLetter(visit, letter, effort.value, progress)
      clear()
      onSent(thread, code)
    } catch (error) {
      fail(error)
    }
    progress.end()
    busy(false)
    // A disabled button loses the focus. Give it back, unless the person moved it elsewhere
    // meanwhile.
    if (document.activeElement === document.body) sendButton.focus()
  }

  forScriptless(false)
  // One field for all files: the report below it offers the choice for each.
  for (const each of document.querySelectorAll(".each-file")) each.remove()
  files.multiple = true
  files.addEventListener("change", () => report.take([...(files.files ?? [])]))
  taken.onSubmit(() => void send())
  if (!canProve()) fail(new Failure("failure-no-crypto"))

  return {
    again() {
      clear()
      message.focus()
    },
    clear,
  }
}

/**
 * Without it no ticket can be earned: browsers have it on HTTPS, on onion addresses and at home.
 */
function canProve(): boolean {
  return (globalThis.crypto as { subtle?: unknown }).subtle !== undefined
}

/** What every sealed file begins with. */
const SEALED = "age-encryption.org/v1\n"

/**
 * Seals a letter, earns a ticket for its size and sends it; resolves when the server has stored it.
 * Nothing but the sealed file leaves.
 */
async function sendLetter(
  visit: Visit,
  letter: Letter,
  /** How often the work for the ticket is doubled, because the person wants it. */
  effort: string,
  progress: Progress,
): Promise<void> {
  const keys = await visit.keys("fresh")
  progress.at("script-sealing", 0)
  const sealed = await visit.worker.call("seal", [letter, keys], (share) =>
    progress.at("script-sealing", share),
  )
  // The worker has looked at it already. This is the last place before it leaves, so it is looked
  // at again.
  const start = new TextDecoder("latin1").decode(sealed.sealed.subarray(0, SEALED.length))
  if (start !== SEALED) throw new Failure("failure-sealing")
  progress.at("script-proof", 0)
  const challenge = await fetchChallenge(effort, sealed.sealed.length)
  const solved = await visit.worker.call("solve", [challenge], (share) =>
    progress.at("script-proof", share),
  )
  if (solved === null) throw new Failure("failure-ticket")
  const ticket = await fetchTicket(solved)
  progress.at("script-sending", 0)
  await upload(sealed, ticket, (share) => progress.at("script-sending", share))
}
