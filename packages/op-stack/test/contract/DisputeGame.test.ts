/** Compares the readers of games with encodings of viem, and checks that they never throw. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { DisputeGame } from "@plumbline/op-stack"
import * as Random from "@plumbline/seeded/Random"
import { keccak256, numberToHex } from "viem"

import * as Rollup from "../support/madeRollup.ts"

const claim = { gameType: 8, root: `0x${"a1".repeat(32)}`, extraData: `0x${"00".repeat(31)}05` } as const
const ours = { gameType: 8, rootClaim: Hash32.fromHexUnsafe(claim.root), extraData: claim.extraData }

describe("DisputeGame", () => {
  it("finds a game in the factory where Solidity puts it, for data of each length", () => {
    for (const size of [0, 1, 31, 32, 33, 36, 64, 100]) {
      const extraData: `0x${string}` = `0x${"07".repeat(size)}`
      assert.strictEqual(DisputeGame.slotOf({ ...ours, extraData }), Rollup.factorySlot({ ...claim, extraData }))
    }
    assert.strictEqual(DisputeGame.slotAt(232n), BigInt(keccak256(numberToHex(104n, { size: 32 }))) + 232n)
    assert.strictEqual(DisputeGame.rootClaimSlot(), Rollup.CLAIM)
  })

  it("reads entries and states", () => {
    const entry = DisputeGame.idOf(Rollup.entryWord(2 ** 32 - 1, 2n ** 64n - 1n, Rollup.GAME))
    assert.deepStrictEqual(entry, { gameType: 2 ** 32 - 1, createdAt: 2n ** 64n - 1n, game: Rollup.GAME } as never)
    for (const [status, name] of ["in progress", "challenger wins", "defender wins", "unknown"].entries()) {
      const word = Rollup.stateWord({ createdAt: 5n, resolvedAt: 6n, status: BigInt(status), challenged: status === 1 })
      assert.deepStrictEqual(DisputeGame.stateOf(word), {
        createdAt: 5n,
        resolvedAt: 6n,
        status: name,
        isInitialized: true,
        isNumberChallenged: status === 1
      } as never)
    }
    assert.isFalse(DisputeGame.stateOf(0n).isInitialized)
  })

  it("reads a claim from its only encoding", () => {
    const encoded = Rollup.gameData(claim)
    assert.deepStrictEqual(DisputeGame.claimOf(encoded as Hex.Hex), ours)
    assert.isUndefined(DisputeGame.claimOf(`${encoded}00` as Hex.Hex))
    assert.isUndefined(DisputeGame.claimOf(encoded.slice(0, -2) as Hex.Hex))
    assert.isUndefined(DisputeGame.claimOf("0x"))
    // dirty padding after data of 5 bytes
    const short = Rollup.gameData({ ...claim, extraData: "0x0102030405" })
    assert.strictEqual(DisputeGame.claimOf(short as Hex.Hex)?.extraData, "0x0102030405")
    assert.isUndefined(DisputeGame.claimOf(`${short.slice(0, -2)}01` as Hex.Hex))
    // more data than any game has
    const long: `0x${string}` = `0x${"00".repeat(1025)}`
    assert.isUndefined(DisputeGame.claimOf(Rollup.gameData({ ...claim, extraData: long }) as Hex.Hex))
  })

  it("reads the block number by the type of the game", () => {
    assert.strictEqual(DisputeGame.numberOf(ours), 5n)
    assert.isUndefined(DisputeGame.numberOf({ ...ours, extraData: `${claim.extraData}00` }))
    assert.isUndefined(DisputeGame.numberOf({ ...ours, gameType: 10 }))
    assert.strictEqual(DisputeGame.numberOf({ ...ours, gameType: 10, extraData: `${claim.extraData}00000001` }), 5n)
    assert.isUndefined(DisputeGame.numberOf({ ...ours, gameType: 5 }))
  })

  it("never throws on what a node may return", () => {
    const random = Random.make(32)
    const honest = Hex.toBytesUnsafe(Rollup.gameData(claim))
    for (let run = 0; run < Random.runs(2000); run++) {
      const bytes = honest.slice(0, Random.int(random, 3) === 0 ? Random.int(random, honest.length + 1) : honest.length)
      if (bytes.length > 0) bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      const read = DisputeGame.claimOf(Hex.fromBytes(bytes))
      // what is accepted is its only encoding
      if (read === undefined) continue
      const { extraData, gameType, rootClaim } = read
      assert.strictEqual(Rollup.gameData({ gameType, extraData, root: rootClaim }), Hex.fromBytes(bytes))
      assert.doesNotThrow(() => DisputeGame.slotOf(read))
    }
  })
})
