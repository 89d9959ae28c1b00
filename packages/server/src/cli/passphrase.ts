import { openSync, readFileSync } from "node:fs"
import { ReadStream, type WriteStream } from "node:tty"
import { CommandError } from "./terminal.ts"

/** The person's own terminal; main.ts hands in the process's streams. */
export interface Keyboard {
  readonly stdin: ReadStream
  readonly stderr: WriteStream
}

/**
 * A passphrase from a file or typed without being shown; never an argument, which every user of a
 * machine can read.
 */
export async function readPassphrase(
  prompt: string,
  file: string | undefined,
  keyboard: Keyboard,
): Promise<string> {
  const passphrase = file === undefined ? await typed(prompt, keyboard) : inFile(file)
  if (passphrase === "") throw new CommandError("The passphrase is empty")
  return passphrase
}

function inFile(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "")
  } catch (error) {
    throw new CommandError("--passphrase-file names a file that cannot be read", { cause: error })
  }
}

async function typed(prompt: string, { stdin, stderr }: Keyboard): Promise<string> {
  const keys = stdin.isTTY ? stdin : openTerminal()
  // Before the prompt, so that the first letters of a quick answer are not echoed.
  keys.setRawMode(true)
  keys.setEncoding("utf8")
  stderr.write(prompt)
  let text = ""
  try {
    for await (const chunk of keys.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      for (const key of chunk) {
        if (key === "\r" || key === "\n") return text
        if (key === "\u0003" || key === "\u0004") throw new CommandError("Nothing was done")
        text = key === "\u007f" || key === "\b" ? text.slice(0, -1) : text + key
      }
    }
    throw new CommandError("Nothing was done")
  } finally {
    keys.setRawMode(false)
    keys.pause()
    if (keys !== stdin) keys.destroy()
    stderr.write("\n")
  }
}

/**
 * The terminal itself, for a command whose standard input is a file: `drop reply … < answer.txt`.
 */
function openTerminal(): ReadStream {
  try {
    return new ReadStream(openSync("/dev/tty", "r+"))
  } catch (error) {
    throw new CommandError(
      "A passphrase is needed and there is no terminal to ask at; --passphrase-file names a file with it",
      { cause: error },
    )
  }
}
