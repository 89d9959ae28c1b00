import type {
  DropFacts,
  FormState,
  Locale,
  PageFiles,
  ShownCode,
} from "../../src/pages/page-input.ts"
import * as pages from "../../src/pages/index.ts"

/** Files that no page can do without, under names a page could have found only here. */
export const sampleFiles: PageFiles = {
  get: (name) => ({ path: `/drop/files/${name}.0123.ext`, integrity: `sha384-${name}` }),
}

export const sampleFacts: DropFacts = {
  name: "The Daily Example",
  retentionDays: 30,
  dropId: "aa".repeat(16),
  suite: "x25519",
  keyCount: 3,
  fingerprint: ["abandon", "amount", "liar", "amount", "expire", "adjust"],
  onion: `http://${"a".repeat(56)}.onion`,
  filesTaken: true,
  question: "What colour is a clear sky?",
  sharesPort: true,
}

export const sampleForm: FormState = {
  token: "token-of-the-form",
  filler: "f1",
  message: "",
  mode: "two-way",
  untouched: [],
  keepNames: false,
  code: "",
  faults: [],
}

/** One of each, at every field that can have one. */
const faultyForm: FormState = {
  ...sampleForm,
  message: "\nWhat was typed before",
  untouched: [2],
  keepNames: true,
  faults: [
    { field: "message", text: "fault-message-long" },
    { field: "files", text: "fault-file-large", values: { number: 2 } },
    { field: "question", text: "fault-question" },
    { field: "form", text: "fault-token-early" },
  ],
}

/** The first vector of drop/v1. */
export const sampleCode: ShownCode = {
  words: "abandon amount liar amount expire adjust cage candy arch gather drum echo".split(" "),
  numbers: "0001 0065 1031 0065 0644 0029 0258 0267 0089 0772 0541 0560".split(" "),
}

/** Replaces the samples in a test, for example by anything a stranger could send. */
export interface Strange {
  readonly files?: PageFiles
  readonly facts?: Partial<DropFacts>
  readonly form?: Partial<FormState>
  readonly reply?: string
  readonly code?: ShownCode
}

/** Every page in each of its states, by name. */
export function everyPage(locale: Locale, strange: Strange = {}): ReadonlyMap<string, string> {
  const facts = { ...sampleFacts, ...strange.facts }
  const form = { ...sampleForm, ...strange.form }
  const faulty = { ...faultyForm, ...strange.form }
  const code = strange.code ?? sampleCode
  const numbers = code.numbers.join(" ")
  const text = strange.reply ?? "Thank you.\nCan you send the second page?"
  const files = strange.files ?? sampleFiles
  const common = [locale, facts, files] as const
  return new Map([
    ["form", pages.formPage(...common, form)],
    ["form-faulty", pages.formPage(...common, faulty)],
    [
      "form-plain",
      pages.formPage(
        locale,
        {
          ...facts,
          name: "",
          onion: null,
          question: null,
          sharesPort: false,
          keyCount: 1,
          filesTaken: false,
        },
        files,
        { ...form, mode: "one-way" },
      ),
    ],
    [
      "sent-one-way",
      pages.sentPage(...common, {
        hidden: false,
        kind: "one-way",
        notes: [
          { text: "sent-file-unknown", number: 1 },
          { text: "sent-file-colours", number: 1 },
        ],
      }),
    ],
    ["sent-follow-up", pages.sentPage(...common, { hidden: false, kind: "follow-up", notes: [] })],
    [
      "sent-two-way",
      pages.sentPage(...common, {
        hidden: false,
        kind: "two-way",
        code,
        confirmWrong: false,
        notes: [],
      }),
    ],
    [
      "sent-confirm-wrong",
      pages.sentPage(...common, {
        hidden: false,
        kind: "two-way",
        code,
        confirmWrong: true,
        notes: [],
      }),
    ],
    ["confirmed", pages.confirmedPage(...common)],
    ["replies", pages.repliesPage(...common, { fault: null, form })],
    [
      "replies-faulty",
      pages.repliesPage(...common, { fault: { text: "fault-code-word", values: { at: 3 } }, form }),
    ],
    [
      "replies-shown",
      pages.repliesShownPage(...common, {
        replies: [
          { text, file: false },
          { text, file: true },
        ],
        code: numbers,
        form,
      }),
    ],
    ["replies-none", pages.repliesShownPage(...common, { replies: [], code: numbers, form })],
    [
      "follow-up-faulty",
      pages.repliesShownPage(...common, {
        replies: [{ text, file: false }],
        code: numbers,
        form: faulty,
      }),
    ],
    ["replies-deleted", pages.repliesDeletedPage(...common)],
    ["withdraw", pages.withdrawPage(...common, { fault: null })],
    ["withdraw-faulty", pages.withdrawPage(...common, { fault: { text: "fault-code-checksum" } })],
    ["withdrawn", pages.withdrawnPage(...common)],
    ["presealed", pages.presealedPage(...common, { token: form.token, fault: null })],
    [
      "presealed-faulty",
      pages.presealedPage(...common, { token: form.token, fault: { text: "fault-presealed" } }),
    ],
    ["presealed-sent", pages.presealedSentPage(...common, { wrapped: false })],
    ["presealed-wrapped", pages.presealedSentPage(...common, { wrapped: true })],
    ["done", pages.donePage(...common)],
    ["busy", pages.busyPage(...common, { seconds: 30, path: "/drop/wait?seconds=60" })],
    ["not-set-up", pages.notSetUpPage(...common)],
    ["not-found", pages.notFoundPage(...common)],
    [
      "hashes",
      pages.hashesPage(...common, {
        hashes: [{ file: "sender-en.0123.js", sha256: "ab".repeat(32) }],
      }),
    ],
    ...[400, 403, 404, 405, 408, 413, 431, 500, 503, 507].map(
      (status) => [`refusal-${status}`, pages.refusalPage(...common, { status })] as const,
    ),
    ["refusal-gave-way", pages.refusalPage(...common, { status: 503, gaveWay: true })],
  ])
}
