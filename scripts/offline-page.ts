import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The page for use from a disk: one file with its script and style inside. Its policy names both by
 * their hashes, so that nothing else runs in it, and lets it reach nothing. `{{keys}}` stays, for
 * the server to put its keys in.
 */
export function offlinePage(source: string, script: string, style: string): string {
  if (script.includes("</script") || style.includes("</style"))
    throw new Error("the page for use from a disk would end early")
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
  const template = readFileSync(join(source, "offline.html"), "utf8")
  return [
    ["{{policy}}", policy],
    // Whole elements: a hash is over every character between the tags.
    ["<!-- style -->", `<style>${style}</style>`],
    ["<!-- script -->", `<script>${script}</script>`],
  ].reduce((page, [place = "", content = ""]) => put(page, place, content), template)
}

function put(page: string, place: string, content: string): string {
  if (page.split(place).length !== 2) throw new Error(`the page has not one place ${place}`)
  return page.replace(place, () => content)
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`
}
