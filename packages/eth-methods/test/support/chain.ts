/**
 * Sparse chains, made by ethereumjs, whose states hold the hashes of older blocks (EIP-2935). They have only the blocks
 * that a walk reads.
 */
import { createBlock } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Keccak256 } from "@plumbline/codec"

import * as Made from "./made.ts"

/** The system contract of EIP-2935. */
export const CONTRACT = hexToBytes("0x0000F90827F1C53a10cb7A02335B175320002935")
/** The runtime code of the contract, as EIP-2935 prints it. */
export const CODE = hexToBytes(
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"
)
const EMPTY_ROOT = hexToBytes("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")

/**
 * A block to make. If its state has the contract, the contract holds the hashes in `remembers`, keyed by block number.
 */
export interface Plan {
  readonly number: bigint
  readonly parentHash?: string
  readonly remembers?: ReadonlyMap<bigint, string>
  /** Code that replaces the contract's code. */
  readonly code?: Uint8Array
}

export interface MadeBlock {
  readonly hash: string
  readonly json: Made.JsonObject
  /** The answer of eth_getProof for the contract and one slot. */
  readonly proof: (slot: bigint) => Promise<Made.JsonObject>
}

export const block = async ({ number, parentHash, remembers, code = CODE }: Plan): Promise<MadeBlock> => {
  const storage = await createMPT()
  for (const [older, hash] of remembers ?? []) {
    await storage.put(Keccak256.hash(Made.word(older % 8191n)), RLP.encode(minimal(hash)))
  }
  const accounts = await createMPT()
  await accounts.put(
    Keccak256.hash(Uint8Array.of(1)),
    RLP.encode([Uint8Array.of(1), Uint8Array.of(5), EMPTY_ROOT, Keccak256.hash(new Uint8Array(0))])
  )
  if (remembers !== undefined) {
    await accounts.put(
      Keccak256.hash(CONTRACT),
      RLP.encode([Uint8Array.of(1), new Uint8Array(0), storage.root(), Keccak256.hash(code)])
    )
  }
  const made = createBlock(
    {
      header: {
        number,
        parentHash: hexToBytes((parentHash ?? `0x${"77".repeat(32)}`) as PrefixedHexString),
        stateRoot: accounts.root(),
        gasLimit: 30_000_000n,
        timestamp: 1_700_000_000n + number,
        baseFeePerGas: 7n,
        withdrawalsRoot: EMPTY_ROOT,
        blobGasUsed: 0n,
        excessBlobGas: 0n,
        parentBeaconBlockRoot: new Uint8Array(32),
        requestsHash: new Uint8Array(32).fill(8)
      },
      withdrawals: []
    },
    { common: Made.common(Hardfork.Prague), skipConsensusFormatValidation: true }
  )
  const hash = bytesToHex(made.hash())
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...fields } = made.header.toJSON()
  const nodes = async (trie: Awaited<ReturnType<typeof createMPT>>, key: Uint8Array): Promise<Array<string>> =>
    (await createMerkleProof(trie, Keccak256.hash(key)))
      .filter((node, at) => at === 0 || node.length >= 32)
      .map(bytesToHex)
  return {
    hash,
    json: {
      ...(fields as Made.JsonObject),
      hash,
      miner: coinbase!,
      receiptsRoot: receiptTrie!,
      transactionsRoot: transactionsTrie!,
      sha3Uncles: uncleHash!,
      transactions: [],
      uncles: [],
      withdrawals: []
    },
    proof: async (slot) => {
      const value = [...(remembers ?? [])].find(([older]) => older % 8191n === slot)?.[1] ?? "0x0"
      return {
        address: bytesToHex(CONTRACT),
        balance: "0x0",
        nonce: remembers === undefined ? "0x0" : "0x1",
        codeHash: bytesToHex(Keccak256.hash(remembers === undefined ? new Uint8Array(0) : code)),
        storageHash: bytesToHex(remembers === undefined ? EMPTY_ROOT : storage.root()),
        accountProof: await nodes(accounts, CONTRACT),
        storageProof: [
          {
            key: bytesToHex(Made.word(slot)),
            value,
            proof: remembers === undefined || remembers.size === 0 ? [] : await nodes(storage, Made.word(slot))
          }
        ]
      }
    }
  }
}

/** Makes blocks without transactions, each the parent of the next. Their states hold no hashes. */
export const line = async (first: bigint, length: number): Promise<ReadonlyArray<MadeBlock>> => {
  const made: Array<MadeBlock> = []
  for (let number = first; made.length < length; number++) {
    made.push(await block({ number, ...(made.length === 0 ? {} : { parentHash: made.at(-1)!.hash }) }))
  }
  return made
}

/** Returns the bytes of a number without leading zeros. */
const minimal = (hash: string): Uint8Array => {
  const digits = BigInt(hash).toString(16)
  return hexToBytes(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
}
