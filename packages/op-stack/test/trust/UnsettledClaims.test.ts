/**
 * Tests the states that are weaker than settled, over a made L1 whose factory has several games. The tries and headers are
 * made by ethereumjs, and the contracts' storage by viem from the published layouts.
 */
import { assert, describe, it } from "@effect/vitest"
import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { OpStackEvidence, OpStackReason, OpStackTrust } from "@plumbline/op-stack"
import * as Random from "@plumbline/seeded/Random"
import { type Anchor, Reason, type Verdict } from "@plumbline/verdict"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import * as MadeChain from "../support/madeChain.ts"
import * as Rollup from "../support/madeRollup.ts"

const SETTLED = 500n
const [FIRST, SECOND, THIRD] = ["7", "8", "a"].map(Rollup.address) as [`0x${string}`, `0x${string}`, `0x${string}`]

interface Setting {
  readonly accept?: OpStackTrust.WeakState | undefined
  readonly release?: Rollup.Release
  /** The games of each block of L1, oldest first, behind the settled one. */
  readonly games: ReadonlyArray<ReadonlyArray<Rollup.FurtherGame>>
  readonly respected?: Parameters<typeof Rollup.addGames>[3]
  /** Changes the contracts' storage at a block of L1. */
  readonly storage?: (storage: Record<string, Record<string, bigint>>, at: number) => void
  readonly l1?: MadeChain.Node["change"]
  /** The blocks that the node of the rollup has, besides the settled one. */
  readonly blocks: ReadonlyArray<MadeChain.MadeBlock>
  readonly options?: Rollup.Options
}

const clientOf = ({ transport }: ReturnType<typeof MadeChain.node>): EthClient.Client =>
  Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))

const worldOf = async ({ accept, blocks, games, l1, options, release = Rollup.newest, ...setting }: Setting) => {
  const settled = await Rollup.rollupBlock(SETTLED)
  const parents: Array<MadeChain.MadeBlock> = []
  const calls: Record<string, string> = { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(settled)) }
  for (const [at, all] of games.entries()) {
    const storage = Rollup.storageOf(release, settled, options)
    Rollup.addGames(storage, release, all, setting.respected)
    setting.storage?.(storage, at)
    for (const { address, block, gameType } of all) calls[address] = Rollup.gameData(Rollup.claimOf(block, gameType))
    parents.push(
      await MadeChain.make(storage, { number: 77n + BigInt(at), timestamp: Rollup.L1_TIME + 12n * BigInt(at) })
    )
  }
  const l1Node = MadeChain.node({ blocks: parents, calls, ...(l1 && { change: l1 }) })
  const node = MadeChain.node({ blocks: [settled, ...blocks] })
  let at = 0
  const trust: TrustedBlock.TrustedBlock["Service"] = {
    resolve: () => Effect.succeed({ _tag: "Exactly", hash: parents[at]!.json.hash, by: "a test" })
  }
  const made = OpStackTrust.make(Rollup.chainOf(release), { eth: clientOf(l1Node), trust }, [clientOf(node)], {
    accept
  })
  return {
    trust: made,
    settled,
    l1: l1Node,
    eth: VerdictEthClient.make(clientOf(node), made, { chainId: 901n }),
    node,
    moveTo: (next: number) => {
      at = next
    }
  }
}

const resolve = ({ trust }: Awaited<ReturnType<typeof worldOf>>, block: Parameters<typeof trust.resolve>[0] = "safe") =>
  Effect.runPromise(trust.resolve(block))

/** Returns the state and the game of the safe block, or the tag of the reason why there is none. */
const safeOf = async (setting: Setting): Promise<ReadonlyArray<string | undefined>> => {
  const told = await resolve(await worldOf(setting))
  if (told._tag === "Nothing") return [told.reason._tag]
  const { anchor, weak } = told
  return weak?._tag === "Unsettled"
    ? [weak.state, weak.game]
    : anchor?._tag === "Rollup"
      ? [anchor.state, anchor.game]
      : []
}

const claimAnchorOf = (verdict: Verdict.Verdict<unknown>): Anchor.UnsettledAnchor => {
  assert.strictEqual(verdict._tag, "CLAIMED")
  assert.strictEqual(verdict.anchor?._tag, "Unsettled")
  return verdict.anchor as Anchor.UnsettledAnchor
}

