import {
  effortText,
  type ManifestFile,
  type SealedBy,
  shownText,
  type Strange,
} from "@assay/core/drop"
import type { MetadataFinding, MetadataLabel } from "@assay/core/drop/metadata"
import type { InboxMessage } from "../inbox.ts"
import type { FileFacts, Opener } from "../opener-calls.ts"
import { button, h, save } from "./dom.ts"
import { failureText } from "./failure-text.ts"

const sealedBy: Readonly<Record<SealedBy, string>> = {
  browser: "Sealed in the sender's browser",
  server: "Sealed by the server, which could have read it",
  sender: "Sealed by the sender",
}
const strangeText: Readonly<Record<Strange, string>> = {
  changed:
    "▲ The server gave another content under this message's identifier before. One of the two is not what its sender wrote. Ask the other recipients what they have.",
  moved:
    "▲ You have seen this content before, under another identifier. Somebody took the message away and stored it again, or stored it twice.",
}
/**
 * Kinds that can be cleaned and shown as a picture. Decided again from the file's own bytes before
 * anything is shown.
 */
const PICTURE = /^image\/(?:jpeg|png|gif|webp)$/

/** The same of what may be text. */
const TEXT = /^text\//
/** A page that shows more is slow; whoever needs all of it saves the file. */
const TEXT_SHOWN_MAX = 100_000

function beginning(text: string): string {
  if (text.length <= TEXT_SHOWN_MAX) return shownText(text)
  return `${shownText(text.slice(0, TEXT_SHOWN_MAX))}\n… Save the file to read the rest.`
}

/** A message as text, with its files. Nothing in it becomes a part of the page. */
export function messageView(
  message: InboxMessage,
  opener: Opener,
  { duplicate }: { readonly duplicate: boolean },
): HTMLElement {
  const { manifest, message: text, files, wrapped } = message.opened
  const facts = [
    sealedBy[manifest.sealed_by],
    ...(wrapped ? ["in an envelope the server put around it"] : []),
    ...(message.effort > 0 ? [`the sender's device ${effortText(message.effort)}`] : []),
    `deleted on ${dayText(message.purgeDay)} at the latest`,
  ]
  return h(
    "article",
    { class: "message" },
    duplicate
      ? h(
          "p",
          { class: "warning" },
          "▲ This message is stored a second time. The server or somebody with a copy put it there.",
        )
      : null,
    message.strange === null ? null : h("p", { class: "warning" }, strangeText[message.strange]),
    text === ""
      ? h("p", { class: "soft" }, "No text.")
      : h(
          "pre",
          { class: "text", dir: "auto", tabindex: "0", "aria-label": "Text of the message" },
          shownText(text),
        ),
    files.length === 0
      ? null
      : h(
          "ul",
          { class: "files" },
          ...files.map((file, index) => fileView(message, file, index, opener)),
        ),
    h("p", { class: "soft" }, facts.join(" · ")),
  )
}

function fileView(
  message: InboxMessage,
  file: FileFacts,
  index: number,
  opener: Opener,
): HTMLElement {
  const outcome = h("div", { class: "picture", "aria-live": "polite" })
  const fail = (error: unknown): void =>
    outcome.replaceChildren(h("p", { class: "fault" }, failureText(error)))
  const download = async (): Promise<void> =>
    save(file.name, await opener.attachment(message.sealed, index))
  const showPicture = async (): Promise<void> => {
    const picture = await opener.picture(message.sealed, index)
    outcome.replaceChildren(
      picture === null
        ? h("p", { class: "fault" }, "This is not a picture that can be shown safely.")
        : pictureFrame(picture.type, picture.bytes, file.name),
    )
  }
  const showText = async (): Promise<void> => {
    const text = await opener.text(message.sealed, index)
    const label = { "aria-label": `Text of ${file.name}` }
    outcome.replaceChildren(
      text === null
        ? h("p", { class: "fault" }, "This is not text.")
        : h("pre", { class: "text", dir: "auto", tabindex: "0", ...label }, beginning(text)),
    )
  }
  const label =
    file.original_name === undefined ? null : h("span", {}, ` “${shownText(file.original_name)}”`)
  return h(
    "li",
    {},
    h("strong", {}, file.name),
    label,
    h("span", { class: "soft" }, ` ${sizeText(file.size)} · ${file.type}`),
    h("p", { class: "soft" }, foundLine(file)),
    file.carries.length === 0 ? null : h("p", { class: "soft" }, carriesLine(file.carries)),
    h(
      "p",
      { class: "actions" },
      button(`Save ${file.name}`, () => void download().catch(fail)),
      PICTURE.test(file.type)
        ? button(`Show ${file.name}`, () => void showPicture().catch(fail))
        : TEXT.test(file.type)
          ? button(`Read ${file.name} as text`, () => void showText().catch(fail))
          : null,
    ),
    outcome,
  )
}

/**
 * Its own frame, which may run nothing, request nothing and reach nothing. The type of its URL is
 * the one found in the bytes.
 */
function pictureFrame(
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
): HTMLIFrameElement {
  const url = URL.createObjectURL(new Blob([bytes], { type }))
  return h("iframe", {
    sandbox: "",
    src: url,
    title: `Picture ${name}`,
    load: () => URL.revokeObjectURL(url),
  })
}

function sizeText(bytes: number): string {
  return bytes < 1_048_576
    ? `${Math.ceil(bytes / 1_024).toLocaleString()} KiB`
    : `${(bytes / 1_048_576).toFixed(1)} MiB`
}

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" })

/** A day since 1970, as the console writes it. */
export function dayText(day: number): string {
  return date.format(new Date(day * 86_400_000))
}

const words: Readonly<Record<MetadataLabel, string>> = {
  location: "place",
  date: "date",
  device: "device",
  serial: "serial number",
  author: "author",
  company: "organisation",
  title: "title",
  software: "program",
  comment: "comment",
  thumbnail: "small copy of the picture",
  history: "history of changes",
  "colour-profile": "colour profile",
  technical: "technical data",
  properties: "properties of the document",
  pictures: "pictures inside",
  "hidden-data": "data that does not show",
}

/** A label of a later version, for which this one has no word, is shown unchanged. */
function wordOf(label: string): string {
  return Object.hasOwn(words, label) ? words[label as MetadataLabel] : label
}

const done = {
  stripped: "All of it was removed.",
  kept: "The sender chose to send the file untouched.",
  unknown: "It could not be removed.",
} as const

/**
 * The findings before the file was sent, as its sealer listed them, and what was done about them.
 */
export function foundLine({ metadata, found }: Pick<ManifestFile, "metadata" | "found">): string {
  if (found === undefined)
    return metadata === "stripped"
      ? "Hidden data: removed before sending."
      : `Hidden data: not looked into before sending.${metadata === "kept" ? ` ${done.kept}` : ""}`
  if (found.length === 0)
    return `Hidden data: none was found before sending.${metadata === "kept" ? ` ${done.kept}` : ""}`
  const colours =
    metadata === "stripped" && found.includes("colour-profile")
      ? " Colours can look different."
      : ""
  const list = found.map(wordOf).join(", ")
  return `Hidden data found before sending: ${list}. ${done[metadata]}${colours}`
}

/** What the file carries now, found here in its own bytes. */
export function carriesLine(carries: readonly MetadataFinding[]): string {
  const said = carries.map(({ label, value }) =>
    value === null ? wordOf(label) : `${wordOf(label)} “${shownText(value)}”`,
  )
  return `The file carries: ${said.join("; ")}.`
}
