import { isPasswordFile } from "../inputs/stealer-log.ts"
import { firstBytes, type Member } from "../inputs/member.ts"
import { encodingOf, textHead } from "./encoding.ts"
import { writtenDay } from "./written-day.ts"

/**
 * What the families call the moment at which a log was made, in lower case and without anything but
 * letters. Not when the system was installed or the build compiled.
 */
const KEYS: ReadonlySet<string> = new Set([
  ...["logdate", "logtime", "date", "time", "datetime", "dateandtime", "reportdate", "scandate"],
  ...["localdate", "localtime", "localdatetime", "currentdate", "currenttime", "systemtime"],
  ...["launchedat", "launchdate", "launchtime", "launched", "startedat", "starttime"],
])
const INFORMATION_BYTES_MAX = 16_384
const KEY_LENGTH_MAX = 40

/**
 * The day on which a stealer's log was made, for a file of passwords in it: by the file with the
 * machine's facts, else by the name of the nearest folder that has a date in it. Null if neither
 * has a date.
 */
export async function logDay(member: Member, latestMs: number): Promise<string | null> {
  if (!isPasswordFile(member.name)) return null
  const said =
    member.information === null
      ? null
      : dayInInformation(await textOf(member.information), latestMs)
  return said ?? dayInFolders(member.name, latestMs)
}

/** The day in the first line whose key names the time of the log. */
export function dayInInformation(text: string, latestMs: number): string | null {
  for (const line of text.split(/[\r\n]+/)) {
    const keyEnd = line.slice(0, KEY_LENGTH_MAX).search(/[:=]/)
    const key = line
      .slice(0, Math.max(0, keyEnd))
      .toLowerCase()
      .replace(/[^a-z]+/g, "")
    if (!KEYS.has(key)) continue
    const day = writtenDay(line.slice(keyEnd + 1), latestMs)
    if (day !== null) return day
  }
  return null
}

function dayInFolders(name: string, latestMs: number): string | null {
  for (const folder of name.split(/[/\\]/).slice(0, -1).reverse()) {
    const day = writtenDay(folder, latestMs)
    if (day !== null) return day
  }
  return null
}

async function textOf(bytes: () => AsyncIterable<Buffer>): Promise<string> {
  const head = await firstBytes(bytes(), INFORMATION_BYTES_MAX)
  return textHead(head, encodingOf(head)).toString()
}
