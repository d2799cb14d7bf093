/**
 * Tests reads of the execution chain that trust a light client, over a made beacon chain that crosses from Fulu to
 * Gloas.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconHeader,
  LightClient,
  LightClientEvidence,
  LightClientReason,
  LightClientTrust,
  MadeNetwork,
  type BeaconNode,
  Fork
} from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import { EthReason, VerdictEthClient } from "@plumbline/eth-methods"
import type { Anchor, Verdict } from "@plumbline/verdict"
import { Effect, Layer } from "effect"

import * as Execution from "../support/execution.ts"
import * as Worlds from "../support/world.ts"

/** Fulu begins with period 10, and Gloas in the middle of period 16, at slot 1056. */
const forks = Fork.all.map((name, at) => ({
  name,
  version: `0x0${at + 1}000001` as const,
  epoch: name === "gloas" ? 132n : name === "fulu" ? 80n : 0n
}))
const network = MadeNetwork.make({ forks })
const GLOAS = 132n * 8n
const CHECKPOINT = 900n

/**
 * The execution chain. The execution block of a slot has the number `slot - 800`. In Gloas, a beacon block names the
 * execution block of its parent.
 */
const blocks = Execution.line(340)
const blockAt = (slot: bigint): Execution.Block => blocks[Number(slot >= GLOAS ? slot - 801n : slot - 800n)]!

const word = Hash32.ZERO
const payload = (slot: bigint): BeaconHeader.ExecutionPayloadHeader => ({
  parentHash: word,
  feeRecipient: `0x${"00".repeat(20)}` as BeaconHeader.ExecutionPayloadHeader["feeRecipient"],
  stateRoot: word,
  receiptsRoot: word,
  logsBloom: Hex.fromBytes(new Uint8Array(256)),
  prevRandao: word,
  blockNumber: BigInt(blockAt(slot)["number"] as string),
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1_700_000_000n,
  extraData: "0x",
  baseFeePerGas: 7n,
  blockHash: blockAt(slot).hash,
  transactionsRoot: word,
  withdrawalsRoot: word,
  blobGasUsed: 0n,
  excessBlobGas: 0n
})

const world = Worlds.world(network, {}, { execution: payload })
const checkpoint = world.chain.root(CHECKPOINT)
const honest: BeaconNode.BeaconNode = Worlds.node(world, [CHECKPOINT])

/** Runs a question at a slot, with a light client that started from the checkpoint. */
const at = <A, E>(
  slot: bigint,
  ask: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>,
  setting: { readonly node?: ReturnType<typeof Execution.node>; readonly options?: LightClient.LightClientOptions } = {}
) =>
  Effect.gen(function* () {
    const { node = Execution.node(blocks), options = { checkpoint } } = setting
    yield* Worlds.setSlot(network, slot)
    const light = yield* Worlds.follow({ network, nodes: [honest], options })
    const trust = LightClientTrust.layer().pipe(Layer.provide([Layer.succeed(LightClient.LightClient, light), node]))
    const eth = VerdictEthClient.layer().pipe(Layer.provide([trust, node]))
    return yield* Effect.provide(VerdictEthClient.VerdictEthClient.use(ask), eth)
  }).pipe(Effect.scoped)

const anchorOf = (verdict: Verdict.Verdict<unknown>): Anchor.LightClientAnchor => {
  assert(verdict._tag === "VERIFIED" && verdict.anchor?._tag === "LightClient", verdict._tag)
  return verdict.anchor
}

/**
 * The slots at which a light client is asked: `fulu` with both heads in Fulu, `crossing` with only the optimistic head
 * in Gloas, `gloas` with both heads in Gloas.
 */
const SLOTS = { fulu: 1040n, crossing: GLOAS + 4n, gloas: GLOAS + 60n } as const

