import { assert, describe, it } from "@effect/vitest"
import { JsonRpcServer, OpenRpc } from "@plumbline/jsonrpc-core"
import { Felt, SecondChainClient, SecondChainMethods, Starknet } from "@plumbline/second-chain-methods"
import { Effect, Layer, Result } from "effect"

import { errors, node } from "../support/node.ts"
import * as Made from "../support/transactions.ts"

const felt = Felt.fromHexUnsafe
const contract = felt("0xc0")
const hash = felt("0x4a54")
const price = { price_in_fri: "0x1", price_in_wei: "0x2" }
const header = {
  status: "ACCEPTED_ON_L2",
  block_hash: "0xb10c",
  parent_hash: "0xfa7e",
  block_number: 7,
  new_root: "0x1",
  timestamp: 1700000000,
  sequencer_address: "0x5e9",
  l1_gas_price: price,
  starknet_version: "0.13.1"
}
const request = { contract_address: contract, entry_point_selector: felt("0x5e1"), calldata: [felt("0x1")] }
const receipt = {
  transaction_hash: "0x4a54",
  type: "INVOKE",
  actual_fee: { amount: "0x10", unit: "FRI" },
  execution_status: "SUCCEEDED",
  finality_status: "ACCEPTED_ON_L2",
  block_hash: "0xb10c",
  block_number: 7,
  messages_sent: [{ from_address: "0x1", to_address: "0x2", payload: [] }],
  events: [{ from_address: "0x1", keys: ["0x2"], data: [] }],
  execution_resources: { l1_gas: 0, l2_gas: 1, l1_data_gas: 2 }
}
const { transaction_hash: _, ...sent } = Made.wire["INVOKE v3"]
const { transaction_hash: __, ...deployed } = Made.wire["DEPLOY_ACCOUNT v3"]

type Question = (chain: SecondChainClient.Client) => Effect.Effect<unknown, unknown>

const ask = (answer: unknown, question: Question) => {
  const fake = node(() => answer)
  return Effect.map(
    Effect.flatMap(Effect.provide(SecondChainClient.make(), fake.layer), (chain) => Effect.result(question(chain))),
    (result) => ({ result, asked: fake.asked })
  )
}

const flags = ["INCLUDE_PROOF_FACTS"]
const invoke = Made.wire["INVOKE v1"]

