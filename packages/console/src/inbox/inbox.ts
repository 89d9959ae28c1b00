import type { DropBatch, DropCalls } from "@assay/client"
import { DROP_BATCH_FILES_MAX } from "@assay/core/contract"
import {
  type FileToPack,
  fingerprint,
  groupThreads,
  mergeNotes,
  MESSAGE_MAX,
  type Note,
  type Recipients,
  recipientsOf,
  remembered,
  type Seen,
  strangeness,
  type Strange,
  type Thread,
  type ThreadAddress,
  withRead,
  type WordList,
} from "@assay/core/drop"
import { acknowledgement } from "./acknowledgements.ts"
import {
  type OpenedText,
  type Opener,
  OpenerFailure,
  type OpenerFault,
  type ReplyFile,
} from "./opener-calls.ts"
import { createOutbox, type Outbox } from "./outbox.ts"

/** A whole batch delay lies between opening a message and sending anything. */
export const BATCH_DELAY_MS = 30 * 60_000
const DAY_MS = 86_400_000

interface Stored {
  readonly id: string
  /** Stays sealed; each use opens it anew. */
  readonly sealed: Blob
  /** Day since 1970 on which it goes. */
  readonly purgeDay: number
  /** How often its sender doubled the proof of work. */
  readonly effort: number
  /** What is strange about it, compared with earlier visits. */
  readonly strange: Strange | null
}

export interface InboxMessage extends Stored {
  readonly opened: OpenedText
}

/** A message that is not shown, and why. */
export interface RefusedMessage extends Stored {
  readonly fault: OpenerFault
}

export interface InboxThread extends Thread<InboxMessage> {
  /** Whether it has a message that was not on the screen yet, on this browser. */
  readonly unread: boolean
  /** What recipients wrote about it, all notes in one. */
  readonly note: Note
  readonly effort: number
  readonly purgeDay: number
}

/** What waits to be sent, and which thread it is about. */
export type InboxAction =
  | {
      readonly kind: "reply"
      readonly id: string
      readonly thread: string
      readonly address: ThreadAddress
      readonly lang: string
      readonly text: string
      /** Cleaned and found to fit. */
      readonly file?: FileToPack
      /**
       * The number of the reply in its thread. 0: the acknowledgement, made automatically at the
       * first opening.
       */
      readonly order: number
    }
  | { readonly kind: "note"; readonly id: string; readonly thread: string }
  | { readonly kind: "delete"; readonly id: string; readonly thread: string }

export interface Inbox {
  /** Fetches everything that is new, in one request, and opens it. */
  sync(onProgress: (done: number, total: number) => void): Promise<void>
  /** Threads that are not waiting to be deleted. */
  threads(): readonly InboxThread[]
  thread(id: string): InboxThread | undefined
  refused(): readonly RefusedMessage[]
  /**
   * Six words of the keys replies are sealed to, beside the recipient's own; empty before the first
   * sync.
   */
  fingerprint(): readonly string[]
  /**
   * Nothing is sealed to keys that nobody has confirmed: a server could have put its own among
   * them.
   */
  keysConfirmed(): boolean
  confirmKeys(): void
  /**
   * Whether replies of the last batch did not fit their mailboxes; they stay and are sent again.
   */
  mailboxFull(): boolean
  /**
   * Called when a thread is shown. The first time, an acknowledgement goes to its sender with the
   * next batch.
   */
  shown(thread: string): void
  /**
   * False: longer than a message may be, or nothing. A file that cannot be cleaned or does not fit
   * beside the text is an `OpenerFailure`.
   */
  reply(thread: string, text: string, file?: ReplyFile): Promise<boolean>
  changeNote(thread: string, change: Partial<Omit<Note, "about" | "replies" | "answers">>): void
  deleteThread(thread: string): void
  /** Takes back a reply, or the deletion of a thread. */
  takeBack(action: string): void
  /**
   * Seals all messages and notes to the keys in use now, so that a new recipient can open them and
   * an old one can go. Gives how many could not be opened here and are sealed as before.
   */
  reseal(onProgress: (done: number, total: number) => void): Promise<number>
  readonly outbox: Outbox<InboxAction>
}

interface InboxOptions {
  readonly drop: DropCalls
  readonly opener: Opener
  readonly words: WordList
  readonly now: () => number
  /** The words that were confirmed last, where they are remembered. */
  readonly confirmedKeys: { get(): string | null; set(words: string): void }
  /** Keeps what was seen on earlier visits, sealed to the recipient's own key. */
  readonly memory: { get(): Uint8Array | null; set(sealed: Uint8Array): void }
  readonly onChange: () => void
}

