import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { Type } from "typebox"
import { exactly } from "../../settings/settings-file.ts"
import type { SunkEvent } from "../formats/finding.ts"
import type { SinkKind } from "./destination.ts"
import { Format, formatted } from "./formatted.ts"

const FileSettings = Type.Object(
  {
    path: Type.String({
      takes: "a path, from the folder of the settings",
      minLength: 1,
      maxLength: 4096,
      holds: "new-file",
      description:
        "The file that lines are appended to. One that was moved away is made anew, as log rotation expects.",
    }),
    format: Format(["events", "ocsf", "ecs", "cef"], "events"),
  },
  {
    ...exactly,
    title: "file",
    description:
      "A file of one line an event, for agents that read files. Lines are on the disk before the next are written.",
  },
)

/** Longer than any batch: where one was torn, its beginning is in here. */
const TAIL_BYTES = 8 * 1024 * 1024
const LINE_END = 0x0a
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

export const file: SinkKind<typeof FileSettings> = {
  settings: FileSettings,
  open({ path, format = "events" }) {
    let handle: FileHandle | null = null
    /** What was written before this process began; events in it are not written again. */
    let before = ""

    /** The file of that name as it is now: rotation gives the name to another. */
    async function current(): Promise<FileHandle> {
      if (handle !== null) {
        const [held, named] = await Promise.all([handle.stat(), stat(path).catch(() => null)])
        if (named !== null && named.ino === held.ino && named.dev === held.dev) return handle
        await handle.close()
        handle = null
        before = ""
      }
      const opened = await open(path, FLAGS, 0o600)
      before = await wholeTail(opened)
      handle = opened
      return opened
    }

    async function append(to: FileHandle, events: readonly SunkEvent[]): Promise<void> {
      const { size } = await to.stat()
      try {
        await to.appendFile(events.map((event) => `${formatted(format, event)}\n`).join(""))
        await to.datasync()
      } catch (error) {
        // On a full disk part of it may be there; the next attempt begins where this one did.
        await to.truncate(size).catch(() => undefined)
        throw error
      }
    }

    return {
      async send(events) {
        const to = await current()
        // A process that was killed may have written events without noting it.
        const missing = before === "" ? events : events.filter(({ id }) => !before.includes(id))
        if (missing.length > 0) await append(to, missing)
        before = ""
      },
      async close() {
        await handle?.close()
        handle = null
      },
    }
  },
}

/** The last lines of a file. A line without an end is cut off: its event is written again. */
async function wholeTail(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat()
  const from = Math.max(0, size - TAIL_BYTES)
  const bytes = Buffer.alloc(size - from)
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
  const whole = bytes.subarray(0, bytesRead).lastIndexOf(LINE_END) + 1
  if (whole < bytesRead) await handle.truncate(from + whole)
  return bytes.toString("utf8", 0, whole)
}
