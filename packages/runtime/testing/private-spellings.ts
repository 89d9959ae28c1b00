/** Addresses of IPv4 that nobody on the internet has, one or more of each kind. */
const PRIVATE_V4 = [
  ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254"],
  ...["127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254", "169.254.0.1", "169.254.169.254"],
  ...["172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1"],
  ...["192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
]

const PRIVATE_V6 = [
  ...["::", "::1", "0:0:0:0:0:0:0:1", "0000:0000:0000:0000:0000:0000:0000:0001", "::0:1"],
  ...["fc00::1", "fd00::1", "fd12:3456:789a::1", "fe80::1", "febf::1", "fec0::1", "ff02::1"],
  ...["2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "100::1"],
  ...["64:ff9b:1::a00:1", "5f00::1", "::7f00:1", "::10.0.0.1", "4000::1", "FE80::1"],
]

/** Names of this machine, whose addresses are found without asking anybody. */
const LOCAL_NAMES = ["localhost", "LOCALHOST", "LocalHost", "localhost.", "l\u{FF4F}calhost"]

/**
 * URLs that all name a private address, in the spellings by which guards have been passed: numbers
 * of other bases and lengths, characters that are read as digits or dots, and addresses in
 * addresses.
 */
export function privateSpellings(port: number): string[] {
  const hosts = [
    ...PRIVATE_V4.flatMap((address) => spellingsOf(address)),
    ...PRIVATE_V6.map((address) => `[${address}]`),
    ...LOCAL_NAMES,
  ]
  return [...new Set(hosts)].flatMap((host, n) => {
    // Both schemes for a part of them: what one guards the other may not.
    const https = `https://${host}:${port}/hook?n=${n}`
    return n % 5 === 0 ? [https, `http://${host}:${port}/`] : [https]
  })
}

function spellingsOf(address: string): string[] {
  const bytes = address.split(".").map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number): string => value.toString(16)
  const [high, low] = [a * 256 + b, c * 256 + d].map(hex)
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    `0X${hex(number).toUpperCase().padStart(8, "0")}`,
    bytes.map((byte) => `0x${hex(byte)}`).join("."),
    bytes.map((byte) => `0${byte.toString(8)}`).join("."),
    bytes.map((byte) => `000${byte.toString(8)}`).join("."),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    address.replaceAll(/./g, fullWidth),
    address.replaceAll(".", "\u{3002}"),
    address.replaceAll(/./g, (digit) => `%${hex(digit.charCodeAt(0))}`),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[64:ff9b::${address}]`,
  ]
}

function fullWidth(character: string): string {
  const code = character.charCodeAt(0)
  return String.fromCharCode(character === "." ? 0xff0e : code + 0xfee0)
}
