import { posix } from "node:path"

// "Passwords.txt", "All Passwords.txt", "_AllPasswords_list.txt", "passwords_chrome.txt".
const PASSWORD_FILE = /^[ _-]*(?:all[ _-]*)?passwords?(?:[ _-].*)?\.txt$/i

/** Whether a file has the name that stealers give to the passwords they took. */
export function isPasswordFile(path: string): boolean {
  return PASSWORD_FILE.test(posix.basename(path))
}

/**
 * Tells which files to leave out. Where a file of passwords lies, its folder is the log of one machine: all else in it
 * (cookies, documents, screens) is about a person and says nothing of their passwords. Files outside of such folders
 * are nobody's log and are taken as they are.
 */
export function otherPartsOfLogs(paths: Iterable<string>): (path: string) => boolean {
  const logs = new Set<string>()
  for (const path of paths) if (isPasswordFile(path)) logs.add(posix.dirname(path))
  return (path) => {
    if (logs.size === 0 || isPasswordFile(path)) return false
    for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
      if (logs.has(folder)) return true
      if (folder === "." || folder === "/") return false
    }
  }
}
