/**
 * Reads the history chain from the committed archive with ethereumjs and viem, and makes a node to call. The reading
 * uses none of our code, so it is an oracle for the node's answers.
 */
import { readFileSync } from "node:fs"

import { type Block, createBlockFromRLP } from "@ethereumjs/block"
import { RLP } from "@ethereumjs/rlp"
import { Bloom } from "@ethereumjs/vm"
import { Effect } from "effect"
import { bytesToHex, fromRlp, type Hex, keccak256 } from "viem"

import { rules } from "../../scripts/history/rules.ts"
import { History } from "../../src/index.ts"

type Log = [address: Uint8Array, topics: Array<Uint8Array>, data: Uint8Array]
type Receipt = [type: Uint8Array, outcome: Uint8Array, gas: Uint8Array, logs: Array<Log>]

const [encodedBlocks, encodedReceipts, encodedSenders, encodedNodes, encodedCodes] = RLP.decode(
  new Uint8Array(readFileSync(History.archiveFile))
) as [Array<Uint8Array>, Array<Array<Receipt>>, Array<Array<Uint8Array>>, Array<Uint8Array>, Array<Uint8Array>]

export const archive = {
  encodedBlocks,
  /** `[type, status or root, gas, logs]` of each transaction (EIP-7642). */
  receipts: encodedReceipts,
  senders: encodedSenders,
  nodes: encodedNodes,
  codes: encodedCodes
}

/** Blocks by number, each under the rules of its fork. */
export const blocks: ReadonlyArray<Block> = encodedBlocks.map((bytes) =>
  createBlockFromRLP(bytes, { common: rules(), setHardfork: true })
)

/** Returns the receipts of a block, encoded as in their trie: `[type, status or root, gas, bloom, logs]`. */
export const receiptsOf = (number: number): ReadonlyArray<Uint8Array> =>
  encodedReceipts[number]!.map(([type, outcome, gas, logs]) => {
    const bloom = new Bloom()
    for (const [address, topics] of logs) {
      bloom.add(address)
      for (const topic of topics) bloom.add(topic)
    }
    // a legacy receipt has type 0, which is not written
    return Uint8Array.from([...type, ...RLP.encode([outcome, gas, bloom.bitvector, logs])])
  })

/** Trie nodes and code by their hashes. */
export const nodes: ReadonlyMap<Hex, Uint8Array> = new Map(encodedNodes.map((node) => [keccak256(node), node]))
export const codes: ReadonlyMap<Hex, Uint8Array> = new Map(encodedCodes.map((code) => [keccak256(code), code]))

type Tree = Hex | ReadonlyArray<Tree>

/** Returns all leaves of a trie: the hashed key and the value. Throws if a node is missing. */
export const leaves = (
  root: Hex,
  path = "",
  visited?: (node: Hex) => void
): ReadonlyArray<readonly [key: Hex, value: Hex]> => {
  if (root === EMPTY_ROOT) return []
  const bytes = nodes.get(root)
  if (bytes === undefined) throw new Error(`no node ${root}`)
  visited?.(root)
  const below = (node: Tree, path: string): ReadonlyArray<readonly [Hex, Hex]> => {
    if (typeof node === "string") return node === "0x" ? [] : leaves(node, path, visited)
    if (node.length === 17) return node.slice(0, 16).flatMap((child, i) => below(child, path + i.toString(16)))
    const [head, item] = node as readonly [Hex, Tree]
    const digits = head.slice(2)
    const rest = Number.parseInt(digits[0]!, 16) % 2 === 1 ? digits.slice(1) : digits.slice(2)
    return Number.parseInt(digits[0]!, 16) < 2 ? below(item, path + rest) : [[`0x${path}${rest}`, item as Hex]]
  }
  return below(fromRlp(bytes, "hex") as Tree, path)
}

export const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
export const NO_CODE = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Hex
  readonly codeHash: Hex
}

/** Returns every account after a block, by the hash of its address. */
export const accountsAt = (number: number, visited?: (node: Hex) => void): ReadonlyMap<Hex, Account> =>
  new Map(
    leaves(bytesToHex(blocks[number]!.header.stateRoot), "", visited).map(([key, leaf]) => {
      const [nonce, balance, storageRoot, codeHash] = fromRlp(leaf, "hex") as [Hex, Hex, Hex, Hex]
      return [key, { nonce: toBigInt(nonce), balance: toBigInt(balance), storageRoot, codeHash }]
    })
  )

/** Returns the slots of an account, by the hash of their number. */
export const slotsOf = (account: Account, visited?: (node: Hex) => void): ReadonlyMap<Hex, bigint> =>
  new Map(leaves(account.storageRoot, "", visited).map(([key, leaf]) => [key, toBigInt(fromRlp(leaf, "hex") as Hex)]))

const toBigInt = (hex: Hex): bigint => (hex === "0x" ? 0n : BigInt(hex))

const node = Effect.runSync(Effect.cached(History.make))

/** Calls a method with JSON values. Throws the error object if the node refuses the call. */
export const ask = <A = any>(method: string, ...params: ReadonlyArray<unknown>): Promise<A> =>
  Effect.runPromise(
    Effect.flatMap(node, ({ call }) => call(method, params)).pipe(
      Effect.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)))
    )
  )

/** Returns the error object that refuses a call. */
export const refusal = (method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> =>
  Effect.runPromise(Effect.flatMap(node, ({ call }) => Effect.flip(call(method, params))))

export const quantity = (n: number | bigint): Hex => `0x${n.toString(16)}`
