import type { InboxThread } from "./inbox.ts"

/**
 * Whether what is open of a thread has all these words: texts, names of files, labels, notes and
 * answers. It happens in the page, on what the page has: nobody learns what was looked for.
 */
export function hasWords(thread: InboxThread, title: string, wanted: string): boolean {
  const { messages, duplicates, note } = thread
  const texts = [
    title,
    ...[...messages, ...duplicates].flatMap(({ opened: { message, files } }) => [
      message,
      ...files.flatMap(({ name, original_name: given }) => [name, given ?? ""]),
    ]),
    ...note.labels,
    note.text,
    ...note.replies,
  ]
  const all = folded(texts.join("\n"))
  return folded(wanted)
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/** Without the differences that people do not type: case, accents, and forms of one letter. */
function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}
