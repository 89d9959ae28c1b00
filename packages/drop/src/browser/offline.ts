// The script of the page that seals a message without a network, from a file on the sender's own
// disk.
import { FILE_MAX, FILES_MAX, MESSAGE_MAX, type Mode, type WordList } from "@assay/core/drop"
import { answers, type OnShare } from "./answers.ts"
import { element, made, say as put, shown } from "./dom.ts"
import { filesReport } from "./files-report.ts"
import { forgetOnLeaving } from "./forget.ts"
import { letterFaults } from "./letter-faults.ts"
import { unpackWords } from "@assay/core/drop/packed-words"
import { sayWith } from "./page-data.ts"
import { progressOf } from "./progress.ts"
import type { DropKeys, Letter } from "./worker-calls.ts"
import type { WorkerClient } from "./worker-client.ts"

/** What the textarea holds in a copy that no drop has put its keys into. */
const NO_KEYS = "{{keys}}"

const list: WordList = { language: "en", words: unpackWords(PAGE_WORDS) }
const data = {
  texts: OFFLINE_TEXTS,
  limits: { message: MESSAGE_MAX, files: FILES_MAX, file: FILE_MAX },
}
const say = sayWith(data.texts)
// A page from a disk cannot start a worker, so the same work is done in the page.
const worker: WorkerClient = {
  async call(name, args, onShare = () => undefined) {
    const run = answers[name] as (onShare: OnShare, ...args: readonly unknown[]) => unknown
    return (await run(onShare, ...args)) as never
  },
}

const form = element("offline-form", HTMLFormElement)
const keysField = element("keys", HTMLTextAreaElement)
const message = element("message", HTMLTextAreaElement)
const files = element("files", HTMLInputElement)
const report = filesReport({ worker, say, data }, files)
const progress = progressOf(say)
let sealed: Uint8Array<ArrayBuffer> | null = null

if (keysField.value.trim() === NO_KEYS) keysField.value = ""
keysField.addEventListener("input", () => void readKeys())
files.addEventListener("change", () => report.take([...(files.files ?? [])]))
form.addEventListener("submit", (event) => {
  event.preventDefault()
  void make()
})
element("save", HTMLButtonElement).addEventListener("click", save)
forgetOnLeaving(() => {
  message.value = ""
  files.value = ""
  report.clear()
  sealed = null
  showCode([], [])
})
void readKeys()

async function readKeys(): Promise<DropKeys | null> {
  const place = element("fingerprint", HTMLElement)
  try {
    const keys = await worker.call("keys", [keysField.value, list])
    place.textContent = keys.fingerprint.join(" ")
    return keys
  } catch {
    place.textContent = ""
    return null
  }
}

async function make(): Promise<void> {
  put("failure", "")
  const keys = await readKeys()
  put("keys-fault", keys === null ? "These are not the keys of a drop." : "")
  const faults = letterFaults(say, data.limits, message.value, report.chosen())
  put("message-fault", faults.message)
  put("files-fault", faults.files)
  if (keys === null) keysField.focus()
  else if (faults.message !== "") message.focus()
  else if (faults.files !== "") files.focus()
  else await seal(keys)
}

async function seal(keys: DropKeys): Promise<void> {
  const button = element("make", HTMLButtonElement)
  button.disabled = true
  try {
    const mode: Mode = element("mode-one-way", HTMLInputElement).checked ? "one-way" : "two-way"
    const keepNames = element("names", HTMLInputElement).checked
    const secret = await worker.call("newSecret", [])
    const letter: Letter = {
      sealedBy: "sender",
      message: message.value,
      mode,
      lang: "en",
      files: report.chosen().map(({ file, untouched }) => ({
        file,
        untouched,
        keptName: keepNames ? file.name : null,
      })),
      // The drop takes such a file without anything that could withdraw it.
      thread: mode === "one-way" ? null : { secret, n: null },
    }
    const made = await worker.call("seal", [letter, keys], (share) =>
      progress.at("script-sealing", share),
    )
    sealed = made.sealed
    const code = await worker.call("code", [secret, list])
    showCode(code.words, code.numbers)
    shown("made-code", mode === "two-way")
    form.hidden = true
    shown("made", true)
    element("made-title", HTMLElement).focus()
  } catch {
    put("failure", "The file could not be made. Your text is still in the field.")
  } finally {
    progress.end()
    button.disabled = false
  }
}

function showCode(words: readonly string[], numbers: readonly string[]): void {
  element("code-words", HTMLElement).replaceChildren(...words.map((word) => made("li", word)))
  element("code-numbers", HTMLElement).textContent = numbers.join(" ")
}

function save(): void {
  if (sealed === null) return
  const url = URL.createObjectURL(new Blob([sealed], { type: "application/octet-stream" }))
  made("a", "", { href: url, download: "message.age" }).click()
  URL.revokeObjectURL(url)
}
