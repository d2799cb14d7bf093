import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Ask from "../../src/ask.ts"
import * as Ethereum from "../support/ethereum.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

const fields: Readonly<Record<string, (value: unknown) => void>> = {
  number: Forms.isQuantity,
  hash: (value) => Forms.isBytes(32, value),
  parentHash: (value) => Forms.isBytes(32, value),
  nonce: (value) => Forms.isBytes(8, value),
  sha3Uncles: (value) => Forms.isBytes(32, value),
  logsBloom: (value) => Forms.isBytes(256, value),
  transactionsRoot: (value) => Forms.isBytes(32, value),
  stateRoot: (value) => Forms.isBytes(32, value),
  receiptsRoot: (value) => Forms.isBytes(32, value),
  miner: (value) => Forms.isBytes(20, value),
  difficulty: Forms.isQuantity,
  totalDifficulty: (value) => (value === null ? undefined : Forms.isQuantity(value)),
  extraData: Forms.isData,
  size: Forms.isQuantity,
  gasLimit: Forms.isQuantity,
  gasUsed: Forms.isQuantity,
  timestamp: Forms.isQuantity,
  uncles: (value) => assert.isArray(value)
}

section("Uncle block object (result of eth_getUncleByBlockNumberAndIndex)", {
  "A block object, or null when no block was found.": async (target) => {
    const [including] = HistoryChain.withUncles
    const read = (number: number, index: number) =>
      Ask.result(target, "history", "eth_getUncleByBlockNumberAndIndex", [
        Ethereum.quantity(number),
        Ethereum.quantity(index)
      ])
    assert.strictEqual((await read(including!.number, 0)).hash, including!.uncles[0])
    assert.isNull(await read(including!.number, including!.uncles.length))
    assert.isNull(await read(HistoryChain.head.number, 0))
    assert.isNull(await read(HistoryChain.head.number + 1, 0))
  },
  "Fields: number, hash, parentHash, nonce, sha3Uncles, logsBloom, transactionsRoot, stateRoot, receiptsRoot, miner, difficulty, totalDifficulty, extraData, size, gasLimit, gasUsed, timestamp, uncles (array), with the same meanings and types as in the block object.":
    async (target) => {
      const uncles = (await Ethereum.uncles(target)).flat()
      assert.strictEqual(uncles.length, 22)
      for (const uncle of uncles) {
        for (const [field, isForm] of Object.entries(fields)) {
          assert.property(uncle, field)
          isForm(uncle[field])
        }
        assert.strictEqual(Ethereum.hashOf(uncle), uncle.hash)
      }
    },
  "A returned uncle also carries mixHash.": async (target) => {
    for (const uncle of (await Ethereum.uncles(target)).flat()) Forms.isBytes(32, uncle["mixHash"])
  },
  "number, hash, nonce and logsBloom are null when the block is the pending block.": async (target) => {
    const { hash, logsBloom, nonce, number } = await Ask.result(
      target,
      "unsealed",
      "eth_getUncleByBlockNumberAndIndex",
      ["pending", "0x0"]
    )
    assert.deepStrictEqual(
      { hash, logsBloom, nonce, number },
      { hash: null, logsBloom: null, nonce: null, number: null }
    )
  },
  "totalDifficulty can be null.": async (target) => {
    const uncle = await Ask.result(target, "unsealed", "eth_getUncleByBlockNumberAndIndex", ["pending", "0x0"])
    assert.isNull(uncle.totalDifficulty)
  },
  "An uncle contains no individual transactions.": async (target) => {
    for (const uncle of (await Ethereum.uncles(target)).flat()) assert.isUndefined(uncle.transactions)
  }
})
