/**
 * The network `history` of the service: every answer of the interface's methods is compared with an independent reading
 * of the chain, over HTTP and over WebSocket. Clients of other projects read the chain too.
 */
import "@plumbline/seeded/Localhost"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { JsonRpcProvider } from "ethers"
import { createPublicClient, http, numberToHex, pad, type Transport, webSocket } from "viem"

import * as Children from "../support/Children.ts"
import * as Reading from "../support/HistoryReading.ts"
import * as Upped from "../support/Upped.ts"
import * as Wire from "../support/Wire.ts"

type Call = readonly [method: string, params: ReadonlyArray<unknown>]
/** Makes calls and returns the answer to each, without the envelope. */
type Ask = (calls: ReadonlyArray<Call>) => Promise<ReadonlyArray<any>>

let folder: Awaited<ReturnType<typeof Children.folder>>
let service: Awaited<ReturnType<typeof Upped.start>>
beforeAll(async () => {
  folder = await Children.folder()
  service = await Upped.start(folder.path)
})
afterAll(async () => {
  await service.stop()
  await folder[Symbol.asyncDispose]()
})

const httpUrl = () => `http://${network().host}/v3/${service.announcement.apiKey}`
const wsUrl = () => `ws://${network().host}/ws/v3/${service.announcement.apiKey}`
const network = () => service.announcement.networks.find(({ name }) => name === "history")!

const toMessages = (calls: ReadonlyArray<Call>) =>
  calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))

const inOrder = (answers: ReadonlyArray<any>): ReadonlyArray<any> =>
  answers
    .toSorted((a, b) => a.id - b.id)
    .map((answer, id) => {
      expect(answer).toMatchObject({ jsonrpc: "2.0", id })
      return "error" in answer ? { error: answer.error } : answer.result
    })

const overHttp: Ask = async (calls) => {
  const response = await fetch(httpUrl(), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(toMessages(calls))
  })
  expect(response.status).toBe(200)
  return inOrder(await response.json())
}

const overWebSocket: Ask = async (calls) => {
  const socket = new WebSocket(wsUrl())
  const answers: Array<unknown> = []
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("close", () => reject(new Error("the WebSocket closed")))
    socket.addEventListener("open", () => {
      for (const message of toMessages(calls)) socket.send(JSON.stringify(message))
    })
    socket.addEventListener("message", ({ data }) => {
      if (answers.push(JSON.parse(String(data))) === calls.length) resolve()
    })
  })
  socket.close()
  return inOrder(answers)
}

const { blocks } = Reading
const contracts = Object.values(HistoryChain.contracts).map(({ address }) => address)
const addresses = [...contracts, HistoryChain.accounts[0]!.address, Wire.ADDRESS] as const
const keys = [0, 1, 2, 7].map((slot) => pad(numberToHex(slot), { size: 32 }))

