/**
 * The operators of a network's nodes. A quorum counts operators, because several nodes of one operator lie together.
 *
 * Nodes have one operator if the file says so, or if they share an address: the same IP address, the same host, or the
 * same registrable domain. Two domains that lead to one machine look like two operators.
 */

/** The settings of a node from which its operator follows. */
export interface OperatedNode {
  readonly operator?: string | undefined
  readonly url?: string | undefined
}

/**
 * Returns the name of each node's operator: the configured name, or else the name of the first node with the same
 * address. Embedded nodes and nodes on loopback addresses share the address of this machine.
 */
export const of = (nodes: ReadonlyArray<OperatedNode>, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const addresses = nodes.map(({ url }) => (url === undefined ? THIS_MACHINE : addressOf(url)))
  return nodes.map(
    ({ operator }, index) =>
      operator ??
      names[
        addresses.findIndex((address, other) => nodes[other]!.operator === undefined && address === addresses[index])
      ]!
  )
}

const THIS_MACHINE = "this machine"

const addressOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  // URL has already written IP addresses in their shortest form
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/u, "")
  const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/u.exec(host)
  const address = mapped === null ? host : dotted(parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16))
  if (address.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/u.test(address)) {
    return address === "[::1]" || address.startsWith("127.") ? THIS_MACHINE : address
  }
  if (/(?:^|\.)localhost$/u.test(address)) return THIS_MACHINE
  const labels = address.split(".")
  return labels.slice(isSecondLevel(labels) ? -3 : -2).join(".")
}

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join(".")

/**
 * True if names are registered below the second label, as below `co.uk`. A suffix that is missing here makes two
 * operators one, which is safe: the file can name them.
 */
const isSecondLevel = (labels: ReadonlyArray<string>): boolean =>
  labels.at(-1)?.length === 2 && /^(?:ac|co|com|edu|go|gob|gov|ne|net|or|org)$/u.test(labels.at(-2) ?? "")
