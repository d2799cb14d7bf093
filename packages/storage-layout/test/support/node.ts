/** A node in memory that records its calls. It knows a few blocks, and their states come from the EVM of a test. */
import { createBlock } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { type TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { ContractStorage } from "@plumbline/storage-layout"
import { Effect, Layer, Result } from "effect"
import { bytesToHex, type Hex } from "viem"

import type * as Evm from "./evm.ts"

export interface Node {
  /** Hash of the last block. */
  readonly hash: Hash32.Hash32
  readonly number: bigint
  /** Hashes of all blocks, oldest first. */
  readonly hashes: ReadonlyArray<Hash32.Hash32>
  readonly calls: Array<Transport.WireCall>
  /** Provides a client of this node. */
  readonly eth: (trust: Layer.Layer<TrustedBlock.TrustedBlock>) => Layer.Layer<VerdictEthClient.VerdictEthClient>
  /** Provides a reader of this node. */
  readonly storage: (trust: Layer.Layer<TrustedBlock.TrustedBlock>) => Layer.Layer<ContractStorage.ContractStorage>
}

/** Replaces an answer by a lie. */
export type Lie = (method: string, answer: any, params: ReadonlyArray<any>) => unknown

/** The number of the first block. */
export const FIRST = 13_000_000n

/** Makes a node with one block for each state root. Default: one block with the current state. */
export const make = async (
  deployed: Evm.Deployed,
  lie: Lie = (_, answer) => answer,
  stateRoots?: ReadonlyArray<Uint8Array>
): Promise<Node> => {
  const blocks: Array<ReturnType<typeof blockOf>> = []
  for (const stateRoot of stateRoots ?? [await deployed.stateRoot()]) {
    blocks.push(blockOf(FIRST + BigInt(blocks.length), stateRoot, blocks.at(-1)?.json.hash))
  }
  const latest = blocks.at(-1)!
  const byHash = (hash: unknown) => blocks.find(({ json }) => json.hash === hash)
  const byNumber = (number: unknown) =>
    number === "latest" ? latest : blocks.find(({ json }) => json.number === number)
  const answer = (method: string, params: ReadonlyArray<any>): unknown => {
    switch (method) {
      case "eth_getBlockByHash":
        return byHash(params[0])?.json ?? null
      case "eth_getBlockByNumber":
        return byNumber(params[0])?.json ?? null
      case "eth_getProof": {
        const asked = byHash(params[2].blockHash ?? params[2]) ?? latest
        return deployed.proof(params[1] as ReadonlyArray<Hex>, asked.stateRoot)
      }
      case "eth_getCode":
        return deployed.code()
      default:
        return undefined
    }
  }
  const calls: Array<Transport.WireCall> = []
  const call = (asked: Transport.WireCall) =>
    Effect.gen(function* () {
      calls.push(asked)
      const honest = yield* Effect.promise(async () => answer(asked.method, asked.params))
      const said = lie(asked.method, honest, asked.params)
      if (said !== undefined) return said
      const reason = new JsonRpcError.RemoteError({ code: -32000, message: "unwilling" })
      return yield* new JsonRpcError.JsonRpcError({ method: asked.method, reason })
    })
  const callAll = (asked: ReadonlyArray<Transport.WireCall>) =>
    Effect.forEach(asked, (one) =>
      Effect.match(call(one), { onFailure: (error) => Result.fail(error), onSuccess: (value) => Result.succeed(value) })
    )
  const transport = Layer.succeed(Transport.Transport, { call, callAll })
  const eth = (trust: Layer.Layer<TrustedBlock.TrustedBlock>) =>
    VerdictEthClient.layer().pipe(Layer.provide([transport, trust]))
  return {
    hash: latest.json.hash,
    number: FIRST + BigInt(blocks.length - 1),
    hashes: blocks.map(({ json }) => json.hash),
    calls,
    eth,
    storage: (trust) => ContractStorage.layer().pipe(Layer.provide(eth(trust)))
  }
}

const blockOf = (number: bigint, stateRoot: Uint8Array, parent: Hex | undefined) => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.London })
  const fields = {
    number,
    stateRoot,
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    ...(parent === undefined ? {} : { parentHash: parent })
  }
  const made = createBlock({ header: fields }, { common, skipConsensusFormatValidation: true })
  const { header } = made
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...rest } = header.toJSON()
  const json = {
    ...rest,
    hash: Hash32.fromHexUnsafe(bytesToHex(header.hash())),
    miner: coinbase,
    receiptsRoot: receiptTrie,
    sha3Uncles: uncleHash,
    size: `0x${made.serialize().length.toString(16)}`,
    transactions: [],
    transactionsRoot: transactionsTrie,
    uncles: []
  }
  return { json, stateRoot }
}
