/** A node in memory that knows one block, whose state is that of the EVM of a test, and remembers what it was asked. */
import { createBlock } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { type TrustedBlock, VerifiedEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { ContractStorage } from "@plumbline/storage-layout"
import { Effect, Layer, Result } from "effect"
import { bytesToHex, type Hex } from "viem"

import type * as Evm from "./evm.ts"

export interface Node {
  readonly hash: Hash32.Hash32
  readonly number: bigint
  readonly calls: Array<Transport.Call>
  /** Reads from this node. */
  readonly storage: (trust: Layer.Layer<TrustedBlock.TrustedBlock>) => Layer.Layer<ContractStorage.ContractStorage>
}

/** Changes an answer, to lie. */
export type Lie = (method: string, answer: any, params: ReadonlyArray<any>) => unknown

export const make = async (deployed: Evm.Deployed, lie: Lie = (_, answer) => answer): Promise<Node> => {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.London })
  const fields = {
    number: 13_000_000n,
    stateRoot: await deployed.stateRoot(),
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n
  }
  const made = createBlock({ header: fields }, { common, skipConsensusFormatValidation: true })
  const { header } = made
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...rest } = header.toJSON()
  const hash = bytesToHex(header.hash())
  const block = {
    ...rest,
    hash,
    miner: coinbase,
    receiptsRoot: receiptTrie,
    sha3Uncles: uncleHash,
    size: `0x${made.serialize().length.toString(16)}`,
    transactions: [],
    transactionsRoot: transactionsTrie,
    uncles: []
  }
  const answer = (method: string, params: ReadonlyArray<any>): unknown => {
    switch (method) {
      case "eth_getBlockByHash":
        return params[0] === hash ? block : null
      case "eth_getBlockByNumber":
        return params[0] === "latest" || params[0] === block.number ? block : null
      case "eth_getProof":
        return deployed.proof(params[1] as ReadonlyArray<Hex>)
      default:
        return undefined
    }
  }
  const calls: Array<Transport.Call> = []
  const call = (asked: Transport.Call) =>
    Effect.gen(function* () {
      calls.push(asked)
      const honest = yield* Effect.promise(async () => answer(asked.method, asked.params))
      const said = lie(asked.method, honest, asked.params)
      if (said !== undefined) return said
      const reason = new JsonRpcError.RemoteError({ code: -32000, message: "unwilling" })
      return yield* new JsonRpcError.JsonRpcError({ method: asked.method, reason })
    })
  const callAll = (asked: ReadonlyArray<Transport.Call>) =>
    Effect.forEach(asked, (one) =>
      Effect.match(call(one), { onFailure: (error) => Result.fail(error), onSuccess: (value) => Result.succeed(value) })
    )
  const transport = Layer.succeed(Transport.Transport, { call, callAll })
  return {
    hash: Hash32.fromHexUnsafe(hash),
    number: header.number,
    calls,
    storage: (trust) =>
      ContractStorage.ContractStorage.layer.pipe(
        Layer.provide(VerifiedEthClient.VerifiedEthClient.layer),
        Layer.provide([transport, trust])
      )
  }
}
