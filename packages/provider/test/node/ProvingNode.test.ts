import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Duration } from "effect"
import { assert, describe, it } from "vitest"

import { ProviderRefusal } from "../../src/index.ts"
import { proxy } from "../support/provingNode.ts"

const ADDRESS = `0x${"11".repeat(20)}`
const HASH = `0x${"22".repeat(32)}`

describe("an answer that nothing proves", () => {
  it("is refused, with the reason", async () => {
    const { asked, refusal } = proxy({ eth_call: "0x01" })
    const error = await refusal("eth_call", [{ to: ADDRESS }, "latest"])
    assert.deepEqual(error, {
      code: -32098,
      message: "unproven: eth_call is answered by the node's word; no proof of it is known here",
      data: {
        verdict: "CLAIMED",
        method: "eth_call",
        claimed: [{ field: "value", reason: "eth_call is answered by the node's word; no proof of it is known here" }]
      }
    })
    assert.lengthOf(asked, 0, "the node is not asked for what would be refused")
  })

  it("passes with its verdict where the policy says so", async () => {
    const { answer } = proxy({ eth_call: "0x01" }, { unprovable: "mark" })
    const { result, verdict } = await answer("eth_call", [{ to: ADDRESS }, "latest"])
    assert.deepEqual([result, verdict._tag], ["0x01", "CLAIMED"])
  })

  it("passes for a method that is always marked, whatever the policy", async () => {
    const { answer } = proxy({ eth_gasPrice: "0x7" })
    const { result, verdict } = await answer("eth_gasPrice")
    assert.deepEqual([result, verdict._tag], ["0x7", "CLAIMED"])
  })

  it("passes for a nonce of pending transactions, which clients ask for before they send, and for no other", async () => {
    const { answer, asked, refusal } = proxy({ eth_getTransactionCount: "0x7", eth_getBalance: "0x7" })
    for (const block of ["pending", { blockNumber: "pending" }]) {
      const { result, verdict } = await answer("eth_getTransactionCount", [ADDRESS, block])
      assert.deepEqual([result, verdict._tag], ["0x7", "CLAIMED"])
    }
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["eth_getTransactionCount", "eth_getTransactionCount"],
      "one call each"
    )
    assert.deepInclude(await refusal("eth_getBalance", [ADDRESS, "pending"]), { code: ProviderRefusal.UNPROVEN })
    const strict = proxy({ eth_getTransactionCount: "0x7" }, { methods: { eth_getTransactionCount: "prove" } })
    assert.deepInclude(await strict.refusal("eth_getTransactionCount", [ADDRESS, "pending"]), {
      code: ProviderRefusal.UNPROVEN
    })
  })

  it("is refused where the rule of the method says so, whatever the policy", async () => {
    const { asked, refusal } = proxy(
      { eth_gasPrice: "0x7" },
      { unprovable: "mark", methods: { eth_gasPrice: "refuse" } }
    )
    assert.deepInclude(await refusal("eth_gasPrice"), { code: ProviderRefusal.UNPROVEN })
    assert.lengthOf(asked, 0)
  })

  it("passes if it is null: what is not there cannot be proven", async () => {
    const { answer } = proxy({ eth_getTransactionReceipt: null })
    const { result, verdict } = await answer("eth_getTransactionReceipt", [HASH])
    assert.deepEqual([result, verdict._tag], [null, "CLAIMED"])
  })

  it("is refused as unavailable if the node gives no proof where one exists", async () => {
    const block = { ...emptyBlock, number: "0x0" }
    const { refusal } = proxy({ eth_getBlockByNumber: block, eth_getBlockByHash: block, eth_getBalance: "0x5" })
    const error = (await refusal("eth_getBalance", [ADDRESS, { blockHash: emptyBlock.hash }])) as ProviderRefusal
    assert.deepInclude(error, { code: ProviderRefusal.UNAVAILABLE })
    assert.match(error.message, /^unavailable: the node gives no proof/u)
  })
})

