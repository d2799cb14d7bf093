/** Compares the node's answers about blocks, uncles, transactions, receipts and logs with ethereumjs and viem. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import { assert, describe, it } from "@effect/vitest"
import { createBlockHeaderFromRPC, createBlockFromRPC } from "@ethereumjs/block"
import { RLP } from "@ethereumjs/rlp"
import { Effect, Exit } from "effect"
import {
  bytesToHex,
  createPublicClient,
  custom,
  fromRlp,
  getContractAddress,
  type Hex,
  keccak256,
  recoverTransactionAddress,
  serializeTransaction
} from "viem"

import { forkAt, rules } from "../../scripts/history/rules.ts"
import * as HistoryArchiveFile from "../../src/history/archiveFile.ts"
import { History, HistoryChain } from "../../src/index.ts"
import { archive, ask, blocks, quantity, receiptsOf, refusal } from "../support/history.ts"
import { folder } from "../support/shared.ts"

const client = createPublicClient({
  transport: custom({ request: ({ method, params }) => ask(method, ...(params ?? [])) })
})

const numbers = [...blocks.keys()]
const recorded = HistoryChain.blocks
const nowhere = `0x${"ab".repeat(32)}`

describe("blocks", () => {
  it("are answered by number and by hash, in any case, with whole transactions and with hashes", async () => {
    let totalDifficulty = 0n
    for (const number of numbers) {
      const { hash, transactions } = recorded[number]!
      const full = await ask("eth_getBlockByNumber", quantity(number), true)
      assert.deepStrictEqual(await ask("eth_getBlockByHash", hash, true), full)
      assert.deepStrictEqual(await ask("eth_getBlockByHash", `0x${hash.slice(2).toUpperCase()}`, true), full)
      const short = await ask("eth_getBlockByNumber", quantity(number), false)
      assert.deepStrictEqual(await ask("eth_getBlockByHash", hash, false), short)
      assert.deepStrictEqual(
        short.transactions,
        transactions.map((transaction) => transaction.hash)
      )
      assert.deepStrictEqual({ ...full, transactions: short.transactions }, short)
      totalDifficulty += blocks[number]!.header.difficulty
      assert.strictEqual(BigInt(full.totalDifficulty), totalDifficulty)
      assert.strictEqual(Number(full.size), archive.encodedBlocks[number]!.length)
      assert.deepStrictEqual(full.uncles, recorded[number]!.uncles)
    }
  })

  it("are made again by ethereumjs from the answers, to the byte", async () => {
    for (const number of numbers) {
      const answer = await ask("eth_getBlockByNumber", quantity(number), true)
      const uncles = await Promise.all(
        recorded[number]!.uncles.map((_, i) => ask("eth_getUncleByBlockNumberAndIndex", quantity(number), quantity(i)))
      )
      const common = rules(forkAt(number).hardfork)
      const made = createBlockFromRPC(answer, uncles, { common, skipConsensusFormatValidation: true })
      assert.deepStrictEqual(made.serialize(), archive.encodedBlocks[number], `block ${number}`)
    }
  })

  it("are read by viem", async () => {
    for (const number of numbers) {
      const block = await client.getBlock({ blockNumber: BigInt(number), includeTransactions: true })
      assert.strictEqual(block.hash, recorded[number]!.hash)
      assert.strictEqual(block.gasUsed, blocks[number]!.header.gasUsed)
      assert.strictEqual(block.transactions.length, recorded[number]!.transactions.length)
    }
    assert.strictEqual(await client.getBlockNumber(), BigInt(HistoryChain.head.number))
    assert.strictEqual(await client.getChainId(), HistoryChain.chainId)
  })

  it("have the tags of a finished chain", async () => {
    const head = await ask("eth_getBlockByHash", HistoryChain.head.hash, false)
    for (const tag of ["latest", "safe", "finalized"]) {
      assert.deepStrictEqual(await ask("eth_getBlockByNumber", tag, false), head)
    }
    assert.strictEqual((await ask("eth_getBlockByNumber", "earliest", false)).hash, recorded[0]!.hash)
    assert.isNull(await ask("eth_getBlockByNumber", "pending", false))
  })

  it("that there are not are null, as is all that is asked of them", async () => {
    const beyond = quantity(blocks.length)
    for (const block of [beyond, "0x7fffffffffffffff", "pending"]) {
      assert.isNull(await ask("eth_getBlockByNumber", block, true))
      assert.isNull(await ask("eth_getBlockTransactionCountByNumber", block))
      assert.isNull(await ask("eth_getUncleCountByBlockNumber", block))
      assert.isNull(await ask("eth_getUncleByBlockNumberAndIndex", block, "0x0"))
      assert.isNull(await ask("eth_getTransactionByBlockNumberAndIndex", block, "0x0"))
      assert.isNull(await ask("eth_getBlockReceipts", block))
    }
    const [uncle] = HistoryChain.withUncles[0]!.uncles
    for (const hash of [nowhere, uncle]) {
      assert.isNull(await ask("eth_getBlockByHash", hash, true))
      assert.isNull(await ask("eth_getBlockTransactionCountByHash", hash))
      assert.isNull(await ask("eth_getUncleCountByBlockHash", hash))
      assert.isNull(await ask("eth_getUncleByBlockHashAndIndex", hash, "0x0"))
      assert.isNull(await ask("eth_getTransactionByBlockHashAndIndex", hash, "0x0"))
      assert.isNull(await ask("eth_getBlockReceipts", { blockHash: hash }))
      assert.isNull(await ask("eth_getTransactionByHash", hash))
      assert.isNull(await ask("eth_getTransactionReceipt", hash))
    }
  })
})

describe("uncles", () => {
  it("are answered by number and by hash, hash to what their block says, and have true total difficulties", async () => {
    let seen = 0
    for (const { hash, number, uncles } of recorded) {
      assert.strictEqual(Number(await ask("eth_getUncleCountByBlockNumber", quantity(number))), uncles.length)
      assert.strictEqual(Number(await ask("eth_getUncleCountByBlockHash", hash)), uncles.length)
      assert.isNull(await ask("eth_getUncleByBlockNumberAndIndex", quantity(number), quantity(uncles.length)))
      assert.isNull(await ask("eth_getUncleByBlockHashAndIndex", hash, "0xffffffffffffffffffff"))
      for (const [i, expected] of uncles.entries()) {
        const uncle = await ask("eth_getUncleByBlockNumberAndIndex", quantity(number), quantity(i))
        assert.deepStrictEqual(await ask("eth_getUncleByBlockHashAndIndex", hash, quantity(i)), uncle)
        const common = rules(forkAt(Number(uncle.number)).hardfork)
        const header = createBlockHeaderFromRPC(uncle, { common, skipConsensusFormatValidation: true })
        assert.deepStrictEqual([uncle.hash, bytesToHex(header.hash())], [expected, expected])
        assert.strictEqual(Number(uncle.size), RLP.encode([header.raw(), [], []]).length)
        assert.deepStrictEqual(uncle.uncles, [])
        assert.notProperty(uncle, "transactions")
        const parent = recorded.find((block) => block.hash === uncle.parentHash)!
        const { totalDifficulty } = await ask("eth_getBlockByNumber", quantity(parent.number), false)
        assert.strictEqual(BigInt(uncle.totalDifficulty), BigInt(totalDifficulty) + header.difficulty)
        seen++
      }
    }
    assert.isAtLeast(seen, 20)
  })
})

describe("transactions", () => {
  it("are answered by hash, and by block and position, and viem makes their hash and finds their sender", async () => {
    for (const { hash: blockHash, number, transactions } of recorded) {
      const count = quantity(transactions.length)
      assert.strictEqual(await ask("eth_getBlockTransactionCountByNumber", quantity(number)), count)
      assert.strictEqual(await ask("eth_getBlockTransactionCountByHash", blockHash), count)
      assert.isNull(await ask("eth_getTransactionByBlockHashAndIndex", blockHash, count))
      assert.isNull(await ask("eth_getTransactionByBlockNumberAndIndex", quantity(number), count))
      const { transactions: whole } = await ask("eth_getBlockByNumber", quantity(number), true)
      for (const [i, { hash, type }] of transactions.entries()) {
        // a sample of the 130 similar transactions is enough, because recovering senders is slow
        if (transactions.length > 20 && i % 13 !== 0) continue
        const answer = await ask("eth_getTransactionByHash", hash)
        assert.deepStrictEqual(answer, whole[i])
        assert.deepStrictEqual(await ask("eth_getTransactionByBlockHashAndIndex", blockHash, quantity(i)), answer)
        assert.deepStrictEqual(
          await ask("eth_getTransactionByBlockNumberAndIndex", quantity(number), quantity(i)),
          answer
        )
        assert.deepStrictEqual(
          [answer.hash, answer.type, answer.blockHash, Number(answer.blockNumber), Number(answer.transactionIndex)],
          [hash, type, blockHash, number, i]
        )
        assert.match(answer.r, /^0x[0-9a-f]{64}$/)
        assert.match(answer.s, /^0x[0-9a-f]{64}$/)
        const transaction = await client.getTransaction({ hash })
        const { gas, input, r, s, v, yParity } = transaction
        const { chainId, ...rest } = transaction
        const unsigned = { ...rest, ...(chainId === undefined ? {} : { chainId }), gas, data: input }
        const serialized = serializeTransaction(unsigned as any, { r, s, v, yParity: yParity! })
        assert.strictEqual(keccak256(serialized), hash, `block ${number}, transaction ${i}`)
        const sender = await recoverTransactionAddress({ serializedTransaction: serialized })
        assert.strictEqual(sender.toLowerCase(), answer.from)
      }
    }
  })
})

describe("receipts", () => {
  it("are those under the header's root, and say what follows from the block", async () => {
    for (const { hash: blockHash, number, timestamp, transactions } of recorded) {
      const receipts = await ask<Array<any>>("eth_getBlockReceipts", quantity(number))
      assert.deepStrictEqual(await ask("eth_getBlockReceipts", blockHash), receipts)
      assert.deepStrictEqual(await ask("eth_getBlockReceipts", { blockHash }), receipts)
      const { baseFeePerGas, transactions: whole } = await ask("eth_getBlockByNumber", quantity(number), true)
      let gas = 0n
      let logs = 0
      for (const [i, receipt] of receipts.entries()) {
        const transaction = whole[i]
        const [outcome, cumulative, bloom, entries] = fromRlp(untyped(receiptsOf(number)[i]!), "hex") as any
        gas += BigInt(receipt.gasUsed)
        assert.strictEqual(BigInt(receipt.cumulativeGasUsed), BigInt(cumulative))
        assert.strictEqual(gas, BigInt(cumulative))
        assert.strictEqual(receipt.logsBloom, bloom)
        if (outcome.length === 66) {
          assert.strictEqual(receipt.root, outcome)
          assert.notProperty(receipt, "status")
        } else {
          assert.strictEqual(receipt.status === "0x1", outcome === "0x01")
          assert.strictEqual(receipt.status === "0x1", transactions[i]!.success)
          assert.notProperty(receipt, "root")
        }
        assert.deepStrictEqual(
          receipt.logs,
          entries.map(([address, topics, data]: any, at: number) => ({
            address,
            topics,
            data,
            blockHash,
            blockNumber: quantity(number),
            blockTimestamp: quantity(timestamp),
            transactionHash: transaction.hash,
            transactionIndex: quantity(i),
            logIndex: quantity(logs + at),
            removed: false
          }))
        )
        logs += entries.length
        for (const field of ["blockHash", "blockNumber", "transactionIndex", "from", "to", "type"]) {
          assert.strictEqual(receipt[field], transaction[field])
        }
        assert.strictEqual(receipt.transactionHash, transaction.hash)
        assert.strictEqual(
          receipt.contractAddress,
          transaction.to === null
            ? getContractAddress({ from: transaction.from, nonce: BigInt(transaction.nonce) }).toLowerCase()
            : null
        )
        assert.strictEqual(BigInt(receipt.effectiveGasPrice), paid(transaction, baseFeePerGas))
        assert.strictEqual(receipt.blobGasUsed === undefined, transaction.type !== "0x3")
        assert.deepStrictEqual(await ask("eth_getTransactionReceipt", transaction.hash), receipt)
      }
      assert.strictEqual(gas, blocks[number]!.header.gasUsed)
    }
  })

  it("have the blob price that ethereumjs computes", async () => {
    const seen = new Set<bigint>()
    for (const { number } of recorded) {
      for (const receipt of await ask<Array<any>>("eth_getBlockReceipts", quantity(number))) {
        if (receipt.type !== "0x3") continue
        assert.strictEqual(BigInt(receipt.blobGasPrice), blocks[number]!.header.getBlobGasPrice())
        seen.add(BigInt(receipt.blobGasUsed))
      }
    }
    assert.deepStrictEqual(
      [...seen].sort((a, b) => Number(a - b)),
      [131_072n, 262_144n, 393_216n, 655_360n]
    )
  })
})

/** Returns the price that a transaction pays per unit of gas, by EIP-1559. */
const paid = ({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: any, baseFee: Hex): bigint => {
  if (maxFeePerGas === undefined) return BigInt(gasPrice)
  const wanted = BigInt(baseFee) + BigInt(maxPriorityFeePerGas)
  return wanted < BigInt(maxFeePerGas) ? wanted : BigInt(maxFeePerGas)
}

const untyped = (encoded: Uint8Array): Hex => bytesToHex(encoded[0]! < 0xc0 ? encoded.subarray(1) : encoded)

describe("logs", () => {
  /** Returns every log of the chain, from the receipts. */
  const all = async (): Promise<Array<any>> =>
    (await Promise.all(numbers.map((number) => ask<Array<any>>("eth_getBlockReceipts", quantity(number)))))
      .flat()
      .flatMap((receipt) => receipt.logs)

  it("are those of the receipts that a filter selects", async () => {
    const logs = await all()
    assert.isAbove(logs.length, 20)
    const everywhere = { fromBlock: "earliest", toBlock: "latest" }
    assert.deepStrictEqual(await ask("eth_getLogs", everywhere), logs)
    const { proxy, token } = HistoryChain.contracts
    const topics = [...new Set<Hex>(logs.flatMap((log) => log.topics))]
    const filters: Array<any> = [
      { address: token.address },
      { address: [token.address, proxy.address] },
      { address: [] },
      { address: nowhere.slice(0, 42) },
      { topics: [] },
      { topics: [null] },
      { topics: [null, null, null] },
      { topics: [null, null, null, null] },
      ...topics.flatMap((topic) => [{ topics: [topic] }, { topics: [null, [topic, nowhere]] }]),
      { address: token.address, topics: [null, topics.slice(0, 9)] },
      { topics: [nowhere] }
    ]
    let selected = 0
    for (const filter of filters) {
      const expected = logs.filter((log) => isSelected(log, filter))
      assert.deepStrictEqual(await ask("eth_getLogs", { ...everywhere, ...filter }), expected)
      selected += expected.length
    }
    assert.isAbove(selected, 100)
  })

  it("are those of a range, of one block, and of the head when no block is said", async () => {
    const logs = await all()
    const between = (from: number, to: number) =>
      logs.filter((log) => Number(log.blockNumber) >= from && Number(log.blockNumber) <= to)
    for (const [from, to] of [
      [0, 0],
      [1, 9],
      [10, 10],
      [60, 69],
      [60, 1_000_000]
    ] as const) {
      assert.deepStrictEqual(
        await ask("eth_getLogs", { fromBlock: quantity(from), toBlock: quantity(to) }),
        between(from, to)
      )
    }
    const head = HistoryChain.head.number
    assert.deepStrictEqual(await ask("eth_getLogs", {}), between(head, head))
    assert.isAbove(between(head, head).length, 0)
    assert.deepStrictEqual(await ask("eth_getLogs", { fromBlock: "0x46", toBlock: "0x50" }), [])
    for (const { hash, number } of recorded.slice(0, 20)) {
      assert.deepStrictEqual(await ask("eth_getLogs", { blockHash: hash }), between(number, number))
    }
  })

  it("are refused in geth's words where there is no such block or range", async () => {
    const cases: ReadonlyArray<readonly [object, object]> = [
      [{ blockHash: nowhere }, { code: -32000, message: "unknown block" }],
      [
        { fromBlock: "0x2", toBlock: "0x1" },
        { code: -32000, message: "invalid block range params" }
      ],
      [{ fromBlock: "pending" }, { code: -32000, message: "pending logs are not supported" }]
    ]
    for (const [filter, error] of cases) assert.deepStrictEqual(await refusal("eth_getLogs", filter), error)
  })
})

/** Reimplements geth's filter. */
const isSelected = (log: any, { address, topics = [] }: any): boolean => {
  const addresses = [address ?? []].flat()
  if (addresses.length > 0 && !addresses.includes(log.address)) return false
  return (
    topics.length <= log.topics.length &&
    topics.every(
      (wanted: any, i: number) => [wanted ?? []].flat().length === 0 || [wanted].flat().includes(log.topics[i])
    )
  )
}

describe("the node", () => {
  it("says what it is", async () => {
    assert.strictEqual(await ask("net_version"), String(HistoryChain.chainId))
    assert.strictEqual(await ask("eth_chainId"), quantity(HistoryChain.chainId))
    assert.strictEqual(await ask("eth_blockNumber"), quantity(HistoryChain.head.number))
    assert.isFalse(await ask("eth_syncing"))
    assert.strictEqual(await ask("web3_clientVersion"), "plumbline-history")
  })

  it("refuses what needs an EVM, and what the interface does not know", async () => {
    const finished = {
      code: -32004,
      message: "not supported: the history chain is finished, and its node has no EVM"
    }
    const call = { to: HistoryChain.contracts.token.address, data: "0x18160ddd" }
    assert.deepStrictEqual(await refusal("eth_call", call, "latest"), finished)
    assert.deepStrictEqual(await refusal("eth_estimateGas", call), finished)
    assert.deepStrictEqual(await refusal("eth_createAccessList", call), finished)
    assert.deepStrictEqual(await refusal("eth_sendRawTransaction", "0x00"), finished)
    assert.deepStrictEqual(await refusal("eth_mine"), {
      code: -32601,
      message: "the method eth_mine does not exist/is not available"
    })
    const bad: any = await refusal("eth_getBlockByHash", "0x12", true)
    assert.strictEqual(bad.code, -32602)
  })

  it("takes whole packets, and batches of them", async () => {
    const answer = await Effect.runPromise(
      Effect.flatMap(History.History, (node) =>
        node.handle('[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"net_version"}]')
      ).pipe(Effect.provide(History.layer()))
    )
    assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(answer)), [
      { jsonrpc: "2.0", id: 1, result: quantity(HistoryChain.chainId) },
      { jsonrpc: "2.0", id: 2, result: String(HistoryChain.chainId) }
    ])
  })
})

