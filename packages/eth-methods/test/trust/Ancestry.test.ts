import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Verdict } from "@plumbline/verdict"
import { Effect, Result, Schema } from "effect"

import { AccountProof, Ancestry, type Block, EthReason } from "../../src/index.ts"
import { verifyAncestor } from "../../src/proof/eip2935.ts"
import { verifyBlock } from "../../src/proof/verifyBlock.ts"
import * as Chain from "../support/chain.ts"
import * as Made from "../support/made.ts"

const decodeProof = Schema.decodeUnknownSync(AccountProof.AccountProof)

const proven = (made: Chain.MadeBlock): Verdict.Verified<Block.Block> => {
  const verdict = Result.getOrThrow(verifyBlock(Made.decodeBlock(made.json), Hash32.fromHexUnsafe(made.hash)))
  assert(verdict._tag === "VERIFIED")
  return verdict
}

/** The calls of a walk, in order: `block 5`, `proof at 7`. */
type Log = Array<string>

interface NodeOptions {
  /** True for a node that refuses every proof. */
  readonly prunes?: boolean
  /** Changes a block before the node returns it. */
  readonly alter?: (json: Made.JsonObject) => Made.JsonObject | null
  /** Changes a proof before the node returns it. */
  readonly alterProof?: (json: Made.JsonObject) => Made.JsonObject
}

/** Makes a node that has these blocks. */
const node = (blocks: ReadonlyArray<Chain.MadeBlock>, log: Log, options: NodeOptions = {}): Ancestry.AncestryNode => {
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  return {
    getBlockByHash: (hash) =>
      Effect.sync(() => {
        const found = byHash.get(hash)
        log.push(`block ${found === undefined ? "unknown" : Number(found.json["number"])}`)
        const json = found === undefined ? null : (options.alter ?? ((same) => same))(found.json)
        return (json === null ? null : Made.decodeBlock(json)) as never
      }),
    getProof: (_, keys, parameter) =>
      Effect.suspend(() => {
        assert(typeof parameter === "object" && "blockHash" in parameter)
        const found = byHash.get(parameter.blockHash)!
        log.push(`proof at ${Number(found.json["number"])}`)
        return options.prunes === true
          ? Effect.fail(
              new JsonRpcError({
                method: "eth_getProof",
                reason: new RemoteError({
                  code: -32000,
                  message: "distance to target block exceeds maximum proof window"
                })
              })
            )
          : Effect.map(
              Effect.promise(() => found.proof(BigInt(keys[0]!))),
              (json) => decodeProof((options.alterProof ?? ((same) => same))(json))
            )
      })
  }
}

/**
 * Makes blocks 3614 to 3617 from before Prague, and three newer blocks. The state of each newer block holds one hash:
 * of the block to which the walk leaps from there.
 */
const makeChain = async () => {
  const b3614 = await Chain.block({ number: 3614n })
  const b3615 = await Chain.block({ number: 3615n, parentHash: b3614.hash })
  const b3616 = await Chain.block({ number: 3616n, parentHash: b3615.hash })
  const b3617 = await Chain.block({ number: 3617n, parentHash: b3616.hash })
  const b3618 = await Chain.block({ number: 3618n, parentHash: b3617.hash, remembers: new Map([[3617n, b3617.hash]]) })
  const b11809 = await Chain.block({ number: 11_809n, remembers: new Map([[3618n, b3618.hash]]) })
  const b20000 = await Chain.block({ number: 20_000n, remembers: new Map([[11_809n, b11809.hash]]) })
  return { b3614, b3615, b3618, b11809, b20000, all: [b3614, b3615, b3616, b3617, b3618, b11809, b20000] }
}
const made = makeChain()
const chain = Effect.promise(() => made)

/** Blocks 249 to 100. Their states hold no hashes of older blocks. */
const madeParents = Chain.line(100n, 150).then((made) => made.toReversed())
const parents = Effect.promise(() => madeParents)

