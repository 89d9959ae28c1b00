import { readFileSync } from "node:fs"

/** The rows of a committed list: cells separated by commas, `#` for comments. */
export function readDataFile(file: URL): string[][] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(","))
}
