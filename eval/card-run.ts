/** The run that the model card reports. Another one is printed and not kept. */
export const CARD_IDENTITIES = 60_000
export const CARD_SEED = 20_261_102
