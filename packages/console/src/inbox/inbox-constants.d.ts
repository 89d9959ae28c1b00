// Written into the script of the inbox by the build.

/** The path of the worker, which holds its hash. */
declare const INBOX_WORKER: string
/** The English word list, as `packWords` packs it. */
declare const INBOX_WORDS: string
