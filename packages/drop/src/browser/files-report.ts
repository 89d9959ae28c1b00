import { losesColours, type MetadataReport } from "@assay/core/drop/metadata"
import { FILE_MAX, shownText } from "@assay/core/drop"
import { button, element, made, shown } from "./dom.ts"
import type { PageData } from "./page-data.ts"
import type { Visit } from "./visit.ts"

/** A file the person chose, with its metadata and the person's choice for it. */
export interface ChosenFile {
  readonly file: File
  /** Null until it has been looked into. */
  report: MetadataReport | null
  untouched: boolean
}

export interface FilesReport {
  /** Looks into these files and lists what each carries. */
  take(files: readonly File[]): void
  chosen(): readonly ChosenFile[]
  clear(): void
}

/**
 * The report of a file that could not be read. Sealing reads it again, and that decides whether it
 * can be sent.
 */
const UNREADABLE: MetadataReport = {
  type: "",
  extension: "",
  treatment: "unknown",
  findings: [],
}

/** Lists the chosen files with the metadata of each, and lets the person decide file by file. */
export function filesReport(
  visit: Pick<Visit, "worker" | "say"> & { readonly data: Pick<PageData, "texts"> },
  input: HTMLInputElement,
): FilesReport {
  const place = element("files-report", HTMLElement)
  let chosen: ChosenFile[] = []

  const show = (): void => {
    place.replaceChildren(...chosen.map(item))
    place.hidden = chosen.length === 0
  }
  const takeOut = (wanted: ChosenFile): void => {
    chosen = chosen.filter((each) => each !== wanted)
    // The browser's own field gets the same files, in case the person asks for the plain form.
    const left = new DataTransfer()
    for (const { file } of chosen) left.items.add(file)
    input.files = left.files
    show()
    input.focus()
  }
  const look = async (each: ChosenFile): Promise<void> => {
    // A film of an hour would fill the memory, and with it the page and all that is written there
    // would go.
    each.report =
      each.file.size > FILE_MAX
        ? UNREADABLE
        : await visit.worker.call("inspect", [each.file]).catch(() => UNREADABLE)
    show()
  }

  const item = (each: ChosenFile, index: number): HTMLElement => {
    const entry = made("li")
    const name = shownText(each.file.name)
    entry.append(made("strong", `${visit.say("file-number", { number: index + 1 })}: ${name}`))
    entry.append(...described(each))
    entry.append(button(visit.say("script-remove-file"), () => takeOut(each)))
    return entry
  }
  const described = (each: ChosenFile): HTMLElement[] => {
    const { report } = each
    if (report === null) return [made("p", visit.say("script-file-reading"))]
    const parts: HTMLElement[] = []
    if (report.findings.length > 0) {
      const list = made("ul")
      for (const { label, value } of report.findings) {
        const word = visit.data.texts[`finding-${label}`] ?? label
        list.append(made("li", value === null ? word : `${word}: ${shownText(value)}`))
      }
      parts.push(made("p", visit.say("script-file-found")), list)
    }
    parts.push(made("p", visit.say(outcome(each, report))))
    if (report.treatment === "clean" && !each.untouched && losesColours(report.findings))
      parts.push(made("p", visit.say("script-file-colours")))
    if (report.treatment !== "unknown") parts.push(keepBox(each))
    return parts
  }
  const keepBox = (each: ChosenFile): HTMLElement => {
    const number = chosen.indexOf(each) + 1
    const id = `keep-file-${number}`
    // Named as in the plain form, which the person may still ask for.
    const name = `untouched-${number}`
    const box = made("input", "", { type: "checkbox", id, name, value: "keep" })
    box.checked = each.untouched
    box.addEventListener("change", () => {
      each.untouched = box.checked
      show()
      // The list is new; the focus stays at the same place.
      document.getElementById(id)?.focus()
    })
    const choice = made("div", "", { class: "choice" })
    choice.append(box, made("label", visit.say("script-keep-file"), { for: id }))
    return choice
  }

  return {
    take(files) {
      chosen = files.map((file) => ({ file, report: null, untouched: false }))
      show()
      // One after the other: three large pictures at once would be in memory together.
      void chosen.reduce((before, each) => before.then(() => look(each)), Promise.resolve())
    },
    chosen: () => chosen,
    clear() {
      chosen = []
      shown("files-report", false)
      place.replaceChildren()
    },
  }
}

/** What will happen to a file, in a sentence of the page. */
function outcome({ untouched }: ChosenFile, { treatment, findings }: MetadataReport) {
  if (treatment === "unknown") return "script-file-unknown"
  if (untouched) return "script-file-untouched"
  if (treatment === "malformed") return "script-file-malformed"
  if (findings.length === 0) return "script-file-clean"
  return treatment === "clean" ? "script-file-removed" : "script-file-stays"
}
