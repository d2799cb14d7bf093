/** A state of many accounts in tries made by ethereumjs, and the answers of eth_getProof about it. */
import { Hardfork } from "@ethereumjs/common"
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Address, Keccak256 } from "@plumbline/codec"
import type { Verdict } from "@plumbline/verdict"
import * as Proven from "@plumbline/verdict/prove/Proven"

import { type Block, StorageKey } from "../../src/index.ts"
import * as Chain from "./chain.ts"
import * as Made from "./made.ts"

export const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

const address = (digits: string) => Address.fromHexUnsafe(`0x${digits.repeat(4)}`)
/** A contract with storage. */
export const CONTRACT = address("1234567890")
/** A contract without storage. */
export const BARE = address("2222222222")
/** An account that delegates to a contract (EIP-7702). */
export const DELEGATED = address("3333333333")
/** An account without code and storage. */
export const PLAIN = address("4444444444")
/** An address without an account. */
export const NOWHERE = address("9999999999")

const code: Readonly<Record<string, string>> = {
  [bytesToHex(Chain.CONTRACT)]: bytesToHex(Chain.CODE),
  [CONTRACT]: `0x60${"5b".repeat(4000)}00`,
  [BARE]: "0x6000",
  [DELEGATED]: `0xef0100${CONTRACT.slice(2)}`,
  [PLAIN]: "0x"
}
/** The code of an account. */
export const codeOf = (address: string): string => code[address] ?? "0x"

/** Slots of the contract: one with a small word, one with a full word, an absent one, and one with a large key. */
export const keys = [0n, 1n, 5n, 2n ** 255n].map(StorageKey.fromSlot)
const words: Readonly<Record<string, bigint>> = { [keys[0]!]: 1n, [keys[1]!]: 2n ** 256n - 1n, [keys[3]!]: 0x80n }
/** The word at a slot of the contract. */
export const wordOf = (key: string): bigint => words[key] ?? 0n

export const minimal = (n: bigint): Uint8Array => {
  const digits = n.toString(16)
  return n === 0n ? new Uint8Array(0) : hexToBytes(`0x${digits.padStart(digits.length + (digits.length % 2), "0")}`)
}

const bytes = (hex: string): Uint8Array => hexToBytes(hex as PrefixedHexString)

/**
 * Returns the trie nodes on the path to a key, as an Ethereum node returns them. A trie node without a hash is left
 * out.
 */
export const nodesOf = async (trie: MerklePatriciaTrie, key: Uint8Array): Promise<Array<string>> =>
  (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32).map(bytesToHex)

export interface State {
  /** Returns the answer of eth_getProof. */
  readonly answer: (address: string, keys: ReadonlyArray<string>) => Promise<Made.JsonObject>
  /** A block with this state. */
  readonly block: Verdict.Verified<Block.Block>
  /** The root of the state trie. */
  readonly root: Uint8Array
}

/** Additions to the default accounts. */
export interface Options {
  /** This number is added to the contract's balance, in wei, and to the word of the contract's first slot. */
  readonly wealth?: bigint
  /** Block hashes, by block number, that the contract of EIP-2935 stores. */
  readonly remembers?: ReadonlyMap<bigint, string>
}

const HISTORY = bytesToHex(Chain.CONTRACT)

export const make = async ({ remembers, wealth = 0n }: Options = {}): Promise<State> => {
  const storage = await createMPT()
  const history = await createMPT()
  for (const [number, hash] of remembers ?? []) {
    await history.put(Keccak256.hash(Made.word(number)), RLP.encode(minimal(BigInt(hash))))
  }
  const tries: Readonly<Record<string, MerklePatriciaTrie>> = { [CONTRACT]: storage, [HISTORY]: history }
  const wordAt = (address: string, key: string): bigint =>
    address === CONTRACT
      ? key === keys[0]
        ? wordOf(key) + wealth
        : wordOf(key)
      : address === HISTORY
        ? BigInt(remembers?.get(BigInt(key)) ?? 0)
        : 0n
  for (const key of keys) {
    const word = wordAt(CONTRACT, key)
    if (word !== 0n) await storage.put(Keccak256.hash(bytes(key)), RLP.encode(minimal(word)))
  }
  for (let i = 100n; i < 140n; i++) await storage.put(Keccak256.hash(Made.word(i)), RLP.encode(minimal(i)))
  const accounts = await createMPT()
  const known = new Map<string, { readonly nonce: bigint; readonly balance: bigint }>([
    [CONTRACT, { nonce: 7n, balance: 10n ** 18n + wealth }],
    [BARE, { nonce: 1n, balance: 0n }],
    [DELEGATED, { nonce: 3n, balance: 5n }],
    [PLAIN, { nonce: 0n, balance: 9n }]
  ])
  for (let i = 0; i < 60; i++) {
    const other = bytesToHex(Keccak256.hash(Uint8Array.of(i)).subarray(12))
    known.set(other, { nonce: BigInt(i), balance: 0n })
  }
  if (remembers !== undefined) known.set(HISTORY, { nonce: 1n, balance: 0n })
  const storageOf = (address: string): string => {
    const trie = tries[address]
    return trie === undefined ? EMPTY_ROOT : bytesToHex(trie.root())
  }
  for (const [address, { balance, nonce }] of known) {
    const hash = Keccak256.hash(bytes(codeOf(address)))
    const leaf = [minimal(nonce), minimal(balance), bytes(storageOf(address)), hash]
    await accounts.put(Keccak256.hash(bytes(address)), RLP.encode(leaf))
  }
  const answer: State["answer"] = async (address, keys) => {
    const account = known.get(address) ?? { nonce: 0n, balance: 0n }
    return {
      address,
      balance: Made.hex(account.balance),
      codeHash: Keccak256.hashHex(bytes(known.has(address) ? codeOf(address) : "0x")),
      nonce: Made.hex(account.nonce),
      storageHash: storageOf(address),
      accountProof: await nodesOf(accounts, Keccak256.hash(bytes(address))),
      storageProof: await Promise.all(
        keys.map(async (key) => ({
          key,
          value: Made.hex(wordAt(address, key)),
          proof: storageOf(address) === EMPTY_ROOT ? [] : await nodesOf(tries[address]!, Keccak256.hash(bytes(key)))
        }))
      )
    }
  }
  // only the stateRoot matters here; verifyBlock proves headers elsewhere
  const root = accounts.root()
  const json = { ...(await Made.block(Hardfork.Prague, [])), stateRoot: bytesToHex(root) }
  const value = Made.decodeBlock(json)
  const block = Proven.make({
    value,
    anchor: { _tag: "Block" as const, hash: value.hash! },
    proven: [],
    claimed: []
  })
  return { answer, block, root }
}
