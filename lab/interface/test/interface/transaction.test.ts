import { assert } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { Wallet } from "ethers"
import { keccak256 } from "viem"

import * as Ask from "../../src/ask.ts"
import type { Target } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

/** Checks a field of every transaction. First, ethers hashes the fields of the transaction, and must get its hash. */
const ofEvery =
  (look: (transaction: any, block: Ethereum.Block, index: number, target: Target) => void | Promise<void>) =>
  async (target: Target): Promise<void> => {
    let seen = 0
    const transactions = await Ethereum.transactions(target)
    for (const [number, block] of (await Ethereum.blocks(target)).entries()) {
      for (const [index, shown] of block.transactions.entries()) {
        const transaction = transactions[number]![index]
        assert.deepStrictEqual(transaction, shown)
        assert.strictEqual(Ethereum.signed(transaction).hash, transaction.hash)
        await look(transaction, block, index, target)
        seen += 1
      }
    }
    assert.strictEqual(seen, 203)
  }

/** Sends a transaction with a nonce that is too high, so that it stays pending. */
const pending = async (target: Target) => {
  const wallet = new Wallet(PreparedState.accounts[7]!.publicTestKey)
  const raw = await wallet.signTransaction({
    chainId: PreparedState.chainId,
    type: 2,
    nonce: 1000,
    gasLimit: 21_000,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
    to: wallet.address,
    value: 1
  })
  await Ask.answer(target, "live", "eth_sendRawTransaction", [raw])
  const transaction = await Ask.result(target, "live", "eth_getTransactionByHash", [keccak256(raw as `0x${string}`)])
  assert.strictEqual(transaction.nonce, "0x3e8")
  return transaction
}

const isFeeMarket = ({ type }: any): boolean => type !== "0x0" && type !== "0x1"

