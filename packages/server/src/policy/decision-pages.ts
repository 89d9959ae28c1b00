import type { Decision, PastDecisions } from "@assay/stores/decisions"

/** Decisions held at a time: some 3 MB, and some 30 ms of scoring. */
const PAGE = 1_000

/** A tenant's decisions since a moment, erased ones too, the newest first, page by page. */
export async function* decisionPages(
  past: Pick<PastDecisions, "list">,
  of: { readonly tenantId: number; readonly from: number },
  limit = PAGE,
): AsyncGenerator<readonly Decision[]> {
  const query = { ...of, erased: true, limit }
  for (let before: string | undefined; ;) {
    const page = await past.list(before === undefined ? query : { ...query, before })
    if (page.length > 0) yield page
    if (page.length < limit) return
    before = page.at(-1)?.id
  }
}
