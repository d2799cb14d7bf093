/** Tests the trust that a light client provides for reads of the execution chain. */
import { assert, describe, it } from "@effect/vitest"
import { createBlockHeader } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { hexToBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import {
  LightClientCheck,
  type BeaconHeader,
  LightClientHeads,
  type LightClient,
  LightClientEvidence,
  LightClientReason,
  LightClientTrust,
  MadeChain,
  type LightClientStore
} from "@plumbline/beacon-light-client"
import { Hash32, Rlp } from "@plumbline/codec"
import { Block, EthReason } from "@plumbline/eth-methods"
import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Effect, Schema, Stream } from "effect"

import { allForks } from "../support/networks.ts"

const chain = MadeChain.make(allForks)
const checkpoint = { root: chain.root(500n), givenAt: 1_600_000_000_000 }
const { syncCommitteeSize: of } = allForks

const head = (
  header: BeaconHeader.LightClientHeader,
  support: LightClientStore.HeaderSupport
): LightClientHeads.FollowedHead => LightClientHeads.headOf({ header, support }, "a node")

const light = (
  finalized: LightClientHeads.FollowedHead,
  optimistic: LightClientHeads.FollowedHead
): LightClient.Client => {
  const heads: LightClientHeads.LightClientHeads = {
    checkpoint,
    finalized,
    optimistic,
    period: 7n,
    knowsNextCommittee: true
  }
  return {
    network: allForks,
    heads: Effect.succeed(heads),
    changes: Stream.succeed(heads),
    refresh: Effect.succeed(heads),
    conflict: Effect.succeed(undefined),
    problem: Effect.succeed(undefined),
    nodes: Effect.succeed([])
  }
}

const finalized = head(chain.bootstrap(500n).header, {
  _tag: "Finalized",
  signed: 31,
  of,
  attestedSlot: 530n,
  bits: "0xfffffffe"
})
const optimistic = head(chain.bootstrap(530n).header, {
  _tag: "Optimistic",
  signed: 30,
  of,
  attestedSlot: 530n,
  bits: "0xfffff9ff"
})

/** A node that knows no block at all. */
const ignorant = { getBlockByHash: () => Effect.succeed(null) } as never

