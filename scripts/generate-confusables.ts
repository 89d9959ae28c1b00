// Makes the table of look-alike letters from Unicode's confusables.txt (UTS #39):
//   node --conditions=source scripts/generate-confusables.ts path/to/confusables.txt
// The file is at https://www.unicode.org/Public/security/ and in ICU's sources under data/unidata.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseDomain } from "@assay/core/identity"
import { root } from "./repository.ts"

/** Unicode's terms ask that this notice goes with its data files. */
const LICENCE = [
  "Copyright © 1991-2022 Unicode, Inc. All rights reserved.",
  "Distributed under the Terms of Use in https://www.unicode.org/copyright.html.",
  'Permission is hereby granted, free of charge, to any person obtaining a copy of the Unicode data files and any associated documentation (the "Data Files") or Unicode software and any associated documentation (the "Software") to deal in the Data Files or Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, and/or sell copies of the Data Files or Software, and to permit persons to whom the Data Files or Software are furnished to do so, provided that either (a) this copyright and permission notice appear with all copies of the Data Files or Software, or (b) this copyright and permission notice appear in associated Documentation.',
  'THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS.',
]

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error("Name the file confusables.txt")
const text = readFileSync(path, "utf8")
const version = /^# Version: (\S+)$/m.exec(text)?.[1]
const date = /^# Date: (\S+),/m.exec(text)?.[1]
if (version === undefined || date === undefined)
  throw new Error("This is not confusables.txt: it names no version or no date")

const letters: [string, string][] = []
for (const [, from = "", to = ""] of text.matchAll(/^([0-9A-F]+) ;\t([0-9A-F ]+) ;/gm)) {
  const letter = String.fromCodePoint(parseInt(from, 16))
  const folded = withoutMarks(
    to.split(" ").map((point) => String.fromCodePoint(parseInt(point, 16))),
  )
  // An ASCII letter stands for itself; "0" and "1" are folded by the code that reads the table.
  if (/^[a-z0-9]{1,3}$/.test(folded) && letter > "\x7f" && inDomains(letter))
    letters.push([letter, folded])
}
letters.sort(([a], [b]) => (a < b ? -1 : 1))

const table = {
  origin: `Unicode confusables.txt ${version} of ${date}, letters of domain names that fold to a-z0-9`,
  licence: LICENCE,
  letters: Object.fromEntries(letters),
}
writeFileSync(
  join(root, "packages/server/src/score/email/lists/confusables.json"),
  `${JSON.stringify(table, null, 2)}\n`,
)
console.log(`${letters.length} letters of Unicode ${version}`)

/**
 * Marks are dropped here and from domains alike: a dot or a stroke more is what a look-alike is
 * made of.
 */
function withoutMarks(characters: readonly string[]): string {
  return characters.join("").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
}

/** Capitals and compatibility forms never arrive: identity/v1 has folded them before. */
function inDomains(letter: string): boolean {
  const parsed = parseDomain(`a${letter}a.example`)
  return !("fault" in parsed) && parsed.unicodeDomain === `a${letter}a.example`
}
