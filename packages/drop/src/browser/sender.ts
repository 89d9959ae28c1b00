// The script of the sender's pages.
import type { WordList } from "@assay/core/drop"
import { shown } from "./dom.ts"
import { forgetOnLeaving } from "./forget.ts"
import { letterForm } from "./letter-form.ts"
import { unpackWords } from "@assay/core/drop/packed-words"
import { readPageData, sayWith } from "./page-data.ts"
import { takeOver, type TakenForm } from "./plain-form.ts"
import { repliesPage } from "./replies-page.ts"
import { sentSection } from "./sent.ts"
import { keysOf, listsOf, type Visit } from "./visit.ts"
import { withdrawPage } from "./withdraw-page.ts"
import { dropWorker, workerClient } from "./worker-client.ts"

// The page waits for this script, so no form is there yet. Until each is taken over, none may leave
// in plain text.
const hold = (event: Event): void => event.preventDefault()
addEventListener("submit", hold, true)
addEventListener("DOMContentLoaded", () => {
  // First of all: whatever goes wrong from here on, no form may leave in plain text.
  const forms = new Map([...document.forms].map((form) => [form.id, takeOver(form)]))
  removeEventListener("submit", hold, true)
  takePage((id) => {
    const form = forms.get(id)
    if (form === undefined) throw new Error(`the page has no ${id}`)
    return form
  })
})

function takePage(taken: (id: string) => TakenForm): void {
  const data = readPageData()
  const list: WordList = { language: PAGE_LANGUAGE, words: unpackWords(PAGE_WORDS) }
  const worker = workerClient(dropWorker(WORKER_PATH))
  const words = listsOf(list, WORD_FILES)
  const visit: Visit = {
    data,
    say: sayWith(data.texts),
    worker,
    list,
    words,
    keys: keysOf(data, worker, words),
    thread: null,
  }
  const clearParts =
    data.page === "withdraw" ? [withdrawPage(visit, taken("withdraw-form"))] : writing(visit, taken)
  forgetOnLeaving(() => {
    visit.thread?.secret.fill(0)
    visit.thread = null
    for (const { clear } of clearParts) clear()
  })
}

/** The two pages that a message can be written on. */
function writing(visit: Visit, taken: (id: string) => TakenForm): readonly { clear(): void }[] {
  const later = visit.data.page === "replies"
  const written = later ? "replies" : "write"
  const letter = letterForm(
    taken(later ? "follow-up-form" : "drop-form"),
    visit,
    (thread, code) => {
      shown(written, false)
      sent.show(thread === null ? "one-way" : later ? "follow-up" : "two-way", thread, code)
    },
  )
  const sent = sentSection(
    visit,
    {
      confirm: taken("confirm-form"),
      writeAgain: taken("write-again-form"),
      withdrawNow: taken("withdraw-now-form"),
    },
    () => {
      shown(written, true)
      letter.again()
    },
  )
  // The keys are fetched while the person still writes. A fault in them is shown on sending.
  void visit.keys().catch(() => undefined)
  if (!later) return [letter, sent, { clear: () => shown(written, true) }]
  const replies = repliesPage(visit, {
    ask: taken("replies-form"),
    deletion: taken("delete-form"),
  })
  return [letter, sent, replies]
}
