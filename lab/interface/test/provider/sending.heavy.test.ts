/**
 * Sends a transfer with unchanged viem and ethers, waits for it and watches its logs, through
 * `plumbline proxy --checkpoint` before the embedded chain of `plumbline up`. The proxy refuses what nothing proves.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { PreparedState } from "@plumbline/devnet"
import { ethers } from "ethers"
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  parseAbi,
  parseAbiItem,
  type Transport,
  webSocket
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { type Listening, listen } from "../../src/clients/listeningCommand.ts"

interface Service extends Listening {
  readonly apiKey: string
  readonly beaconUrl: string
  readonly checkpoint: string
  readonly beaconNetwork: string
}

const TIMEOUT = 120_000
const { address: token } = PreparedState.contracts.token
const abi = parseAbi(["function transfer(address to, uint256 value) returns (bool)"])
const transferred = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)")

/** The recipient of an account's transfers. The tests run at the same time, and each watches its own logs. */
const recipient = (from: number): `0x${string}` => `0x${String(from).repeat(40)}`

let folder: string
let service: Service
let proxy: Listening

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-sending-"))
  service = (await listen(["up", "--data", path.join(folder, "service")])) as Service
  const { apiKey, beaconNetwork, beaconUrl, checkpoint, url } = service
  proxy = await listen([
    "proxy",
    "--url",
    `${url}/live/v3/${apiKey}`,
    "--poll",
    "0.5",
    "--data",
    path.join(folder, "proxy"),
    "--checkpoint",
    checkpoint,
    "--beacon",
    beaconUrl,
    "--beacon-network",
    beaconNetwork
  ])
}, TIMEOUT)

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
}, TIMEOUT)

describe("viem", { timeout: TIMEOUT }, () => {
  const chain = defineChain({
    id: 31_337,
    name: "live",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } }
  })
  const ways: ReadonlyArray<readonly [name: string, transport: () => Transport, account: number]> = [
    ["HTTP", () => http(proxy.url), 2],
    ["WebSocket", () => webSocket(proxy.wsUrl), 3]
  ]
  for (const [name, transport, from] of ways) {
    it(`sends a transfer over ${name}, waits for it, and is told its log once`, async () => {
      const account = privateKeyToAccount(PreparedState.accounts[from]!.publicTestKey)
      const to = recipient(from)
      const reader = createPublicClient({ chain, transport: transport(), pollingInterval: 500 })
      const wallet = createWalletClient({ account, chain, transport: transport() })
      const logs: Array<any> = []
      const errors: Array<Error> = []
      const blocks: Array<bigint> = []
      const ends = [
        reader.watchEvent({
          address: token,
          event: transferred,
          args: { to },
          onLogs: (found) => logs.push(...found),
          onError: (error) => errors.push(error)
        }),
        reader.watchBlockNumber({ onBlockNumber: (at) => blocks.push(at), onError: (error) => errors.push(error) })
      ]
      // the filter begins with a call
      await until(async () => (await reader.getBlockNumber()) > 0n)
      await pause(1500)
      const hash = await wallet.writeContract({ address: token, abi, functionName: "transfer", args: [to, 0n] })
      const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
      assert.strictEqual(receipt.status, "success")
      await until(() => logs.length > 0 && blocks.some((at) => at >= receipt.blockNumber), errors)
      assert.deepEqual(
        logs.map(({ args, removed, transactionHash }) => [transactionHash, args.value, removed]),
        [[hash, 0n, false]]
      )
      const second = await wallet.sendTransaction({ to, value: 1n })
      assert.strictEqual((await reader.waitForTransactionReceipt({ hash: second, timeout: 60_000 })).status, "success")
      assert.deepEqual(errors, [])
      for (const end of ends) end()
    })
  }
})

describe("a program without a library", { timeout: TIMEOUT }, () => {
  const ask = async (method: string, ...params: ReadonlyArray<unknown>) => {
    const response = await fetch(proxy.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result }: any = await response.json()
    return { error, result, verdict: response.headers.get("plumbline-verdict") }
  }

  it("gets the proven receipt of what it sends, and the base fee that follows from the newest header", async () => {
    const account = privateKeyToAccount(PreparedState.accounts[1]!.publicTestKey)
    const { result: nonce, verdict: word } = await ask("eth_getTransactionCount", account.address, "pending")
    assert.strictEqual(word, "CLAIMED")
    const raw = await account.signTransaction({
      chainId: 31_337,
      nonce: Number(nonce),
      gas: 21_000n,
      to: recipient(1),
      value: 1n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n
    })
    const sent = await ask("eth_sendRawTransactionSync", raw, 30_000)
    assert.deepEqual([sent.error, sent.verdict], [undefined, "VERIFIED"])
    assert.deepEqual([sent.result.transactionHash, sent.result.status], [keccak256(raw), "0x1"])
    const { result: proof } = await ask("eth_getProof", token, ["0x00"], "latest")
    assert.strictEqual(proof.storageProof[0].key, "0x0", "in the caller's form")
    const { result: next, verdict } = await ask("eth_baseFee")
    assert.strictEqual(verdict, "VERIFIED")
    assert.match(next, /^0x[1-9a-f]/u)
  })
})

