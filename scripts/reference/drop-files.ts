import { buildBrowserFiles, manifestOf } from "../browser-files.ts"
import { root } from "../repository.ts"
import { code, counted, lines, table } from "./page.ts"

/**
 * Built again for the page: a list that only repeated the output of an earlier build would prove
 * nothing.
 */
export async function dropFilesPage(): Promise<string> {
  const { files } = await buildBrowserFiles(root)
  return lines(
    "# Files of the drop's pages",
    "All that the pages of the drop load into a browser, with the SHA-256 sum of each file. The same sources give the same bytes on every machine: `node --conditions=source scripts/build-browser.ts` writes them to `packages/drop/browser`, and a running drop lists what it serves at `/drop/hashes`. The three lists must agree.",
    table(
      ["File", "Bytes", "SHA-256"],
      Object.values(manifestOf(files)).map(({ file, bytes, sha256 }) => [
        code(file),
        counted(bytes),
        code(sha256),
      ]),
    ),
    "A page names its script and its style with these sums, and a browser refuses them when they differ. The script itself names the worker and the word lists, which no page could change. To compare a live site, fetch its files from another network than usual, best over several circuits of Tor, and run `sha256sum` over them.",
    "`offline.html` is the page for use without a network. Its sum is that of the file before a drop puts the readers' keys where `{{keys}}` stands; nothing else in it changes, and its own policy lets no other script run.",
  )
}
