/** Reads Merkle-Patricia proofs with viem's RLP and Keccak, as an oracle that shares no code with ours. */
import { fromRlp, type Hex, keccak256 } from "viem"

type Node = ReadonlyArray<Hex | Node>

/**
 * Returns the value under a key (an address, or a slot of 32 bytes), or undefined if the proof shows that the key is
 * absent.
 */
export const lookup = (root: Hex, key: Hex, proof: ReadonlyArray<Hex>): Hex | undefined => {
  let path = keccak256(key).slice(2)
  let next: Hex = root
  for (const [depth, encoded] of proof.entries()) {
    if (keccak256(encoded) !== next) throw new Error(`node ${depth} is not the one that was named`)
    if (encoded === "0x80") return end(depth, proof) // the empty trie
    const node = fromRlp(encoded, "hex") as Node
    if (node.length === 17) {
      next = hexOf(node[Number.parseInt(path[0]!, 16)])
      path = path.slice(1)
      if (next === "0x") return end(depth, proof)
      continue
    }
    const head = hexOf(node[0]).slice(2)
    const nibbles = Number.parseInt(head[0]!, 16) % 2 === 1 ? head.slice(1) : head.slice(2)
    if (!path.startsWith(nibbles)) return end(depth, proof)
    path = path.slice(nibbles.length)
    next = hexOf(node[1])
    if (path === "") return end(depth, proof, next)
  }
  throw new Error("the proof ends too early")
}

const end = (depth: number, proof: ReadonlyArray<Hex>, value?: Hex): Hex | undefined => {
  if (depth !== proof.length - 1) throw new Error("the proof goes on")
  return value
}

/** Returns the hash of a child. Keys are hashes, so nodes are too long to be embedded in their parents. */
const hexOf = (item: Hex | Node | undefined): Hex => {
  if (typeof item !== "string") throw new Error("a node inside a node")
  return item
}
