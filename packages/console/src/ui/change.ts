import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"

/**
 * A change, after which what was read under these names is read again: also after one that failed,
 * which may have been carried out in part.
 */
export function useChange<Variables, Data>(
  change: (variables: Variables) => Promise<Data>,
  ...read: readonly string[]
): UseMutationResult<Data, Error, Variables> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all(read.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  })
}
