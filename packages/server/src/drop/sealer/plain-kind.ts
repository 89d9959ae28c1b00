/** What a plain request brings: a message, perhaps with files, or nothing but a code. */
export type PlainKind = "message" | "code"