describe("parameters", () => {
  it("are checked before the node is asked", async () => {
    const { asked, refusal } = proxy({ eth_getBalance: "0x5" })
    assert.deepInclude(await refusal("eth_getBalance", ["0x11", "latest"]), { code: -32602 })
    assert.deepInclude(await refusal("eth_getBalance", []), { code: -32602 })
    assert.lengthOf(asked, 0)
  })

  it("may be null where geth reads null as an empty value, and only there", async () => {
    const said = {
      eth_getLogs: [],
      eth_getBlockByNumber: null,
      eth_feeHistory: { oldestBlock: "0x1", gasUsedRatio: [] }
    }
    const { answer, asked, refusal } = proxy(said, { unprovable: "mark" })
    await answer("eth_feeHistory", ["0x0", "latest", null])
    assert.deepInclude(asked, { method: "eth_feeHistory", params: ["0x0", "latest", []] })
    await answer("eth_getBlockByNumber", ["0x0", null])
    await answer("eth_getLogs", [null]).catch((error: { readonly code: number }) =>
      assert.notStrictEqual(error.code, -32602)
    )
    for (const params of [
      [null, false],
      [null, null]
    ]) {
      assert.deepInclude(await refusal("eth_getBlockByNumber", params), { code: -32602 })
    }
    assert.deepInclude(await refusal("eth_getProof", [null, null, "latest"]), { code: -32602 })
  })

  it("may have any case, as nodes take it: a caller of JSON-RPC promises no checksum", async () => {
    const wrong = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    const lower = wrong.toLowerCase()
    const words = { [lower]: [`0x${"0".repeat(64)}`] }
    const said = { eth_call: "0x01", eth_getBalance: "0x5", eth_getLogs: [], eth_getStorageValues: words }
    const { answer, asked } = proxy({ ...said, eth_getBlockByHash: null }, { unprovable: "mark" })
    const asking: ReadonlyArray<readonly [method: keyof typeof said, params: ReadonlyArray<unknown>]> = [
      ["eth_call", [{ to: wrong }, "latest"]],
      ["eth_getBalance", [wrong, { blockHash: HASH }]],
      ["eth_getLogs", [{ address: [wrong], blockHash: HASH }]],
      ["eth_getStorageValues", [{ [wrong]: ["0x0"] }, { blockHash: HASH }]]
    ]
    for (const [method, params] of asking) {
      assert.deepEqual((await answer(method, params)).result, said[method])
      assert.isTrue(asked.some((call) => call.method === method))
    }
    assert.notInclude(JSON.stringify(asked), wrong.slice(2))
  })

  it("of an unknown method go on as they came, but must be a list", async () => {
    const { answer, asked, refusal } = proxy({ debug_trace: { steps: 1 } }, { unprovable: "mark" })
    assert.deepEqual((await answer("debug_trace", [1, "a"])).result, { steps: 1 })
    assert.deepEqual(asked[0]?.params, [1, "a"])
    assert.deepInclude(await refusal("debug_trace", { of: 1 }), { code: -32602 })
  })
})