describe("Ancestry.reach", () => {
  it.effect("leaps by the hashes that newer states name, then steps from parent to parent", () =>
    Effect.gen(function* () {
      const { all, b3614, b20000 } = yield* chain
      const log: Log = []
      const reached = yield* Ancestry.reach(node(all, log), proven(b20000), 3614n)
      assert(reached._tag === "Reached")
      assert.strictEqual(reached.block.value.hash, b3614.hash)
      assert.deepStrictEqual(reached.block.anchor, { _tag: "Block", hash: Hash32.fromHexUnsafe(b20000.hash) })
      assert.include(reached.block.proven[0]?.sentence, `block 3614 of the chain that ends in ${b20000.hash}`)
      // the state of 3618 does not hold the hash of 3614, so the walk goes on from parent to parent
      const asked =
        "proof at 20000, block 11809, proof at 11809, block 3618, proof at 3618, " +
        "block 3617, block 3616, block 3615, block 3614"
      assert.strictEqual(log.join(", "), asked)
    })
  )

  it.effect("asks nothing for the trusted block itself", () =>
    Effect.gen(function* () {
      const { all, b20000 } = yield* chain
      const log: Log = []
      const trusted = proven(b20000)
      assert.deepStrictEqual(yield* Ancestry.reach(node(all, log), trusted, 20_000n), {
        _tag: "Reached",
        block: trusted
      })
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("steps where the node does not prove, and says how far it went", () =>
    Effect.gen(function* () {
      const { all, b3615, b3618, b20000 } = yield* chain
      const log: Log = []
      const near = yield* Ancestry.reach(node(all, log, { prunes: true }), proven(b3618), 3615n)
      assert(near._tag === "Reached" && near.block.value.hash === b3615.hash)
      assert.deepStrictEqual(log, ["proof at 3618", "block 3617", "block 3616", "block 3615"])
      const short = yield* Ancestry.reach(node(all, []), proven(b20000), 3614n, { maxSteps: 5 })
      assert(short._tag === "Unreached")
      assert.deepStrictEqual(short.reason, EthReason.TooFar({ number: 3614n, maxSteps: 5, trusted: 20000n }))
      assert.strictEqual(short.reason.sentence, "block 3614 is more than 5 steps before the trusted block 20000")
      const enough = yield* Ancestry.reach(node(all, []), proven(b20000), 3614n, { maxSteps: 6 })
      assert.strictEqual(enough._tag, "Reached")
    })
  )

  describe("where blocks are asked for by number too", () => {
    /** Makes a node that answers reads by number with `byNumber`, and counts its reads by number and by hash. */
    const both = (
      made: ReadonlyArray<Chain.MadeBlock>,
      byNumber: (json: Made.JsonObject) => Made.JsonObject | null
    ) => {
      const log: Log = []
      let numbers = 0
      let together = 0
      let most = 0
      const asked: Ancestry.AncestryNode = {
        ...node(made, log, { prunes: true }),
        getBlockByNumber: ((number: bigint) =>
          Effect.gen(function* () {
            numbers++
            most = Math.max(most, ++together)
            yield* Effect.yieldNow
            together--
            const found = made.find(({ json }) => BigInt(Made.string(json["number"])) === number)
            const json = found === undefined ? null : byNumber(found.json)
            return json === null ? null : Made.decodeBlock(json)
          })) as never
      }
      return { asked, count: () => ({ byHash: log.length - 1, byNumber: numbers, most }) }
    }

    it.effect("reads up to 64 parents at the same time, and believes each under the hash that its child names", () =>
      Effect.gen(function* () {
        const made = yield* parents
        const { asked, count } = both(made, (json) => json)
        const reached = yield* Ancestry.reach(asked, proven(made[0]!), 100n)
        assert(reached._tag === "Reached")
        assert.strictEqual(reached.block.value.hash, made.at(-1)!.hash)
        assert.deepStrictEqual(count(), { byHash: 0, byNumber: 149, most: 64 })
      })
    )

    it.effect("reads by hash what is of another branch, unknown, or without a hash by its number", () =>
      Effect.gen(function* () {
        const made = yield* parents
        const other = yield* Effect.promise(() => Chain.block({ number: 200n, parentHash: made[3]!.hash }))
        for (const instead of [other.json, null, { ...other.json, hash: null }]) {
          const { asked, count } = both(made, (json) => (json["number"] === "0xc8" ? instead : json))
          const reached = yield* Ancestry.reach(asked, proven(made[0]!), 199n)
          assert(reached._tag === "Reached")
          assert.strictEqual(reached.block.value.hash, made[50]!.hash)
          assert.strictEqual(count().byHash, 1)
        }
      })
    )

    it.effect("refutes a block that is not what its own hash says, or has another number", () =>
      Effect.gen(function* () {
        const made = yield* parents
        const lies: ReadonlyArray<readonly [(json: Made.JsonObject) => Made.JsonObject, check: string]> = [
          [(json) => ({ ...json, gasUsed: "0x1" }), "header hash"],
          [(json) => ({ ...json, hash: made[7]!.hash }), "header hash"],
          [() => made[8]!.json, "block.number"]
        ]
        for (const [lie, check] of lies) {
          const { asked } = both(made, (json) => (json["number"] === "0xc8" ? lie(json) : json))
          const refuted = yield* Effect.flip(Ancestry.reach(asked, proven(made[0]!), 150n))
          assert(refuted._tag === "RefutedError")
          assert.strictEqual(refuted.check, check)
        }
      })
    )

    it.effect("reads no block that is proven already, and no more than it may", () =>
      Effect.gen(function* () {
        const made = yield* parents
        const kept = new Map<string, Verdict.Verified<Block.Block>>()
        const headers: NonNullable<Ancestry.AncestryNode["headers"]> = {
          get: (hash) => kept.get(hash) as Verdict.Verified<Block.WithHashes> | undefined,
          keep: (hash, block) => kept.set(hash, block)
        }
        const { asked, count } = both(made, (json) => json)
        yield* Ancestry.reach({ ...asked, headers }, proven(made[0]!), 200n)
        const first = count()
        assert.strictEqual(kept.size, 49)
        const again = yield* Ancestry.reach({ ...asked, headers }, proven(made[0]!), 210n)
        assert(again._tag === "Reached")
        assert.deepStrictEqual(count(), { ...first, byHash: first.byHash + 1 })
        const bounded = both(made, (json) => json)
        const short = yield* Ancestry.reach(bounded.asked, proven(made[0]!), 100n, { maxSteps: 10 })
        assert(short._tag === "Unreached")
        assert.strictEqual(bounded.count().byNumber, 10)
      })
    )
  })

  it.effect("does not reach newer blocks, nor those that the node does not have", () =>
    Effect.gen(function* () {
      const { all, b3614, b20000 } = yield* chain
      const newer = yield* Ancestry.reach(node(all, []), proven(b3614), 3615n)
      assert(newer._tag === "Unreached")
      assert.strictEqual(
        newer.reason.sentence,
        "block 3615 is not before the trusted block 3614: only block 3615 or a later one proves it"
      )
      const gone = yield* Ancestry.reach(node([b20000], []), proven(b20000), 3614n)
      assert(gone._tag === "Unreached")
      assert.match(gone.reason.sentence, /does not know block 11809/)
    })
  )

  it.effect("refutes a block that is not the one that was named", () =>
    Effect.gen(function* () {
      const { all, b3614, b3615, b20000 } = yield* chain
      const lies: ReadonlyArray<readonly [(json: Made.JsonObject) => Made.JsonObject, check: string]> = [
        [() => b3614.json, "block.number"],
        [(json) => ({ ...json, stateRoot: b3615.json["stateRoot"]! }), "header hash"],
        [(json) => ({ ...json, hash: b3614.hash }), "block.hash"]
      ]
      for (const [alter, check] of lies) {
        const refuted = yield* Effect.flip(Ancestry.reach(node(all, [], { alter }), proven(b20000), 3618n))
        assert(refuted._tag === "RefutedError")
        assert.strictEqual(refuted.check, check)
      }
    })
  )

  it.effect("refutes a state that names another hash than it holds", () =>
    Effect.gen(function* () {
      const { all, b3614, b20000 } = yield* chain
      const alterProof = (json: Made.JsonObject): Made.JsonObject => ({
        ...json,
        storageProof: [{ ...Made.object(Made.list(json["storageProof"])[0]), value: b3614.hash }]
      })
      const refuted = yield* Effect.flip(Ancestry.reach(node(all, [], { alterProof }), proven(b20000), 3614n))
      assert(refuted._tag === "RefutedError")
      assert.strictEqual(refuted.check, "storageProof[0].value")
    })
  )
})

describe("verifyAncestor", () => {
  const answerAt = (block: Chain.MadeBlock, number: bigint) =>
    Effect.map(
      Effect.promise(() => block.proof(number % 8191n)),
      (json) => decodeProof(json)
    )

  it.effect("gives the hash that the state names, and null where it names none", () =>
    Effect.gen(function* () {
      const { b11809, b3618, b3614 } = yield* chain
      const named = verifyAncestor(yield* answerAt(b11809, 3618n), 3618n, proven(b11809))
      assert.strictEqual(Result.getOrThrow(named), b3618.hash)
      const empty = verifyAncestor(yield* answerAt(b11809, 3619n), 3619n, proven(b11809))
      assert.isNull(Result.getOrThrow(empty))
      const noContract = verifyAncestor(yield* answerAt(b3614, 3000n), 3000n, proven(b3614))
      assert.isNull(Result.getOrThrow(noContract))
    })
  )

  it.effect("believes no other code at the contract's address", () =>
    Effect.gen(function* () {
      const { b3618 } = yield* chain
      const remembers = new Map([[3618n, b3618.hash]])
      const impostor = yield* Effect.promise(() =>
        Chain.block({ number: 4000n, remembers, code: Uint8Array.of(0x60, 0x00) })
      )
      assert.isNull(Result.getOrThrow(verifyAncestor(yield* answerAt(impostor, 3618n), 3618n, proven(impostor))))
    })
  )

  it.effect("takes no number outside of the ring: its slot holds another block's hash", () =>
    Effect.gen(function* () {
      const { b11809 } = yield* chain
      for (const number of [3617n, 11_809n, 11_810n, 20_000n, -1n]) {
        const answer = yield* answerAt(b11809, 3618n)
        const refuted = verifyAncestor(answer, number, proven(b11809))
        assert(Result.isFailure(refuted))
        assert.strictEqual(refuted.failure.check, "ancestor")
      }
    })
  )

  it.effect("refutes the proof of another slot, and a proof that is cut", () =>
    Effect.gen(function* () {
      const { b11809 } = yield* chain
      const other = verifyAncestor(yield* answerAt(b11809, 3619n), 3618n, proven(b11809))
      assert(Result.isFailure(other))
      assert.strictEqual(other.failure.check, "storageProof[0].key")
      const whole = yield* answerAt(b11809, 3618n)
      const cut = { ...whole, storageProof: [{ ...whole.storageProof[0]!, proof: [] }] }
      const missing = verifyAncestor(cut, 3618n, proven(b11809))
      assert(Result.isFailure(missing))
      assert.strictEqual(missing.failure.check, "storageProof[0] node 0")
    })
  )
})
