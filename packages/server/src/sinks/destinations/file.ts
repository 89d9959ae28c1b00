import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
import { Type } from "typebox"
import { exactly } from "../../settings/settings-file.ts"
import { SinkError, type SinkKind } from "./destination.ts"
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
/** How a line of any format begins, of CEF perhaps torn before its colon. */
const OURS = /^(?:\{|CEF:|CE?F?$)/
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

export const file: SinkKind<typeof FileSettings> = {
  settings: FileSettings,
  open({ path, format = "events" }) {
    let handle: FileHandle | null = null
    /** What the file held when it was opened; events in it are not written again. */
    let before = ""

    /** The next use opens it anew, and so finds out what is in it. */
    async function letGo(): Promise<void> {
      const held = handle
      handle = null
      await held?.close()
    }

    /** The file of that name as it is now: rotation gives the name to another. */
    async function current(): Promise<FileHandle> {
      if (handle !== null) {
        const [held, named] = await Promise.all([handle.stat(), stat(path).catch(() => null)])
        if (named !== null && named.ino === held.ino && named.dev === held.dev) return handle
        await letGo()
      }
      const opened = await open(path, FLAGS, 0o600)
      try {
        before = await wholeTail(opened)
      } catch (error) {
        await opened.close()
        throw error
      }
      handle = opened
      return opened
    }

    return {
      async send(events) {
        const to = await current()
        // A process that was killed may have written events without noting it.
        const missing = events.filter(({ id }) => !before.includes(id))
        try {
          await to.appendFile(missing.map((event) => `${formatted(format, event)}\n`).join(""))
          await to.datasync()
        } catch (error) {
          // Part of it may be there, on a full disk for one.
          await letGo()
          throw error
        }
        // A trial may come before the events that were under way.
        if (events.some(({ type }) => type !== "sink.test")) before = ""
      },
      close: letGo,
    }
  },
}

/**
 * The last lines of a file. A line of ours without an end is cut off: its event is written again.
 * Whatever else has no end is somebody else's, and stays.
 */
async function wholeTail(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat()
  const from = Math.max(0, size - TAIL_BYTES)
  const bytes = Buffer.alloc(size - from)
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, from)
  const whole = bytes.subarray(0, bytesRead).lastIndexOf(LINE_END) + 1
  if (whole < bytesRead) {
    if (!OURS.test(bytes.toString("utf8", whole, bytesRead))) throw new SinkError("file-of-another")
    await handle.truncate(from + whole)
  }
  return bytes.toString("utf8", 0, whole)
}