const fresh = (number: bigint, salt = 9n) => Rollup.rollupBlock(number, { salt })

describe("a claim that L1 does not settle", () => {
  for (const release of [Rollup.newest, Rollup.releases[0]!]) {
    for (const [accept, status] of [
      ["resolved", "won"],
      ["proposed", "open"]
    ] as const) {
      it(`that is ${accept} is claimed under its own name, in release ${release.name}`, async () => {
        const block = await fresh(600n)
        const game = { address: FIRST, block, status }
        const world = await worldOf({ accept, release, games: [[game]], blocks: [block] })
        const verdict = await Effect.runPromise(world.eth.getStorageAt(Rollup.PASSER, "0x7", "safe"))
        assert.strictEqual(BigInt(verdict.value), 9n)
        const anchor = claimAnchorOf(verdict)
        assert.deepStrictEqual(
          [anchor.state, anchor.game, anchor.gameType, anchor.hash, anchor.accepted],
          [accept, FIRST, 0, block.json.hash, true]
        )
        assert.strictEqual(anchor.resolvedAt, status === "won" ? Rollup.FURTHER + 302_400n : undefined)
        assert.isTrue(verdict._tag === "CLAIMED" && verdict.claimed.every(({ reason }) => Reason.isAccepted(reason)))
        const claimed = verdict.proven.find(OpStackEvidence.OutputClaimed.is)!
        assert.deepStrictEqual([claimed.state, claimed.game.createdAt], [accept, Rollup.FURTHER])
        assert.strictEqual(claimed.outputRoot, Rollup.outputRoot(block))
        assert.strictEqual(verdict.proven.find(OpStackEvidence.OutputCommits.is)?.lag, 800_000n - 600n)
        assert.isUndefined(verdict.proven.find(OpStackEvidence.OutputSettled.is))
        // the settled block stays what is finalized, and VERIFIED
        const finalized = await Effect.runPromise(world.eth.getBlockByNumber("finalized"))
        assert.deepStrictEqual([finalized._tag, finalized.anchor?.hash], ["VERIFIED", world.settled.json.hash])
      })
    }
  }

  it("is served by a client of proven answers only to a reader who accepted it", async () => {
    const block = await fresh(600n)
    const games = [[{ address: FIRST, block, status: "open" as const }]]
    const read = async (accept: OpStackTrust.WeakState | undefined) => {
      const world = await worldOf({ accept, games, blocks: [block] })
      const layer = ProvenEthClient.layer({ chainId: 901n }).pipe(
        Layer.provide([
          Layer.succeed(Transport.Transport, world.node.transport),
          Layer.succeed(TrustedBlock.TrustedBlock, world.trust)
        ])
      )
      const asked = ProvenEthClient.ProvenEthClient.use((eth) => eth.getStorageAt(Rollup.PASSER, "0x7", 600n))
      return (await Effect.runPromise(Effect.result(Effect.provide(asked, layer))))._tag
    }
    assert.strictEqual(await read("proposed"), "Success")
    assert.strictEqual(await read("resolved"), "Failure")
    assert.strictEqual(await read(undefined), "Failure")
  })

  it("is not looked for without consent", async () => {
    const block = await fresh(600n)
    const world = await worldOf({ games: [[{ address: FIRST, block, status: "won" }]], blocks: [block] })
    const told = await resolve(world)
    assert.isTrue(told._tag === "Exactly" && told.weak === undefined && told.anchor?._tag === "Rollup")
    const above = await resolve(world, 600n)
    assert.isTrue(above._tag === "Nothing" && OpStackReason.NewerThanSettled.is(above.reason))
    assert.isFalse(JSON.stringify(world.l1.made).includes(FIRST))
  })

  it("names older blocks, and none that are newer", async () => {
    const block = await fresh(600n)
    const games = [[{ address: FIRST, block, status: "won" as const }]]
    const world = await worldOf({ accept: "resolved", games, blocks: [block] })
    for (const number of [SETTLED + 1n, 600n]) {
      const told = await resolve(world, number)
      assert.isTrue(told._tag === "OnChain" && told.weak?._tag === "Unsettled")
    }
    for (const number of ["earliest", SETTLED] as const) {
      const told = await resolve(world, number)
      assert.isTrue(told._tag === "OnChain" && told.anchor?._tag === "Rollup" && told.weak === undefined)
    }
    for (const number of ["latest", 601n] as const) {
      const told = await resolve(world, number)
      assert.isTrue(told._tag === "Nothing" && OpStackReason.NewerThanSettled.is(told.reason))
      if (told._tag === "Nothing") assert.match(told.reason.sentence, /newer than block 600, .*resolved.*read "safe"/u)
    }
  })

  it("is the newest in a state that the reader accepts", async () => {
    const [older, newer] = await Promise.all([fresh(600n), fresh(700n)])
    const games = [
      [
        { address: FIRST, block: older, status: "won" as const },
        { address: SECOND, block: newer, status: "open" as const }
      ]
    ]
    const blocks = [older, newer]
    assert.deepStrictEqual(await safeOf({ accept: "resolved", games, blocks }), ["resolved", FIRST])
    assert.deepStrictEqual(await safeOf({ accept: "proposed", games, blocks }), ["proposed", SECOND])
    // a game that was won serves a reader who accepts less
    const won = [[games[0]![0]!]]
    assert.deepStrictEqual(await safeOf({ accept: "proposed", games: won, blocks }), ["resolved", FIRST])
  })

  it("can have a validity proof, once it is resolved", async () => {
    const block = await fresh(600n)
    const of = (status: "won" | "open"): Setting => ({
      accept: "proposed",
      games: [[{ address: FIRST, block, gameType: 10, status }]],
      respected: { respected: 10 },
      blocks: [block]
    })
    assert.deepStrictEqual(await safeOf(of("won")), ["resolved", FIRST])
    assert.deepStrictEqual(await safeOf(of("open")), ["settled", Rollup.GAME])
  })

  it("counts also while the contracts have only a placeholder", async () => {
    const block = await fresh(600n)
    const world = await worldOf({
      accept: "resolved",
      games: [[{ address: FIRST, block, status: "won" }]],
      blocks: [block],
      storage: (storage) =>
        Object.assign(storage[Rollup.REGISTRY]!, { 2: 0n, 3: BigInt(`0xdead${"0".repeat(60)}`), 4: 0n })
    })
    assert.strictEqual((await resolve(world, "finalized"))._tag, "Nothing")
    const told = await resolve(world)
    assert.isTrue(told._tag === "Exactly" && told.weak?._tag === "Unsettled")
  })

  it.effect("has an age by the clock of the reader", () =>
    Effect.gen(function* () {
      const block = yield* Effect.promise(() => fresh(600n))
      const games = [[{ address: FIRST, block, status: "open" as const }]]
      const world = yield* Effect.promise(() => worldOf({ accept: "proposed", games, blocks: [block] }))
      const time = Number(block.json["timestamp"])
      for (const age of [0, 3600]) {
        yield* TestClock.setTime(1000 * (time + age))
        const weak = yield* world.trust.resolve("safe")
        const strong = yield* world.trust.resolve("finalized")
        assert.strictEqual(weak._tag === "Exactly" && weak.weak?._tag === "Unsettled" ? weak.weak.age : -1, age)
        assert.strictEqual(
          strong._tag === "Exactly" && strong.anchor?._tag === "Rollup" ? strong.anchor.age : -1,
          age + 100
        )
      }
      // a clock that is behind the block
      yield* TestClock.setTime(0)
      const early = yield* world.trust.resolve("safe")
      assert.strictEqual(early._tag === "Exactly" && early.weak?._tag === "Unsettled" ? early.weak.age : -1, 0)
    })
  )
})

