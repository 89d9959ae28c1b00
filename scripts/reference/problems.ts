import { problems } from "@assay/core/contract"
import { code, lines, table } from "./page.ts"

export function problemsPage(): string {
  return lines(
    "# Problems",
    "Every failure is a problem document (RFC 9457) of the media type `application/problem+json`. `type` is `/problems/` and the code; the service serves a page there. A code, once released, keeps its meaning.",
    table(
      ["Code", "Status", "Title", "What it means and what to do"],
      Object.entries(problems).map(([name, { status, title, meaning }]) => [
        code(name),
        status,
        title,
        meaning,
      ]),
    ),
  )
}