describe("LightClientTrust", () => {
  const trust = LightClientTrust.make(light(finalized, optimistic), [ignorant])

  it.effect("names exactly the finalized and the optimistic block for tags, with their signatures as data", () =>
    Effect.gen(function* () {
      for (const tag of ["finalized", "safe", "latest"] as const) {
        const trusted = yield* trust.resolve(tag)
        const which = tag === "latest" ? optimistic : finalized
        const [signed, finality] = tag === "latest" ? [30, "optimistic"] : [31, "finalized"]
        assert(trusted._tag === "Exactly")
        assert.strictEqual(trusted.hash, which.blockHash)
        assert.deepStrictEqual<unknown>(trusted.anchor, {
          _tag: "LightClient",
          hash: trusted.hash,
          checkpoint: checkpoint.root,
          slot: which.header.beacon.slot,
          finality,
          participation: [signed, of],
          age: 0
        })
        const [signatures, from] = trusted.proven!
        assert(LightClientEvidence.CommitteeSigned.is(signatures!) && LightClientEvidence.FromCheckpoint.is(from!))
        const bits = tag === "latest" ? "0xfffff9ff" : "0xfffffffe"
        assert.deepInclude(signatures, { signed, size: of, attestedSlot: 530n, bits, by: "a node" })
        assert.include(signatures.sentence, `${signed} of 32 members`)
        assert.include(from.sentence, "given 2020-09-13T12:26:40Z")
      }
    })
  )

  it.effect(
    "leads from the finalized block to older numbers, from the optimistic one to those between, and no further",
    () =>
      Effect.gen(function* () {
        for (const [number, which] of [
          ["earliest", finalized],
          [0n, finalized],
          [500n, finalized],
          [501n, optimistic],
          [530n, optimistic]
        ] as const) {
          const trusted = yield* trust.resolve(number)
          assert(trusted._tag === "OnChain", `${number}`)
          assert.strictEqual(trusted.hash, which.blockHash)
        }
        const newer = yield* trust.resolve(531n)
        assert(newer._tag === "Nothing" && LightClientReason.NewerThanHead.is(newer.reason))
        assert.strictEqual(newer.reason.head, 530n)
        assert.strictEqual((yield* trust.resolve("pending"))._tag, "Nothing")
      })
  )

  it.effect("says that a block was forced, and that nothing was signed of a checkpoint", () =>
    Effect.gen(function* () {
      const forced = head(finalized.header, { _tag: "Forced", signed: 20, of, attestedSlot: 540n, bits: undefined })
      const begun = head(finalized.header, { _tag: "Checkpoint" })
      for (const [which, finality, count] of [
        [forced, "forced", 20],
        [begun, "checkpoint", 0]
      ] as const) {
        const trusted = yield* LightClientTrust.make(light(which, which), [ignorant]).resolve("finalized")
        assert(trusted._tag === "Exactly" && trusted.anchor?._tag === "LightClient")
        assert.strictEqual(trusted.anchor.finality, finality)
        assert.deepStrictEqual(trusted.anchor.participation, [count, of])
        assert.include(trusted.by, finality)
      }
    })
  )

  it.effect("names nothing from headers before Capella, and fails with an alarm", () =>
    Effect.gen(function* () {
      const old = head(chain.bootstrap(50n).header, { _tag: "Checkpoint" })
      for (const block of ["latest", "finalized", 3n] as const) {
        const trusted = yield* LightClientTrust.make(light(old, old), [ignorant]).resolve(block)
        assert(trusted._tag === "Nothing" && LightClientReason.NoExecutionBlock.is(trusted.reason))
      }
      const alarm = LightClientCheck.refuse("conflict", "0x1", "0x2", "finalized")
      const stopped = { ...light(old, old), heads: Effect.fail(alarm) }
      assert.strictEqual(yield* Effect.flip(LightClientTrust.make(stopped, [ignorant]).resolve("latest")), alarm)
    })
  )

  it.effect("takes the number of a Gloas head from no header that does not hash to it", () =>
    Effect.gen(function* () {
      const header: BeaconHeader.LightClientHeader = {
        _tag: "WithBlockHash",
        beacon: optimistic.header.beacon,
        executionBlockHash: optimistic.blockHash!,
        executionBranch: []
      }
      const gloas = head(header, optimistic.support)
      assert.strictEqual((yield* LightClientTrust.make(light(gloas, gloas), [ignorant]).resolve(3n))._tag, "Nothing")
      const zero = Hash32.ZERO
      const lying = {
        getBlockByHash: () => Effect.succeed({ ...forgedBlock, hash: optimistic.blockHash, parentHash: zero })
      } as never
      const failed = yield* Effect.flip(LightClientTrust.make(light(gloas, gloas), [lying]).resolve(3n))
      assert(failed._tag === "RefutedError")
      assert.strictEqual(failed.check, "execution-header-hash")
      // the form of another consensus does not help, because the head is one of Ethereum
      const mixHash = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"
      const extraData = `0x${"00".repeat(97)}`
      const dressed = {
        getBlockByHash: () =>
          Effect.succeed({ ...forgedBlock, hash: optimistic.blockHash, parentHash: zero, mixHash, extraData })
      } as never
      const other = yield* Effect.flip(LightClientTrust.make(light(gloas, gloas), [dressed]).resolve(3n))
      assert.strictEqual(other._tag === "RefutedError" && other.check, "execution-header-hash")
      // the block may be of a fork that this version does not know, and its node honest
      const later = {
        getBlockByHash: () =>
          Effect.succeed({ ...forgedBlock, hash: optimistic.blockHash, parentHash: zero, inventedRoot: word })
      } as never
      assert.strictEqual((yield* LightClientTrust.make(light(gloas, gloas), [later]).resolve(3n))._tag, "Nothing")
      const exactly = yield* LightClientTrust.make(light(gloas, gloas), [lying]).resolve("latest")
      assert(exactly._tag === "Exactly")
      assert.strictEqual(exactly.hash, optimistic.blockHash)
    })
  )

  it.effect("takes the number of a Gloas head from a header of a fork that the caller names", () =>
    Effect.gen(function* () {
      const block = londonBlock({ inventedRoot: `0x${"a1".repeat(32)}` })
      const hash = block.hash!
      const gloas = gloasHead(hash)
      const node = { getBlockByHash: () => Effect.succeed(block) } as never
      const at = (options?: LightClientTrust.LightClientTrustOptions) =>
        LightClientTrust.make(light(gloas, gloas), [node], options).resolve(3n)
      const field = { name: "inventedRoot", kind: "hash" } as const
      const forks = { after: "baseFeePerGas", forks: [{ name: "invented", headerFields: [field] }] } as const
      const trusted = yield* at({ forks })
      assert(trusted._tag === "OnChain")
      assert.strictEqual(trusted.hash, hash)
      assert.strictEqual((yield* at())._tag, "Nothing")
    })
  )

  describe("over several nodes, of which one alone would deny the trust", () => {
    const block = londonBlock()
    const answers = {
      honest: Effect.succeed(block),
      liar: Effect.succeed({ ...block, number: 4n }),
      empty: Effect.succeed(null),
      later: Effect.succeed({ ...block, number: 4n, inventedRoot: Hash32.ZERO }),
      dead: Effect.fail(
        new JsonRpcError.JsonRpcError({
          method: "eth_getBlockByHash",
          reason: new JsonRpcError.TransportError({ detail: "no connection", retryable: true })
        })
      )
    }
    type Name = keyof typeof answers

    /** Returns the trust over the nodes, and the names of the nodes that it has asked. */
    const over = ([first, ...others]: readonly [Name, ...ReadonlyArray<Name>]) => {
      const asked: Array<string> = []
      const node = (name: Name) =>
        ({
          getBlockByHash: () => Effect.suspend<unknown, unknown, never>(() => (asked.push(name), answers[name]))
        }) as never
      const gloas = gloasHead(block.hash!)
      return { asked, trust: LightClientTrust.make(light(gloas, gloas), [node(first), ...others.map(node)]) }
    }

    it.effect("takes the header from the first node that proves it, and asks no node after", () =>
      Effect.gen(function* () {
        for (const names of [
          ["liar", "honest", "dead"],
          ["empty", "honest", "dead"],
          ["later", "honest", "dead"],
          ["dead", "honest", "liar"],
          ["dead", "liar", "empty", "later", "honest", "dead"]
        ] as const) {
          const { asked, trust } = over(names)
          // the second read uses the number that the first one proved
          for (const number of [3n, 2n]) {
            const trusted = yield* trust.resolve(number)
            assert(trusted._tag === "OnChain", names.join())
            assert.strictEqual(trusted.hash, block.hash)
          }
          assert.deepStrictEqual<ReadonlyArray<string>>(asked, names.slice(0, names.indexOf("honest") + 1))
          const newer = yield* trust.resolve(4n)
          assert(newer._tag === "Nothing" && LightClientReason.NewerThanHead.is(newer.reason), names.join())
        }
      })
    )

    it.effect("asks a node that lied or was silent last, for the next head too", () =>
      Effect.gen(function* () {
        const { asked, trust } = over(["dead", "liar", "later"])
        for (let read = 0; read < 2; read++) {
          const trusted = yield* trust.resolve(3n)
          assert.strictEqual(trusted._tag, "Nothing")
        }
        assert.deepStrictEqual(asked, ["dead", "liar", "later", "later", "dead", "liar"])
      })
    )

    it.effect("says of nodes that are all bad that the block is unknown, before a failed call, before a lie", () =>
      Effect.gen(function* () {
        for (const names of [
          ["liar", "empty", "dead"],
          ["dead", "liar", "later"]
        ] as const) {
          const trusted = yield* over(names).trust.resolve(3n)
          assert(trusted._tag === "Nothing" && EthReason.TrustedBlockUnknown.is(trusted.reason), names.join())
          assert.isTrue(trusted.isYet)
        }
        for (const names of [
          ["liar", "dead"],
          ["dead", "liar"]
        ] as const) {
          const failed = yield* Effect.flip(over(names).trust.resolve(3n))
          assert.strictEqual(failed._tag, "JsonRpcError", names.join())
        }
        const lie = yield* Effect.flip(over(["liar", "liar"]).trust.resolve(3n))
        assert(lie._tag === "RefutedError")
        assert.strictEqual(lie.check, "execution-header-hash")
      })
    )
  })
})

