/** Block access lists (EIP-7928) in both modes. viem encodes and hashes the block and its list. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Integrity, UpstreamError } from "@plumbline/gateway"
import { Effect } from "effect"
import { type Hex, keccak256, pad, toRlp } from "viem"

import { block as genesis, node } from "../support/genesis.ts"

const address = (byte: string): Hex => `0x${byte.repeat(20)}`
const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }

const list = [
  {
    ...none,
    address: address("11"),
    storageChanges: [
      { key: pad("0x1"), changes: [{ index: "0x1", value: pad("0x7") }] },
      {
        key: pad("0x5"),
        changes: [
          { index: "0x1", value: pad("0x8") },
          { index: "0x2", value: pad("0x9") }
        ]
      }
    ],
    storageReads: [pad("0x2"), pad("0x3")]
  },
  { ...none, address: address("22"), balanceChanges: [{ index: "0x1", value: "0x64" }] }
]

/** The RLP of the list, written down by hand. */
const encoded = toRlp([
  [
    address("11"),
    [
      ["0x01", [["0x01", "0x07"]]],
      [
        "0x05",
        [
          ["0x01", "0x08"],
          ["0x02", "0x09"]
        ]
      ]
    ],
    ["0x02", "0x03"],
    [],
    [],
    []
  ],
  [address("22"), [], [], [["0x01", "0x64"]], [], []]
])

const header = {
  parentHash: `0x${"44".repeat(32)}`,
  sha3Uncles: genesis.sha3Uncles,
  miner: genesis.miner,
  stateRoot: genesis.stateRoot,
  transactionsRoot: genesis.transactionsRoot,
  receiptsRoot: genesis.receiptsRoot,
  logsBloom: genesis.logsBloom,
  difficulty: "0x0",
  number: "0x11",
  gasLimit: "0x1c9c380",
  gasUsed: "0x0",
  timestamp: "0x66",
  extraData: "0x",
  mixHash: `0x${"22".repeat(32)}`,
  nonce: `0x${"00".repeat(8)}`,
  baseFeePerGas: "0x7",
  withdrawalsRoot: genesis.transactionsRoot,
  blobGasUsed: "0x0",
  excessBlobGas: "0x0",
  parentBeaconBlockRoot: `0x${"33".repeat(32)}`,
  requestsHash: `0x${"55".repeat(32)}`,
  blockAccessListHash: keccak256(encoded),
  slotNumber: "0x9"
}
const minimal = (value: string): Hex => {
  if (value.length > 17) return value as Hex
  const digits = value.slice(2).replace(/^0+/u, "")
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
const hash = keccak256(toRlp(Object.values(header).map(minimal)))
const block = { ...header, hash, uncles: [], transactions: [], withdrawals: [] }

const answers = (said: unknown) => ({
  eth_getBlockByHash: block,
  eth_getBlockByNumber: block,
  eth_getBlockAccessList: said,
  eth_chainId: "0x1"
})

const ask = (said: unknown, mode: "check" | "prove", chainId = 1n) =>
  Effect.scoped(
    Effect.gen(function* () {
      const trust = yield* TrustedBlock.TrustedBlock
      const upstream = node(answers(said))
      const options = { network: "mainnet", mode, chainId, trust } as const
      const { around, members } = yield* Integrity.make([{ name: "a", upstream }], options)
      const answer = yield* Effect.result(around(members[0]!).call("eth_getBlockAccessList", ["0x11"]))
      return { answer, asked: upstream.asked }
    })
  ).pipe(Effect.provide(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(hash))))

/** Returns the check that refutes the answer; undefined if the answer passes as the node wrote it. */
const refutation = (said: unknown, mode: "check" | "prove", chainId?: bigint) =>
  Effect.map(ask(said, mode, chainId), ({ answer }) => {
    if (answer._tag === "Success") {
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(answer.success)), said)
      return undefined
    }
    assert.instanceOf(answer.failure, UpstreamError.UpstreamError)
    const { reason } = answer.failure
    return reason._tag === "Refuted" ? reason.check : reason._tag
  })

const [first, second] = list as [(typeof list)[number], (typeof list)[number]]
const [slot, other] = first.storageChanges as [any, any]

/** Lists that no valid block has, by the rule that each breaks. */
const broken: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "account-order": [second, first],
  "slot-order": [{ ...first, storageChanges: [other, slot] }, second],
  "read-order": [{ ...first, storageReads: [pad("0x2"), pad("0x2")] }, second],
  "index-order": [{ ...first, storageChanges: [slot, { ...other, changes: other.changes.toReversed() }] }, second],
  "read-and-written": [{ ...first, storageReads: [pad("0x5")] }, second],
  "empty-slot": [{ ...first, storageChanges: [{ ...slot, changes: [] }, other] }, second]
}

describe("a block access list", () => {
  it.effect("that is true passes in both modes, and is proven by the header in one", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refutation(list, "check"))
      assert.isUndefined(yield* refutation(list, "prove"))
      assert.deepStrictEqual((yield* ask(list, "check")).asked, ["eth_getBlockAccessList"])
      assert.include((yield* ask(list, "prove")).asked, "eth_getBlockByNumber")
    })
  )

  it.effect("that no valid block has is refuted without a further call, and with one", () =>
    Effect.gen(function* () {
      for (const [rule, said] of Object.entries(broken)) {
        assert.strictEqual(yield* refutation(said, "check"), `blockAccessList ${rule}`)
        assert.strictEqual(yield* refutation(said, "prove"), "blockAccessListHash", rule)
      }
    })
  )

  it.effect("that breaks no rule is the node's word to check, and refuted by prove", () =>
    Effect.gen(function* () {
      for (const said of [[], [first], list.with(1, { ...second, balanceChanges: [] })]) {
        assert.isUndefined(yield* refutation(said, "check"))
        assert.strictEqual(yield* refutation(said, "prove"), "blockAccessListHash")
      }
    })
  )

  it.effect("of another chain, or with fields of a later fork, may have another order", () =>
    Effect.gen(function* () {
      const [said] = Object.values(broken) as [ReadonlyArray<object>]
      assert.isUndefined(yield* refutation(said, "check", 1337n))
      assert.isUndefined(
        yield* refutation(
          said.map((account) => ({ ...account, codeHash: "0x01" })),
          "check"
        )
      )
    })
  )
})
