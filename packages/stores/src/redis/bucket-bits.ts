/**
 * Leading bits of an identity key that name its bucket: with 2^20 buckets, 100 million identities
 * come to 95 each.
 */
export const BUCKET_BITS = { min: 4, fallback: 20, max: 26 }
