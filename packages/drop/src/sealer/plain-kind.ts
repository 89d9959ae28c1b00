/**
 * What a plain request brings: a message so short that it comes in one piece, something longer,
 * perhaps with files, or nothing but a code.
 */
export type PlainKind = "message" | "upload" | "code"

/**
 * A longer request is an upload. Over the slowest connection that is welcome, this takes about a
 * minute.
 */
export const MESSAGE_BYTES = 64 * 1024
