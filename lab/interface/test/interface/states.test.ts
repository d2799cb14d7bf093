import { assert } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { Wallet } from "ethers"
import { createPublicClient, http } from "viem"

import * as Ask from "../../src/ask.ts"
import { rpcUrl } from "../../src/target.ts"
import { section } from "../support/section.ts"

section("States and transitions", {
  "States visible in data: a block or transaction is either pending or included in a block.": async (target) => {
    const included = await Ask.result(target, "history", "eth_getBlockByNumber", ["latest", true])
    assert.strictEqual(included.hash, HistoryChain.head.hash)
    for (const { blockHash, blockNumber } of included.transactions) {
      assert.deepStrictEqual([blockHash, blockNumber], [included.hash, included.number])
    }
    const pending = await Ask.result(target, "unsealed", "eth_getBlockByNumber", ["pending", true])
    assert.deepStrictEqual([pending.hash, pending.number], [null, null])
  },
  "A pin of IPFS content is created by pin/add and removed by pin/rm.": async (target) => {
    const [{ Hash }] = Ask.lines(await Ask.ipfs(target, "add?pin=false", Ask.multipart("created and removed"))) as [any]
    const isPinned = async () => {
      const { Keys } = JSON.parse((await Ask.ipfs(target, "pin/ls?type=recursive")).text)
      return Object.hasOwn(Keys ?? {}, Hash)
    }
    assert.isFalse(await isPinned())
    await Ask.ipfs(target, `pin/add?arg=${Hash}`)
    assert.isTrue(await isPinned())
    await Ask.ipfs(target, `pin/rm?arg=${Hash}`)
    assert.isFalse(await isPinned())
    const again = await Ask.ipfs(target, `pin/rm?arg=${Hash}`)
    assert.strictEqual(again.status, 500)
    assert.strictEqual(JSON.parse(again.text).Message, "not pinned or pinned indirectly")
  },
  "Transitions: not shown.": async (target) => {
    // As on every chain, a transaction is found by its hash, and stays in the block that included it.
    const wallet = new Wallet(PreparedState.accounts[6]!.publicTestKey)
    const nonce = Number(await Ask.result(target, "live", "eth_getTransactionCount", [wallet.address, "latest"]))
    const raw = await wallet.signTransaction({
      chainId: PreparedState.chainId,
      type: 2,
      nonce,
      gasLimit: 21_000,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      to: wallet.address,
      value: 1
    })
    const hash = await Ask.result(target, "live", "eth_sendRawTransaction", [raw])
    const viem = createPublicClient({ transport: http(rpcUrl(target, "live")) })
    const receipt = await viem.waitForTransactionReceipt({ hash, pollingInterval: 50 })
    const included = await Ask.result(target, "live", "eth_getTransactionByHash", [hash])
    assert.strictEqual(included.blockHash, receipt.blockHash)
  }
})