for (const [way, ask] of [
  ["HTTP", overHttp],
  ["WebSocket", overWebSocket]
] as const) {
  describe(`over ${way}, the history network answers`, () => {
    it("eth_getBlockByHash: every block, with its uncles and the true total difficulty", async () => {
      const hashes = await ask(blocks.map(({ hash }) => ["eth_getBlockByHash", [hash, false]]))
      const whole = await ask(blocks.map(({ hash }) => ["eth_getBlockByHash", [hash, true]]))
      for (const block of blocks) {
        const transactions = await Promise.all(block.transactions.map((_, i) => Reading.transactionOf(block, i)))
        expect(whole[block.number]).toEqual({ ...Reading.blockOf(block), transactions })
        expect(hashes[block.number]).toEqual({
          ...Reading.blockOf(block),
          transactions: transactions.map(({ hash }) => hash)
        })
      }
      expect(new Set(whole.map(({ totalDifficulty }) => totalDifficulty)).size).toBe(50)
    })

    it("eth_getUncleByBlockNumberAndIndex: every uncle, and null behind the last", async () => {
      const asked = blocks.flatMap(({ number, uncles }) =>
        [...uncles, undefined].map((uncle, i) => ({ block: numberToHex(number), i: numberToHex(i), uncle }))
      )
      const answers = await ask(asked.map(({ block, i }) => ["eth_getUncleByBlockNumberAndIndex", [block, i]]))
      expect(answers).toEqual(asked.map(({ uncle }) => (uncle === undefined ? null : Reading.uncleOf(uncle))))
      expect(answers.filter((answer) => answer !== null)).toHaveLength(22)
    })

    it("eth_getTransactionByHash and eth_getTransactionByBlockHashAndIndex: every transaction", async () => {
      const places = blocks.flatMap((block) => block.transactions.map((_, i) => ({ block, i })))
      const expected = await Promise.all(places.map(({ block, i }) => Reading.transactionOf(block, i)))
      expect(await ask(expected.map(({ hash }) => ["eth_getTransactionByHash", [hash]]))).toEqual(expected)
      const byPlace = places.map(({ block, i }): Call => [
        "eth_getTransactionByBlockHashAndIndex",
        [block.hash, numberToHex(i)]
      ])
      expect(await ask(byPlace)).toEqual(expected)
      expect(new Set(expected.map(({ type }) => type)).size).toBe(5)
    })

    it("eth_getProof and eth_getStorageAt: accounts and slots as of each block, the genesis included", async () => {
      const places = blocks.flatMap((block) => addresses.map((address) => ({ block, address })))
      const expected = places.map(({ address, block }) => Reading.proofOf(block, address, keys))
      const proofs = await ask(
        places.map(({ address, block }) => ["eth_getProof", [address, keys, numberToHex(block.number)]])
      )
      expect(proofs).toEqual(expected)
      const first = await ask(
        places.map(({ address, block }) => ["eth_getStorageAt", [address, "0x0", numberToHex(block.number)]])
      )
      expect(first).toEqual(expected.map(({ storageProof }) => pad(storageProof[0]!.value, { size: 32 })))
      expect(new Set(first).size).toBeGreaterThan(10)
    })

    it("null for what there is not, and an error for what it cannot do", async () => {
      const beyond = numberToHex(blocks.length)
      const { hash } = blocks[5]!
      const nulls: ReadonlyArray<Call> = [
        ["eth_getBlockByHash", [Wire.HASH, true]],
        ["eth_getBlockByHash", [Reading.blockOf(blocks[5]!)["uncles"][0], true]],
        ["eth_getUncleByBlockNumberAndIndex", [beyond, "0x0"]],
        ["eth_getUncleByBlockNumberAndIndex", ["pending", "0x0"]],
        ["eth_getTransactionByHash", [Wire.HASH]],
        ["eth_getTransactionByBlockHashAndIndex", [hash, "0xff"]]
      ]
      expect(await ask(nulls)).toEqual(nulls.map(() => null))
      const call = { to: contracts[0], data: "0x18160ddd" }
      const finished = {
        error: { code: -32_004, message: "not supported: the history chain is finished, and its node has no EVM" }
      }
      expect(
        await ask([
          ["eth_getStorageAt", [contracts[0], "0x0", beyond]],
          ["eth_getProof", [contracts[0], [], beyond]],
          ["eth_call", [call, "latest"]],
          ["eth_estimateGas", [call]],
          ["eth_createAccessList", [call]],
          ["eth_simulateV1", [{ blockStateCalls: [{ calls: [call] }] }]],
          ["eth_sendRawTransaction", ["0x00"]]
        ])
      ).toEqual([
        { error: { code: -32_000, message: "header not found" } },
        { error: { code: -32_000, message: "header not found" } },
        finished,
        finished,
        finished,
        finished,
        finished
      ])
    })
  })
}

describe("calls of the history network", () => {
  it("run by the rules of their fork, without naming them: the total of a contract is its slot", async () => {
    const { address } = HistoryChain.contracts.elder
    const newest = new Map(HistoryChain.blocks.map((block) => [block.fork, block]))
    for (const name of ["Frontier", "London", "Osaka"]) {
      const { fork, number } = newest.get(name)!
      const args = ["call", address, "total()(uint256)", "--block", String(number), "--network", "history"]
      const { code, stdout } = await Children.run([...args, "--data", folder.path, "--json"])
      const { verdict, value } = JSON.parse(stdout)
      const [slot] = await overHttp([["eth_getStorageAt", [address, "0x0", numberToHex(number)]]])
      expect([fork, code, verdict, value.result]).toEqual([fork, 0, "CLAIMED", slot])
    }
  })
})

