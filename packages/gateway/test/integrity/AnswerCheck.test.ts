/** Tests the lies that the mode `check` refutes without further calls. The transaction is the example of EIP-155. */
import { assert, describe, it } from "@effect/vitest"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Integrity, UpstreamError } from "@plumbline/gateway"
import { Effect } from "effect"

import { block, HASH, lie, node } from "../support/genesis.ts"

const decoder = new TextDecoder()

const SENT = "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788"
const RAW =
  "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
const OTHER = `0x${"77".repeat(32)}`
const who = `0x${"11".repeat(20)}`
/** An address with a wrong EIP-55 checksum. */
const MISTYPED = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

/** The earliest block of a node that deleted the first one. Its hash is that of @ethereumjs/block. */
const later = {
  ...block,
  number: "0x1",
  hash: "0x98df0e3aec6847dbd05cb8fecdbc36b15b96db4ff7d4c9d0f5a6c1352368f97d"
}

const transaction = {
  hash: SENT,
  type: "0x0",
  blockHash: HASH,
  blockNumber: "0x0",
  transactionIndex: "0x0",
  from: "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f",
  to: "0x3535353535353535353535353535353535353535",
  nonce: "0x9",
  value: "0xde0b6b3a7640000",
  gas: "0x5208",
  gasPrice: "0x4a817c800",
  input: "0x",
  v: "0x25",
  r: "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
  s: "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
}

const receipt = {
  transactionHash: SENT,
  transactionIndex: "0x0",
  blockHash: HASH,
  blockNumber: "0x0",
  from: transaction.from,
  to: transaction.to,
  contractAddress: null,
  cumulativeGasUsed: "0x5208",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x4a817c800",
  logs: [],
  logsBloom: `0x${"00".repeat(256)}`,
  status: "0x1",
  type: "0x0"
}

const log = {
  address: who,
  topics: [OTHER],
  data: "0x",
  blockHash: HASH,
  blockNumber: "0x0",
  transactionHash: SENT,
  transactionIndex: "0x0",
  logIndex: "0x0",
  removed: false
}

const proof = {
  address: who,
  accountProof: [],
  balance: "0x0",
  codeHash: OTHER,
  nonce: "0x0",
  storageHash: OTHER,
  storageProof: []
}

interface Row {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly truth: unknown
  /** The lies, keyed by the name of the check that finds each lie. */
  readonly lies: Readonly<Record<string, unknown>>
}

const rows: ReadonlyArray<Row> = [
  {
    method: "eth_getBlockByHash",
    params: [HASH, true],
    truth: block,
    lies: {
      "header hash": lie,
      "block.hash": { ...block, hash: OTHER },
      transactionsRoot: { ...block, transactions: [transaction] }
    }
  },
  {
    method: "eth_getBlockByNumber",
    params: ["0x0", true],
    truth: block,
    lies: { "header hash": lie, "block.number": { ...block, number: "0x1" } }
  },
  {
    method: "eth_getBlockByNumber",
    params: ["earliest", true],
    truth: later,
    lies: { "header hash": { ...later, gasLimit: "0x1389" } }
  },
  {
    method: "eth_getTransactionByHash",
    params: [SENT],
    truth: transaction,
    lies: {
      "transaction hash": { ...transaction, value: "0x1" },
      "transaction.hash": { ...transaction, hash: OTHER },
      "transaction.from": { ...transaction, from: who }
    }
  },
  {
    method: "eth_getTransactionByBlockHashAndIndex",
    params: [HASH, "0x0"],
    truth: transaction,
    lies: {
      "transaction hash": { ...transaction, value: "0x1" },
      "transaction.blockHash": { ...transaction, blockHash: OTHER },
      "transaction.transactionIndex": { ...transaction, transactionIndex: "0x1" }
    }
  },
  {
    method: "eth_getTransactionByBlockNumberAndIndex",
    params: ["0x0", "0x0"],
    truth: transaction,
    lies: { "transaction.blockNumber": { ...transaction, blockNumber: "0x1" } }
  },
  {
    method: "eth_getTransactionReceipt",
    params: [SENT],
    truth: receipt,
    lies: {
      "receipt.transactionHash": { ...receipt, transactionHash: OTHER },
      "receipt.logsBloom": { ...receipt, logs: [log] },
      "receipt.logs[0].transactionHash": { ...receipt, logs: [{ ...log, transactionHash: OTHER }] },
      "receipt.logs[0].blockHash": { ...receipt, logs: [{ ...log, blockHash: OTHER }] }
    }
  },
  {
    method: "eth_getBlockReceipts",
    params: [HASH],
    truth: [receipt],
    lies: {
      "receipts[0].blockHash": [{ ...receipt, blockHash: OTHER }],
      "receipts[0].transactionIndex": [{ ...receipt, transactionIndex: "0x1" }],
      "receipts[0].logsBloom": [{ ...receipt, logs: [log] }]
    }
  },
  {
    method: "eth_getLogs",
    params: [{ fromBlock: "0x0", toBlock: "0x5", address: who }],
    truth: [log],
    lies: {
      "logs[0]": [{ ...log, address: transaction.to }],
      "logs[0].blockNumber": [{ ...log, blockNumber: "0x6" }]
    }
  },
  {
    method: "eth_getLogs",
    params: [{ blockHash: HASH, topics: [OTHER] }],
    truth: [log],
    lies: { "logs[0].blockHash": [{ ...log, blockHash: OTHER }], "logs[0]": [{ ...log, topics: [SENT] }] }
  },
  {
    method: "eth_getProof",
    params: [who, [], "0x0"],
    truth: proof,
    lies: { "account.address": { ...proof, address: transaction.to } }
  },
  // addresses of JSON-RPC callers may have no checksum
  {
    method: "eth_getProof",
    params: [MISTYPED, [], "0x0"],
    truth: { ...proof, address: MISTYPED.toLowerCase() },
    lies: { "account.address": proof }
  },
  {
    method: "eth_getLogs",
    params: [{ blockHash: HASH, address: [MISTYPED] }],
    truth: [{ ...log, address: MISTYPED.toLowerCase() }],
    lies: { "logs[0]": [log] }
  },
  { method: "eth_sendRawTransaction", params: [RAW], truth: SENT, lies: { "transaction hash": OTHER } }
]

