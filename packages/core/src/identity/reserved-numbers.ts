// Numbers that their regulator or vendor promises never to give to anybody. A person who gives one
// as their own made it up or copied it from a manual. Only published ranges are here: a range that
// is merely unused today may be somebody's tomorrow.

/** What a number is kept for: film and print, or trying out software. */
export type ReservedUse = "fictional" | "test"

interface Reserved {
  readonly use: ReservedUse
  /** Fits the national number, the digits after the calling code. */
  readonly pattern: RegExp
}

// By calling code, so that a number is compared with the ranges of its own plan alone.
const RESERVED: ReadonlyMap<string, readonly Reserved[]> = new Map([
  [
    "1",
    [
      // ATIS-0300115: 555-0100 to 555-0199 of every geographic area code. Freephone, premium and
      // personal codes do not keep that block free.
      fictional(
        /(?!8(?:00|22|33|44|55|66|77|88)|900|5(?:00|2[1-9]|33|44|66|77|88))[2-9]\d\d55501\d\d/,
      ),
      // Twilio, "Test credentials": the magic numbers +1 500 555 0000 to 0009.
      test(/500555000\d/),
    ],
  ],
  // ARCEP, decision 2018-0881 (numbering plan), numbers for audiovisual works: 01 99 00, 02 61 91,
  // 03 53 01, 04 65 71, 05 36 49 and 06 39 98, each with four more digits.
  ["33", [fictional(/(?:19900|26191|35301|46571|53649|63998)\d{4}/)]],
  [
    "44",
    [
      // Ofcom, telephone numbers for use in TV and radio drama: 0113 to 0118 and the other large
      // cities with 496 0xxx, Tyneside 0191 498 0xxx, London 020 7946 0xxx, Cardiff 029 2018 0xxx,
      // Northern Ireland 028 9649 6xxx and, in older editions, 028 9018 0xxx.
      fictional(/(?:1(?:1[3-8]|[2-6]1)4960|1914980|2079460|2920180|2896496|2890180)\d{3}/),
      // The same list: no area 01632 960xxx, mobile 07700 900xxx, freephone 0808 157 0xxx,
      // premium 0909 879 0xxx, UK-wide 0306 999 0xxx.
      fictional(/(?:1632960|7700900|8081570|9098790|3069990)\d{3}/),
    ],
  ],
  // PTS, numbers for books and films: 070-1740605 to 699, 031-3900600 to 699, 040-6280400 to 499,
  // 08-46500400 to 499 and 0980-319200 to 299.
  ["46", [fictional(/701740(?:60[5-9]|6[1-9]\d)|(?:3139006|4062804|8465004|9803192)\d\d/)]],
  [
    "49",
    [
      // Bundesnetzagentur, notice 148/2021 ("Drama Numbers"): Berlin 030 23125xxx, Hamburg
      // 040 66969xxx, Frankfurt 069 90009xxx, Munich 089 99998xxx, Cologne 0221 4710xxx.
      fictional(/(?:3023125|4066969|6990009|8999998|2214710)\d{3}/),
      // The same notice, mobile: two blocks of a hundred and ten single numbers.
      fictional(/(?:17139200|176040690)\d\d/),
      fictional(/15228817386|15228895456|15254599371/),
      fictional(/172(?:9925904|9968532|9973185|9973186|9980752)|174(?:9091317|9464308)/),
    ],
  ],
  [
    "61",
    [
      // ACMA, phone numbers for use in TV shows, films and creative works: 5550 xxxx and 7010 xxxx
      // of every geographic area, freephone 1800 160 401 and 1800 975 707 to 711, local rate
      // 1300 975 707 to 711, premium 1900 654 321.
      fictional(/[2378](?:5550|7010)\d{4}/),
      fictional(/1800160401|1[38]009757(?:0[7-9]|1[01])|1900654321/),
      // The same list, mobile: single numbers, whose neighbours may be anybody's.
      fictional(/491570(?:006|110|15[6-9]|313|737)|491571(?:266|491|804)|491572(?:549|665|983)/),
      fictional(/491573(?:087|770)|491574(?:118|632)|491575(?:254|789)|491576(?:398|801)/),
      fictional(/491577(?:426|644)|491578(?:148|888|957)|491579(?:212|455|760)/),
    ],
  ],
  // ComReg, numbers for drama: 020 91x xxxx.
  ["353", [fictional(/2091\d{5}/)]],
])

// ITU-T E.164 list of assigned codes: 991 was given to the trial of an international public
// correspondence service, and no numbering plan knows it.
const TRIAL_CODE = "991"

/** What the national number of a calling code is kept for, or null for numbers anybody may have. */
export function reservedUse(callingCode: string, national: string): ReservedUse | null {
  const ranges = RESERVED.get(callingCode)
  if (ranges === undefined) return null
  for (const { use, pattern } of ranges) if (pattern.test(national)) return use
  return null
}

/** The same for a number whose first digits are no calling code that a plan knows. */
export function reservedUseWithoutPlan(digits: string): ReservedUse | null {
  return digits.startsWith(TRIAL_CODE) ? "test" : null
}

function fictional({ source }: RegExp): Reserved {
  return { use: "fictional", pattern: new RegExp(`^(?:${source})$`) }
}

function test({ source }: RegExp): Reserved {
  return { use: "test", pattern: new RegExp(`^(?:${source})$`) }
}