section("Transaction object (results of eth_getTransactionByHash and eth_getTransactionByBlockHashAndIndex)", {
  "The result is a transaction object, or null when no transaction was found.": async (target) => {
    const [transaction] = HistoryChain.head.transactions
    const byHash = (hash: string) => Ask.result(target, "history", "eth_getTransactionByHash", [hash])
    const byIndex = (hash: string, index: string) =>
      Ask.result(target, "history", "eth_getTransactionByBlockHashAndIndex", [hash, index])
    assert.strictEqual((await byHash(transaction!.hash)).hash, transaction!.hash)
    assert.strictEqual((await byIndex(HistoryChain.head.hash, "0x0")).hash, transaction!.hash)
    assert.isNull(await byHash(keccak256(transaction!.hash)))
    assert.isNull(await byIndex(HistoryChain.head.hash, "0xffff"))
    assert.isNull(await byIndex(keccak256(HistoryChain.head.hash), "0x0"))
  },
  "accessList: array; optional; addresses and storage keys accessed by the transaction": ofEvery((transaction) => {
    if (transaction.type === "0x0") return assert.isUndefined(transaction.accessList)
    for (const { address, storageKeys } of transaction.accessList) {
      Forms.isBytes(20, address)
      for (const key of storageKeys) Forms.isBytes(32, key)
    }
  }),
  "blockHash: 32-byte hex; null when the transaction is pending": async (target) => {
    await ofEvery((transaction, block) => assert.strictEqual(transaction.blockHash, block.hash))(target)
    assert.isNull((await pending(target)).blockHash)
  },
  "blockNumber: hex quantity; null when pending": async (target) => {
    await ofEvery((transaction, block) => assert.strictEqual(transaction.blockNumber, block.number))(target)
    assert.isNull((await pending(target)).blockNumber)
  },
  "chainID: hex quantity; optional; returned only for EIP-1559 transactions. The field list spells it chainID; returned sample payloads spell it chainId":
    ofEvery((transaction) => {
      assert.isUndefined(transaction.chainID)
      // Current nodes send the chain id for every transaction that is signed for a chain. Since EIP-155, legacy
      // transactions can be signed for a chain too.
      const isForChain = transaction.type !== "0x0" || BigInt(transaction.v) >= 35n
      assert.strictEqual(transaction.chainId, isForChain ? Ethereum.quantity(HistoryChain.chainId) : undefined)
    }),
  "from: 20-byte hex address; sender": ofEvery((transaction) =>
    assert.strictEqual(transaction.from, Ethereum.signed(transaction).from!.toLowerCase())
  ),
  "gas: hex quantity; gas provided by the sender": ofEvery((transaction) => Forms.isQuantity(transaction.gas)),
  "gasPrice: hex quantity; gas price in wei provided by the sender": ofEvery((transaction, block) => {
    Forms.isQuantity(transaction.gasPrice)
    if (!isFeeMarket(transaction)) return
    const offered = BigInt(block["baseFeePerGas"]) + BigInt(transaction.maxPriorityFeePerGas)
    const most = BigInt(transaction.maxFeePerGas)
    assert.strictEqual(BigInt(transaction.gasPrice), offered < most ? offered : most)
  }),
  "hash: 32-byte hex; transaction hash": ofEvery((transaction, block, index) =>
    assert.strictEqual(transaction.hash, HistoryChain.blocks[Number(block.number)]!.transactions[index]!.hash)
  ),
  "input: hex data; data sent along with the transaction": ofEvery((transaction) => Forms.isData(transaction.input)),
  "maxPriorityFeePerGas: hex quantity; optional; wei per gas above the base fee the sender will pay (EIP-1559)":
    ofEvery((transaction) =>
      isFeeMarket(transaction)
        ? Forms.isQuantity(transaction.maxPriorityFeePerGas)
        : assert.isUndefined(transaction.maxPriorityFeePerGas)
    ),
  "maxFeePerGas: hex quantity; optional; maximum total fee in wei per gas, base fee plus priority fee (EIP-1559)":
    ofEvery((transaction, block) => {
      if (!isFeeMarket(transaction)) return assert.isUndefined(transaction.maxFeePerGas)
      assert.isTrue(BigInt(transaction.maxFeePerGas) >= BigInt(block["baseFeePerGas"]))
    }),
  "nonce: hex quantity; number of transactions made by the sender before this one": async (target) => {
    const made = new Map<string, number>()
    await ofEvery((transaction) => {
      // An authorization (EIP-7702) uses a nonce of its signer too.
      const before = made.get(transaction.from)
      const nonce = Number(transaction.nonce)
      if (before !== undefined) assert.isAtLeast(nonce, before)
      if (before !== undefined && transaction.type !== "0x4") assert.isAtMost(nonce, before + 1)
      made.set(transaction.from, nonce + 1)
    })(target)
    for (const [from, count] of made) {
      const said = await Ask.result(target, "history", "eth_getTransactionCount", [from, "latest"])
      assert.isAtLeast(Number(said), count)
    }
  },
  "r: 32-byte hex; ECDSA signature r": ofEvery((transaction) => {
    Forms.isBytes(32, transaction.r)
    assert.strictEqual(transaction.r, Ethereum.signed(transaction).signature!.r)
  }),
  "s: 32-byte hex; ECDSA signature s": ofEvery((transaction) => {
    Forms.isBytes(32, transaction.s)
    // Before Homestead, `s` may be in the upper half of the curve.
    assert.strictEqual(transaction.s, Ethereum.signed(transaction).signature!._s)
  }),
  "to: 20-byte hex address; receiver; null for a contract creation transaction": ofEvery(
    async (transaction, block, index, target) => {
      const { contractAddress } = (await Ethereum.receipts(target))[Number(block.number)]![index]
      if (transaction.to === null) Forms.isBytes(20, contractAddress)
      else {
        Forms.isBytes(20, transaction.to)
        assert.isNull(contractAddress)
      }
    }
  ),
  "transactionIndex: hex quantity; index position in the block; null when pending": async (target) => {
    const placed = await Ethereum.placed(target)
    await ofEvery((transaction, block, index) => {
      assert.strictEqual(transaction.transactionIndex, Ethereum.quantity(index))
      assert.deepStrictEqual(placed[Number(block.number)]![index], transaction)
    })(target)
    assert.isNull((await pending(target)).transactionIndex)
  },
  "type: hex quantity; transaction type": ofEvery((transaction, block, index) =>
    assert.strictEqual(transaction.type, HistoryChain.blocks[Number(block.number)]!.transactions[index]!.type)
  ),
  "v: hex quantity; ECDSA recovery ID": ofEvery((transaction) => {
    Forms.isQuantity(transaction.v)
    const { signature } = Ethereum.signed(transaction)
    const v = transaction.type === "0x0" ? (signature!.networkV ?? BigInt(signature!.v)) : BigInt(signature!.yParity)
    assert.strictEqual(BigInt(transaction.v), v)
  }),
  "value: hex quantity; value transferred in wei": ofEvery((transaction) => Forms.isQuantity(transaction.value))
})
