import { assert } from "@effect/vitest"
import { HistoryChain, PreparedState, StarknetPool } from "@plumbline/devnet"
import { JsonRpcProvider } from "ethers"
import { create } from "kubo-rpc-client"
import { RpcProvider } from "starknet"
import { createPublicClient, http } from "viem"

import * as Ask from "../../src/ask.ts"
import { authorization, baseUrl, rpcUrl } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

section("What the service does", {
  "The service gives clients access to blockchain nodes through JSON-RPC 2.0 calls.": async (target) => {
    const viem = createPublicClient({ transport: http(rpcUrl(target, "history")) })
    const ethers = new JsonRpcProvider(rpcUrl(target, "history"), HistoryChain.chainId, { staticNetwork: true })
    const { hash, number } = HistoryChain.head
    assert.strictEqual((await viem.getBlock({ blockHash: hash })).number, BigInt(number))
    assert.strictEqual((await ethers.getBlock(hash))?.number, number)
    ethers.destroy()
  },
  "Each call is addressed to one network, and each network has its own host.": async (target) => {
    const chainOf = (network: "live" | "history") => Ask.result(target, network, "eth_chainId")
    assert.strictEqual(await chainOf("live"), Ethereum.quantity(PreparedState.chainId))
    assert.strictEqual(await chainOf("history"), Ethereum.quantity(HistoryChain.chainId))
    const pool = new RpcProvider({ nodeUrl: rpcUrl(target, "starknet-pool") })
    assert.strictEqual<string>(await pool.getChainId(), StarknetPool.CHAIN_ID)
  },
  "The methods described here read data: a storage slot, a block by hash, an uncle of a block, a transaction by hash or by block position, an account and storage Merkle proof, and the list of pending transactions of a second chain.":
    async (target) => {
      const { elder } = HistoryChain.contracts
      const [including] = HistoryChain.withUncles
      const { hash } = HistoryChain.head
      const [transaction] = HistoryChain.head.transactions
      const read = (method: string, ...params: ReadonlyArray<unknown>) => Ask.result(target, "history", method, params)
      assert.strictEqual(BigInt(await read("eth_getStorageAt", elder.address, "0x0", "0x0")), 41n)
      assert.strictEqual((await read("eth_getBlockByHash", hash, false)).hash, hash)
      const uncle = await read("eth_getUncleByBlockNumberAndIndex", Ethereum.quantity(including!.number), "0x0")
      assert.strictEqual(uncle.hash, including!.uncles[0])
      const byHash = await read("eth_getTransactionByHash", transaction!.hash)
      assert.deepStrictEqual(await read("eth_getTransactionByBlockHashAndIndex", hash, "0x0"), byHash)
      assert.strictEqual((await read("eth_getProof", elder.address, [], "latest")).address, elder.address)
      assert.isArray(await Ask.result(target, "starknet-pool", "starknet_pendingTransactions"))
    },
  "The service also gives access to an IPFS network through the IPFS HTTP API.": async (target) => {
    const headers = { authorization: authorization(target.projects.open) }
    const ipfs = create({ url: `${baseUrl(target)}/api/v0`, headers })
    const { cid } = await ipfs.add("hello\n")
    // The CID is that of Kubo's own tests.
    assert.strictEqual(String(cid), "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN")
  },
  "A subset of that API is supported.": async (target) => {
    assert.strictEqual((await Ask.ipfs(target, "version")).status, 200)
    const unsupported = await Ask.ipfs(target, "swarm/peers")
    assert.deepStrictEqual([unsupported.status, unsupported.text], [404, "404 page not found\n"])
  },
  "Clients add files, read content, read objects and pin or unpin content.": async (target) => {
    const headers = { authorization: authorization(target.projects.open) }
    const ipfs = create({ url: `${baseUrl(target)}/api/v0`, headers })
    const { cid } = await ipfs.add("add, read, pin, unpin", { pin: false })
    const pieces: Array<Uint8Array> = []
    for await (const piece of ipfs.cat(cid)) pieces.push(piece)
    assert.strictEqual(Buffer.concat(pieces).toString(), "add, read, pin, unpin")
    assert.deepStrictEqual(JSON.parse((await Ask.ipfs(target, `object/get?arg=${String(cid)}`)).text).Links, [])
    assert.strictEqual(String(await ipfs.pin.add(cid)), String(cid))
    assert.strictEqual(String(await ipfs.pin.rm(cid)), String(cid))
  },
  "Notation: a hex quantity or hex data is a string starting with 0x followed by hexadecimal digits.": async (
    target
  ) => {
    const block = await Ask.result(target, "history", "eth_getBlockByHash", [HistoryChain.head.hash, false])
    Forms.isQuantity(block.number)
    Forms.isData(block.extraData)
    for (const wrong of ["1", "0x", "0xg", "x1", "latest block"]) {
      const { error } = await Ask.answer(target, "history", "eth_getBlockByNumber", [wrong, false])
      assert.strictEqual(error.code, -32_602, wrong)
    }
  },
  "Hashes of blocks, transactions and storage keys are 32 bytes; addresses are 20 bytes.": async (target) => {
    const long = (bytes: number) => `0x${"11".repeat(bytes)}`
    const codeOf = async (method: string, ...params: ReadonlyArray<unknown>) =>
      (await Ask.answer(target, "history", method, params)).error?.code
    for (const bytes of [31, 33]) {
      assert.strictEqual(await codeOf("eth_getBlockByHash", long(bytes), false), -32_602)
      assert.strictEqual(await codeOf("eth_getTransactionByHash", long(bytes)), -32_602)
    }
    assert.strictEqual(await codeOf("eth_getProof", long(20), [long(33)], "latest"), -32_602)
    for (const bytes of [19, 21]) {
      assert.strictEqual(await codeOf("eth_getStorageAt", long(bytes), "0x0", "latest"), -32_602)
      assert.strictEqual(await codeOf("eth_getProof", long(bytes), [], "latest"), -32_602)
    }
    assert.isUndefined(await codeOf("eth_getBlockByHash", long(32), false))
    assert.isUndefined(await codeOf("eth_getStorageAt", long(20), "0x0", "latest"))
  }
})
