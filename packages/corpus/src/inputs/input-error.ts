/** An input that cannot be read, in words for the person who named it. Nothing was changed. */
export class InputError extends Error {
  override readonly name = "InputError"
}
