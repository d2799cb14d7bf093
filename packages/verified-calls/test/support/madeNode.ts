/** A node in memory: blocks with a state of given accounts, and honest proofs, made by @ethereumjs/statemanager. */
import { type Block, createBlock } from "@ethereumjs/block"
import { Common, Mainnet } from "@ethereumjs/common"
import { getMerkleStateProof, MerkleStateManager } from "@ethereumjs/statemanager"
import { Account, createAddressFromString, type PrefixedHexString } from "@ethereumjs/util"
import { Hash32, Hex } from "@plumbline/codec"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Result } from "effect"

export type Text = `0x${string}`

export const CHAIN_ID = 31_337n

export interface MadeAccount {
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Text
  /** Words by slot number. */
  readonly storage?: Readonly<Record<number, bigint>>
}

export type Fork = "london" | "shanghai" | "cancun" | "prague" | "osaka"

export interface MadeChain {
  /** The newest block. */
  readonly hash: Hash32.Hash32
  readonly blocks: ReadonlyArray<Block>
  readonly answers: Answers
}

export type Answers = (method: string, params: ReadonlyArray<any>) => Promise<unknown>

export const ZERO = "0x0000000000000000000000000000000000000000"

export const word = (value: bigint | number): Text => `0x${value.toString(16).padStart(64, "0")}`

export interface MadeOptions {
  readonly fork?: Fork | undefined
  /** The number of blocks before the newest. */
  readonly older?: number | undefined
  /** True to keep the hashes of the older blocks in the newest state (EIP-2935). */
  readonly history?: boolean | undefined
  /** Fields of the headers that differ from the usual ones. */
  readonly header?: Readonly<Record<string, unknown>> | undefined
}

/** The system contract of EIP-2935, as the EIP gives it. */
const HISTORY = "0x0000f90827f1c53a10cb7a02335b175320002935"
const HISTORY_CODE =
  "0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"

/** Makes a chain whose blocks all have the same state; the newest has this number. */
export const make = async (
  accounts: Readonly<Record<Text, MadeAccount>>,
  { fork = "prague", header = {}, history = false, older = 0 }: MadeOptions = {}
): Promise<MadeChain> => {
  const common = new Common({ chain: { ...Mainnet, chainId: Number(CHAIN_ID) }, hardfork: fork })
  const state = new MerkleStateManager({ common })
  for (const [address, { balance = 0n, code, nonce = 0n, storage = {} }] of Object.entries(accounts)) {
    const at = createAddressFromString(address)
    await state.putAccount(at, new Account(nonce, balance))
    if (code !== undefined) await state.putCode(at, Hex.toBytesUnsafe(code))
    for (const [slot, value] of Object.entries(storage)) {
      const bytes = Hex.toBytesUnsafe(word(value))
      await state.putStorage(
        at,
        Hex.toBytesUnsafe(word(BigInt(slot))),
        bytes.slice(bytes.findIndex((byte) => byte > 0))
      )
    }
  }
  await state.flush()
  let stateRoot = await state.getStateRoot()
  const blocks: Array<Block> = []
  for (let i = 0; i <= older; i++) {
    const parent = blocks.at(-1)
    if (history && i === older) {
      const at = createAddressFromString(HISTORY)
      await state.putAccount(at, new Account(1n))
      await state.putCode(at, Hex.toBytesUnsafe(HISTORY_CODE))
      for (const block of blocks) {
        await state.putStorage(at, Hex.toBytesUnsafe(word(block.header.number % 8191n)), block.hash())
      }
      await state.flush()
      stateRoot = await state.getStateRoot()
    }
    blocks.push(
      createBlock(
        {
          header: {
            number: 1000n - BigInt(older - i),
            timestamp: 1_750_000_000n + BigInt(i),
            stateRoot,
            parentHash: parent?.hash() ?? new Uint8Array(32).fill(7),
            gasLimit: 36_000_000n,
            baseFeePerGas: 1_000_000_000n,
            ...(fork === "london" ? { difficulty: 131_072n } : { mixHash: new Uint8Array(32).fill(0xab) }),
            coinbase: "0x00000000000000000000000000000000000c0ffe",
            ...(fork === "london" || fork === "shanghai"
              ? {}
              : { excessBlobGas: 393_216n, blobGasUsed: 0n, parentBeaconBlockRoot: new Uint8Array(32).fill(0xbe) }),
            ...header
          }
        },
        { common, skipConsensusFormatValidation: true }
      )
    )
  }
  const head = blocks.at(-1)!
  const find = (named: unknown): Block | undefined =>
    blocks.find((block) => {
      const hash = Hex.fromBytes(block.hash())
      const number = `0x${block.header.number.toString(16)}`
      const text = typeof named === "object" && named !== null ? (named as { blockHash?: string }).blockHash : named
      return text === hash || text === number || (text === "latest" && block === head)
    })
  const answers: Answers = async (method, params) => {
    switch (method) {
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber": {
        const block = find(params[0])
        return block === undefined ? null : toJson(block)
      }
      case "eth_getProof": {
        if (find(params[2]) === undefined) return null
        const [address, keys] = params as [PrefixedHexString, ReadonlyArray<string>]
        const proof = await getMerkleStateProof(state, createAddressFromString(address), keys.map(Hex.toBytesUnsafe))
        // of an absent account, the library leaves the slots out
        return proof.storageProof.length === keys.length
          ? proof
          : { ...proof, storageProof: keys.map((key) => ({ key, value: "0x0", proof: [] })) }
      }
      case "eth_getCode":
        return Hex.fromBytes(await state.getCode(createAddressFromString(params[0])))
      default:
        return undefined
    }
  }
  return { hash: Hash32.fromBytesUnsafe(head.hash()), blocks, answers }
}

const toJson = (block: Block): unknown => {
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...fields } = block.header.toJSON()
  return {
    ...fields,
    hash: Hex.fromBytes(block.hash()),
    miner: coinbase,
    receiptsRoot: receiptTrie,
    transactionsRoot: transactionsTrie,
    sha3Uncles: uncleHash,
    transactions: [],
    uncles: [],
    ...(fields.withdrawalsRoot === undefined ? {} : { withdrawals: [] })
  }
}

export interface Served {
  readonly layer: Layer.Layer<Transport.Transport>
  /** The methods of each packet, in order. */
  readonly packets: Array<ReadonlyArray<string>>
}

/** Serves answers as a transport with packets. Undefined is the error of a node without the method. */
export const serve = (answers: Answers): Served => {
  const packets: Array<ReadonlyArray<string>> = []
  const one = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError.JsonRpcError> =>
    Effect.flatMap(
      Effect.promise(() => answers(method, params)),
      (answer) =>
        answer === undefined
          ? Effect.fail(
              new JsonRpcError.JsonRpcError({
                method,
                reason: new JsonRpcError.RemoteError({ code: -32_601, message: "no such method" })
              })
            )
          : Effect.succeed(answer)
    )
  return {
    packets,
    layer: Layer.succeed(Transport.Transport, {
      call: (call) =>
        Effect.andThen(
          Effect.sync(() => packets.push([call.method])),
          one(call)
        ),
      callAll: (calls) =>
        Effect.andThen(
          Effect.sync(() => packets.push(calls.map(({ method }) => method))),
          Effect.forEach(calls, (call) =>
            Effect.match(one(call), {
              onFailure: (error) => Result.fail(error),
              onSuccess: (value) => Result.succeed(value)
            })
          )
        )
    })
  }
}