describe("games that do not count", () => {
  const cases: ReadonlyArray<
    readonly [
      name: string,
      accept: OpStackTrust.WeakState,
      game: Partial<Rollup.FurtherGame>,
      setting?: Partial<Setting>
    ]
  > = [
    ["an open game, for a reader of resolved ones", "resolved", { status: "open" }],
    ["a game that the challenger won", "proposed", { status: "lost" }],
    ["an open game that a party disputes", "proposed", { status: "open", claims: 2n }],
    ["an open game whose number was disproved", "proposed", { status: "open", challenged: true }],
    ["a won game whose number was disproved", "resolved", { status: "won", challenged: true }],
    ["a game that was resolved in the future", "resolved", { status: "won", resolvedAt: Rollup.L1_TIME + 1n }],
    ["a game whose type was not respected at its creation", "proposed", { status: "open", isRespected: false }],
    ["a game of another type", "proposed", { status: "open", gameType: 1 }],
    [
      "a retired game",
      "resolved",
      { status: "won", createdAt: Rollup.FURTHER },
      { respected: { retired: Rollup.FURTHER } }
    ],
    [
      "an unsupported type, although it is respected",
      "resolved",
      { status: "won", gameType: 9 },
      { respected: { respected: 9 } }
    ],
    [
      "a game that the guardian voided",
      "resolved",
      { status: "won" },
      {
        storage: (storage) => {
          storage[Rollup.REGISTRY]![String(Rollup.mapping(BigInt(FIRST), 5n))] = 1n
        }
      }
    ],
    [
      "a game that the factory's mapping does not know",
      "resolved",
      { status: "won" },
      {
        storage: (storage) => {
          for (const [slot, value] of Object.entries(storage[Rollup.FACTORY]!)) {
            const isEntry = BigInt.asUintN(160, value) === BigInt(FIRST)
            const isListed = BigInt(slot) === Rollup.LIST + 1n
            if (isEntry && !isListed) storage[Rollup.FACTORY]![slot] = 0n
          }
        }
      }
    ]
  ]
  for (const [name, accept, game, setting] of cases) {
    it(`${name}: the settled block serves in its place`, async () => {
      const block = await fresh(600n)
      const games = [[{ address: FIRST, block, status: "won" as const, ...game }]]
      const told = await safeOf({ accept, games, blocks: [block], ...setting })
      assert.deepStrictEqual(told, ["settled", Rollup.GAME])
    })
  }

  it("are passed over for an older one that counts", async () => {
    const [older, newer, newest] = await Promise.all([fresh(600n), fresh(700n), fresh(800n)])
    const games = [
      [
        { address: FIRST, block: older, status: "open" as const },
        { address: SECOND, block: newer, status: "open" as const, claims: 4n },
        { address: THIRD, block: newest, status: "lost" as const }
      ]
    ]
    assert.deepStrictEqual(await safeOf({ accept: "proposed", games, blocks: [older] }), ["proposed", FIRST])
  })

  it("are found behind many others, and the read is bounded", async () => {
    const [older, newer] = await Promise.all([fresh(600n), fresh(700n)])
    const others = (count: number): ReadonlyArray<Rollup.FurtherGame> =>
      Array.from({ length: count }, (_, at) => ({
        address: `0x${(0xb000 + at).toString(16).padStart(40, "0")}`,
        block: newer,
        status: "open"
      }))
    const won = { address: FIRST, block: older, status: "won" as const }
    const of = (count: number) => safeOf({ accept: "resolved", games: [[won, ...others(count)]], blocks: [older] })
    assert.deepStrictEqual(await of(100), ["resolved", FIRST])
    if (!Random.isWhole) return
    assert.deepStrictEqual(await of(1023), ["resolved", FIRST])
    assert.deepStrictEqual(await of(1024), ["settled", Rollup.GAME])
  })
})

