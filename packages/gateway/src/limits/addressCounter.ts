/** Maps the address of a caller to the name of its counter. */

/**
 * Returns the part of an address that belongs to one customer of an internet provider: a whole IPv4 address, or the
 * first 64 bits of an IPv6 address. A text that is not an address is returned unchanged.
 */
export const addressOf = (remote: string): string => {
  if (!remote.includes(":")) return remote
  const address = remote.toLowerCase()
  // A socket that accepts IPv4 and IPv6 reports IPv4 addresses in this form.
  const mapped = address.startsWith("::ffff:") ? address.slice(7) : ""
  if (mapped.includes(".")) return mapped
  const zone = address.indexOf("%")
  const bare = zone === -1 ? address : address.slice(0, zone)
  const gap = bare.indexOf("::")
  const head = groupsOf(gap === -1 ? bare : bare.slice(0, gap))
  const tail = gap === -1 ? [] : groupsOf(bare.slice(gap + 2))
  const zeros = gap === -1 ? 0 : Math.max(0, 8 - head.length - tail.length)
  const network = [...head, ...Array.from({ length: zeros }, () => "0"), ...tail].slice(0, 4)
  return `${network.map((group) => group.replace(/^0+(?=.)/u, "")).join(":")}::/64`
}

/** Splits an address into groups. An IPv4 address at the end counts as two groups. Their values are not used. */
const groupsOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? [group, ""] : [group]))
