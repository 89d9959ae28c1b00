// Every number of the simulated world. None comes from the model under test. "assumed" marks a
// judgement; the others name where they were read. Times are days, and `perYear` is a rate. How
// often accounts are attacked, how often that is noticed or reported, and how abusers' mailboxes
// look was set after looking at earlier runs, so that about two identities in a hundred turn out
// bad, half of them taken over and half abusive.

export const YEAR_DAYS = 365

/** Outcomes are counted over the year after the moment of scoring. */
export const OUTCOME_DAYS = YEAR_DAYS

export const people = {
  /** Fraud in account openings: Feedzai, Bank Account Fraud data set, NeurIPS 2022. */
  abusers: 0.01,
  /** Das et al., The Tangled Web of Password Reuse, NDSS 2014: 43 to 51 %. */
  reusers: 0.45,
  /** Credential changes this service itself has confirmed, within the last year: assumed. */
  rotated: 0.02,
  /**
   * Share of honest mailboxes at most so old. Emailage reports more than 90 % older than 3 years
   * and more than 50 % older than 10; the rest is assumed, younger because these are sign-ups too.
   */
  mailboxDays: [
    [0, 0],
    [0.02, 30],
    [0.06, 365],
    [0.14, 1_095],
    [0.55, 3_650],
    [1, 7_300],
  ],
  /** Abusers open most mailboxes for the purpose, and buy some old ones: assumed. */
  abuserFreshShare: 0.65,
  abuserFreshMeanDays: 18,
  abuserAgedDaysMax: 2_500,
  /** Domains of honest people and of abusers: assumed. */
  domains: { free: 0.77, own: 0.14, unlisted: 0.055, masked: 0.03, disposable: 0.005 },
  abuserDomains: { free: 0.6, own: 0.06, unlisted: 0.1, masked: 0.02, disposable: 0.22 },
} as const

export const leaks = {
  /** Breaches that name an address, for each year of its life: assumed, 4 to 5 in ten years. */
  breachesPerYear: 0.45,
  /** Records of an address without any password, such as marketing lists: assumed. */
  addressListsPerYear: 0.12,
  /** Infected devices and captures by phishing pages: assumed. */
  stealersPerYear: 0.012,
  phishesPerYear: 0.004,
  /** Nothing older circulates in numbers: assumed. */
  daysMax: 15 * YEAR_DAYS,
  /**
   * How breached services stored passwords: F5, 2021 Credential Stuffing Report; the rest salted.
   */
  storage: { plaintext: 0.426, weak_hash: 0.2, salted_hash: 0.207, slow_hash: 0.167 },
  /** Share that is cracked: all; LinkedIn 2012 within days (89 %); assumed; assumed. */
  cracked: { plaintext: 1, weak_hash: 0.89, salted_hash: 0.5, slow_hash: 0.1 },
  /**
   * Half of leaked passwords are no longer in use after this long: SpyCloud 2021, 70 % after a
   * year.
   */
  validHalfLifeDays: 800,
  /** A leaked password opens this account too: SpyCloud 2022, 82 % of reusers exactly; assumed. */
  worksForReuser: 0.8,
  worksForOthers: 0.05,
  /** A stealer log or a phishing page holds the password of this very account: assumed. */
  stealerHoldsThis: 0.65,
  phishHoldsThis: 0.75,
  /** Personal data beside the password, for each class: assumed. */
  classShare: { breach: 0.15, stealer: 0.4, phish: 0.2 },
} as const

export const circulation = {
  /** Lists a cracked record enters over the years, and days until each: assumed. */
  listsMean: 1.1,
  listDelayMeanDays: 700,
  /** Posts of the whole breach by others than its origin: assumed. */
  repostsMean: 0.7,
  repostDelayMeanDays: 500,
  /**
   * Stealer logs are put up for sale soon: Genesis Market listed bots within days. Shares assumed.
   */
  listed: 0.7,
  listingDelayMeanDays: 8,
  sold: 0.3,
  saleDelayMeanDays: 30,
  /** Somebody checks a working password and says so in public: assumed. */
  testedShare: 0.15,
  /** Talk that names an address, no matter whose it is: assumed. */
  mentionsPerYear: 0.02,
} as const

/**
 * Attempts on this account for each usable record, front-loaded: a first wave and a long tail.
 * Agari 2021 saw half of phished passwords used within 12 hours and 91 % within a week. Counts are
 * assumed.
 */
export const attempts = {
  breach: { mean: 0.04, firstShare: 0.6, firstMeanDays: 40, tailMeanDays: 900 },
  list: { mean: 0.05, firstShare: 0.7, firstMeanDays: 30, tailMeanDays: 400 },
  stealer: { mean: 2, firstShare: 0.5, firstMeanDays: 20, tailMeanDays: 300 },
  phish: { mean: 4, firstShare: 0.7, firstMeanDays: 5, tailMeanDays: 200 },
  /** An intruder comes back, or sells the way in. */
  back: { mean: 2, firstShare: 0.5, firstMeanDays: 20, tailMeanDays: 300 },
  /** Takeovers that come from no leak, such as guessing: assumed. */
  unexplainedPerYear: 0.002,
  /**
   * The owner notices and changes the password: assumed, and seldom, since most who get in look
   * around quietly (Onaolapo et al., What Happens After You Are Pwnd, IMC 2016).
   */
  changedAfter: 0.12,
  withLoss: 0.25,
} as const

/** The share of each event that the operator's sources ever show: assumed. */
export const observed = {
  breach: 0.75,
  address: 0.5,
  list: 0.8,
  repost: 0.7,
  stealer: 0.65,
  phish: 0.5,
  listing: 0.65,
  sale: 0.6,
  tested: 0.5,
  mention: 0.5,
  /** Most takeovers are never reported to anyone who keeps such records. */
  attack: 0.05,
  /** Median days until a breach is known: F5, 2021 Credential Stuffing Report. */
  breachDelayMedianDays: 120,
  /** How sources are trusted: assumed. */
  confidences: { "0.4": 0.08, "0.6": 0.2, "0.8": 0.5, "0.95": 0.22 },
} as const

/** What is looked up about an address, and how often each finding is seen: all assumed. */
export const trust = {
  contextGiven: 0.6,
  ageKnown: 0.65,
  tracesLookedUp: 0.5,
  networkLookedUp: 0.7,
  verificationKnown: 0.5,
  historyKnown: 0.35,
  listCoverage: 0.4,
  disposableListed: 0.85,
  honest: {
    tracesMean: 2.2,
    verified: 0.7,
    deliverable: 0.97,
    goodHistory: 0.8,
    burst: 0.012,
    burstMean: 1.2,
    instant: 0.012,
    cluster: 0.001,
    blocklisted: 0.003,
    generatedHandle: 0.03,
    youngDomain: 0.03,
    lookalike: 0.001,
    anomalyMax: 0.25,
  },
  abuser: {
    tracesMean: 0.25,
    verified: 0.45,
    deliverable: 0.85,
    goodHistory: 0.05,
    burst: 0.6,
    burstMean: 4,
    instant: 0.4,
    cluster: 0.25,
    blocklisted: 0.22,
    generatedHandle: 0.5,
    youngDomain: 0.6,
    lookalike: 0.04,
    anomalyMax: 0.9,
  },
} as const
