import { codeFault, readEntry } from "./code-entry.ts"
import { element, say as put, shown } from "./dom.ts"
import type { TakenForm } from "./plain-form.ts"
import { reasonOf } from "./replies-page.ts"
import { withdraw } from "./requests.ts"
import type { Visit } from "./visit.ts"

/** The page on which a sender takes messages back. */
export function withdrawPage(visit: Visit, taken: TakenForm): { clear(): void } {
  const { say } = visit
  const code = element("code", HTMLInputElement)

  const take = async (): Promise<void> => {
    put("code-fault", "")
    put("withdraw-outcome", say("script-working"))
    try {
      const entry = await readEntry(visit, code.value)
      if ("fault" in entry) {
        put("withdraw-outcome", "")
        put("code-fault", codeFault(visit, entry))
        code.focus()
        return
      }
      const keys = await visit.keys()
      const { withdrawal } = await visit.worker.call("requests", [entry.secret, keys])
      await withdraw(withdrawal)
      code.value = ""
      put("withdraw-outcome", say("promise-withdrawn"))
    } catch (error) {
      put("withdraw-outcome", say(reasonOf(error, "failure-withdraw")))
    }
  }

  shown("no-script-code-note", false)
  taken.onSubmit(() => void take())
  return {
    clear() {
      code.value = code.defaultValue = ""
      put("withdraw-outcome", "")
    },
  }
}
