import { isIP } from "node:net"
import { parseDomain } from "@assay/core/identity"
import { Explained } from "@assay/runtime/explained"

/**
 * The domains of a list as it is found in the world, in ASCII form, each once and sorted: a domain
 * a line, a hosts file (`0.0.0.0 domain`), or CSV whose first column is the domain. `#` starts a
 * comment. One line that cannot be read refuses the whole file by its number: half a list would
 * look like a whole one.
 */
export function readImportFile(text: string): string[] {
  const domains = new Set<string>()
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|[\r\n]/)
  let first = true
  lines.forEach((line, index) => {
    const content = line.replace(/(^|\s)#.*$/, "").trim()
    if (content === "") return
    const isHeader = first && /^"?domain"?(,|$)/i.test(content)
    first = false
    if (isHeader) return
    for (const name of namesOf(content)) {
      const parsed = parseDomain(name)
      if ("fault" in parsed) throw new Explained("lists", `line ${index + 1}: this is no domain`)
      domains.add(parsed.domain)
    }
  })
  if (domains.size === 0) throw new Explained("lists", "it names no domain")
  return [...domains].sort()
}

function namesOf(content: string): string[] {
  if (content.includes(",")) {
    const cell = content.slice(0, content.indexOf(",")).trim()
    return [/^"(.*)"$/.exec(cell)?.[1] ?? cell]
  }
  const [first = "", ...names] = content.split(/\s+/)
  if (names.length === 0 || isIP(first) === 0) return [content]
  return names.filter((name) => !isLocalName(name))
}

/** Hosts files begin with names of the machine itself. */
function isLocalName(name: string): boolean {
  return !name.includes(".") || name === "localhost.localdomain" || isIP(name) !== 0
}
