/** Blocks of an execution chain, made by ethereumjs, and a node that has these blocks and can lie about them. */
import { createBlock } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Result } from "effect"

/** A block in the JSON form in which a node sends it. */
export type Block = Readonly<Record<string, unknown>> & { readonly hash: Hash32.Hash32 }

const EMPTY_ROOT = hexToBytes("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })

/** Makes `length` blocks from number 0 on, each the parent of the next. */
export const line = (length: number): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (let number = 0n; blocks.length < length; number++) {
    const parentHash = blocks.at(-1)?.hash ?? `0x${"77".repeat(32)}`
    const { header, ...made } = createBlock(
      {
        header: {
          number,
          parentHash: hexToBytes(parentHash as PrefixedHexString),
          stateRoot: new Uint8Array(32).fill(3),
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
      { common, skipConsensusFormatValidation: true }
    )
    assertEmpty(made)
    const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...fields } = header.toJSON()
    blocks.push({
      ...fields,
      hash: Hash32.fromHexUnsafe(bytesToHex(header.hash())),
      miner: coinbase,
      receiptsRoot: receiptTrie,
      transactionsRoot: transactionsTrie,
      sha3Uncles: uncleHash,
      transactions: [],
      uncles: [],
      withdrawals: []
    })
  }
  return blocks
}

const assertEmpty = ({ transactions }: { readonly transactions: ReadonlyArray<unknown> }): void => {
  if (transactions.length > 0) throw new Error("these blocks have no transactions")
}

/** Provides a node that has these blocks, with the last one as its head. `change` makes the node lie about a block. */
export const node = (
  blocks: ReadonlyArray<Block>,
  change: (block: Block) => Readonly<Record<string, unknown>> | null = (block) => block
): Layer.Layer<Transport.Transport> => {
  const find = (method: string, id: unknown): Block | undefined => {
    if (method === "eth_getBlockByHash") return blocks.find(({ hash }) => hash === id)
    return id === "latest" || id === "finalized" || id === "safe" ? blocks.at(-1) : blocks[Number(id)]
  }
  const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError.JsonRpcError> => {
    if (!method.startsWith("eth_getBlockBy")) {
      const reason = new JsonRpcError.RemoteError({ code: -32601, message: "no such method" })
      return Effect.fail(new JsonRpcError.JsonRpcError({ method, reason }))
    }
    const block = find(method, params[0])
    return Effect.succeed(block === undefined ? null : change(block))
  }
  const callAll = (calls: ReadonlyArray<Transport.WireCall>) =>
    Effect.forEach(calls, (one) =>
      Effect.match(call(one), { onFailure: (error) => Result.fail(error), onSuccess: (value) => Result.succeed(value) })
    )
  return Layer.succeed(Transport.Transport, { call, callAll })
}
