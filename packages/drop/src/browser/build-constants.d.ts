// Written into the scripts by the build.

/** The path of the worker, which holds its hash. */
declare const WORKER_PATH: string
/** The paths of the other word lists, and their integrity hashes. */
declare const WORD_FILES: Readonly<
  Record<
    import("@assay/core/drop").WordLanguage,
    { readonly path: string; readonly integrity: string }
  >
>
/** The language of the list inside the script, and its words as `packWords` packs them. */
declare const PAGE_LANGUAGE: import("@assay/core/drop").WordLanguage
declare const PAGE_WORDS: string
/** The sentences of the page for use without a network, which is in English. */
declare const OFFLINE_TEXTS: Readonly<Record<string, string>>
