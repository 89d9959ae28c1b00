/** The JSON of a value, made at the first call: an input's is a key of the memo and is recorded. */
export function jsonOnce(value: object): () => string {
  let text: string | undefined
  return () => (text ??= JSON.stringify(value))
}
