/** Callers by their addresses, for limits on those that are not known yet. */

/**
 * What one customer of a provider has: an IPv4 address, or a network of IPv6 addresses of which the first 64 bits are the
 * same. What is no address is kept as it is.
 */
export const addressOf = (remote: string): string => {
  if (!remote.includes(":")) return remote
  const address = remote.toLowerCase()
  // As sockets for both versions show those of IPv4.
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

/** Two groups may be written as an IPv4 address; which numbers they are does not matter behind the first 64 bits. */
const groupsOf = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : text.split(":").flatMap((group) => (group.includes(".") ? [group, ""] : [group]))