describe("what the proxy computes itself", () => {
  it("is a hash of bytes, without a call to the node", async () => {
    const { answer, asked } = proxy({ web3_sha3: HASH })
    const { result, verdict } = await answer("web3_sha3", ["0x"])
    assert.strictEqual(result, "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
    assert.deepEqual([verdict._tag, asked.length], ["CLAIMED", 0])
  })
})

describe("a sent transaction", () => {
  // the signed transaction from the example of EIP-155
  const raw =
    "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
  const hash = "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788"

  it("is waited for only after its own hash came back, and for as long as the caller says", async () => {
    const { asked, refusal } = proxy({ eth_sendRawTransaction: HASH })
    assert.deepInclude(await refusal("eth_sendRawTransactionSync", [raw, 1]), {
      code: ProviderRefusal.REFUTED,
      message: "refuted: transaction hash"
    })
    assert.lengthOf(asked, 1)
    const slow = proxy({ eth_sendRawTransaction: hash, eth_getTransactionReceipt: null })
    const error: any = await slow.refusal("eth_sendRawTransactionSync", [raw, 1])
    assert.deepInclude(error, { code: 4, data: hash }, "EIP-7966")
    assert.deepEqual(
      [...new Set(slow.asked.map(({ method }) => method))],
      ["eth_sendRawTransaction", "eth_getTransactionReceipt"]
    )
  })

  it("is shown while it is pending, CLAIMED, if its hash and its sender are proven", async () => {
    const pending = {
      type: "0x0",
      hash,
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      from: "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f",
      to: "0x3535353535353535353535353535353535353535",
      nonce: "0x9",
      gasPrice: "0x4a817c800",
      gas: "0x5208",
      value: "0xde0b6b3a7640000",
      input: "0x",
      v: "0x25",
      r: "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
      s: "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
    }
    const { answer } = proxy({ eth_getTransactionByHash: pending })
    const { result, verdict } = await answer("eth_getTransactionByHash", [hash])
    // the chain follows from the signature (EIP-155)
    assert.deepEqual([result, verdict._tag], [{ ...pending, chainId: "0x1" }, "CLAIMED"])
    const liar = proxy({ eth_getTransactionByHash: { ...pending, value: "0x1" } })
    assert.deepInclude(await liar.refusal("eth_getTransactionByHash", [hash]), { code: ProviderRefusal.REFUTED })
    const placed = { ...pending, blockHash: HASH, blockNumber: "0x1", transactionIndex: "0x0" }
    const word = proxy({ eth_getTransactionByHash: placed, eth_getBlockByHash: null, eth_getBlockByNumber: null })
    assert.notStrictEqual(((await word.refusal("eth_getTransactionByHash", [hash])) as ProviderRefusal).code, undefined)
  })

  it("is answered with its own hash, CLAIMED because the node may have dropped it", async () => {
    const { answer } = proxy({ eth_sendRawTransaction: hash })
    const { result, verdict } = await answer("eth_sendRawTransaction", [raw])
    assert.deepEqual([result, verdict._tag], [hash, "CLAIMED"])
  })

  it("is refused with any other hash", async () => {
    const { refusal } = proxy({ eth_sendRawTransaction: HASH })
    assert.deepEqual(await refusal("eth_sendRawTransaction", [raw]), {
      code: -32099,
      message: "refuted: transaction hash",
      data: {
        verdict: "REFUTED",
        method: "eth_sendRawTransaction",
        check: "transaction hash",
        expected: hash,
        got: HASH
      }
    })
  })
})

describe("the chain", () => {
  it("passes if it is the configured one, or none is", async () => {
    assert.strictEqual((await proxy({ eth_chainId: "0x1" }, { chainId: 1n }).answer("eth_chainId")).result, "0x1")
    assert.strictEqual((await proxy({ eth_chainId: "0x1" }).answer("eth_chainId")).result, "0x1")
  })

  it("is refused if it is another", async () => {
    // the id of the network is that of the chain on Ethereum, and may differ elsewhere
    assert.strictEqual((await proxy({ net_version: "1" }, { chainId: 1n }).answer("net_version")).result, "1")
    assert.strictEqual((await proxy({ net_version: "1" }, { chainId: 61n }).answer("net_version")).result, "1")
    assert.include(
      JSON.stringify(await proxy({ net_version: "2" }, { chainId: 1n }).refusal("net_version")),
      `"check":"chain id"`
    )
    assert.deepInclude(await proxy({ eth_chainId: "0x2" }, { chainId: 1n }).refusal("eth_chainId"), {
      message: "refuted: chain id"
    })
  })
})

describe("a call without an answer", () => {
  const failing: ReadonlyArray<readonly [name: string, reason: JsonRpcError.Reason, code: number, message: RegExp]> = [
    [
      "no connection",
      new JsonRpcError.TransportError({ detail: "connection failed (ECONNREFUSED)", retryable: true }),
      4900,
      /^disconnected: connection failed/u
    ],
    [
      "an error of the node",
      new JsonRpcError.RemoteError({ code: 3, message: "reverted", data: "0x08" }),
      3,
      /^reverted$/u
    ],
    ["too late", new JsonRpcError.TimeoutError({ after: Duration.seconds(1) }), -32002, /no answer within 1s/u],
    ["not of the protocol", new JsonRpcError.ProtocolError({ detail: "not JSON" }), -32002, /not JSON/u]
  ]
  for (const [name, reason, code, message] of failing) {
    it(`says why: ${name}`, async () => {
      const error = (await proxy({ eth_gasPrice: reason }).refusal("eth_gasPrice")) as ProviderRefusal
      assert.strictEqual(error.code, code)
      assert.match(error.message, message)
    })
  }

  it("is not a plain result if the node sends something else than the method promises", async () => {
    const { refusal } = proxy({ eth_gasPrice: "<html>" })
    assert.deepInclude(await refusal("eth_gasPrice"), { code: -32002 })
  })
})

describe("a method that needs a key or a session", () => {
  for (const method of ["eth_sendTransaction", "eth_sign", "personal_sign", "eth_subscribe", "eth_unsubscribe"]) {
    it(`is not supported: ${method}`, async () => {
      const { asked, refusal } = proxy({ [method]: "0x1" }, { unprovable: "mark" })
      assert.deepInclude(await refusal(method, []), { code: ProviderRefusal.UNSUPPORTED })
      assert.lengthOf(asked, 0)
    })
  }
})

interface ProviderRefusal {
  readonly code: number
  readonly message: string
}

/** The genesis of mainnet, whose hash follows from its header. */
const emptyBlock = {
  hash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  parentHash: `0x${"00".repeat(32)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: `0x${"00".repeat(20)}`,
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  logsBloom: `0x${"00".repeat(256)}`,
  difficulty: "0x400000000",
  totalDifficulty: "0x400000000",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: "0x0",
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  mixHash: `0x${"00".repeat(32)}`,
  nonce: "0x0000000000000042",
  size: "0x21c",
  transactions: [],
  uncles: []
}

it("has no number of blocks from a node that has no latest block", async () => {
  const { refusal } = proxy({ eth_getBlockByNumber: null })
  for (const unprovable of ["refuse", "mark"] as const) {
    const numberless = proxy({ eth_getBlockByNumber: { ...emptyBlock, number: null } }, { unprovable })
    assert.deepInclude(await numberless.refusal("eth_blockNumber"), { code: -32002 })
    // a pending block in place of the latest
    const pending = proxy({ eth_getBlockByNumber: { ...emptyBlock, hash: null, number: "0xffffff" } }, { unprovable })
    assert.deepInclude(await pending.refusal("eth_blockNumber"), { code: -32002 })
    assert.deepInclude(await pending.refusal("eth_baseFee"), { code: -32002 })
  }
  assert.deepInclude(await refusal("eth_blockNumber"), {
    code: -32002,
    message: "eth_blockNumber: the node does not have the latest block"
  })
})

const CONTROLS = [
  "account_signTransaction",
  "admin_addPeer",
  "anvil_setBalance",
  "ANVIL_SETBALANCE",
  " anvil_reset",
  "clique_propose",
  "debug_freeOSMemory",
  "debug_setHead",
  "debug_standardTraceBlockToFile",
  "debug_traceBlockFromFile",
  "engine_forkchoiceUpdatedV3",
  "evm_mine",
  "hardhat_reset",
  "miner_stop",
  "parity_setMode"
]

describe("a method that administers the node", () => {
  it("is refused, and the node is not asked, unless the policy lets it pass", async () => {
    const node = Object.fromEntries(CONTROLS.map((method) => [method, true]))
    for (const method of CONTROLS) {
      for (const unprovable of ["mark", "refuse"] as const) {
        const { asked, refusal } = proxy(node, { unprovable })
        assert.strictEqual(((await refusal(method)) as ProviderRefusal).code, 4200, method)
        assert.deepEqual(asked, [])
      }
      const { answer } = proxy(node, { unprovable: "mark", administration: "pass" })
      assert.strictEqual((await answer(method)).result, true, method)
    }
    const { refusal } = proxy(node, { administration: "pass" })
    assert.strictEqual(((await refusal("evm_mine")) as ProviderRefusal).code, -32098)
  })

  it("is none that only reads", async () => {
    for (const method of [
      "clique_getSigners",
      "debug_getRawBlock",
      "debug_storageRangeAt",
      "debug_traceCall",
      "parity_getBlockReceipts",
      "trace_block",
      "txpool_content",
      "zks_getProof"
    ]) {
      const { answer } = proxy({ [method]: 7 }, { unprovable: "mark" })
      assert.strictEqual((await answer(method)).result, 7, method)
    }
  })
})