describe("the history network", () => {
  it("is announced behind the live one, which stays the one for any other host", async () => {
    const { port } = new URL(service.announcement.url)
    const at = (name: string) => ({ url: `http://127.0.0.1:${port}/${name}`, wsUrl: `ws://127.0.0.1:${port}/${name}` })
    expect(service.announcement.networks).toEqual([
      { name: "live", host: `live.localhost:${port}`, chainId: 31_337, ...at("live") },
      { name: "history", host: `history.localhost:${port}`, chainId: 7771, ...at("history") },
      {
        name: "starknet-pool",
        host: `starknet-pool.localhost:${port}`,
        chainId: 88_288_695_111_500,
        ...at("starknet-pool")
      }
    ])
    const chainOf = async (host: string) => {
      const transport = http(`http://${host}:${port}/v3/${service.announcement.apiKey}`)
      return createPublicClient({ transport }).getChainId()
    }
    const hosts = ["history.localhost", "HISTORY.localhost", "live.localhost", "other.localhost", "127.0.0.1"]
    expect(await Promise.all(hosts.map(chainOf))).toEqual([7771, 7771, 31_337, 31_337, 31_337])
    const byPath = (path: string) =>
      createPublicClient({
        transport: http(`http://127.0.0.1:${port}${path}/v3/${service.announcement.apiKey}`)
      }).getChainId()
    expect(await Promise.all(["/history", "/live", ""].map(byPath))).toEqual([7771, 31_337, 31_337])
  })

  for (const [way, transport] of [
    ["HTTP", () => http(httpUrl())],
    ["WebSocket", () => webSocket(wsUrl(), { reconnect: false })]
  ] satisfies ReadonlyArray<[string, () => Transport]>) {
    it(`is read by viem as it is, over ${way}`, async () => {
      const client = createPublicClient({ transport: transport() })
      for (const block of blocks) {
        const expected = Reading.blockOf(block)
        const found = await client.getBlock({ blockHash: block.hash, includeTransactions: true })
        expect([found.number, found.totalDifficulty, found.uncles, found.transactions.length]).toEqual([
          BigInt(block.number),
          BigInt(expected["totalDifficulty"]),
          expected["uncles"],
          block.transactions.length
        ])
      }
      const address = contracts[0]!
      const expected = Reading.proofOf(blocks[0]!, address, keys)
      const proof = await client.getProof({ address, storageKeys: keys, blockNumber: 0n })
      expect(proof.accountProof).toEqual(expected.accountProof)
      expect(await client.getStorageAt({ address, slot: "0x0", blockNumber: 0n })).toBe(
        pad(expected.storageProof[0]!.value, { size: 32 })
      )
      expect(await client.getChainId()).toBe(7771)
      expect(await client.getBlockNumber()).toBe(BigInt(blocks.length - 1))
      const { hash } = HistoryChain.transactions("0x3")[0]!
      const receipt = await client.getTransactionReceipt({ hash })
      expect([receipt.type, receipt.status, receipt.blobGasUsed]).toEqual(["eip4844", "success", 262_144n])
      await expect(client.call({ to: address, data: "0x18160ddd" })).rejects.toThrow("the history chain is finished")
    })
  }

  it("is read by ethers as it is", async () => {
    const ethers = new JsonRpcProvider(httpUrl())
    try {
      const { chainId } = await ethers.getNetwork()
      expect(chainId).toBe(7771n)
      for (const { hash, number } of HistoryChain.withUncles) {
        expect((await ethers.getBlock(hash))?.number).toBe(number)
      }
    } finally {
      ethers.destroy()
    }
  })

  it("is read by the commands, by name and by host, and proven", async () => {
    const [block] = HistoryChain.withUncles
    const transaction = HistoryChain.transactions("0x4")[0]!
    const { port } = new URL(service.announcement.url)
    const bySite = (host: string) => `http://${host}:${port}/v3/${service.announcement.apiKey}`
    const commands = [
      ["block", block!.hash, "--full", "--network", "history", "--data", folder.path],
      ["uncle", block!.hash, "--network", "history", "--data", folder.path],
      ["tx", transaction.hash, "--network", "history", "--data", folder.path],
      ["tx", transaction.hash, "--network", "history", "--url", bySite("127.0.0.1")],
      ["block", block!.hash, "--url", bySite("history.localhost")]
    ]
    for (const command of commands) {
      const { code, stdout } = await Children.run([...command, "--json"])
      expect([code, JSON.parse(stdout).verdict]).toEqual([0, "VERIFIED"])
    }
    // The other chain has no block with this hash.
    const elsewhere = await Children.run(["block", block!.hash, "--json", "--network", "live", "--data", folder.path])
    expect(JSON.parse(elsewhere.stdout).value).toBeNull()
  })
})
