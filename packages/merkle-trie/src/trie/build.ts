/**
 * Makes a trie of its entries, all at once: first its shape, then its nodes from the leaves up, those of one height
 * hashed together.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"

import * as Nibbles from "./Nibbles.ts"

/** An entry of a trie: a value at the end of a path. */
export interface Entry {
  readonly path: Nibbles.Nibbles
  readonly value: Uint8Array
}

/**
 * Returns the hash of the root node of a trie with these entries. Pass at least one entry, in the order of their paths,
 * each path once. `keep` receives the RLP of the root and of each node that its parent names by hash, children before
 * parents.
 */
export const build = (entries: ReadonlyArray<Entry>, keep?: (node: Uint8Array) => void): Uint8Array => {
  const { levels, root } = layOut(entries)
  // the level of the leaves is the largest: a value, its path and two heads each
  const writer = RlpWriter.make(entries.reduce((sum, entry) => sum + entry.value.length + 48, 64))
  for (const level of levels) {
    writer.reset()
    const ends = level.map((node) => {
      write(writer, node)
      return writer.position
    })
    // a reference of fewer than 32 bytes is kept, so it is a copy; what is hashed is read where it was written
    const large: Array<Uint8Array> = []
    const hashed: Array<Node> = []
    for (const [at, node] of level.entries()) {
      const from = at === 0 ? 0 : ends[at - 1]!
      const to = ends[at]!
      if (to - from >= 32 || node === root) {
        large.push(writer.view(from, to))
        hashed.push(node)
        keep?.(writer.slice(from, to))
      } else node.reference = writer.slice(from, to)
    }
    for (const [at, hash] of Keccak256.hashMany(large).entries()) hashed[at]!.reference = hash
  }
  return root.reference
}

export const compare = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

/** A node to be, and how its parent names it once it is written: by its hash, or by itself when it is shorter. */
interface Node {
  readonly kind: "leaf" | "extension" | "branch"
  readonly entry: Entry
  /** The nibbles of the path in a leaf or extension; where a branch is. */
  readonly from: number
  readonly to: number
  readonly parent: Node | undefined
  /** Sixteen places of a branch, the one of an extension. */
  readonly children: Array<Node | undefined>
  /** Levels below: children are written first. */
  height: number
  reference: Uint8Array
}

/** The entries `from` up to `to`, which share the first `depth` nibbles and go to a place of `parent`. */
interface Task {
  readonly from: number
  readonly to: number
  readonly depth: number
  readonly parent: Node | undefined
  readonly place: number
}

/** The nodes by their height, the leaves first. A loop with a stack of its own: keys may be as deep as they like. */
const layOut = (entries: ReadonlyArray<Entry>): { readonly levels: Array<Array<Node>>; readonly root: Node } => {
  const nodes: Array<Node> = []
  const tasks: Array<Task> = [{ from: 0, to: entries.length, depth: 0, parent: undefined, place: 0 }]
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { depth, from, parent, place, to } = task
    const entry = entries[from]!
    const { path } = entry
    const add = (kind: Node["kind"], end: number): Node => {
      const node: Node = { kind, entry, from: depth, to: end, parent, children: [], height: 0, reference: NOTHING }
      if (parent !== undefined) parent.children[place] = node
      nodes.push(node)
      return node
    }
    if (to - from === 1) {
      add("leaf", path.length)
      continue
    }
    // sorted, so what the first and the last share, all share
    const last = entries[to - 1]!.path
    let shared = depth
    while (shared < path.length && path[shared] === last[shared]) shared++
    if (shared > depth) {
      tasks.push({ from, to, depth: shared, parent: add("extension", shared), place: 0 })
      continue
    }
    const branch = add("branch", depth)
    // a key that ends here sorts before all that go on: its value is the branch's own
    for (let at = path.length === depth ? from + 1 : from; at < to;) {
      const start = at
      const nibble = entries[start]!.path[depth]!
      while (at < to && entries[at]!.path[depth] === nibble) at++
      tasks.push({ from: start, to: at, depth: depth + 1, parent: branch, place: nibble })
    }
  }
  const levels: Array<Array<Node>> = []
  // parents came before their children, so backwards each height is known when it is needed
  for (const node of nodes.toReversed()) {
    ;(levels[node.height] ??= []).push(node)
    if (node.parent !== undefined) node.parent.height = Math.max(node.parent.height, node.height + 1)
  }
  return { levels, root: nodes[0]! }
}

const write = (writer: RlpWriter.RlpWriter, node: Node): void => {
  const { path, value } = node.entry
  const list = writer.beginList()
  switch (node.kind) {
    case "leaf":
      writer.bytes(Nibbles.encode(path, node.from, node.to, true))
      writer.bytes(value)
      break
    case "extension":
      writer.bytes(Nibbles.encode(path, node.from, node.to, false))
      put(writer, node.children[0])
      break
    case "branch":
      for (let nibble = 0; nibble < 16; nibble++) put(writer, node.children[nibble])
      writer.bytes(path.length === node.from ? value : NOTHING)
  }
  writer.endList(list)
}

const put = (writer: RlpWriter.RlpWriter, child: Node | undefined): void => {
  if (child === undefined) writer.bytes(NOTHING)
  else if (child.reference.length === 32) writer.bytes(child.reference)
  else writer.raw(child.reference)
}

const NOTHING = new Uint8Array(0)