/** The recipient's side of the drop, without anything of a page. */
export function createInbox(options: InboxOptions): Inbox {
  const { drop, opener, words, now, confirmedKeys, memory, onChange } = options
  let messages: readonly InboxMessage[] = []
  let refused: readonly RefusedMessage[] = []
  /** The notes in the store, by id. */
  let storedNotes: ReadonlyMap<string, Note> = new Map()
  /**
   * Notes that were changed here and wait to be sent, by thread, with the stored ones each was made
   * from.
   */
  const changedNotes = new Map<string, { readonly note: Note; readonly from: readonly string[] }>()
  let recipients: Recipients | null = null
  let full = false
  let threads: readonly InboxThread[] = []
  let seen: Seen | null = null

  /** A memory that this key does not open is another recipient's, who uses the same browser. */
  const recalled = async (): Promise<Seen> => {
    const sealed = memory.get()
    const found = sealed === null ? {} : await opened(() => opener.openSeen(sealed))
    return typeof found === "string" ? {} : found
  }

  /**
   * Fetching, sending and sealing again wait for each other: each ends with the server's state, and
   * must not meet an older picture of it.
   */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const own = turn.then(work, work)
    turn = own
    return await own
  }
  const outbox = createOutbox<InboxAction>({
    delayMs: BATCH_DELAY_MS,
    now,
    send: (actions) => inTurn(() => send(actions)),
    onChange,
  })

  const keyWords = (): readonly string[] =>
    recipients === null ? [] : fingerprint(recipients.keys, words)
  const keysConfirmed = (): boolean => {
    const found = keyWords().join(" ")
    return found !== "" && confirmedKeys.get() === found
  }
  const noteIds = (about: string): string[] =>
    [...storedNotes].flatMap(([id, note]) => (note.about === about ? [id] : []))
  const noteOf = (about: string): Note => {
    const changed = changedNotes.get(about)
    // A colleague's note that came after the change holds what the change did not know.
    const others = noteIds(about).filter((id) => changed?.from.includes(id) !== true)
    if (changed !== undefined && others.length === 0) return changed.note
    const stored = others.flatMap((id) => storedNotes.get(id) ?? [])
    return mergeNotes(about, changed === undefined ? stored : [...stored, changed.note])
  }
  const arrange = (): void => {
    threads = groupThreads(messages, words).map((thread) => {
      const all = [...thread.messages, ...thread.duplicates]
      return {
        ...thread,
        note: noteOf(thread.id),
        unread: all.some(({ id }) => seen?.[id]?.read !== true),
        effort: Math.max(...all.map(({ effort }) => effort)),
        purgeDay: Math.min(...all.map(({ purgeDay }) => purgeDay)),
      }
    })
    onChange()
  }
  const threadOf = (id: string): InboxThread | undefined => threads.find((each) => each.id === id)
  const changeNote = (about: string, change: Partial<Note>): void => {
    changedNotes.set(about, { note: { ...noteOf(about), ...change }, from: noteIds(about) })
    outbox.add({ kind: "note", id: `note ${about}`, thread: about })
    arrange()
  }

  async function sync(onProgress: (done: number, total: number) => void): Promise<void> {
    const known = new Map([...messages, ...refused].map((message) => [message.id, message]))
    const { index, files } = await drop.sync([...known.keys()])
    recipients = index.recipients.length === 0 ? null : recipientsOf(index.recipients)
    const facts = new Map(index.messages.map((message) => [message.id, message]))
    const total = index.messages.filter(({ id }) => !known.has(id)).length + index.notes.length
    // A message that is gone from the server goes from here too: deleted, withdrawn or past its
    // day.
    const found = messages.filter(({ id }) => facts.has(id))
    const unreadable = refused.filter(({ id }) => facts.has(id))
    const notes = new Map<string, Note>()
    seen ??= await recalled()
    const marked: { id: string; mark: string; until: number }[] = []
    let done = 0
    onProgress(done, total)
    for await (const { kind, id, sealed } of files) {
      const blob = new Blob([sealed])
      const fact = facts.get(id)
      if (kind === "note") {
        const note = await opened(() => opener.openNote(blob))
        if (typeof note === "object") notes.set(id, note)
      } else if (fact !== undefined) {
        const mark = await opener.mark(blob)
        const strange = mark === null ? null : strangeness(seen, { id, mark })
        if (mark !== null) marked.push({ id, mark, until: fact.purge_day })
        const stored = { id, sealed: blob, purgeDay: fact.purge_day, effort: fact.effort, strange }
        const message = await opened(() => opener.openMessage(blob))
        if (typeof message === "string") unreadable.push({ ...stored, fault: message })
        else found.push({ ...stored, opened: message })
      }
      onProgress((done += 1), total)
    }
    // Only now, when everything has arrived: half a sync changes nothing.
    messages = found
    refused = unreadable
    storedNotes = notes
    seen = remembered(seen, marked, Math.floor(now() / DAY_MS))
    memory.set(await opener.sealSeen(seen))
    arrange()
  }

  /** Remembers that all of a thread was on the screen. */
  async function keepRead({ messages: own, duplicates }: InboxThread): Promise<void> {
    seen = withRead(
      seen ?? {},
      [...own, ...duplicates].map(({ id }) => id),
    )
    arrange()
    memory.set(await opener.sealSeen(seen))
  }

  /** Nothing is sealed before somebody has looked at the keys. */
  const confirmedRecipients = (): Recipients => {
    if (recipients === null || !keysConfirmed()) throw new OpenerFailure("recipients")
    return recipients
  }

  /** All at once, in as many requests as it takes. */
  async function send(actions: readonly InboxAction[]): Promise<ReadonlySet<string>> {
    const late = new Set(await lateAcknowledgements(actions))
    const leaving = actions.filter((action) => !late.has(action))
    const done = new Set([...late].map(({ id }) => id))
    for (let at = 0; at < leaving.length; at += DROP_BATCH_FILES_MAX) {
      const sent = await sendBatch(leaving.slice(at, at + DROP_BATCH_FILES_MAX))
      for (const id of sent) done.add(id)
    }
    full = done.size < actions.length
    return done
  }

  /**
   * Acknowledgements of threads that a colleague acknowledged or answered since they were put into
   * the outbox: after an answer the sender need not learn that the message arrived. Checked only
   * when one is about to leave, by fetching everything.
   */
  async function lateAcknowledgements(actions: readonly InboxAction[]): Promise<InboxAction[]> {
    const automatic = actions.filter((action) => action.kind === "reply" && action.order === 0)
    if (automatic.length === 0) return []
    await sync(() => undefined)
    return automatic.filter(({ thread }) =>
      noteIds(thread).some((id) => storedNotes.get(id)?.acknowledged === true),
    )
  }

  async function sendBatch(actions: readonly InboxAction[]): Promise<readonly string[]> {
    const to = confirmedRecipients()
    const replies: NonNullable<DropBatch["replies"]>[number][] = []
    const notes: NonNullable<DropBatch["notes"]>[number][] = []
    const sentNotes = new Map<string, { id: string; note: Note; changed: unknown }>()
    for (const action of actions) {
      if (action.kind === "reply") {
        const { id, address, lang, text, order, file } = action
        const rest = { lang, message: text, order, ...(file !== undefined && { file }) }
        const reply = { sealedBy: "browser", ...rest } as const
        const sealed = await opener.sealReply(reply, address, to)
        const { mailbox, delete_verifier: deleteVerifier } = address
        replies.push({ id, mailbox, deleteVerifier, sealed })
      } else if (action.kind === "note") {
        const id = randomId()
        const note = noteOf(action.thread)
        notes.push({
          id,
          replaces: noteIds(action.thread),
          sealed: await opener.sealNote(note, to),
        })
        sentNotes.set(action.thread, { id, note, changed: changedNotes.get(action.thread) })
      }
    }
    const deleted = actions.filter(({ kind }) => kind === "delete")
    const gone = new Set(deleted.map(({ id }) => id))
    const deletedThreads = new Set(deleted.map(({ thread }) => thread))
    const outcome = await drop.batch({
      replies,
      delete: [...gone],
      notes,
      deleteNotes: [...deletedThreads].flatMap(noteIds),
    })
    const waiting = new Set(
      outcome.replies.flatMap((reply) => (reply.outcome === "full" ? [reply.id] : [])),
    )
    for (const [about, { id, note, changed }] of sentNotes) {
      const replaced = new Set(noteIds(about))
      storedNotes = new Map([...storedNotes].filter(([each]) => !replaced.has(each))).set(id, note)
      const current = changedNotes.get(about)
      if (current === changed) changedNotes.delete(about)
      // The note changed again while this one was on its way, so that change now starts from the
      // stored note too.
      else if (current !== undefined)
        changedNotes.set(about, { ...current, from: [...current.from, id] })
    }
    messages = messages.filter(({ id }) => !gone.has(id))
    arrange()
    return actions.map(({ id }) => id).filter((id) => !waiting.has(id))
  }

  async function reseal(onProgress: (done: number, total: number) => void): Promise<number> {
    const to = confirmedRecipients()
    const notes = [...storedNotes]
    const total = messages.length + notes.length
    let done = 0
    // All messages, in the order of their random ids, so that nothing shows which are read or
    // answered.
    for (const message of messages.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const { header, sealed } = await opener.reseal(message.sealed, to)
      await drop.reseal(message.id, header)
      messages = messages.map((each) =>
        each === message ? { ...message, sealed: new Blob([sealed]) } : each,
      )
      onProgress((done += 1), total)
    }
    for (const [id, note] of notes) {
      const next = randomId()
      const sealed = await opener.sealNote(note, to)
      await drop.batch({ notes: [{ id: next, replaces: [id], sealed }] })
      storedNotes = new Map([...storedNotes].filter(([each]) => each !== id)).set(next, note)
      onProgress((done += 1), total)
    }
    arrange()
    return refused.length
  }

  return {
    sync: (onProgress) => inTurn(() => sync(onProgress)),
    threads() {
      const leaving = new Set(
        outbox.items().flatMap((action) => (action.kind === "delete" ? [action.thread] : [])),
      )
      return threads.filter(({ id }) => !leaving.has(id))
    },
    thread: threadOf,
    refused: () => refused,
    fingerprint: keyWords,
    keysConfirmed,
    confirmKeys() {
      confirmedKeys.set(keyWords().join(" "))
      onChange()
    },
    mailboxFull: () => full,
    shown(id) {
      const thread = threadOf(id)
      if (thread?.unread === true) void inTurn(() => keepRead(thread))
      if (thread === undefined || thread.address === null || thread.note.acknowledged) return
      const first = thread.messages[0] ?? thread.duplicates[0]
      const { lang, text } = acknowledgement(first?.opened.manifest.lang ?? "en")
      const { address } = thread
      const action = { kind: "reply", id: randomId(), thread: id, address, lang, text } as const
      outbox.add({ ...action, order: 0 })
      changeNote(id, { acknowledged: true })
    },
    async reply(id, text, chosen) {
      const bytes = new TextEncoder().encode(text).length
      if ((text.trim() === "" && chosen === undefined) || bytes > MESSAGE_MAX) return false
      const file = chosen === undefined ? {} : { file: await opener.replyFile(chosen, text) }
      // Only now: a colleague's note may have come while the file was cleaned.
      const thread = threadOf(id)
      if (thread === undefined || thread.address === null) return false
      const { address, note } = thread
      const action = { kind: "reply", id: randomId(), thread: id, address, text, ...file } as const
      const answers = note.answers + 1
      outbox.add({ ...action, lang: "und", order: answers })
      // Colleagues read what was answered; files are with the sender alone.
      const replies = text === "" ? note.replies : [...note.replies, text]
      changeNote(id, { acknowledged: true, replies, answers })
      return true
    },
    changeNote,
    deleteThread(id) {
      const thread = threadOf(id)
      if (thread === undefined) return
      // Drops whatever the outbox still holds for the thread.
      for (const action of outbox.items()) if (action.thread === id) outbox.remove(action.id)
      changedNotes.delete(id)
      const all = [...thread.messages, ...thread.duplicates]
      outbox.add(...all.map((message) => ({ kind: "delete", id: message.id, thread: id }) as const))
      arrange()
    },
    takeBack(actionId) {
      const action = outbox.items().find(({ id }) => id === actionId)
      if (action === undefined) return
      if (action.kind === "delete") {
        const { thread } = action
        for (const each of outbox.items()) if (each.thread === thread) outbox.remove(each.id)
      } else if (action.kind === "reply") outbox.remove(actionId)
      if (action.kind === "reply" && action.order > 0) {
        const { replies } = noteOf(action.thread)
        const at = replies.lastIndexOf(action.text)
        changeNote(action.thread, { replies: replies.filter((_, index) => index !== at) })
      }
      arrange()
    },
    reseal: (onProgress) => inTurn(() => reseal(onProgress)),
    outbox,
  }
}

/** The result of `work`, or the word for why it cannot be shown. */
async function opened<T extends object>(work: () => Promise<T>): Promise<T | OpenerFault> {
  try {
    return await work()
  } catch (error) {
    // A worker that died proves nothing about the message: the whole sync fails, and nothing is
    // lost.
    if (error instanceof OpenerFailure && error.fault !== "failed") return error.fault
    throw error
  }
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
