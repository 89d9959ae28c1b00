/** Files inside archives, over a whole import. */
export const ARCHIVE_FILES_MAX = 10_000
/** How many packings may lie inside each other: a zip in a zip, or a gzip file in a zip. */
export const PACKING_LEVELS_MAX = 2
/**
 * A zip inside an archive is read out of order, so all of it is held in memory: never on the disk.
 */
export const NESTED_ZIP_BYTES_MAX = 256 << 20
