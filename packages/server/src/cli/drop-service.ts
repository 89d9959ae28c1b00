import { readFileSync } from "node:fs"
import { AssayProblem, AssayUnavailable, type Client, createClient } from "@assay/client"
import { CommandError } from "./terminal.ts"

/** Where the service is, and the token it knows a recipient by. */
export interface ServiceOptions {
  readonly url: string
  readonly tokenFile: string
}

export function serviceOf({ url, tokenFile }: ServiceOptions): Client["drop"] {
  let token: string
  try {
    token = readFileSync(tokenFile, "utf8").trim()
  } catch (error) {
    throw new CommandError("--token-file names a file that cannot be read", { cause: error })
  }
  try {
    return createClient({ baseUrl: url, apiKey: token, timeoutMs: 30_000 }).drop
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const message = error.message.replace(/^baseUrl/, "--url").replace(/^apiKey/, "The token")
    throw new CommandError(message, { cause: error })
  }
}

/** What the service refused or did not answer, as a sentence for the person at the terminal. */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AssayProblem || error instanceof AssayUnavailable)
      throw new CommandError(error.message, { cause: error })
    throw error
  }
}
