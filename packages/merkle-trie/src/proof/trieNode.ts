/**
 * Reads trie nodes in place, and strictly: returns the positions of a node's items instead of copies. No object is made
 * for each item, because a branch has seventeen items and a proof needs only one of them.
 *
 * Sources: Yellow Paper, appendices B (RLP), C (hex-prefix) and D (nodes).
 */

/** A trie node that is read in place, inside larger bytes. */
export interface TrieNode {
  readonly kind: "branch" | "extension" | "leaf"
  readonly bytes: Uint8Array
  /** The start of each item's RLP, for 17 or 2 items, and then the end of the last item. */
  readonly starts: ReadonlyArray<number>
  /**
   * The path of a leaf or extension: from nibble `from` up to, but not including, `to`, counting two nibbles for each
   * byte of `bytes`.
   */
  readonly from: number
  readonly to: number
}

/** Marks a reference by hash: the head of a string of 32 bytes. */
export const HASH = 0xa0

/** The empty string in RLP, which stands for a missing child or value. */
export const NOTHING = 0x80

/**
 * The smallest first byte of a list in RLP. A child that begins with this byte or a larger one is embedded in its
 * parent.
 */
export const LIST = 0xc0

/**
 * Reads the trie node in the bytes from `from` up to `to`. Returns a sentence about the fault if the bytes are not a
 * trie node.
 *
 * Nodes inside the node are read as well, whether or not a path leads to them. Each has fewer than 32 bytes and is
 * smaller than the node that contains it, so the recursion is at most 15 deep.
 */
export const parse = (bytes: Uint8Array, from: number, to: number): TrieNode | string => {
  if (from === to) return "a node has no bytes"
  if (!readHead(bytes, from, to)) return `not canonical RLP at byte ${from}`
  if (bytes[from]! < LIST) return "a node is not a list"
  if (stop !== to) return `${to - stop} bytes after the node`
  const starts: Array<number> = []
  for (let at = start; at < to;) {
    if (starts.length === 17) return "a node has more than 17 items"
    starts.push(at)
    const head = bytes[at]!
    if (head === HASH && to - at > 32) at += 33
    else if (head === NOTHING) at += 1
    else {
      if (!readHead(bytes, at, to)) return `not canonical RLP at byte ${at}`
      at = stop
    }
  }
  starts.push(to)
  if (starts.length === 18) return branch(bytes, starts)
  return starts.length === 3 ? short(bytes, starts) : `a node has ${starts.length - 1} items`
}

/** Returns the start of the content of the string at `at`, in RLP that is already known to be canonical. */
export const contentStart = (bytes: Uint8Array, at: number): number => {
  const head = bytes[at]!
  if (head < NOTHING) return at
  return head < 0xb8 ? at + 1 : at + 1 + head - 0xb7
}

/** Returns the nibble at a place. Places count nibbles: each byte has two, the high one first. */
export const nibbleAt = (bytes: Uint8Array, place: number): number => {
  const byte = bytes[place >> 1]!
  return (place & 1) === 0 ? byte >> 4 : byte & 15
}

/**
 * True if the key continues with the path of a leaf or extension after `depth` nibbles. The key must be long enough.
 */
export const hasPath = (node: TrieNode, key: Uint8Array, depth: number): boolean => {
  const { bytes, from, to } = node
  for (let i = from; i < to; i++) if (nibbleAt(bytes, i) !== nibbleAt(key, depth + i - from)) return false
  return true
}

const branch = (bytes: Uint8Array, starts: ReadonlyArray<number>): TrieNode | string => {
  let filled = 0
  for (let i = 0; i < 16; i++) {
    const head = bytes[starts[i]!]!
    if (head === NOTHING) continue
    filled++
    const problem = head === HASH ? undefined : checkReference(bytes, starts[i]!, starts[i + 1]!)
    if (problem !== undefined) return problem
  }
  const head = bytes[starts[16]!]!
  if (head >= LIST) return "the value of a branch is a list"
  if (head !== NOTHING) filled++
  if (filled < 2) return "a branch has fewer than two entries"
  return { kind: "branch", bytes, starts, from: 0, to: 0 }
}

const short = (bytes: Uint8Array, starts: ReadonlyArray<number>): TrieNode | string => {
  const [path, item, end] = starts as readonly [number, number, number]
  if (bytes[path]! >= LIST || bytes[path] === NOTHING) return "a path is not hex-prefix encoded"
  const content = contentStart(bytes, path)
  const flags = bytes[content]!
  const odd = (flags & 0x10) !== 0
  if (flags > 0x3f || (!odd && (flags & 0x0f) !== 0)) return "a path is not hex-prefix encoded"
  const from = 2 * content + (odd ? 1 : 2)
  const to = 2 * item
  const head = bytes[item]!
  if ((flags & 0x20) !== 0) {
    if (head >= LIST || head === NOTHING) return "a leaf has no value"
    return { kind: "leaf", bytes, starts, from, to }
  }
  if (from === to) return "an extension has no path"
  if (head === NOTHING) return "an extension leads nowhere"
  if (head !== HASH) {
    const problem = checkReference(bytes, item, end)
    if (problem !== undefined) return problem
    const child = parse(bytes, item, end)
    if (typeof child === "string" || child.kind !== "branch") return NOT_A_BRANCH
  }
  return { kind: "extension", bytes, starts, from, to }
}

/** The fault of an extension without a branch below it. A canonical trie merges an extension with any other child. */
export const NOT_A_BRANCH = "an extension leads to a node that is not a branch"

/** Returns the fault of a reference that is neither empty nor a hash; undefined if there is none. */
const checkReference = (bytes: Uint8Array, from: number, to: number): string | undefined => {
  if (bytes[from]! < LIST) return `a reference has ${to - contentStart(bytes, from)} bytes`
  if (to - from >= 32) return "an embedded node has 32 bytes or more"
  const inner = parse(bytes, from, to)
  return typeof inner === "string" ? inner : undefined
}

/** The start and the end of the content of the item that `readHead` read last. */
let start = 0
let stop = 0

/** Reads the head of the item at `at`. Returns true if the head is canonical and the item ends by `end`. */
const readHead = (bytes: Uint8Array, at: number, end: number): boolean => {
  const head = bytes[at]!
  start = at
  stop = at + 1
  if (head < NOTHING) return true
  start = at + 1
  let size = head < LIST ? head - NOTHING : head - LIST
  if (size > 55) {
    const width = size - 55
    if (width > end - start || bytes[start] === 0) return false
    size = 0
    for (const to = start + width; start < to; start++) size = size * 256 + bytes[start]!
    if (size < 56) return false
  }
  if (size > end - start) return false
  stop = start + size
  return head !== 0x81 || bytes[start]! >= NOTHING
}