describe("fees", () => {
  it("of the past are those of the headers, and of the block after the last", async () => {
    for (const [count, newest] of [
      [1, 69],
      [5, 69],
      [4, 41],
      [100, 60],
      [10, 38]
    ] as const) {
      const history = await ask("eth_feeHistory", quantity(count), quantity(newest))
      const first = Math.max(0, newest - count + 1)
      const range = blocks.slice(first, newest + 1)
      assert.strictEqual(Number(history.oldestBlock), first)
      const next =
        blocks[newest + 1]?.header.baseFeePerGas ?? (newest === 69 ? blocks[69]!.header.calcNextBaseFee() : 0n)
      assert.deepStrictEqual(history.baseFeePerGas.map(BigInt), [
        ...range.map((block) => block.header.baseFeePerGas ?? 0n),
        next
      ])
      assert.deepStrictEqual(
        history.gasUsedRatio,
        range.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit))
      )
      const blobPrice = (number: number): bigint =>
        blocks[number]!.header.excessBlobGas === undefined ? 0n : blocks[number]!.header.getBlobGasPrice()
      assert.deepStrictEqual(history.baseFeePerBlobGas.map(BigInt), [
        ...range.map((_, i) => blobPrice(first + i)),
        newest === 69 ? blocks[69]!.header.calcNextBlobGasPrice(blocks[69]!.common) : blobPrice(newest + 1)
      ])
      assert.deepStrictEqual(
        history.blobGasUsedRatio,
        range.map(({ header, common }) =>
          header.blobGasUsed === undefined
            ? 0
            : Number(header.blobGasUsed) / Number(common.getBlobGasSchedule().maxBlobGasPerBlock)
        )
      )
      assert.notProperty(history, "reward")
    }
  })

  it("have tips at percentiles of the gas, the lowest first", async () => {
    // block 40 has three transactions, with tips of 0.1 gwei (cut by the maximum fee), 0.5 gwei and 19 gwei
    const [low, middle, high] = (await ask<Array<any>>("eth_getBlockReceipts", "0x28"))
      .map((receipt) => BigInt(receipt.effectiveGasPrice) - blocks[40]!.header.baseFeePerGas!)
      .sort((a, b) => Number(a - b)) as [bigint, bigint, bigint]
    const { reward } = await ask("eth_feeHistory", "0x2", "0x28", [0, 50, 100])
    assert.deepStrictEqual(reward[1].map(BigInt), [low, middle, high])
    assert.isTrue(low < middle && middle < high)
    const { reward: none } = await ask("eth_feeHistory", "0x1", "0x4", [10, 20])
    assert.deepStrictEqual(none, [["0x0", "0x0"]])
    assert.deepStrictEqual(await ask("eth_feeHistory", "0x3", "0x28", []), await ask("eth_feeHistory", "0x3", "0x28"))
  })

  it("are bounded, and refused in geth's words", async () => {
    const empty = await ask("eth_feeHistory", "0x0", "latest", [])
    assert.deepStrictEqual(empty, { oldestBlock: "0x0", gasUsedRatio: [], baseFeePerGas: [] })
    const all = await ask("eth_feeHistory", "0xffffffffffffffff", "latest")
    assert.strictEqual(all.gasUsedRatio.length, blocks.length)
    assert.deepStrictEqual(await refusal("eth_feeHistory", "0x1", "0x64"), {
      code: -32000,
      message: "request beyond head block: requested 100, head 69"
    })
    assert.deepStrictEqual(await refusal("eth_feeHistory", "0x1", "latest", [20, 10]), {
      code: -32000,
      message: "invalid reward percentile"
    })
  })

  it("are advised from the three lowest tips of each of the last twenty blocks, at three fifths of them", async () => {
    const ascending = (tips: ReadonlyArray<bigint>) => tips.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const tips = blocks
      .slice(-20)
      .flatMap(({ header, transactions }) =>
        ascending(transactions.map((transaction) => transaction.getEffectivePriorityFee(header.baseFeePerGas!))).slice(
          0,
          3
        )
      )
    assert.isAbove(tips.length, 20)
    const expected = ascending(tips)[Math.floor((tips.length - 1) * 0.6)]!
    assert.strictEqual(BigInt(await ask("eth_maxPriorityFeePerGas")), expected)
    assert.strictEqual(BigInt(await ask("eth_gasPrice")), expected + blocks.at(-1)!.header.baseFeePerGas!)
    assert.strictEqual(BigInt(await ask("eth_blobBaseFee")), blocks.at(-1)!.header.getBlobGasPrice())
  })
})

