/**
 * The methods of the second chain as values, under any namespace. The typed client, the service's checks, the costs and
 * the docs are made from this table.
 *
 * Source: starknet-specs 0.1 to 0.10.2, including the names of parameters. For an absent block or transaction, this
 * chain answers with an error and not with null: see `SecondChainClient`. Costs are in credits, and equal those of
 * similar methods of Ethereum.
 */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Schema from "effect/Schema"

import * as Block from "../model/Block.ts"
import * as BlockId from "../model/BlockId.ts"
import * as Broadcast from "../model/Broadcast.ts"
import * as Felt from "../model/Felt.ts"
import * as FunctionCall from "../model/FunctionCall.ts"
import * as Receipt from "../model/Receipt.ts"
import * as SecondChainWire from "../model/secondChainWire.ts"
import * as SyncStatus from "../model/SyncStatus.ts"
import * as Transaction from "../model/Transaction.ts"

/**
 * A flag that adds fields to answers with transactions, since 0.10.1. Nodes send `proof_facts` only on request, and a
 * hash that covers these facts cannot be recomputed without them.
 */
export const ResponseFlag = Schema.Literal("INCLUDE_PROOF_FACTS")
/** See the Schema of the same name. */
export type ResponseFlag = typeof ResponseFlag.Type

/** Maximum number of values in an argument other than a transaction. A block id needs fewer. */
const FEW = 16

/** Maximum number of values in a call or a transaction. Sequencers accept 5000 felts of calldata. */
export const MAX_FELTS = 16_000

const block = Method.param("block_id", BlockId.BlockId, { doc: "number, hash or tag", values: FEW })
const transactionHash = Method.param("transaction_hash", Felt.Felt, { doc: "hash of the transaction", values: FEW })
const contract = Method.param("contract_address", Felt.Felt, { doc: "address of the contract", values: FEW })
const flags = Method.param("response_flags", Schema.Array(ResponseFlag), {
  optional: true,
  doc: "additional parts of the answer; since 0.10.1",
  values: FEW
})

/**
 * Returns the methods of a namespace by their short names.
 *
 * ```ts import.meta.vitest
 * import { SecondChainMethods } from "@plumbline/second-chain-methods"
 *
 * SecondChainMethods.methods("other").chainId.name // => "other_chainId"
 * ```
 */
