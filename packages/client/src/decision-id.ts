// Beside the results and not in them: a result has exactly the members of the contract.
const ids = new WeakMap<object, string>()

export function rememberDecisionId(result: object, id: string | null): void {
  if (id !== null) ids.set(result, id)
}

/**
 * The id under which the service recorded this very result; null where it recorded none, or for a
 * copy.
 */
export function decisionIdOf(result: object): string | null {
  return ids.get(result) ?? null
}