/** A head of Gloas, which is only the hash of a block. */
function gloasHead(hash: Hash32.Hash32): LightClientHeads.FollowedHead {
  const { beacon } = optimistic.header
  return head({ _tag: "WithBlockHash", beacon, executionBlockHash: hash, executionBranch: [] }, optimistic.support)
}

/** A block of London with the number 3, and perhaps with a field at the end of its header that no fork has. */
function londonBlock(more: { readonly inventedRoot?: `0x${string}` } = {}): Block.WithHashes {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.London })
  const made = createBlockHeader({ number: 3n, baseFeePerGas: 7n }, { common, skipConsensusFormatValidation: true })
  const { coinbase: miner, receiptTrie, transactionsTrie, uncleHash, ...fields } = made.toJSON()
  return Schema.decodeUnknownSync(Block.WithHashes)({
    ...fields,
    ...more,
    hash: Hash32.fromBytesUnsafe(keccak_256(Rlp.encode([...made.raw(), ...Object.values(more).map(hexToBytes)]))),
    miner,
    receiptsRoot: receiptTrie,
    transactionsRoot: transactionsTrie,
    sha3Uncles: uncleHash,
    transactions: []
  })
}

const word = Hash32.ZERO
const forgedBlock = {
  number: 3n,
  sha3Uncles: word,
  miner: `0x${"00".repeat(20)}`,
  stateRoot: word,
  transactionsRoot: word,
  receiptsRoot: word,
  logsBloom: `0x${"00".repeat(256)}`,
  difficulty: 0n,
  gasLimit: 1n,
  gasUsed: 0n,
  timestamp: 1n,
  extraData: "0x",
  mixHash: word,
  nonce: "0x0000000000000000",
  uncles: [],
  transactions: []
}
