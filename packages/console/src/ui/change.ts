import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"

/** A change, after which what was read under these names is read again. */
export function useChange<Variables, Data>(
  change: (variables: Variables) => Promise<Data>,
  ...read: readonly string[]
): UseMutationResult<Data, Error, Variables> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () =>
      Promise.all(read.map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  })
}
