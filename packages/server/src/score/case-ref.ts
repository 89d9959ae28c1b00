// The caller's name of a case is the first member of the recorded input. No model reads it,
// journals and stores need no other format for it, and it goes where the input goes: it is erased
// with it.

const BEGINNING = '{"ref":'

/** An input's JSON with the name of its case in front. */
export function withRef(inputJson: string, ref: string): string {
  return `${BEGINNING}${JSON.stringify(ref)},${inputJson.slice(1)}`
}

/** The name of the case in a recorded input, or null. Reads no more of the input than that. */
export function refIn(inputJson: string): string | null {
  if (!inputJson.startsWith(BEGINNING)) return null
  const text = /^"(?:[^"\\]|\\.)*"/.exec(inputJson.slice(BEGINNING.length))?.[0]
  return text === undefined ? null : (JSON.parse(text) as string)
}
