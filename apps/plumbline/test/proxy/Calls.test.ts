/** Calls of contracts through `plumbline proxy`, in front of anvil, by viem and ethers. The oracle is anvil's own answer. */
import { assert, describe, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import { Contract, JsonRpcProvider } from "ethers"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import type { Lie } from "../support/LyingNode.ts"

const anvil = Devnet.lyingNode()
const { token } = PreparedState.contracts
const [holder] = PreparedState.accounts
const blockNumber = BigInt(PreparedState.head.number)
const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", "osaka"]

const abi = viem.parseAbi([
  "function name() view returns (string)",
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)",
  "error InsufficientBalance(address, uint256, uint256)"
])
const balance = { address: token.address, abi, functionName: "balanceOf", args: [holder!.address] } as const

const open = async (lies: ReadonlyArray<Lie>, args: ReadonlyArray<string> = rules) => {
  const where = ["--port", "0", "--url", anvil().telling(...lies), "--trust", PreparedState.head.hash]
  const child = Children.start(["proxy", "--json", ...where, ...args])
  const { url } = JSON.parse(await child.firstLine)
  const client = viem.createPublicClient({ transport: viem.http(url, { retryCount: 0 }) })
  const post = async (to: string, data: string, from?: string) => {
    const body = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ from, to, data }, viem.toHex(blockNumber)] }
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const { error, result } = await response.json()
    const [verdict, anchor] = ["verdict", "anchor"].map((name) => response.headers.get(`plumbline-${name}`))
    return { verdict, anchor, error, result }
  }
  const close = async () => {
    child.process.kill("SIGTERM")
    await child.ended
  }
  return { url, client, post, [Symbol.asyncDispose]: close }
}

const truth = () => viem.createPublicClient({ transport: viem.http(anvil().url) })

describe("a call of a contract", () => {
  it("is proven for viem and ethers, whatever the node answers to eth_call", async () => {
    const lie: Lie = { method: "eth_call", change: () => viem.toHex(7n, { size: 32 }) }
    await using proxy = await open([lie])
    const expected = await truth().readContract({ ...balance, blockNumber })
    assert.isTrue(expected > 7n)
    assert.strictEqual(await proxy.client.readContract({ ...balance, blockNumber }), expected)
    const provider = new JsonRpcProvider(proxy.url)
    const contract = new Contract(token.address, ["function name() view returns (string)"], provider)
    const name = await truth().readContract({ ...balance, functionName: "name", args: [] })
    assert.strictEqual(await contract["name"]!({ blockTag: Number(blockNumber) }), name)
    provider.destroy()
    const { result, verdict } = await proxy.post(token.address, viem.encodeFunctionData(balance))
    assert.deepEqual([BigInt(result), verdict], [expected, "VERIFIED"])
  })

  it("is refuted if the node lies about a slot or a code that it reads", async () => {
    const slot: Lie = {
      method: "eth_getProof",
      change: (proof, _, [address]) =>
        address.toLowerCase() !== token.address
          ? proof
          : { ...proof, storageProof: proof.storageProof.map((one: any) => ({ ...one, value: "0x7" })) }
    }
    const code: Lie = { method: "eth_getCode", change: () => "0x60075f5260205ff3" }
    for (const [lie, check] of [
      [slot, /storage/u],
      [code, /code/u]
    ] as const) {
      await using proxy = await open([lie])
      const { error, result, verdict } = await proxy.post(token.address, viem.encodeFunctionData(balance))
      assert.deepEqual([result, verdict, error.code], [undefined, "REFUTED", -32_099])
      assert.match(error.message, check)
    }
  })

  it("that reverts tells viem why, with the bytes that anvil gives", async () => {
    await using proxy = await open([])
    const account = PreparedState.contracts.proxy.address
    const asked = { ...balance, functionName: "transfer", args: [holder!.address, 5n], account, blockNumber } as const
    const failure = (client: viem.PublicClient) =>
      client.simulateContract(asked).then(
        () => assert.fail("it did not revert"),
        (error: viem.BaseError) =>
          (error.walk((one) => one instanceof viem.ContractFunctionRevertedError) as viem.ContractFunctionRevertedError)
            .data
      )
    const revert = await failure(proxy.client)
    assert.deepEqual(revert, await failure(truth()))
    assert.strictEqual(revert?.errorName, "InsufficientBalance")
    // an error that is a proven answer has the headers of one
    const { anchor, error, verdict } = await proxy.post(token.address, viem.encodeFunctionData(asked), account)
    assert.deepEqual([error.code, verdict, anchor], [3, "VERIFIED", `block ${PreparedState.head.hash}`])
  })

  it("is refused where nobody names the chain or its rules, and the refusal says so", async () => {
    for (const [args, why] of [
      [[], /a chain that is not named/u],
      [["--chain-id", String(PreparedState.chainId)], /chain 31337, whose hardforks are not known/u]
    ] as const) {
      await using proxy = await open([], args)
      const { error, result } = await proxy.post(token.address, viem.encodeFunctionData(balance))
      assert.deepEqual([result, error.code], [undefined, -32_098])
      assert.match(error.message, why)
    }
  })
})