export const methods = <const Namespace extends string>(namespace: Namespace) => ({
  pendingTransactions: Method.make(`${namespace}_pendingTransactions`, {
    params: [],
    result: Schema.Array(Transaction.Transaction),
    doc: "The pending transactions, as one node sees them.",
    cost: 160,
    verification: "partial",
    cache: "none"
  }),
  chainId: Method.make(`${namespace}_chainId`, {
    params: [],
    result: Felt.Felt,
    doc: "The chain id that transaction hashes cover: ASCII letters as a number.",
    cost: 5,
    verification: "claimed",
    cache: "immutable"
  }),
  specVersion: Method.make(`${namespace}_specVersion`, {
    params: [],
    result: Schema.String,
    doc: "The version of the specification that the node follows; since 0.5.",
    cost: 5,
    verification: "claimed",
    cache: "block"
  }),
  blockNumber: Method.make(`${namespace}_blockNumber`, {
    params: [],
    result: SecondChainWire.count.schema,
    doc: "The number of the newest block with a hash.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  blockHashAndNumber: Method.make(`${namespace}_blockHashAndNumber`, {
    params: [],
    result: Block.HashAndNumber,
    doc: "The hash and number of the newest block with a hash.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  getBlockWithTxHashes: Method.make(`${namespace}_getBlockWithTxHashes`, {
    params: [block],
    result: Block.AnyWithHashes,
    doc: "A block with the hashes of its transactions.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  getBlockWithTxs: Method.make(`${namespace}_getBlockWithTxs`, {
    params: [block, flags],
    result: Block.AnyWithTransactions,
    doc: "A block with its transactions.",
    cost: 80,
    verification: "partial",
    cache: "none"
  }),
  getTransactionByHash: Method.make(`${namespace}_getTransactionByHash`, {
    params: [transactionHash, flags],
    result: Transaction.Transaction,
    doc: "The transaction with this hash, pending or in a block.",
    cost: 80,
    verification: "proven",
    cache: "none"
  }),
  getTransactionByBlockIdAndIndex: Method.make(`${namespace}_getTransactionByBlockIdAndIndex`, {
    params: [
      block,
      Method.param("index", SecondChainWire.count.schema, { doc: "position in the block, from 0", values: FEW }),
      flags
    ],
    result: Transaction.Transaction,
    doc: "The transaction at this position of a block.",
    cost: 150,
    verification: "partial",
    cache: "none"
  }),
  getTransactionReceipt: Method.make(`${namespace}_getTransactionReceipt`, {
    params: [transactionHash],
    result: Receipt.Receipt,
    doc: "The receipt of the transaction with this hash.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  getStorageAt: Method.make(`${namespace}_getStorageAt`, {
    params: [contract, Method.param("key", Felt.Felt, { doc: "place in the contract's storage", values: FEW }), block],
    result: Felt.Felt,
    doc: "The word at this place of a contract's storage; zero if it was never written.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  getNonce: Method.make(`${namespace}_getNonce`, {
    params: [block, contract],
    result: Felt.Felt,
    doc: "The number of transactions that an account has sent.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  getClassHashAt: Method.make(`${namespace}_getClassHashAt`, {
    params: [block, contract],
    result: Felt.Felt,
    doc: "The class hash of a contract.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  call: Method.make(`${namespace}_call`, {
    params: [
      Method.param("request", FunctionCall.FunctionCall, {
        doc: "the function and its arguments",
        values: MAX_FELTS
      }),
      block
    ],
    result: Schema.Array(Felt.Felt),
    doc: "The result of a contract's function, without a transaction.",
    cost: 80,
    verification: "claimed",
    cache: "none"
  }),
  syncing: Method.make(`${namespace}_syncing`, {
    params: [],
    result: SyncStatus.SyncStatus,
    doc: "The sync progress of the node, or false if it is not syncing.",
    cost: 5,
    verification: "claimed",
    cache: "none"
  }),
  addInvokeTransaction: Method.make(`${namespace}_addInvokeTransaction`, {
    params: [
      Method.param("invoke_transaction", Broadcast.Invoke, { doc: "the signed transaction", values: MAX_FELTS })
    ],
    result: Broadcast.Invoked,
    doc: "Sends an account's transaction, and returns its hash.",
    cost: 80,
    verification: "partial",
    cache: "none",
    idempotent: false
  }),
  addDeployAccountTransaction: Method.make(`${namespace}_addDeployAccountTransaction`, {
    params: [
      Method.param("deploy_account_transaction", Broadcast.DeployAccount, {
        doc: "the signed transaction",
        values: MAX_FELTS
      })
    ],
    result: Broadcast.AccountDeployed,
    doc: "Sends an account's deployment, and returns its hash and address.",
    cost: 80,
    verification: "partial",
    cache: "none",
    idempotent: false
  })
})

/** The methods of a namespace. */
export type Methods<Namespace extends string = string> = ReturnType<typeof methods<Namespace>>

/**
 * Returns the methods of a namespace as a group.
 *
 * ```ts import.meta.vitest
 * import { SecondChainMethods } from "@plumbline/second-chain-methods"
 *
 * const group = SecondChainMethods.group("other")
 * group.methods.other_getNonce.params.map((param) => param.name) // => ["block_id", "contract_address"]
 * ```
 */
export const group = <const Namespace extends string>(
  namespace: Namespace
): MethodGroup.MethodGroup<MethodGroup.ByName<Methods<Namespace>[keyof Methods<Namespace>]>> =>
  MethodGroup.make(...Object.values(methods(namespace)))