describe("the gateway of the service", { timeout: TIMEOUT }, () => {
  it("answers what the proxy answers: filters over HTTP, and words of the node about itself", async () => {
    const ask = async (method: string, ...params: ReadonlyArray<unknown>) => {
      const response = await fetch(`${service.url}/live/v3/${service.apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
      const { error, result }: any = await response.json()
      return error ?? result
    }
    const id = await ask("eth_newBlockFilter")
    assert.match(id, /^0x[0-9a-f]{32}$/u)
    const reader = createPublicClient({ transport: http(`${service.url}/live/v3/${service.apiKey}`) })
    const account = privateKeyToAccount(PreparedState.accounts[6]!.publicTestKey)
    const nonce = await reader.getTransactionCount({ address: account.address, blockTag: "pending" })
    const raw = await account.signTransaction({
      chainId: 31_337,
      nonce,
      gas: 21_000n,
      to: recipient(6),
      value: 1n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n
    })
    const hash = await ask("eth_sendRawTransaction", raw)
    const { blockHash } = await reader.waitForTransactionReceipt({ hash })
    const found: Array<string> = []
    await until(async () => {
      found.push(...(await ask("eth_getFilterChanges", id)))
      return found.includes(blockHash)
    })
    assert.isTrue(await ask("eth_uninstallFilter", id))
    assert.deepInclude(await ask("eth_getFilterChanges", id), { code: -32000, message: "filter not found" })
    const word = `0x${"01".padStart(64, "0")}`
    const { storageProof } = await ask("eth_getProof", token, ["0x00", word, "0x1"], "latest")
    assert.deepEqual(
      storageProof.map(({ key }: any) => key),
      ["0x0", word, "0x1"],
      "as geth writes them"
    )
    assert.strictEqual(await ask("web3_sha3", "0x"), keccak256("0x"))
    assert.isArray(await ask("eth_accounts"))
    assert.isBoolean(await ask("net_listening"))
  })
})

describe("ethers", { timeout: TIMEOUT }, () => {
  const ways: ReadonlyArray<readonly [name: string, make: () => ethers.JsonRpcApiProvider, account: number]> = [
    ["HTTP", () => new ethers.JsonRpcProvider(proxy.url, undefined, { pollingInterval: 500 }), 4],
    ["WebSocket", () => new ethers.WebSocketProvider(proxy.wsUrl), 5]
  ]
  for (const [name, make, from] of ways) {
    it(`sends a transfer over ${name}, waits for it, and is told its log once`, async () => {
      const provider = make()
      const wallet = new ethers.Wallet(PreparedState.accounts[from]!.publicTestKey, provider)
      const to = recipient(from)
      const logs: Array<ethers.Log> = []
      const filter = { address: token, topics: [ethers.id("Transfer(address,address,uint256)"), null, topic(to)] }
      await provider.on(filter, (log) => logs.push(log))
      await pause(1500)
      const contract = new ethers.Contract(token, ["function transfer(address,uint256) returns (bool)"], wallet)
      const sent: ethers.ContractTransactionResponse = await contract.getFunction("transfer")(to, 0n)
      const receipt = await sent.wait(1, 60_000)
      assert.strictEqual(receipt?.status, 1)
      await until(() => logs.length > 0)
      assert.deepEqual(
        logs.map(({ removed, transactionHash }) => [transactionHash, removed]),
        [[sent.hash, false]]
      )
      const second = await wallet.sendTransaction({ to, value: 1n })
      assert.strictEqual((await second.wait(1, 60_000))?.status, 1)
      await provider.removeAllListeners()
      // its last requests would be cancelled
      await pause(1000)
      provider.destroy()
    })
  }
})

const topic = (address: string): string => ethers.zeroPadValue(address, 32)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until the condition holds, for 60 seconds at most. */
const until = async (holds: () => boolean | Promise<boolean>, errors: ReadonlyArray<Error> = []): Promise<void> => {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not come: ${errors.map(String).join("\n")}`)
    await pause(100)
  }
}