describe.each(Object.entries(SLOTS))("a light client in %s", (_, slot) => {
  const head = slot - 1n
  const finalized = world.finalized(head)

  it.effect("proves latest by the optimistic head, finalized and safe by the finalized one", () =>
    Effect.gen(function* () {
      for (const [tag, of, finality] of [
        ["latest", head, "optimistic"],
        ["finalized", finalized, "finalized"],
        ["safe", finalized, "finalized"]
      ] as const) {
        const verdict = yield* at(slot, (eth) => eth.getBlockByNumber(tag))
        assert.strictEqual(verdict.value?.hash, blockAt(of).hash, tag)
        const anchor = anchorOf(verdict)
        const expected = { hash: blockAt(of).hash, checkpoint, slot: of, finality, participation: [32, 32] as const }
        const age = Number(slot - of) * network.secondsPerSlot
        assert.deepStrictEqual<unknown>(anchor, { _tag: "LightClient", ...expected, age })
        assert.lengthOf(verdict.proven.filter(LightClientEvidence.CommitteeSigned.is), 1)
        assert.lengthOf(verdict.proven.filter(LightClientEvidence.FromCheckpoint.is), 1)
      }
    })
  )

  it.effect("proves older blocks by their ancestry, those between by the optimistic head, and no newer one", () =>
    Effect.gen(function* () {
      const numberAt = (slot: bigint): bigint => BigInt(blockAt(slot)["number"] as string)
      for (const [number, finality] of [
        [numberAt(finalized) - 5n, "finalized"],
        [numberAt(finalized), "finalized"],
        [numberAt(finalized) + 3n, "optimistic"],
        [numberAt(head), "optimistic"]
      ] as const) {
        const verdict = yield* at(slot, (eth) => eth.getBlockByNumber(number))
        assert.strictEqual(verdict.value?.hash, blocks[Number(number)]!.hash)
        assert.strictEqual(anchorOf(verdict).finality, finality, `${number}`)
      }
      const newer = yield* at(slot, (eth) => eth.getBlockByNumber(numberAt(head) + 1n))
      assert(newer._tag === "CLAIMED")
      const [claim] = newer.claimed
      assert(claim !== undefined && EthReason.NotOnChain.is(claim.reason))
      assert.isTrue(LightClientReason.NewerThanHead.is(claim.reason.cause))
    })
  )

  it.effect("refutes a node whose block is another one, or whose header does not hash to the head", () =>
    Effect.gen(function* () {
      const other = Execution.line(1)[0]!
      for (const [name, change] of [
        ["another block", () => ({ ...other })],
        ["another state root", (block: Execution.Block) => ({ ...block, stateRoot: `0x${"11".repeat(32)}` })],
        ["another number", (block: Execution.Block) => ({ ...block, number: "0x7" })],
        ["another parent", (block: Execution.Block) => ({ ...block, parentHash: `0x${"22".repeat(32)}` })],
        [
          "both the hash and the state root",
          (block: Execution.Block) => ({ ...block, hash: other.hash, stateRoot: `0x${"11".repeat(32)}` })
        ]
      ] as const) {
        for (const block of ["latest", "finalized", BigInt(blockAt(finalized)["number"] as string) - 2n] as const) {
          const node = Execution.node(blocks, change)
          const failed = yield* Effect.flip(at(slot, (eth) => eth.getBlockByNumber(block), { node }))
          assert.strictEqual(failed._tag, "RefutedError", `${name}, ${block}`)
        }
      }
    })
  )
})

describe("the number of a Gloas head", () => {
  const slot = SLOTS.gloas
  const older = 100n

  it.effect("is refused by name where the node's header does not hash to the head", () =>
    Effect.gen(function* () {
      const node = Execution.node(blocks, (block) => ({ ...block, number: "0xffff" }))
      const failed = yield* Effect.flip(at(slot, (eth) => eth.getBlockByNumber(older), { node }))
      assert(failed._tag === "RefutedError")
      assert.strictEqual(failed.check, "execution-header-hash")
    })
  )

  it.effect("is unknown where the node does not have the block: then nothing is proven", () =>
    Effect.gen(function* () {
      const heads = new Set([slot - 1n, world.finalized(slot - 1n)].map((slot) => blockAt(slot).hash))
      const node = Execution.node(blocks, (block) => (heads.has(block.hash) ? null : block))
      const verdict = yield* at(slot, (eth) => eth.getBlockByNumber(older), { node })
      assert.strictEqual(verdict._tag, "CLAIMED")
    })
  )
})

it.effect("a checkpoint that no member signed yet proves blocks as the reader's word", () =>
  Effect.gen(function* () {
    const options = { checkpoint, finalityQuorum: 33, optimisticQuorum: 33 }
    const verdict = yield* at(CHECKPOINT + 10n, (eth) => eth.getBlockByNumber("latest"), { options })
    const anchor = anchorOf(verdict)
    assert.deepStrictEqual([anchor.finality, anchor.participation], ["checkpoint", [0, 32]])
    assert.lengthOf(verdict.proven.filter(LightClientEvidence.CommitteeSigned.is), 0)
  })
)
