import { element, made, say as put, shown } from "./dom.ts"
import type { TakenForm } from "./plain-form.ts"
import { withdraw } from "./requests.ts"
import type { OpenThread, Visit } from "./visit.ts"
import type { Code } from "./worker-calls.ts"

export interface Sent {
  /** Shows that a message was sent; with its code if it is the first of a thread of this visit. */
  show(
    kind: "one-way" | "two-way" | "follow-up",
    thread: OpenThread | null,
    code: Code | null,
  ): void
  /** Takes the code off the page. */
  clear(): void
}

const KINDS = ["one-way", "two-way", "follow-up"] as const
/** The parts of a code that the person must repeat, counted from 1. */
const ASKED = [4, 9]

/**
 * The part of the page that comes after sending. The page never leaves for another, where the code
 * would be lost.
 */
export function sentSection(
  visit: Visit,
  forms: {
    readonly confirm: TakenForm
    readonly writeAgain: TakenForm
    readonly withdrawNow: TakenForm
  },
  onWriteAgain: () => void,
): Sent {
  const { say, data } = visit
  /** Both forms of the code on the page; the one shown first comes first. */
  let parts: readonly (readonly string[])[] = []
  let current: OpenThread | null = null
  const typed = ASKED.map((number) => element(`word-${number}`, HTMLInputElement))

  const fill = (): void => {
    const [first = [], second = []] = parts
    element("code-words", HTMLElement).replaceChildren(...first.map((part) => made("li", part)))
    element("code-line", HTMLElement).textContent = first.join(" ")
    element("code-numbers", HTMLElement).textContent = second.join(" ")
  }

  forms.confirm.onSubmit(() => {
    const right = parts.some((form) =>
      ASKED.every((number, n) => isSame(typed[n]?.value ?? "", form[number - 1] ?? "")),
    )
    put("confirm-outcome", say(right ? "confirm-right" : "confirm-wrong"))
    element("confirm-outcome", HTMLElement).classList.toggle("fault", !right)
    if (!right) typed[0]?.focus()
  })
  forms.writeAgain.onSubmit(() => {
    shown("sent", false)
    onWriteAgain()
  })
  forms.withdrawNow.onSubmit(() => {
    const thread = current
    if (thread === null) return
    put("withdraw-outcome", say("script-working"))
    const taken = async (): Promise<void> => {
      const { withdrawal } = await visit.worker.call("requests", [
        thread.secret,
        await visit.keys(),
      ])
      await withdraw(withdrawal)
    }
    taken().then(
      () => put("withdraw-outcome", say("promise-withdrawn")),
      () => put("withdraw-outcome", say("failure-withdraw")),
    )
  })

  return {
    show(kind, thread, code) {
      current = thread
      if (kind === "two-way" && code !== null) {
        const { words, numbers } = code
        parts = data.digitsFirst ? [numbers, words] : [words, numbers]
        fill()
      }
      for (const each of KINDS) shown(`sent-${each}`, each === kind)
      put("confirm-outcome", "")
      put("withdraw-outcome", "")
      shown("sent", true)
      element("sent-title", HTMLElement).focus()
    },
    clear() {
      parts = []
      current = null
      fill()
      for (const input of typed) input.value = ""
      shown("sent", false)
    },
  }
}

/** Whether this is the requested word, however it was typed. */
function isSame(typed: string, word: string): boolean {
  const plain = (text: string): string =>
    text.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase()
  return word !== "" && plain(typed) === plain(word)
}
