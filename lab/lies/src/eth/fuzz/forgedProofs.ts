/** Forges trie proofs: changes a node, and puts its new hash into the nodes above it. */
import { RLP } from "@ethereumjs/rlp"
import { Keccak256 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"

import * as Mutate from "../../mutate.ts"
import * as Encode from "./hashedForms.ts"

type Nodes = ReadonlyArray<Uint8Array>

/**
 * Replaces a node of a proof, and writes the new hashes into all nodes above it. Returns the nodes and the hash of
 * their root.
 */
export const rehash = (
  nodes: Nodes,
  at: number,
  node: Uint8Array
): { readonly nodes: Nodes; readonly root: Uint8Array } => {
  const out = nodes.with(at, node)
  for (let place = at; place > 0; place--) {
    out[place - 1] = replaced(out[place - 1]!, Keccak256.hash(nodes[place]!), Keccak256.hash(out[place]!))
  }
  return { nodes: out, root: Keccak256.hash(out[0] ?? Uint8Array.of(0x80)) }
}

const replaced = (bytes: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array => {
  const at = Buffer.from(bytes).indexOf(from)
  if (at < 0) return bytes
  const out = Uint8Array.from(bytes)
  out.set(to, at)
  return out
}

/** Returns a node with a change: in an item of its RLP, or in its bytes. */
export const bent = (node: Uint8Array, random: Random.Random): Uint8Array => {
  if (Random.chance(random, 0.15)) return Mutate.bytesChanged(node, random)
  const changed = Mutate.rlpChanged(Encode.hexOf(node), random)
  return changed === undefined ? Mutate.bytesChanged(node, random) : Encode.bytesOf(changed)
}

type Item = Uint8Array | Array<Item>

/**
 * Returns the value that nodes have for a key, by a walk that shares no code with the verifier: `null` if there is
 * none, `undefined` if the nodes are invalid or do not reach that far.
 */
export const look = (
  root: Uint8Array,
  key: Uint8Array,
  nodes: Nodes,
  onMissing: (hash: Uint8Array) => void = () => {}
): Uint8Array | null | undefined => {
  if (nodes.length === 0) return same(root, Keccak256.hash(Uint8Array.of(0x80))) ? null : undefined
  const path = [...key].flatMap((byte) => [byte >> 4, byte & 15])
  let wanted: Item = root
  let used = 0
  for (;;) {
    let node: Item
    if (Array.isArray(wanted)) node = wanted
    else if (wanted.length === 0) return null
    else {
      const bytes: Uint8Array | undefined = nodes[used++]
      if (bytes === undefined) onMissing(wanted)
      if (bytes === undefined || !same(Keccak256.hash(bytes), wanted)) return undefined
      try {
        node = RLP.decode(bytes)
      } catch {
        return undefined
      }
    }
    if (!Array.isArray(node)) return node.length === 0 ? null : undefined
    if (node.length === 17) {
      const nibble = path.shift()
      if (nibble === undefined) return valueOf(node[16])
      wanted = node[nibble]!
      continue
    }
    const [prefix, next]: Array<Item> = node
    if (node.length !== 2 || !(prefix instanceof Uint8Array) || next === undefined) return undefined
    const nibbles = [...prefix].flatMap((byte) => [byte >> 4, byte & 15])
    const flag = nibbles[0] ?? 0
    const rest = nibbles.slice(flag % 2 === 1 ? 1 : 2)
    if (rest.length > path.length || rest.some((nibble, at) => nibble !== path[at])) return null
    path.splice(0, rest.length)
    if (flag >= 2) return path.length === 0 ? valueOf(next) : null
    wanted = next
  }
}

/** The byte strings of an RLP list, `undefined` for anything else. */
export const list = (rlp: Uint8Array): ReadonlyArray<Uint8Array> | undefined => {
  const item = decoded(rlp)
  return Array.isArray(item) && item.every((one) => one instanceof Uint8Array) ? item : undefined
}

/** The bytes of an RLP string, `undefined` for anything else. */
export const bytes = (rlp: Uint8Array): Uint8Array | undefined => {
  const item = decoded(rlp)
  return item instanceof Uint8Array ? item : undefined
}

const decoded = (rlp: Uint8Array): Item | undefined => {
  try {
    return RLP.decode(rlp)
  } catch {
    return undefined
  }
}

const valueOf = (item: Item | undefined): Uint8Array | null | undefined =>
  item instanceof Uint8Array ? (item.length === 0 ? null : item) : undefined

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b)
