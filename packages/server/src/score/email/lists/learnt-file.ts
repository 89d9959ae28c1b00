import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "typebox"
import { Value } from "typebox/value"
import { LearntServers } from "./learnt-servers.ts"
import { Explained } from "@assay/runtime/explained"
import { readIfPresent } from "@assay/runtime/if-present"

/** Beside the operator's lists, and with them in every backup. */
export const LEARNT_FILE = "learnt.json"

const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" })
const LearntDocument = Type.Object({
  format: Type.Literal(1),
  servers: Type.Record(
    Type.String(),
    Type.Object({ listed: Type.Record(Type.String(), Day), guarded: Type.Optional(Day) }),
  ),
  overruled: Type.Array(Type.String()),
})

/** What was learnt so far; nothing where there is no file yet. */
export function readLearnt(directory: string): LearntServers {
  let document: unknown
  try {
    const text = readIfPresent(join(directory, LEARNT_FILE))
    if (text === null) return new LearntServers()
    document = JSON.parse(text)
  } catch (error) {
    throw new Explained("lists", `${LEARNT_FILE} cannot be read. Delete it: it is learnt anew`, {
      cause: error,
    })
  }
  if (!Value.Check(LearntDocument, document))
    throw new Explained("lists", `${LEARNT_FILE} cannot be read. Delete it: it is learnt anew`)
  return new LearntServers(document)
}

/** Old or new, never half. */
export function writeLearnt(directory: string, learnt: LearntServers): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, LEARNT_FILE)
  writeFileSync(`${file}.new`, `${JSON.stringify(learnt.document())}\n`, {
    mode: 0o600,
    flush: true,
  })
  renameSync(`${file}.new`, file)
}
