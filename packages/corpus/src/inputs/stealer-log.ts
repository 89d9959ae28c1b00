import { posix } from "node:path"

// "Passwords.txt", "All Passwords.txt", "_AllPasswords_list.txt", "passwords_chrome.txt".
const PASSWORD_FILE = /^[ _-]*(?:all[ _-]*)?passwords?(?:[ _-].*)?\.txt$/i

// Facts of the machine, among them when the log was made.
const INFORMATION_FILE =
  /^[ _-]*(?:system|sysinfo|(?:user|system|pc|machine)?[ _-]*info(?:rmation)?)\.txt$/i

// Other files in a stealer's folder: facts of the machine, and texts that name people without any
// login.
const COMPANION =
  /^(?:auto ?fills?|important ?autofills?|cookies?|history|downloads?|bookmarks?|credit ?cards?|cc|clipboard|domain ?detects?|(?:user|system|hardware|pc|machine)? ?info(?:rmation)?|sysinfo|system|installed ?(?:software|programs|browsers|apps)|software|process(?:es)?(?: ?list)?|running ?processes|tokens?|wallets?|screenshots?)$/

// Folders for the files it grabbed.
const GRABBED = /^(?:files?|(?:file ?)?grabber|grabbed ?files?|browsers?|screen)$/

// File types of credential lists. Anything else in a log's folder is a picture, or was grabbed.
const LIST_FILE = /\.(?:txt|lst|csv|tsv|json|jsonl|ndjson)$/i

/**
 * How far above a file of passwords the machine's facts may lie: some families have a folder for
 * each browser.
 */
const LEVELS_MAX = 2

/** Whether a file has the name that stealers give to the passwords they took. */
export function isPasswordFile(path: string): boolean {
  return PASSWORD_FILE.test(posix.basename(path))
}

/**
 * Whether a file or folder has a name that is typical for a stealer's log, with any separator
 * between its words.
 */
export function isCompanion(name: string): boolean {
  return COMPANION.test(wordsOf(name))
}

function isPartOfLog(name: string): boolean {
  return isCompanion(name) || (!LIST_FILE.test(name) && GRABBED.test(wordsOf(name)))
}

function wordsOf(name: string): string {
  return name
    .replace(/\.[^.]*$/, "")
    .replace(/[^A-Za-z]+/g, " ")
    .trim()
    .toLowerCase()
}

/**
 * Decides which files to leave out. If passwords lie beside other parts of a log, their folder is
 * the log of one machine: its other files (cookies, documents, screens) are about a person and say
 * nothing of their passwords. A list that somebody put beside them is taken, and so is everything
 * outside of such folders.
 */
export function otherPartsOfLogs(paths: readonly string[]): (path: string) => boolean {
  const logs = logFolders(paths)
  return (path) =>
    !isPasswordFile(path) &&
    foldersAbove(path).some((folder) => logs.has(folder) && !isListIn(folder, path))
}

/**
 * By file of passwords: the nearest file of its log that holds the machine's facts, if there is
 * one.
 */
export function informationOfLogs(paths: readonly string[]): (path: string) => string | null {
  const byFolder = new Map<string, string>()
  for (const path of paths) {
    const folder = posix.dirname(path)
    if (INFORMATION_FILE.test(posix.basename(path)) && !byFolder.has(folder)) {
      byFolder.set(folder, path)
    }
  }
  return (path) => {
    if (byFolder.size === 0 || !isPasswordFile(path)) return null
    const folders = foldersAbove(path).slice(0, LEVELS_MAX + 1)
    return (
      folders.map((folder) => byFolder.get(folder)).find((found) => found !== undefined) ?? null
    )
  }
}

/**
 * Folders that hold a file of passwords and, in them or below, something else that is part of a
 * log.
 */
function logFolders(paths: readonly string[]): ReadonlySet<string> {
  const withPasswords = new Set(paths.filter(isPasswordFile).map((path) => posix.dirname(path)))
  const logs = new Set<string>()
  if (withPasswords.size === 0) return logs
  for (const path of paths) {
    if (isPasswordFile(path)) continue
    for (const folder of foldersAbove(path)) {
      if (withPasswords.has(folder) && !logs.has(folder) && below(folder, path).some(isPartOfLog)) {
        logs.add(folder)
      }
    }
  }
  return logs
}

/** A list that lies in the folder itself: files grabbed from a person go into separate folders. */
function isListIn(folder: string, path: string): boolean {
  const name = posix.basename(path)
  return posix.dirname(path) === folder && LIST_FILE.test(name) && !isCompanion(name)
}

/** The names on the way from a folder to a path in it. */
function below(folder: string, path: string): string[] {
  return (folder === "." ? path : path.slice(folder.length + 1)).split("/")
}

/** The nearest first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    folders.push(folder)
    if (folder === "." || folder === "/") return folders
  }
}
