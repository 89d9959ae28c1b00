import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FILES = 1_000
const ROWS = 100

/**
 * A folder of a thousand stealers' logs, each with its facts of the machine and its passwords, and
 * one file with the same passwords.
 */
export function writeLogs(folder: string): { logs: string; whole: string; files: number } {
  const logs = join(folder, "logs")
  const all: string[] = []
  for (let file = 0; file < FILES; file++) {
    const log = join(logs, `machine-${file}`)
    mkdirSync(log, { recursive: true })
    writeFileSync(
      join(log, "System.txt"),
      `OS: 10\nLog date: 2025-03-0${1 + (file % 9)} 10:00:00\n`,
    )
    const passwords = Array.from({ length: ROWS }, (_, row) => {
      const n = file * ROWS + row
      return `URL: https://site-${n % 977}.example/login\nUsername: user${n}@mail-${n % 89}.example\nPassword: p-${n}\nApplication: Browser\n===============\n`
    }).join("")
    writeFileSync(join(log, "Passwords.txt"), passwords)
    all.push(passwords)
  }
  const whole = join(folder, "Passwords.txt")
  writeFileSync(whole, all.join(""))
  return { logs, whole, files: FILES }
}
