import type { SessionDetails } from "@assay/client"
import type { Kind, Lost, Work } from "./kinds.ts"

/**
 * That work was begun, so that a page can say that it was lost. It holds nothing of the work: no
 * identity, no file name, no figure.
 */
interface Mark {
  readonly id: string
  readonly kind: Kind
  readonly begunAtMs: number
  readonly isRunning: boolean
  readonly person: string
  readonly tenant: number | null
}

type Person = Pick<SessionDetails, "person_id" | "tenant_id">
type Place = Pick<Storage, "getItem" | "setItem" | "removeItem">

const NAME = "assay-work"

/** Marks in a storage of the browser. Where it refuses to store, nothing is marked. */
export function marksIn(storage: () => Place): {
  set(work: Work, person: Person): void
  remove(id: string): void
  /** After a new one of its kind was begun in its place. */
  removeKind(kind: Kind): void
  clear(): void
  /** What a person began that is not among `works`. Keeps the marks of those as they are now. */
  lost(works: readonly Work[], person: Person): Lost[]
} {
  const read = (): readonly Mark[] => {
    try {
      const found: unknown = JSON.parse(storage().getItem(NAME) ?? "[]")
      return Array.isArray(found) ? (found as Mark[]) : []
    } catch {
      return []
    }
  }
  const write = (marks: readonly Mark[]): void => {
    try {
      if (marks.length === 0) storage().removeItem(NAME)
      else storage().setItem(NAME, JSON.stringify(marks))
    } catch {
      // The storage is full or forbidden: what is lost will not be told.
    }
  }
  const keep = (fits: (mark: Mark) => boolean): void => {
    const marks = read()
    const left = marks.filter(fits)
    if (left.length < marks.length) write(left)
  }
  const set = ({ id, kind, begunAtMs, state }: Work, person: Person): void => {
    const mark = {
      id,
      kind,
      begunAtMs,
      isRunning: state === "running",
      person: person.person_id,
      tenant: person.tenant_id,
    }
    write([...read().filter((each) => each.id !== id), mark])
  }
  return {
    set,
    remove: (id) => keep((mark) => mark.id !== id),
    removeKind: (kind) => keep((mark) => mark.kind !== kind),
    clear: () => write([]),
    lost(works, person) {
      for (const work of works) {
        const mark = read().find(({ id }) => id === work.id)
        if (mark === undefined) continue
        // Whoever has seen how it ended was told all there is to tell.
        if (work.isSeen) keep(({ id }) => id !== work.id)
        else if (mark.isRunning !== (work.state === "running")) set(work, person)
      }
      return read()
        .filter(
          ({ id, person: who, tenant }) =>
            who === person.person_id &&
            tenant === person.tenant_id &&
            !works.some((work) => work.id === id),
        )
        .map(({ id, kind, begunAtMs, isRunning }) => ({
          id,
          kind,
          begunAtMs,
          state: "lost",
          wasRunning: isRunning,
        }))
    },
  }
}
