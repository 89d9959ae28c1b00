import { join } from "node:path"
import type { TestEvent } from "node:test/reporters"
import { root } from "./repository.ts"

/**
 * The events of test files that shared a process, each a suite that has its name, as each would
 * have reported alone: the suites are gone, and what is in one is of its file.
 */
export function eventsOfGroup(events: readonly TestEvent[], files: readonly string[]): TestEvent[] {
  const told: TestEvent[] = []
  let own: TestEvent[] = []
  for (const event of events) {
    const { data } = event
    // It counts the group as one file; the files are counted by the outcomes of their tests.
    if (event.type === "test:summary") continue
    if (data === undefined || !("nesting" in data) || !("name" in data)) {
      own.push(event)
      continue
    }
    if (data.nesting > 0) {
      own.push({ ...event, data: { ...data, nesting: data.nesting - 1 } } as TestEvent)
      continue
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue
    const file = files.find((each) => each === data.name)
    if (file === undefined) throw new Error(`No file of the group is named ${data.name}`)
    // A file that cannot be loaded, or whose hooks fail, has no test that says so.
    if (event.type === "test:fail" && !own.some(isFailedTest)) own.push(asTest(event))
    told.push(...own.map((each) => ofFile(each, join(root, file))))
    own = []
  }
  return [...told, ...own]
}

function isFailedTest(event: TestEvent): boolean {
  return event.type === "test:fail" && event.data.details.type !== "suite"
}

function asTest<T extends Extract<TestEvent, { type: "test:fail" }>>(event: T): T {
  return { ...event, data: { ...event.data, details: { ...event.data.details, type: "test" } } }
}

function ofFile(event: TestEvent, file: string): TestEvent {
  return event.data !== undefined && "file" in event.data
    ? ({ ...event, data: { ...event.data, file } } as TestEvent)
    : event
}
