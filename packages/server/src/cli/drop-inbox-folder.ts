import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { DropIndex } from "@assay/client"
import { readSeen, type Seen } from "@assay/core/drop"
import { CommandError } from "./terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

const SEALED = /^([0-9a-f]{32})\.age$/

export type SealedKind = "messages" | "notes"

/**
 * A recipient's folder: sealed files as the server has them, what it said of them, and what waits
 * to be sent. Nothing in it can be read without an identity file, apart from where replies that
 * wait are to go.
 */
export interface InboxFolder {
  /** Where things wait to be sent. */
  readonly queue: string
  /** What the server said last. */
  index(): DropIndex
  setIndex(index: DropIndex): void
  /** What is remembered of messages; null: nothing yet. */
  seen(): Seen | null
  setSeen(seen: Seen): void
  /** Whether there was a sync yet. */
  isNew(): boolean
  ids(kind: SealedKind): string[]
  sealed(kind: SealedKind, id: string): Uint8Array
  put(kind: SealedKind, id: string, sealed: Uint8Array): void
  remove(kind: SealedKind, id: string): void
  /** The message that is called this, by the beginning of its id. */
  find(id: string): DropIndex["messages"][number]
}

export function openInbox(path: string): InboxFolder {
  const folder = (name: string): string => {
    const made = join(path, name)
    mkdirSync(made, { recursive: true, mode: 0o700 })
    return made
  }
  const indexFile = join(path, "index.json")
  const seenFile = join(path, "seen.json")
  const isNew = (): boolean => !existsSync(indexFile)
  const index = (): DropIndex => {
    if (isNew())
      throw new CommandError(
        `There is no message here yet; ${typedCommand("drop sync")} fetches them`,
      )
    try {
      return JSON.parse(readFileSync(indexFile, "utf8")) as DropIndex
    } catch (error) {
      throw new CommandError(
        `The folder's index.json is damaged; remove it and run ${typedCommand("drop sync")}`,
        { cause: error },
      )
    }
  }
  return {
    get queue() {
      return folder("queue")
    },
    index,
    isNew,
    setIndex(next) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      writeWhole(indexFile, `${JSON.stringify(next)}\n`)
    },
    seen() {
      if (!existsSync(seenFile)) return null
      try {
        return readSeen(JSON.parse(readFileSync(seenFile, "utf8")))
      } catch (error) {
        throw new CommandError(
          "The folder's seen.json is damaged, and changed messages would not be noticed; remove it to go on",
          { cause: error },
        )
      }
    },
    setSeen(seen) {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      writeWhole(seenFile, `${JSON.stringify(seen)}\n`)
    },
    ids: (kind) => readdirSync(folder(kind)).flatMap((name) => SEALED.exec(name)?.[1] ?? []),
    sealed(kind, id) {
      try {
        return new Uint8Array(readFileSync(join(path, kind, `${id}.age`)))
      } catch (error) {
        throw new CommandError(
          `Message ${id} is not here; ${typedCommand("drop sync")} fetches it`,
          {
            cause: error,
          },
        )
      }
    },
    put: (kind, id, sealed) => writeWhole(join(folder(kind), `${id}.age`), sealed),
    remove: (kind, id) => rmSync(join(path, kind, `${id}.age`), { force: true }),
    find(id) {
      if (!/^[0-9a-f]{4,32}$/.test(id))
        throw new CommandError("A message is named by at least four characters of its id")
      const [found, ...others] = index().messages.filter((message) => message.id.startsWith(id))
      if (found === undefined) throw new CommandError("No message has an id that begins like this")
      if (others.length > 0)
        throw new CommandError("Several messages have ids that begin like this")
      return found
    },
  }
}

/** Writes the whole file or nothing, even if the machine stops meanwhile. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}
