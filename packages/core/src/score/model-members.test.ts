import assert from "node:assert/strict"
import { suite, test } from "node:test"
import emailDocument from "./email-1.0.json" with { type: "json" }
import emailDocument11 from "./email-1.1.json" with { type: "json" }
import { ModelFault } from "./model-document.ts"
import phoneDocument from "./phone-1.0.json" with { type: "json" }
import phoneDocument11 from "./phone-1.1.json" with { type: "json" }
import { loadEmailModel, loadPhoneModel } from "./models.ts"

// Generated over every member of both documents: none may be mistyped, out of range or missing
// without being named.

/** Every wrong value of every member; without a soak each member gets one of them, in turn. */
const EVERY_VALUE = process.env.ASSAY_SOAK !== undefined

function tried<T>(values: readonly T[], turn: number): readonly T[] {
  return EVERY_VALUE ? values : values.slice(turn % values.length, (turn % values.length) + 1)
}

type Holder = Record<string, unknown>

interface Member {
  readonly path: string
  readonly value: unknown
}

/** Every member of a document, at any depth, but the document itself. */
function membersOf(holder: object, path = ""): Member[] {
  return Object.entries(holder as Holder).flatMap(([name, value]) => {
    const own = { path: `${path}/${name}`, value }
    return typeof value === "object" && value !== null ? [own, ...membersOf(value, own.path)] : own
  })
}

/** Floors, windows and stages of evidence: null means that there is none. */
function mayBeNull(path: string): boolean {
  return /^\/stages\/(native\/|limits\/.*\/(floor|windowDays)$)/.test(path)
}

/** Loads a copy in which `change` was made to what holds the member. */
function faultOf(
  load: (document: unknown) => unknown,
  document: object,
  path: string,
  change: (holder: Holder, name: string) => void,
): ModelFault | null {
  const copy = structuredClone(document)
  const names = path.split("/").slice(1)
  const last = names.pop() ?? ""
  let holder = copy as Holder
  for (const name of names) holder = holder[name] as Holder
  change(holder, last)
  try {
    load(copy)
    return null
  } catch (error) {
    assert.ok(error instanceof ModelFault, String(error))
    return error
  }
}

for (const [name, load, document, first, other] of [
  ["e-mail model 1.0", loadEmailModel, emailDocument, emailDocument, emailDocument11],
  ["e-mail model 1.1", loadEmailModel, emailDocument11, emailDocument, emailDocument],
  ["phone model 1.0", loadPhoneModel, phoneDocument, phoneDocument, phoneDocument11],
  ["phone model 1.1", loadPhoneModel, phoneDocument11, phoneDocument, phoneDocument],
] as const) {
  suite(`every member of ${name}`, () => {
    const known = new Set(membersOf(first).map(({ path }) => path))
    /** What came with a later model may be left out as a whole: the model then does without it. */
    const mayBeMissing = (path: string) => {
      const holder = path.slice(0, path.lastIndexOf("/"))
      return !known.has(path) && (holder === "" || known.has(holder))
    }
    const all = membersOf(document)
    const others = new Set(membersOf(other).map(({ path }) => path))
    const shared = all.map(({ path }) => path).filter((path) => others.has(path))
    /** Without a soak a member that both versions have is tried in one of them, in turn. */
    const elsewhere = new Set(
      EVERY_VALUE ? [] : shared.toSorted().filter((_, n) => (n % 2 === 0) === (document === first)),
    )
    const members = all.filter(({ path }) => !elsewhere.has(path))
    const numbers = members.filter(({ value }) => typeof value === "number")
    const becoming = (path: string, value: unknown) =>
      faultOf(load, document, path, (holder, member) => (holder[member] = value))
    const refused = (path: string, value: unknown) =>
      assert.equal(becoming(path, value)?.path, path, `${path} became ${String(value)}`)

    test("is one of hundreds, most of them numbers and sentences", () => {
      const count = all.filter(({ value }) => typeof value === "number").length
      assert.ok(all.length > 150 && count > 70)
    })

    test("is refused in another type", () => {
      for (const [turn, { path, value }] of members.entries()) {
        // A member that may be null may also be a word or a number; their ranges are tried below.
        const values = value === null ? [true, [], {}] : ["", 0.125, true, [], {}, null]
        const wrong = values.filter((other) => {
          const sameType =
            typeof other === typeof value && Array.isArray(other) === Array.isArray(value)
          return !sameType && !(other === null && mayBeNull(path))
        })
        for (const other of tried(wrong, turn)) refused(path, other)
      }
    })

    test("is refused as a number beyond any that makes sense", () => {
      for (const [turn, { path }] of numbers.entries()) {
        for (const other of tried([1e12, -1e12, Infinity, -Infinity, NaN], turn))
          refused(path, other)
      }
    })

    test("is named when it is missing", () => {
      for (const { path } of members) {
        // A number type that is not listed has an unknown line, and no name.
        if (path.startsWith("/lineOfNumberType/") || path.startsWith("/texts/numberTypes/"))
          continue
        const fault = faultOf(load, document, path, (holder, member) => {
          if (Array.isArray(holder)) holder[Number(member)] = undefined
          else Reflect.deleteProperty(holder, member)
        })
        if (fault !== null || !mayBeMissing(path)) assert.equal(fault?.path, path)
      }
    })

    test("is named when a row ends before it", () => {
      const rows = members.filter(({ value }) => Array.isArray(value) && value.length === 2)
      for (const { path } of rows.filter(
        ({ value }) => typeof (value as unknown[])[0] === "number",
      )) {
        assert.equal(becoming(path, [1])?.path, `${path}/1`)
        assert.equal(becoming(path, [])?.path, `${path}/0`)
        assert.equal(becoming(path, [1, 1, 1])?.path, `${path}/2`)
      }
    })

    test("has no unknown neighbour", () => {
      for (const { path, value } of [{ path: "", value: document }, ...members]) {
        if (typeof value !== "object" || value === null || Array.isArray(value)) continue
        if (path === "/lineOfNumberType" || path === "/texts/numberTypes") continue
        const surplus = `${path}/surplus`
        assert.equal(becoming(surplus, 1)?.path, surplus)
      }
    })
  })
}
