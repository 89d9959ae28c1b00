/** The parameters of an address that are the panel's own; all others are the list's. */
export const COMPARED: readonly string[] = ["compare", "model", "policy"]

/** What a list is narrowed by, as the end of an address. */
export function listOf(search: URLSearchParams): string {
  const own = new URLSearchParams(search)
  for (const name of COMPARED) own.delete(name)
  const text = own.toString()
  return text === "" ? "" : `?${text}`
}
