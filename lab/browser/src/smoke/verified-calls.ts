/**
 * Runs a call over a state of one contract, and refuses a node that lies about its slot. Runs in the browser, and from the
 * packed packages in a rehearsal.
 */
import { Address, Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { BlockRlp, type EthClient, type TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

const contract = Address.fromHexUnsafe(`0x${"c0".repeat(20)}`)
const slot = new Uint8Array(32)
/** Returns the word in slot 0. */
const code = Hex.toBytesUnsafe("0x60005460005260206000f3")

const nodesOf = (key: Uint8Array, value: Uint8Array) =>
  Result.getOrThrow(Trie.nodesOfMap([[Keccak256.hash(key), value]]))
const storage = nodesOf(slot, Uint8Array.of(42))
const account = [Uint8Array.of(1), new Uint8Array(0), storage.root, Keccak256.hash(code)]
const state = nodesOf(Address.toBytes(contract), Rlp.encode(account))

const fields = {
  number: 7n,
  parentHash: Hash32.ZERO,
  nonce: "0x0000000000000000",
  mixHash: Hash32.ZERO,
  sha3Uncles: Keccak256.hashHex(Uint8Array.of(0xc0)),
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: Trie.EMPTY_ROOT,
  stateRoot: Hash32.fromBytesUnsafe(state.root),
  receiptsRoot: Trie.EMPTY_ROOT,
  miner: contract,
  difficulty: 0n,
  extraData: "0x",
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1n,
  baseFeePerGas: 7n
} as const

/** Calls the contract at a node that gives this value for its slot. */
const call = (value: bigint) => {
  const hash = Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader({ ...fields, hash: null })))
  const block = Effect.succeed({ ...fields, hash, transactions: [], uncles: [] })
  const proof = (nodes: ReadonlyArray<Uint8Array>) => nodes.map(Hex.fromBytes)
  const node = {
    getBlockByHash: () => block,
    getCode: () => Effect.succeed(Hex.fromBytes(code)),
    createAccessList: () => Effect.succeed(undefined),
    getProof: (_: unknown, keys: ReadonlyArray<string>) =>
      Effect.succeed({
        address: contract,
        balance: 0n,
        nonce: 1n,
        codeHash: Keccak256.hashHex(code),
        storageHash: Hash32.fromBytesUnsafe(storage.root),
        accountProof: proof(state.nodes),
        storageProof: keys.map((key) => ({ key, value, proof: proof(storage.nodes) }))
      })
  }
  const trust: TrustedBlock.TrustedBlock["Service"] = {
    resolve: () => Effect.succeed({ _tag: "OnChain", hash, by: "the hash that was asked for" })
  }
  const calls = VerifiedCalls.make({ chain: Hardforks.always(1n, "paris") })
  const eth = VerdictEthClient.make(node as unknown as EthClient.Client, trust, { calls })
  return eth.call({ to: contract }, hash)
}

export const run = (): Promise<string> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const verdict = yield* call(42n)
      const { value } = verdict
      expectSame("the verdict", verdict._tag, "VERIFIED")
      expectSame("the result", value._tag === "Returned" && BigInt(value.data), 42n)
      const lie = yield* Effect.flip(call(43n))
      expectSame("a lie about a slot", lie._tag, "RefutedError")
      return "a call run over proven state, a lie about its slot refuted"
    })
  )