describe("the work of a reader", () => {
  /** Games that were won about blocks that are not newer than the settled one. */
  const olderGames = (count: number): Promise<ReadonlyArray<Rollup.FurtherGame>> =>
    Promise.all(
      Array.from({ length: count }, async (_, at) => ({
        address: `0x${(0xb000 + at).toString(16).padStart(40, "0")}` as const,
        block: await fresh(300n + BigInt(at)),
        status: "won" as const
      }))
    )

  it("is done once for a block of L1 that has no such game", async () => {
    const world = await worldOf({ accept: "resolved", games: [await olderGames(4), await olderGames(4)], blocks: [] })
    await resolve(world)
    const once = world.l1.made.length
    for (const block of ["safe", "latest", 600n] as const) await resolve(world, block)
    assert.strictEqual(world.l1.made.length, once)
    world.moveTo(1)
    await resolve(world)
    assert.isAbove(world.l1.made.length, once)
  })

  it("is done again if the node did not say the state of a game", async () => {
    let isSilent = true
    const block = await fresh(600n)
    const world = await worldOf({
      accept: "resolved",
      games: [[{ address: FIRST, block, status: "won" }]],
      blocks: [block],
      l1: (answer, { method }) => (method === "eth_getStorageAt" && isSilent ? MadeChain.REFUSED : answer)
    })
    const before = await resolve(world)
    assert.isTrue(before._tag === "Exactly" && before.hash === world.settled.json.hash)
    isSilent = false
    const after = await resolve(world)
    assert.isTrue(after._tag === "Exactly" && after.hash === block.json.hash)
  })

  it("ends with the last game that is proven", async () => {
    const world = await worldOf({ accept: "resolved", games: [await olderGames(100)], blocks: [] })
    await resolve(world)
    const hints = world.l1.made.filter(({ method }) => method === "eth_getStorageAt").length
    // pages of 8 and 24 games, of which 8 are proven
    assert.isAtMost(hints, 32)
  })
})

