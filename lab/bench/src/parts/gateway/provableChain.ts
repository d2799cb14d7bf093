/**
 * The chain of the node behind the gateways: one block, a contract whose slots can all be proven, and transactions.
 *
 * The trie of the contract's storage is full on three levels: each prefix of three nibbles has one slot. So four trie
 * nodes prove any slot, whether it is set or not, and the server finds them by the prefix. ethereumjs makes roots and
 * proofs.
 */
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { createTx } from "@ethereumjs/tx"
import { createWithdrawal } from "@ethereumjs/util"
import { Keccak256 } from "@plumbline/codec"

import { bytes, hexOf } from "../../inputs/byteInput.ts"
import { answersOf, blockOf, common, transactionAnswers } from "../../inputs/ethereumjsAnswers.ts"

/** The contract. */
export const address = `0x${"c0".repeat(20)}`

const PREFIXES = 4096

const keyOf = (slot: number): Uint8Array => {
  const key = new Uint8Array(32)
  new DataView(key.buffer).setUint32(28, slot)
  return key
}

/** Reads the first three nibbles of a hash. */
const prefixOf = (hash: Uint8Array): number => (hash[0]! << 4) | (hash[1]! >> 4)

/** For each prefix, the one slot that is set. The value of a slot is the slot's number plus one. */
const slots: ReadonlyArray<number> = (() => {
  const found: Array<number> = []
  for (let slot = 0, left = PREFIXES; left > 0; slot++) {
    const prefix = prefixOf(Keccak256.hash(keyOf(slot)))
    if (found[prefix] !== undefined) continue
    found[prefix] = slot
    left--
  }
  return found
})()

/** The first 256 slots that are set. */
export const setSlots: ReadonlyArray<number> = slots.slice(0, 256)

const storage = await createMPT()
for (const slot of slots) await storage.put(Keccak256.hash(keyOf(slot)), RLP.encode(slot + 1))

const accounts = await createMPT()
for (let i = 0; i < 1000; i++) {
  await accounts.put(Keccak256.hash(keyOf(i)), RLP.encode([i + 1, 10 ** 9 + i, keyOf(i), keyOf(i + 2)]))
}
const hashedAddress = Keccak256.hash(Buffer.from(address.slice(2), "hex"))
const codeHash = keyOf(5)
await accounts.put(hashedAddress, RLP.encode([1, 10 ** 9, storage.root(), codeHash]))

const withdrawals = [createWithdrawal({ index: 5n, validatorIndex: 7n, address: bytes(20, 4), amount: 19_000_000n })]

const transactions = Array.from({ length: 8 }, (_, i) =>
  createTx(
    {
      type: 2,
      nonce: BigInt(i),
      to: `0x${"12".repeat(20)}`,
      value: BigInt(i),
      gasLimit: 100_000n,
      data: bytes(68, i + 1),
      maxFeePerGas: 40_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      chainId: 1n,
      accessList: []
    },
    { common }
  ).sign(bytes(32, 9))
)

const made = await blockOf(
  { number: 23_000_001n, timestamp: 1_750_000_012n, gasUsed: 400_000n, stateRoot: accounts.root() },
  transactions,
  withdrawals
)

const answers = answersOf(made)

/** Members that the gateway adds where a node leaves them out, so that peers, which pass answers on, give the same. */
const size = `0x${made.serialize().length.toString(16)}`
const transactionsOfBlock = answers.transactions.map((one) => ({ ...one, blockTimestamp: answers.short.timestamp }))

/** The hash of the block. */
export const blockHash: string = answers.short.hash

/** The number of the block, as a node writes it. */
export const blockNumber: string = `0x${made.header.number.toString(16)}`

/** The JSON text of the block, with its transactions. */
export const wholeBlock = JSON.stringify({ ...answers.whole, size, transactions: transactionsOfBlock })

/** The JSON text of the block, with hashes of its transactions. */
export const shortBlock = JSON.stringify({ ...answers.short, size })

/** The JSON text of each transaction, by its hash. */
export const transactionTexts: ReadonlyMap<string, string> = new Map(
  [...transactionAnswers, ...transactionsOfBlock].map((one) => [one.hash, JSON.stringify(one)])
)

/** Hashes of transactions of another block. */
export const transactionHashes: ReadonlyArray<string> = transactionAnswers.map(({ hash }) => hash)

/** The trie nodes that prove the slots of each prefix, as JSON text. */
const proofs: Array<string> = []
for (const [prefix, slot] of slots.entries()) {
  const proof = await createMerkleProof(storage, Keccak256.hash(keyOf(slot)))
  proofs[prefix] = JSON.stringify(proof.map((node) => hexOf(node)))
}

const accountProof = JSON.stringify((await createMerkleProof(accounts, hashedAddress)).map((node) => hexOf(node)))

const account = `{"address":"${address}","balance":"0x3b9aca00","nonce":"0x1","codeHash":"${hexOf(codeHash)}","storageHash":"${hexOf(storage.root())}","accountProof":${accountProof}`

const prefixAt = (position: string): number =>
  prefixOf(Keccak256.hash(Buffer.from(position.slice(2).padStart(64, "0"), "hex")))

const isSet = (position: string): boolean => BigInt(slots[prefixAt(position)]!) === BigInt(position)

/** Returns the word in a slot as JSON text. */
export const wordAt = (position: string): string =>
  `"0x${(isSet(position) ? BigInt(position) + 1n : 0n).toString(16).padStart(64, "0")}"`

/** Returns the answer of `eth_getProof` for the contract as JSON text. */
export const proofAt = (positions: ReadonlyArray<string>): string => {
  const proven = positions.map((position) => {
    const value = isSet(position) ? `0x${(BigInt(position) + 1n).toString(16)}` : "0x0"
    return `{"key":"${position}","value":"${value}","proof":${proofs[prefixAt(position)]}}`
  })
  return `${account},"storageProof":[${proven.join()}]}`
}
