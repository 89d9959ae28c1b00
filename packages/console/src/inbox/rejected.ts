/** Something a person did or entered cannot be used; the message says so to them. */
export class Rejected extends Error {
  override readonly name = "Rejected"
}