describe("the other runs, for viem", () => {
  const transfer = { ...balance, functionName: "transfer", args: [`0x${"77".repeat(20)}`, 5n] } as const
  const account = holder!.address

  it("are proven: an estimate that suffices, an access list, overrides, and calls one after the other", async () => {
    const lies: ReadonlyArray<Lie> = ["eth_estimateGas", "eth_call", "eth_simulateV1"].map((method) => ({
      method,
      change: () => viem.toHex(7n, { size: 32 })
    }))
    await using proxy = await open(lies)
    const data = viem.encodeFunctionData(transfer)
    const gas = await proxy.client.estimateGas({ account, to: token.address, data, blockNumber })
    const { data: returned } = await truth().call({ account, to: token.address, data, gas, blockNumber })
    assert.strictEqual(BigInt(returned!), 1n)
    const less = truth().call({ account, to: token.address, data, gas: (gas * 98n) / 100n, blockNumber })
    assert.strictEqual(
      await less.then(
        () => "succeeds",
        () => "fails"
      ),
      "fails"
    )

    const { accessList } = await proxy.client.createAccessList({ account, to: token.address, data, blockNumber })
    const [{ address, storageKeys }] = accessList as [(typeof accessList)[number]]
    assert.deepEqual([address, storageKeys.length], [token.address, 2])

    const overridden = await proxy.client.readContract({
      ...balance,
      blockNumber,
      stateOverride: [{ address: token.address, code: "0x602a5f5260205ff3" }]
    })
    assert.strictEqual(overridden, 42n)

    const [block] = await proxy.client.simulateBlocks({
      blockNumber,
      blocks: [
        {
          calls: [
            { account, to: token.address, data },
            { ...balance, args: transfer.args.slice(0, 1) as never, to: token.address }
          ]
        }
      ]
    })
    const [first, second] = block!.calls
    assert.deepEqual([block!.number, first.status, second.result], [blockNumber + 1n, "success", 5n])
    assert.strictEqual(first.logs![0]!.address, token.address)
    const { results } = await proxy.client.simulateCalls({
      account,
      blockNumber,
      calls: [{ to: token.address, abi, functionName: "transfer", args: [`0x${"77".repeat(20)}`, 10n ** 60n] }]
    })
    assert.strictEqual(results[0].status, "failure")
    assert.match(String(results[0].error), /InsufficientBalance/u)
  })

  it("are refuted if the node lies about what they read, and a revert is the error of nodes", async () => {
    const code: Lie = { method: "eth_getCode", change: () => "0x60075f5260205ff3" }
    await using liar = await open([code])
    const failed = await liar.client
      .estimateGas({ account, to: token.address, data: viem.encodeFunctionData(transfer), blockNumber })
      .then(
        () => undefined,
        (error: unknown) => String(error)
      )
    assert.match(failed ?? "", /code hash/u)
    await using honest = await open([])
    const reverted = await honest.client
      .estimateContractGas({ ...transfer, args: [`0x${"77".repeat(20)}`, 10n ** 60n], account, blockNumber })
      .then(
        () => undefined,
        (error: unknown) => String(error)
      )
    assert.match(reverted ?? "", /InsufficientBalance/u)
  })
})