describe("SecondChainClient", () => {
  it.effect("sends each method as the specification has it, and reads its answer", () =>
    Effect.gen(function* () {
      const withHashes = { ...header, transactions: ["0x1"] }
      const withTransactions = { ...header, transactions: [invoke] }
      const numbers = { block_number: 7n, timestamp: 1700000000n }
      const cases: ReadonlyArray<
        readonly [question: Question, sent: ReadonlyArray<unknown>, answer: unknown, read?: unknown]
      > = [
        [(chain) => chain.chainId, ["chainId"], "0x534e5f4d41494e"],
        [(chain) => chain.specVersion, ["specVersion"], "0.8.1"],
        [(chain) => chain.blockNumber, ["blockNumber"], 7, 7n],
        [
          (chain) => chain.blockHashAndNumber,
          ["blockHashAndNumber"],
          { block_hash: "0xb10c", block_number: 7 },
          { block_hash: "0xb10c", block_number: 7n }
        ],
        [
          (chain) => chain.getBlockWithTxHashes(7n),
          ["getBlockWithTxHashes", { block_number: 7 }],
          withHashes,
          { ...withHashes, ...numbers }
        ],
        [
          (chain) => chain.getBlockWithTxs(hash),
          ["getBlockWithTxs", { block_hash: hash }],
          withTransactions,
          { ...withTransactions, ...numbers }
        ],
        [
          (chain) => chain.getBlockWithTxs("pre_confirmed", { proofFacts: true }),
          ["getBlockWithTxs", "pre_confirmed", flags],
          { transactions: [] }
        ],
        [(chain) => chain.getTransactionByHash(hash), ["getTransactionByHash", hash], invoke],
        [
          (chain) => chain.getTransactionByHash(hash, { proofFacts: true }),
          ["getTransactionByHash", hash, flags],
          invoke
        ],
        [
          (chain) => chain.getTransactionByBlockIdAndIndex("l1_accepted", 3n),
          ["getTransactionByBlockIdAndIndex", "l1_accepted", 3],
          invoke
        ],
        [
          (chain) => chain.getTransactionReceipt(hash),
          ["getTransactionReceipt", hash],
          receipt,
          { ...receipt, block_number: 7n }
        ],
        [(chain) => chain.getStorageAt(contract, hash), ["getStorageAt", contract, hash, "latest"], "0x0"],
        [
          (chain) => chain.getStorageAt(contract, hash, 1n),
          ["getStorageAt", contract, hash, { block_number: 1 }],
          "0x0"
        ],
        [(chain) => chain.getNonce(contract, "pending"), ["getNonce", "pending", contract], "0x7"],
        [(chain) => chain.getNonce(contract), ["getNonce", "latest", contract], "0x7"],
        [(chain) => chain.getClassHashAt(contract), ["getClassHashAt", "latest", contract], "0x7"],
        [(chain) => chain.call(request), ["call", request, "latest"], ["0x1", "0x2"]],
        [(chain) => chain.syncing, ["syncing"], false],
        [
          (chain) => chain.addInvokeTransaction(sent as never),
          ["addInvokeTransaction", sent],
          { transaction_hash: "0x1" }
        ],
        [
          (chain) => chain.addDeployAccountTransaction(deployed as never),
          ["addDeployAccountTransaction", deployed],
          { transaction_hash: "0x1", contract_address: "0x2" }
        ]
      ]
      for (const [question, sent, answer, read = answer] of cases) {
        const { asked, result } = yield* ask(answer, question)
        assert.deepStrictEqual(asked, [sent as never])
        assert.deepStrictEqual(Result.getOrThrow(result), read, String(sent[0]))
      }
    })
  )

  it.effect("takes what is not there for null, and nothing else", () =>
    Effect.gen(function* () {
      const { blockNotFound, busy, contractNotFound, noSuchIndex, transactionNotFound, transactionNotFoundOld } = errors
      const all = [blockNotFound, busy, contractNotFound, noSuchIndex, transactionNotFound, transactionNotFoundOld]
      const cases: ReadonlyArray<readonly [Question, ...absent: ReadonlyArray<unknown>]> = [
        [(chain) => chain.getBlockWithTxHashes(7n), blockNotFound],
        [(chain) => chain.getBlockWithTxs(7n), blockNotFound],
        [(chain) => chain.getTransactionByHash(hash), transactionNotFound, transactionNotFoundOld],
        [(chain) => chain.getTransactionReceipt(hash), transactionNotFound, transactionNotFoundOld],
        [(chain) => chain.getTransactionByBlockIdAndIndex(7n, 0n), blockNotFound, noSuchIndex],
        [(chain) => chain.getStorageAt(contract, hash)],
        [(chain) => chain.getNonce(contract)],
        [(chain) => chain.blockNumber]
      ]
      for (const [question, ...absent] of cases) {
        for (const error of all) {
          const { result } = yield* ask(error, question)
          if (absent.includes(error)) assert.strictEqual(Result.getOrThrow(result), null)
          else assert.isTrue(Result.isFailure(result))
        }
      }
    })
  )

  it.effect("reads old receipts and old progress", () =>
    Effect.gen(function* () {
      const { actual_fee: _, execution_status: __, finality_status: ___, ...rest } = receipt
      const old = { ...rest, actual_fee: "0x10", status: "ACCEPTED_ON_L1" }
      const read = yield* ask(old, (chain) => chain.getTransactionReceipt(hash))
      assert.deepStrictEqual(Result.getOrThrow(read.result), { ...old, block_number: 7n })

      const numbers = { starting_block_num: "0x1", current_block_num: "0x2", highest_block_num: 3 }
      const hashes = { starting_block_hash: "0x1", current_block_hash: "0x2", highest_block_hash: "0x3" }
      const syncing = yield* ask({ ...hashes, ...numbers }, (chain) => chain.syncing)
      assert.deepStrictEqual(Result.getOrThrow(syncing.result), {
        ...hashes,
        starting_block_num: 1n,
        current_block_num: 2n,
        highest_block_num: 3n
      })
    })
  )

  it.effect("sends what must not be sent twice as such", () =>
    Effect.sync(() => {
      const twice = Object.values(Starknet.group.methods).filter(({ idempotent }) => !idempotent)
      assert.deepStrictEqual(
        twice.map(({ name }) => name),
        ["starknet_addInvokeTransaction", "starknet_addDeployAccountTransaction"]
      )
    })
  )

  it.effect("reads a chain of another namespace", () =>
    Effect.gen(function* () {
      const fake = node((method) => (method === "other_chainId" ? "0x1" : errors.methodNotFound))
      const layer = SecondChainClient.layer({ namespace: "other" })
      const chainId = SecondChainClient.SecondChainClient.use((chain) => chain.chainId)
      assert.strictEqual(yield* Effect.provide(chainId, Layer.provide(layer, fake.layer)), "0x1")
    })
  )
})

describe("SecondChainMethods", () => {
  it.effect("serve parameters by name, which is how starknet.js sends them", () =>
    Effect.gen(function* () {
      const { starknet_getNonce } = SecondChainMethods.group("starknet").methods
      const server = JsonRpcServer.make(
        {
          methods: { starknet_getNonce },
          get: (name) => (name === "starknet_getNonce" ? starknet_getNonce : undefined)
        },
        {
          starknet_getNonce: (block, address) => Effect.succeed(block === 5n && address === contract ? hash : contract)
        }
      )
      const params = { contract_address: contract, block_id: { block_number: 5 } }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "starknet_getNonce", params })
      const answer = new TextDecoder().decode(yield* server.handle(body))
      assert.deepStrictEqual(JSON.parse(answer), { jsonrpc: "2.0", id: 1, result: hash })
    })
  )

  it("are described by an OpenRPC document whose references all lead somewhere", () => {
    const document = OpenRpc.document(Starknet.group, { title: "Starknet", version: "0" })
    assert.lengthOf(document.methods, Object.keys(Starknet.group.methods).length)
    const { schemas } = document.components
    const text = JSON.stringify(document)
    const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/gu)].map(([, name]) => name!)
    for (const name of ["Felt", "InvokeV3", "DeployAccountV1", "L1Handler", "UnknownTransaction", "Receipt"]) {
      assert.include(references, name)
    }
    for (const name of references) assert.property(schemas, name)
  })
})
