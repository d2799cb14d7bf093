/**
 * Measures how the cost of verifiers grows with the slots of a proof, the transactions of a block, and the blocks of a
 * range of logs.
 */
import { Keccak256 } from "@plumbline/codec"
import {
  AccountProof,
  Block,
  BlockRlp,
  Transaction,
  TrustedBlock,
  VerdictEthClient,
  Verify
} from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import { Effect, Result, Schema } from "effect"

import { bytes, hexOf } from "../inputs/byteInput.ts"
import { type blockAnswer, headerAnswer, transactionAnswer } from "../inputs/ethereumjsAnswers.ts"
import * as Proofs from "../inputs/proofInput.ts"
import { answering } from "./parsedNode.ts"
import type { Subject } from "./subject.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.Block)
const decodeHeader = Schema.decodeUnknownSync(Block.Header)
const decodeTransaction = Schema.decodeUnknownSync(Transaction.Transaction)
const decodeProof = Schema.decodeUnknownSync(AccountProof.AccountProof)
const hex = (n: number): `0x${string}` => `0x${n.toString(16)}`

/**
 * Slots of one account. A few slots are requested repeatedly, because making a trie of all these slots would dominate
 * the measurement.
 */
const slots: Subject = {
  name: "slots of a proof",
  prepare: async (size) => {
    const all = Proofs.proof.storageProof
    const answer = { ...Proofs.proof, storageProof: Array.from({ length: size }, (_, i) => all[i % all.length]!) }
    const { address, storageProof } = decodeProof(answer)
    const question = { address, storageKeys: storageProof.map(({ key }) => key) }
    return { run: () => Result.getOrThrow(Verify.account(decodeProof(answer), question as never, Proofs.block)) }
  }
}

/**
 * Returns a node's answer with these header fields, without transactions and withdrawals, and with the hash that fits.
 */
export const hashed = (fields: Readonly<Record<string, unknown>>) => {
  const { transactions: _1, withdrawals: _2, ...header } = { ...headerAnswer, ...fields } as never as typeof blockAnswer
  return { ...header, hash: Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader(decodeHeader(header)))) }
}

const transactions: Subject = {
  name: "transactions of a block",
  prepare: async (size) => {
    const encoded: Array<Uint8Array> = []
    const made = Array.from({ length: size }, (_, i) => {
      const transaction = { ...transactionAnswer, nonce: hex(i), transactionIndex: hex(i) }
      const value = BlockRlp.encodeTransaction(decodeTransaction(transaction))!
      encoded.push(value)
      return { ...transaction, hash: Keccak256.hashHex(value) }
    })
    const header = hashed({
      transactionsRoot: hexOf(Trie.rootOfList(encoded)),
      withdrawalsRoot: hexOf(Trie.rootOfList([]))
    })
    const answer = {
      ...header,
      uncles: [],
      withdrawals: [],
      transactions: made.map((one) => ({ ...one, blockHash: header.hash, blockNumber: header.number }))
    }
    return {
      run: () => Result.getOrThrow(Verify.block(decodeBlock(answer), header.hash as never, { senders: false }))
    }
  }
}

const empty = {
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: Trie.EMPTY_ROOT,
  withdrawalsRoot: Trie.EMPTY_ROOT
}

/** Asks for the logs of one address in blocks that have no logs of it. The bloom filter in each header proves that. */
const logs: Subject = {
  name: "blocks of a proven range of logs",
  prepare: async (size) => {
    const byHash = new Map<string, unknown>()
    const byNumber = new Map<string, unknown>()
    let parentHash = hexOf(bytes(32))
    for (let number = 1; number <= size + 1; number++) {
      const header = hashed({ ...empty, number: hex(number), parentHash })
      const answer = { ...header, uncles: [], transactions: [], withdrawals: [] }
      byHash.set(header.hash, answer)
      byNumber.set(hex(number), answer)
      parentHash = header.hash
    }
    const node = answering(({ method, params }) =>
      method === "eth_getLogs"
        ? []
        : ((method === "eth_getBlockByHash" ? byHash : byNumber).get(String(params[0])) ?? null)
    )
    const trusted = await Effect.runPromise(
      Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerPinned(parentHash as never))
    )
    const client = VerdictEthClient.make(node.client, trusted, { maxLogWork: size + 1 })
    return {
      run: async () => {
        const verdict = await Effect.runPromise(
          client.getLogs({ address: Proofs.proof.address, fromBlock: 1n, toBlock: BigInt(size + 1) })
        )
        if (verdict._tag !== "VERIFIED") throw new Error("only claimed")
      }
    }
  }
}

export const subjects: ReadonlyArray<Subject> = [slots, transactions, logs]