describe("claims that fall", () => {
  it("are withdrawn when the guardian voids the game, and answers return to the settled block", async () => {
    const block = await fresh(600n)
    const game = { address: FIRST, block, status: "won" as const }
    const world = await worldOf({
      accept: "resolved",
      games: [[game], [game]],
      blocks: [block],
      storage: (storage, at) => {
        if (at === 1) storage[Rollup.REGISTRY]![String(Rollup.mapping(BigInt(FIRST), 5n))] = 1n
      }
    })
    const before = await resolve(world)
    assert.isTrue(before._tag === "Exactly" && before.hash === block.json.hash)
    world.moveTo(1)
    for (const isAgain of [false, true]) {
      const after = await resolve(world)
      assert.isTrue(
        after._tag === "Exactly" && after.hash === world.settled.json.hash && after.weak === undefined,
        String(isAgain)
      )
      assert.strictEqual((await resolve(world, 600n))._tag, "Nothing")
    }
  })

  it("are withdrawn when the challenger wins, and an older claim counts again", async () => {
    const [older, newer] = await Promise.all([fresh(600n), fresh(700n)])
    const first = { address: FIRST, block: older, status: "open" as const }
    const second = { address: SECOND, block: newer }
    const world = await worldOf({
      accept: "proposed",
      games: [
        [first, { ...second, status: "open" }],
        [first, { ...second, status: "open", claims: 2n }],
        [first, { ...second, status: "lost" }]
      ],
      blocks: [older, newer]
    })
    const hashes: Array<string> = []
    for (const at of [0, 1, 2]) {
      world.moveTo(at)
      const told = await resolve(world)
      hashes.push("hash" in told ? told.hash : "nothing")
    }
    assert.deepStrictEqual(hashes, [newer.json.hash, older.json.hash, older.json.hash])
  })

  it("are replaced by another block with the same number, which is no going back", async () => {
    const [one, other] = await Promise.all([fresh(600n), fresh(600n, 10n)])
    const world = await worldOf({
      accept: "proposed",
      games: [
        [{ address: FIRST, block: one, status: "open" }],
        [
          { address: FIRST, block: one, status: "lost" },
          { address: SECOND, block: other, status: "open" }
        ]
      ],
      blocks: [other]
    })
    // the node has only the other block: it is not blamed for a claim that may be false
    const told = await resolve(world)
    assert.isTrue(told._tag === "Exactly" && told.hash === world.settled.json.hash)
    world.moveTo(1)
    const later = await resolve(world)
    assert.isTrue(later._tag === "Exactly" && later.hash === other.json.hash)
  })

  it("do not move the settled block, whose anchor game can itself be voided later", async () => {
    const block = await fresh(600n)
    const game = { address: FIRST, block, status: "open" as const }
    const world = await worldOf({
      accept: "proposed",
      games: [[game], [game]],
      blocks: [block],
      storage: (storage, at) => {
        if (at === 1) storage[Rollup.REGISTRY]![String(Rollup.mapping(BigInt(Rollup.GAME), 5n))] = 1n
      }
    })
    assert.strictEqual((await resolve(world, "finalized"))._tag, "Exactly")
    world.moveTo(1)
    const told = await resolve(world, "finalized")
    assert.isTrue(told._tag === "Nothing" && OpStackReason.GameUnconfirmed.is(told.reason))
    const safe = await resolve(world)
    assert.isTrue(safe._tag === "Exactly" && safe.weak?._tag === "Unsettled")
  })
})