const answerOf = (method: string, params: ReadonlyArray<unknown>, said: unknown) =>
  Effect.gen(function* () {
    const trust = yield* TrustedBlock.TrustedBlock
    const upstream = node({ [method]: said })
    const { around, members } = yield* Integrity.make([{ name: "a", upstream }], {
      network: "mainnet",
      mode: "check",
      chainId: 1n,
      trust
    })
    const answer = yield* Effect.result(around(members[0]!).call(method, params))
    return { answer, asked: upstream.asked }
  }).pipe(Effect.provide(TrustedBlock.layerNone()))

describe("without a further call", () => {
  for (const { lies, method, params, truth } of rows) {
    it.effect(`${method} ${JSON.stringify(params).slice(0, 40)}: the truth passes unchanged`, () =>
      Effect.gen(function* () {
        const { answer, asked } = yield* answerOf(method, params, truth)
        assert.strictEqual(answer._tag, "Success")
        if (answer._tag === "Success") assert.deepStrictEqual(JSON.parse(decoder.decode(answer.success)), truth)
        assert.deepStrictEqual(asked, [method])
      })
    )
    for (const [check, said] of Object.entries(lies)) {
      it.effect(`${method} ${JSON.stringify(params).slice(0, 40)}: refuted by ${check}`, () =>
        Effect.gen(function* () {
          const { answer, asked } = yield* answerOf(method, params, said)
          assert.strictEqual(answer._tag, "Failure")
          if (answer._tag === "Failure") {
            assert.instanceOf(answer.failure, UpstreamError.UpstreamError)
            const { reason } = answer.failure
            assert.deepInclude(reason, { _tag: "Refuted", check })
          }
          assert.deepStrictEqual(asked, [method])
        })
      )
    }
  }
})

describe("what a node leaves out", () => {
  const read = (result: unknown) =>
    Effect.scoped(
      Effect.gen(function* () {
        const trust = yield* TrustedBlock.TrustedBlock
        const { around, members } = yield* Integrity.make(
          [{ name: "own", upstream: node({ eth_getBlockByHash: result }) }],
          {
            network: "mainnet",
            mode: "check",
            chainId: 1n,
            trust
          }
        )
        return JSON.parse(decoder.decode(yield* around(members[0]!).call("eth_getBlockByHash", [HASH, true])))
      })
    ).pipe(Effect.provide(TrustedBlock.layerNone()))

  it.effect("is filled in, if it follows from the hash", () =>
    Effect.gen(function* () {
      const { size: _, uncles: __, ...rest } = block
      assert.deepEqual(yield* read(rest), block)
    })
  )

  it.effect("is no lie, if it is the seal: the block passes as a claim, as it came", () =>
    Effect.gen(function* () {
      const { mixHash: _, nonce: __, ...rest } = block
      assert.deepEqual(yield* read(rest), rest)
    })
  )
})

describe("what nothing checks", () => {
  it.effect("passes as the node wrote it", () =>
    Effect.gen(function* () {
      const said = () => ' "0x05"'
      const { answer } = yield* answerOf("eth_getBalance", [who, "latest"], said)
      assert.strictEqual(answer._tag === "Success" ? decoder.decode(answer.success) : "", said())
    })
  )

  it.effect("and an error of the node is the answer, as it is without checks", () =>
    Effect.gen(function* () {
      const error = { code: -32000, message: "header not found" }
      const { answer } = yield* answerOf("eth_getBlockByHash", [HASH, true], error)
      assert.deepStrictEqual(answer._tag === "Failure" ? answer.failure : undefined, error)
    })
  )

  it.effect("a result of another form is a fault of the node", () =>
    Effect.gen(function* () {
      const { answer } = yield* answerOf("eth_getBlockByHash", [HASH, true], 7)
      assert.strictEqual(answer._tag, "Failure")
      if (answer._tag === "Failure") {
        const { reason } = answer.failure as UpstreamError.UpstreamError
        assert.deepStrictEqual(reason, { _tag: "BadAnswer", problem: "wrong result" })
      }
    })
  )
})
