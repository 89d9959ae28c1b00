import { h } from "./dom.ts"

const PARTS: readonly (readonly [title: string, sentences: string])[] = [
  [
    "Before you read",
    "Use a machine that is yours alone, and no other window with this service in it. Compare the key words with another recipient. Whatever a message says of itself, its sender wrote: nobody here has checked it.",
  ],
  [
    "Fetching",
    "Everything new comes at once, so that nobody learns which message you read. The drop keeps no time of arrival: a message has only the day on which it goes. What you must keep longer, save.",
  ],
  [
    "Threads",
    "A thread is named by six words that come from its sender's key. If the words differ, so does the sender. A one-way message has no thread and cannot be answered.",
  ],
  [
    "Files",
    "Pictures are cleaned once more and shown in a frame that can do nothing. Text is shown as letters. Save everything else and open it on a machine that is not connected: a file can carry a program, or report that it was opened.",
  ],
  [
    "Answering",
    "A first opening is acknowledged in the language of the page it was written on. Answers wait half an hour after the last change and leave together, so that their time says little. Text and one file have 64 kB together; pictures are cleaned unless you say otherwise. A mailbox holds four answers. Ask for nothing that could show who the sender is.",
  ],
  [
    "Colleagues",
    "Notes and labels are sealed to all recipients. After a key was added or is to be removed, seal everything again. What you have read is remembered in this browser, sealed to your own key.",
  ],
  [
    "Leaving",
    "“Send all and lock” sends what waits and forgets the key and every text. Closing the page forgets them too, and what waits is lost: the browser asks before that.",
  ],
]

/** What a recipient must know, where it is needed. */
export function guideView(): HTMLElement {
  return h(
    "details",
    { class: "guide" },
    h("summary", {}, "How to read and answer safely"),
    ...PARTS.flatMap(([title, sentences]) => [h("h3", {}, title), h("p", {}, sentences)]),
  )
}
