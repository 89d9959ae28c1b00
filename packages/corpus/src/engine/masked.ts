/** What stands for letters that are not shown. */
export const MASK = "***"

/**
 * An identity by a letter or two, enough to see that the right column was taken. Also of a text
 * that is none: a column taken wrongly may hold passwords.
 */
export function maskedIdentity(text: string): string {
  const address = /^([^@\s]+)@([^@\s]+)\.([a-z]{2,24})$/i.exec(text)
  if (address !== null) {
    const [, name = "", domain = "", ending = ""] = address
    return `${initial(name)}@${initial(domain)}.${ending}`
  }
  if (/^\+\d{7,15}$/.test(text)) return `${text.slice(0, 3)}${MASK}${text.slice(-2)}`
  return MASK
}

/** One letter of three or more; of less it would be too much of the whole. */
function initial(text: string): string {
  return text.length < 3 ? MASK : `${text.slice(0, 1)}${MASK}`
}