describe("an archive that cannot be used", () => {
  const read = (file: URL) => Effect.runPromise(Effect.flip(HistoryArchiveFile.read(file)))

  it("is said to be unreadable, without its path", async () => {
    const error = await read(new URL("none.rlp", History.archiveFile))
    assert.strictEqual(error.message, "the archive of the history chain cannot be read (ENOENT)")
  })

  it("is said to be damaged when it is something else, ends early, or differs in one bit", async () => {
    const bytes = readFileSync(History.archiveFile)
    const flipped = (at: number): Buffer => {
      const other = Buffer.from(bytes)
      other[at]! ^= 1
      return other
    }
    const others = [
      readFileSync(new URL("../../package.json", import.meta.url)),
      new Uint8Array(0),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, new Uint8Array(1)]),
      ...[0, 1000, bytes.length >> 1, bytes.length - 1].map(flipped)
    ]
    for (const written of others) {
      const error = await Effect.runPromise(
        Effect.gen(function* () {
          const file = path.join(yield* folder, "archive.rlp")
          writeFileSync(file, written)
          return yield* Effect.flip(HistoryArchiveFile.read(pathToFileURL(file)))
        }).pipe(Effect.scoped)
      )
      assert.deepStrictEqual([error.problem, error.detail], ["Damaged", `its Keccak-256 is ${keccak256(written)}`])
    }
  })

  it("is another file than ours", async () => {
    assert.isTrue(Exit.isSuccess(await Effect.runPromiseExit(HistoryArchiveFile.read(History.archiveFile))))
  })
})
