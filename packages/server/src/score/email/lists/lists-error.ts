/** A list that cannot be used; the message says where. */
export class ListsError extends Error {
  override readonly name = "ListsError"
  /** Kept on the way between processes. */
  readonly code = "lists"
}
