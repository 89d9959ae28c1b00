import { compactLmdbIndex } from "../../src/lmdb/compact.ts"

/**
 * A process that compacts the index in a directory and prints a line for each step, so that it can
 * be killed there.
 */
if (import.meta.main) {
  const [path] = process.argv.slice(2) as [string]
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  say("started")
  await compactLmdbIndex({ path, onProgress: (done) => say(String(done)) })
  say("compacted")
}