describe("lies about games", () => {
  const block = fresh(600n)
  const setting = async (
    l1: NonNullable<MadeChain.Node["change"]>,
    blocks?: ReadonlyArray<MadeChain.MadeBlock>
  ): Promise<Setting> => ({
    accept: "proposed",
    games: [[{ address: FIRST, block: await block, status: "open" }]],
    blocks: blocks ?? [await block],
    l1
  })
  const outcome = async (made: Setting): Promise<string> => {
    const world = await worldOf(made)
    const told = await Effect.runPromise(Effect.result(world.trust.resolve("safe")))
    if (told._tag === "Failure")
      return told.failure._tag === "RefutedError" ? `REFUTED ${told.failure.check}` : told.failure._tag
    return told.success._tag === "Nothing" ? told.success.reason._tag : told.success.weak ? "UNSETTLED" : "SETTLED"
  }

  it("in each proven word are refuted", async () => {
    const honest = await worldOf(await setting((answer) => answer))
    await resolve(honest)
    const asked = honest.l1.made.flatMap(({ method, params }) =>
      method === "eth_getProof" ? (params[1] as Array<string>).map((key) => [params[0] as string, key] as const) : []
    )
    assert.isTrue(asked.some(([address]) => address === FIRST))
    for (const [address, key] of asked) {
      const lie: MadeChain.Node["change"] = (answer, { method, params }) => {
        if (method !== "eth_getProof" || params[0] !== address) return answer
        const { storageProof, ...rest } = answer as { storageProof: Array<{ key: string; value: string }> }
        const changed = storageProof.map((slot) =>
          slot.key === key ? { ...slot, value: `0x${(BigInt(slot.value) ^ 1n).toString(16)}` } : slot
        )
        return { ...rest, storageProof: changed }
      }
      assert.match(await outcome(await setting(lie)), /^REFUTED storageProof/u, `${address} ${key}`)
    }
  })

  it("in hints hide a game and forge none", async () => {
    const hint =
      (value: unknown): NonNullable<MadeChain.Node["change"]> =>
      (answer, { method }) =>
        method === "eth_getStorageAt" ? value : answer
    assert.strictEqual(await outcome(await setting(hint(MadeChain.word(0n)))), "UNSETTLED")
    const lost = MadeChain.word(Rollup.stateWord({ createdAt: 1n, resolvedAt: 2n, status: 1n }))
    for (const value of [lost, MadeChain.REFUSED])
      assert.strictEqual(await outcome(await setting(hint(value))), "SETTLED")
    assert.strictEqual(await outcome(await setting(hint(MadeChain.UNREACHABLE))), "JsonRpcError")
    // a lost game that is said to be won
    const won = MadeChain.word(Rollup.stateWord({ createdAt: 1n, resolvedAt: 2n, status: 2n }))
    const lied = await setting(hint(won))
    const games = [[{ address: FIRST, block: await block, status: "lost" as const }]]
    assert.strictEqual(await outcome({ ...lied, games }), "SETTLED")
  })

  it("in the claim settle nothing, because only the factory proves it", async () => {
    const other = await fresh(600n, 10n)
    const lie: MadeChain.Node["change"] = (answer, { method, params }) =>
      method === "eth_call" && (params[0] as { to: string }).to === FIRST
        ? Rollup.gameData(Rollup.claimOf(other))
        : answer
    assert.strictEqual(await outcome(await setting(lie, [other])), "SETTLED")
  })

  it("of a claim refute no node of the rollup, whose own block may be the true one", async () => {
    assert.strictEqual(await outcome(await setting((answer) => answer, [await fresh(600n, 10n)])), "SETTLED")
    const parent = await fresh(599n, 8n)
    const claimed = await Rollup.rollupBlock(600n, { parentHash: parent.json.hash })
    const games = [[{ address: FIRST, block: claimed, status: "open" as const }]]
    // the node has the claimed block, and another one before it
    const world = await worldOf({ accept: "proposed", games, blocks: [claimed, await fresh(599n, 7n)] })
    const read = await Effect.runPromise(Effect.result(world.eth.getStorageAt(Rollup.PASSER, "0x7", 599n)))
    assert.isFalse(read._tag === "Failure" && read.failure._tag === "RefutedError")
    assert.isFalse(read._tag === "Success" && read.success._tag === "VERIFIED")
  })
})
