// The script of the inbox page: leads from the session or the token over the key to the threads.
import { createSessionClient, type DropCalls, type DropKeys } from "@assay/client"
import { fingerprint, type WordList } from "@assay/core/drop"
import { unpackWords } from "@assay/core/drop/packed-words"
import { createInbox } from "./inbox/inbox.ts"
import { inboxWorker, openerOf } from "./inbox/opener-client.ts"
import { isRecipient, sessionDrop } from "./inbox/session-drop.ts"
import { h, show } from "./inbox/views/dom.ts"
import { failureText } from "./inbox/views/failure-text.ts"
import { firstRunView } from "./inbox/views/first-run-view.ts"
import { inboxView } from "./inbox/views/inbox-view.ts"
import { signInView } from "./inbox/views/sign-in-view.ts"
import { unlockView } from "./inbox/views/unlock-view.ts"

const words: WordList = { language: "en", words: unpackWords(INBOX_WORDS) }
const place = document.querySelector("main")
if (place === null) throw new Error("the page has no place for the inbox")
const main = place
const opener = openerOf(inboxWorker(INBOX_WORKER)())

/** Six public words, remembered so that a key somebody adds is seen the next time. */
const confirmedKeys = {
  get: () => localStorage.getItem("assay-drop-key-words"),
  set: (found: string) => localStorage.setItem("assay-drop-key-words", found),
}

/**
 * Sealed to the recipient's own key, and padded. A finder learns only that somebody read a drop
 * here.
 */
const memory = {
  get() {
    const kept = localStorage.getItem("assay-drop-seen")
    return kept === null ? null : Uint8Array.from(atob(kept), (sign) => sign.charCodeAt(0))
  },
  set(sealed: Uint8Array) {
    const signs = Array.from(sealed, (byte) => String.fromCharCode(byte))
    try {
      localStorage.setItem("assay-drop-seen", btoa(signs.join("")))
    } catch {
      // No room: the messages of this visit are compared on this visit only.
    }
  },
}

const SESSION_MS = 30_000
void start()

/** With the session of this browser where it reads the drop, and else with a token. */
async function start(): Promise<void> {
  // Some work takes a token, also from somebody who is signed in.
  if (location.hash === "#token") {
    askForToken(null)
    return
  }
  const client = createSessionClient({ baseUrl: location.origin, timeoutMs: SESSION_MS })
  try {
    const session = await client.session()
    if (session === null || !isRecipient(session)) {
      askForToken(session?.name ?? null)
      return
    }
    const drop = sessionDrop(client)
    const keys = await drop.keys()
    const back = h("a", { href: "/console" }, "Console")
    const name = h("p", { class: "soft" }, `Signed in as ${session.name}. `, back)
    document.querySelector("header")?.append(name)
    begin(drop, keys)
  } catch (error) {
    askForToken(null)
    main.prepend(h("p", { class: "fault", role: "alert" }, failureText(error)))
  }
}

function askForToken(otherName: string | null): void {
  const signInPath = main.dataset["signIn"] || null
  show(main, signInView({ signInPath, otherName, onSignedIn: begin }))
}

function begin(drop: DropCalls, keys: DropKeys): void {
  if (keys.recipients.length === 0) startFirstRun(drop)
  else startUnlock(drop, keys)
}

function startFirstRun(drop: DropCalls): void {
  const onDone = (recipient: string): void => {
    confirmedKeys.set(fingerprint([recipient], words).join(" "))
    startInbox(drop, false)
  }
  const onHaveKey = (): void => startUnlock(drop, null)
  show(main, firstRunView({ drop, opener, onDone, onHaveKey }))
}

function startUnlock(drop: DropCalls, keys: DropKeys | null): void {
  const onUnlocked = (publicKeys: readonly string[]): void => {
    const known = keys?.recipients ?? []
    startInbox(drop, !publicKeys.some((key) => known.includes(key)))
  }
  show(main, unlockView(opener, onUnlocked))
}

function startInbox(drop: DropCalls, ownKeyMissing: boolean): void {
  const inbox = createInbox({
    drop,
    opener,
    words,
    now: Date.now,
    confirmedKeys,
    memory,
    onChange: () => view.render(),
  })
  const lock = async (): Promise<void> => {
    try {
      await inbox.outbox.flush()
    } catch (error) {
      show(main, view.element, h("p", { class: "fault", role: "alert" }, failureText(error)))
      return
    }
    // A new page has nothing of this one: no token, no key, no text. A session goes on.
    inbox.outbox.close()
    location.reload()
  }
  const view = inboxView(inbox, opener, { ownKeyMissing, onLock: () => void lock() })
  // A page that closes cannot send as much as a reply: the browser asks first.
  addEventListener("beforeunload", (event) => {
    if (inbox.outbox.items().length > 0) event.preventDefault()
  })
  show(main, view.element)
  view.render()
  void view.sync()
}
