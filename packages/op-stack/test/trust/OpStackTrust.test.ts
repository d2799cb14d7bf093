/**
 * Tests the trust in a rollup over a made L1. The tries and headers are made by ethereumjs, and the contracts' storage by
 * viem from the published layouts.
 */
import { assert, describe, it } from "@effect/vitest"
import { EthClient, EthReason, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { type OpStackChain, OpStackEvidence, OpStackReason, OpStackTrust } from "@plumbline/op-stack"
import { Anchor, Evidence, type Verdict } from "@plumbline/verdict"
import { Effect, Layer } from "effect"

import * as MadeChain from "../support/madeChain.ts"
import * as Rollup from "../support/madeRollup.ts"

const NUMBER = 500n

interface World {
  /** The trust, and a verifying client of the rollup with it. */
  readonly trust: TrustedBlock.TrustedBlock["Service"]
  readonly eth: VerdictEthClient.Client
  readonly l1: ReturnType<typeof MadeChain.node>
  readonly l2: ReturnType<typeof MadeChain.node>
}

interface Setting {
  readonly release?: Rollup.Release
  readonly options?: Rollup.Options
  /** Changes the contracts' storage, before L1 is made. */
  readonly storage?: (storage: Record<string, Record<string, bigint>>) => void
  /** The claim that the game tells of itself. */
  readonly told?: (claim: Rollup.Claim) => Rollup.Claim
  /** Changes answers of the node of L1 or of the rollup. */
  readonly l1?: MadeChain.Node["change"]
  readonly l2?: MadeChain.Node["change"]
  readonly isIsthmus?: boolean
  /** Changes the description of the chain. */
  readonly chain?: Partial<OpStackChain.OpStackChain>
  /** The block that the node of the rollup has in place of the settled one. */
  readonly other?: MadeChain.MadeBlock
  /** The lies of further nodes of the rollup, which are asked before. They have the settled block. */
  readonly before?: ReadonlyArray<MadeChain.Node["change"]>
}

const clientOf = ({ transport }: ReturnType<typeof MadeChain.node>): EthClient.Client =>
  Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))

const pinned = (hash: string): TrustedBlock.TrustedBlock["Service"] =>
  Effect.runSync(Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerPinned(hash as never)))

const worldOf = async (setting: Setting = {}): Promise<World & { readonly head: MadeChain.MadeBlock }> => {
  const { isIsthmus = true, options = {}, release = Rollup.newest } = setting
  const head = await Rollup.rollupBlock(NUMBER, { isIsthmus })
  const storage = Rollup.storageOf(release, head, options)
  setting.storage?.(storage)
  const block = await MadeChain.make(storage, { number: 77n, timestamp: Rollup.L1_TIME })
  const claim = Rollup.claimOf(head, options.gameType)
  const calls = { [Rollup.GAME]: Rollup.gameData(setting.told?.(claim) ?? claim) }
  const l1 = MadeChain.node({ blocks: [block], calls, ...(setting.l1 && { change: setting.l1 }) })
  const l2 = MadeChain.node({ blocks: [setting.other ?? head], ...(setting.l2 && { change: setting.l2 }) })
  const parent = { eth: clientOf(l1), trust: pinned(block.json.hash) }
  const trust = OpStackTrust.make({ ...Rollup.chainOf(release), ...setting.chain }, parent, [
    ...(setting.before ?? []).map((change) => clientOf(MadeChain.node({ blocks: [head], ...(change && { change }) }))),
    clientOf(l2)
  ] as [EthClient.Client])
  return { trust, l1, l2, head, eth: VerdictEthClient.make(clientOf(l2), trust, { chainId: 901n }) }
}

type Success = { readonly success: Extract<TrustedBlock.TrustedAnswer, { readonly _tag: "Nothing" }> }

/** A node that says this chain id, and changes its blocks, or has none. */
const saying =
  (chainId: string, block: MadeChain.Json | null = {}): MadeChain.Node["change"] =>
  (answer, { method }) => {
    if (method === "eth_chainId") return chainId
    if (!method.startsWith("eth_getBlockBy")) return answer
    return block === null ? null : { ...(answer as MadeChain.Json), ...block }
  }

const finalized = ({ trust }: World) => Effect.runPromise(Effect.result(trust.resolve("finalized")))

/** Returns the reason why a world settles nothing, or the check that refuted it. */
const stopOf = async (setting: Setting): Promise<string> => {
  const answer = await finalized(await worldOf(setting))
  if (answer._tag === "Failure") {
    return answer.failure._tag === "RefutedError" ? `REFUTED ${answer.failure.check}` : answer.failure.message
  }
  const told = answer.success
  if (told._tag !== "Nothing") return "TRUSTED"
  return OpStackReason.GameUnconfirmed.is(told.reason) ? told.reason.check : told.reason._tag
}

const anchorOf = (verdict: Verdict.Verdict<unknown>): Anchor.RollupAnchor => {
  assert.strictEqual(verdict._tag, "VERIFIED")
  assert.strictEqual(verdict.anchor?._tag, "Rollup")
  return verdict.anchor as Anchor.RollupAnchor
}

describe("a settled block", () => {
  for (const release of Rollup.releases) {
    it(`of release ${release.name} proves the rollup's state`, async () => {
      const world = await worldOf({ release })
      const verdict = await Effect.runPromise(world.eth.getStorageAt(Rollup.PASSER, "0x7", "finalized"))
      assert.strictEqual(BigInt(verdict.value), 9n)
      const anchor = anchorOf(verdict)
      assert.deepStrictEqual(anchor, {
        _tag: "Rollup",
        hash: world.head.json.hash,
        chainId: 901n,
        state: "settled",
        game: Rollup.GAME,
        gameType: 0,
        resolvedAt: Rollup.RESOLVED,
        contracts: { optimismPortal: release.portal[0], anchorStateRegistry: release.registry[0] },
        l1: anchor.l1,
        age: anchor.age
      })
      assert.strictEqual(anchor.l1._tag, "Block")
    })
  }

  it("has evidence that names the game, the contracts and the age", async () => {
    const { eth, head } = await worldOf()
    const { proven } = await Effect.runPromise(eth.getBlockByNumber("finalized"))
    const settled = proven.find(OpStackEvidence.OutputSettled.is)!
    assert.strictEqual(settled.outputRoot, Rollup.outputRoot(head))
    assert.deepStrictEqual(settled.game, {
      address: Rollup.GAME,
      gameType: 0,
      createdAt: Rollup.CREATED,
      resolvedAt: Rollup.RESOLVED
    })
    assert.match(settled.sentence, /optimismPortal 5\.6\.1, anchorStateRegistry 3\.9\.0/u)
    const commits = proven.find(OpStackEvidence.OutputCommits.is)!
    assert.strictEqual(commits.lag, 800_000n - NUMBER)
  })

  it("is proven from a block of L1 of a later fork, if the reader has its data", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    const later = { inventedRoot: MadeChain.word(5n) }
    const storage = Rollup.storageOf(Rollup.newest, head)
    const block = await MadeChain.make(storage, { number: 77n, timestamp: Rollup.L1_TIME, later })
    const calls = { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(head)) }
    const parent = { eth: clientOf(MadeChain.node({ blocks: [block], calls })), trust: pinned(block.json.hash) }
    const node = clientOf(MadeChain.node({ blocks: [head] }))
    const told = (l1Forks?: OpStackTrust.ParentForks["l1Forks"]) =>
      Effect.runPromise(
        OpStackTrust.make(Rollup.chainOf(Rollup.newest), parent, [node], { l1Forks }).resolve("finalized")
      )
    const without = await told()
    assert.isTrue(without._tag === "Nothing" && OpStackReason.L1Untrusted.is(without.reason))
    const headerFields = [{ name: "inventedRoot", kind: "hash" }] as const
    assert.strictEqual(
      (await told({ after: "requestsHash", forks: [{ name: "invented", headerFields }] }))._tag,
      "Exactly"
    )
  })

  it("can be claimed by each supported type of games", async () => {
    for (const gameType of [0, 1, 2, 3, 8, 10]) {
      const { eth } = await worldOf({ options: { gameType } })
      assert.strictEqual(anchorOf(await Effect.runPromise(eth.getBlockByNumber("finalized"))).gameType, gameType)
    }
    for (const gameType of [4, 5, 7, 9]) {
      assert.strictEqual(await stopOf({ options: { gameType } }), "UnsupportedGame")
    }
    assert.strictEqual(await stopOf({ options: { gameType: 255 } }), "UnsupportedGame")
  })

  it("is the starting root as long as no game is settled, and says so", async () => {
    for (const release of Rollup.releases) {
      const { eth } = await worldOf({ release, options: { isStarting: true } })
      const anchor = anchorOf(await Effect.runPromise(eth.getBlockByNumber("finalized")))
      assert.deepStrictEqual([anchor.state, anchor.game], ["starting", undefined])
    }
  })

  it("before Isthmus needs the message passer's account", async () => {
    const { eth, l2 } = await worldOf({ isIsthmus: false })
    anchorOf(await Effect.runPromise(eth.getBlockByNumber("finalized")))
    assert.isTrue(l2.made.some(({ method, params }) => method === "eth_getProof" && params[0] === Rollup.PASSER))
    const pruned = (answer: unknown, { method }: MadeChain.Call) =>
      method === "eth_getProof" ? MadeChain.REFUSED : answer
    assert.strictEqual(await stopOf({ isIsthmus: false, l2: pruned }), "SettledBlockUnproven")
  })

  it("since Isthmus needs no state of the rollup", async () => {
    const pruned = (answer: unknown, { method }: MadeChain.Call) =>
      method === "eth_getProof" ? MadeChain.REFUSED : answer
    assert.strictEqual(await stopOf({ l2: pruned }), "TRUSTED")
  })

  it("is not read again for callers that waited for a read that failed", async () => {
    const { l1, trust } = await worldOf({
      l1: (answer, { method }) => (method === "eth_call" ? MadeChain.UNREACHABLE : answer)
    })
    const read = () => Effect.runPromise(Effect.result(trust.resolve("finalized")))
    const outcomes = await Promise.all(Array.from({ length: 20 }, read))
    for (const outcome of outcomes) {
      // a node of L1 that cannot be reached says nothing about the game
      assert.isTrue(outcome._tag === "Failure" && outcome.failure._tag === "JsonRpcError")
    }
    const calls = () => l1.made.filter(({ method }) => method === "eth_call").length
    assert.strictEqual(calls(), 1)
    await read()
    assert.strictEqual(calls(), 2)
  })

  it("is asked for at once when L1 has moved on, and the block only if it is another", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    const next = await Rollup.rollupBlock(NUMBER + 1n)
    const blocks = [
      await MadeChain.make(Rollup.storageOf(Rollup.newest, head), { number: 77n, timestamp: Rollup.L1_TIME }),
      await MadeChain.make(Rollup.storageOf(Rollup.newest, head), { number: 78n, timestamp: Rollup.L1_TIME + 12n }),
      await MadeChain.make(Rollup.storageOf(Rollup.newest, next), { number: 79n, timestamp: Rollup.L1_TIME + 24n })
    ]
    let at = 0
    let claimed = head
    const l1 = MadeChain.node({
      blocks,
      calls: {},
      change: (answer, { method }) => (method === "eth_call" ? Rollup.gameData(Rollup.claimOf(claimed)) : answer)
    })
    const l2 = MadeChain.node({ blocks: [head, next] })
    const trust: TrustedBlock.TrustedBlock["Service"] = {
      resolve: (asked) => pinned(blocks[at]!.json.hash).resolve(asked)
    }
    const made = OpStackTrust.make(Rollup.chainOf(Rollup.newest), { eth: clientOf(l1), trust }, [clientOf(l2)])
    const resolved = async () => {
      l1.made.length = 0
      l2.made.length = 0
      const told = await Effect.runPromise(made.resolve("finalized"))
      assert.strictEqual(told._tag, "Exactly")
      return told._tag === "Exactly" ? told.hash : undefined
    }
    assert.strictEqual(await resolved(), head.json.hash)
    assert.strictEqual(await resolved(), head.json.hash)
    assert.deepStrictEqual([l1.made, l2.made], [[], []])
    at = 1
    assert.strictEqual(await resolved(), head.json.hash)
    // one proof for each contract, although a contract has several slots
    assert.strictEqual(l1.made.filter(({ method }) => method === "eth_getProof").length, 5)
    assert.deepStrictEqual(l2.made, [])
    at = 2
    claimed = next
    assert.strictEqual(await resolved(), next.json.hash)
    // an older trusted block of L1 does not bring the older block back
    at = 0
    assert.strictEqual(await resolved(), next.json.hash)
  })
})

describe("what the trust names", () => {
  it("is the settled block for older numbers, and nothing for newer blocks", async () => {
    const { head, trust } = await worldOf()
    const resolve = (block: Parameters<typeof trust.resolve>[0]) => Effect.runPromise(trust.resolve(block))
    for (const block of ["earliest", 0n, NUMBER] as const) {
      const told = await resolve(block)
      assert.deepStrictEqual([told._tag, "hash" in told && told.hash], ["OnChain", head.json.hash])
    }
    for (const tag of ["finalized", "safe"] as const) assert.strictEqual((await resolve(tag))._tag, "Exactly")
    for (const block of ["latest", NUMBER + 1n] as const) {
      const told = await resolve(block)
      assert.isTrue(told._tag === "Nothing" && OpStackReason.NewerThanSettled.is(told.reason) && told.isYet === true)
    }
    const pending = await resolve("pending")
    assert.isTrue(pending._tag === "Nothing" && EthReason.PendingBlock.is(pending.reason))
  })

  it("is nothing if L1 is not trusted, even if the reader accepts the word of nodes of L1", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    const block = await MadeChain.make(Rollup.storageOf(Rollup.newest, head), {
      number: 77n,
      timestamp: Rollup.L1_TIME
    })
    const l1 = MadeChain.node({ blocks: [block] })
    const node = Layer.succeed(Transport.Transport, l1.transport)
    for (const authority of [TrustedBlock.layerNone(), TrustedBlock.layerOperator(node, { accept: true })]) {
      const trust = await Effect.runPromise(Effect.provide(TrustedBlock.TrustedBlock, authority))
      const l2 = clientOf(MadeChain.node({ blocks: [head] }))
      const made = OpStackTrust.make(Rollup.chainOf(Rollup.newest), { eth: clientOf(l1), trust }, [l2])
      const told = await Effect.runPromise(made.resolve("finalized"))
      assert.isTrue(told._tag === "Nothing" && OpStackReason.L1Untrusted.is(told.reason))
    }
  })

  it("carries the anchor and the evidence of a light client of L1, or of a rollup that is the parent", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    const storage = Rollup.storageOf(Rollup.newest, head)
    const { json, ...block } = await MadeChain.make(storage, { number: 77n, timestamp: Rollup.L1_TIME })
    const light = Anchor.lightClient({
      hash: json.hash,
      checkpoint: MadeChain.word(5n),
      slot: 7n,
      finality: "finalized",
      participation: [509, 512],
      age: 14
    })
    const { hash } = json
    const game = { game: Rollup.GAME, gameType: 0, resolvedAt: 5n } as const
    const parent = Anchor.rollup({ hash, chainId: 900n, state: "settled", ...game, contracts: {}, l1: light, age: 9 })
    const signed = Evidence.kind("Signed", () => "members signed it")({})
    const trustIn = (anchor: Anchor.LightClientAnchor | Anchor.RollupAnchor): TrustedBlock.TrustedBlock["Service"] => ({
      resolve: (asked) => {
        // the rollup's anchor must not be read at a block of L1 that can be reorganised
        assert.strictEqual(asked, "finalized")
        return Effect.succeed({ _tag: "Exactly", hash: json.hash, by: "a light client", anchor, proven: [signed] })
      }
    })
    const calls = { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(head)) }
    const l1 = clientOf(MadeChain.node({ blocks: [{ json, ...block }], calls }))
    const node = clientOf(MadeChain.node({ blocks: [head] }))
    for (const anchor of [light, parent]) {
      const made = OpStackTrust.make(Rollup.chainOf(Rollup.newest), { eth: l1, trust: trustIn(anchor) }, [node])
      const verdict = await Effect.runPromise(VerdictEthClient.make(node, made).getBlockByNumber("finalized"))
      assert.deepStrictEqual(anchorOf(verdict).l1, anchor)
      assert.isTrue(verdict.proven.includes(signed))
    }
    // a later read of the same block of L1 says the age that the light client says then
    let age = 14
    const trust: TrustedBlock.TrustedBlock["Service"] = {
      resolve: (asked) => trustIn({ ...light, age }).resolve(asked)
    }
    const made = OpStackTrust.make(Rollup.chainOf(Rollup.newest), { eth: l1, trust }, [node])
    for (age of [14, 600]) {
      const verdict = await Effect.runPromise(VerdictEthClient.make(node, made).getBlockByNumber("finalized"))
      const parent = anchorOf(verdict).l1
      assert.strictEqual(parent._tag === "LightClient" && parent.age, age)
    }
  })

  it("comes from layers of L1 and of the rollup", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    const storage = Rollup.storageOf(Rollup.newest, head)
    const block = await MadeChain.make(storage, { number: 77n, timestamp: Rollup.L1_TIME })
    const l1 = MadeChain.node({ blocks: [block], calls: { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(head)) } })
    const l2 = MadeChain.node({ blocks: [head] })
    const parent = Layer.merge(
      Layer.succeed(Transport.Transport, l1.transport),
      TrustedBlock.layerPinned(block.json.hash)
    )
    const node = Layer.succeed(Transport.Transport, l2.transport)
    const trust = OpStackTrust.layer({ chain: Rollup.chainOf(Rollup.newest), l1: parent })
    const layer = VerdictEthClient.layer({ chainId: 901n }).pipe(Layer.provide([trust.pipe(Layer.provide(node)), node]))
    const read = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByNumber("finalized"))
    const anchor = anchorOf(await Effect.runPromise(Effect.provide(read, layer)))
    assert.strictEqual(anchor.hash, head.json.hash)
  })
})

describe("true states of L1 that settle nothing", () => {
  const game = (state: Partial<Parameters<typeof Rollup.stateWord>[0]>): Setting => ({
    storage: (storage) => {
      const whole = { createdAt: Rollup.CREATED, resolvedAt: Rollup.RESOLVED, status: 2n, ...state }
      storage[Rollup.GAME]![0] = Rollup.stateWord(whole)
    }
  })
  const slots = (address: string, change: (slots: Record<string, bigint>) => Record<string, bigint>): Setting => ({
    storage: (storage) => {
      storage[address] = change(storage[address]!)
    }
  })
  const only = (value: bigint) => (of: Record<string, bigint>) =>
    Object.fromEntries(Object.keys(of).map((slot) => [slot, value]))
  const implementation = String(Rollup.IMPLEMENTATION)
  const gameKey = BigInt(Rollup.GAME)

  const cases: ReadonlyArray<readonly [name: string, setting: Setting, reason: string]> = [
    ["a game in progress", game({ status: 0n, resolvedAt: 0n }), "game-status"],
    ["a game that the challenger won", game({ status: 1n }), "game-status"],
    ["a game whose number was disproved", game({ challenged: true }), "game-status"],
    ["a game that was made at another time", game({ createdAt: Rollup.CREATED + 1n }), "game-status"],
    ["a game resolved in the future", game({ resolvedAt: Rollup.L1_TIME + 1n }), "game-status"],
    ["a game without a time of resolution", game({ resolvedAt: 0n }), "game-status"],
    ["a game that is not initialized", slots(Rollup.GAME, (of) => ({ ...of, 0: 0n })), "game-status"],
    [
      "a game that claims another root",
      slots(Rollup.GAME, (of) => ({ ...of, [String(Rollup.CLAIM)]: 5n })),
      "game-claim"
    ],
    ["a game that the factory does not know", slots(Rollup.FACTORY, only(0n)), "game-registered"],
    [
      "a factory that names another game",
      slots(Rollup.FACTORY, only(Rollup.entryWord(0, Rollup.CREATED, Rollup.SYSTEM_CONFIG))),
      "game-registered"
    ],
    [
      "a factory that has the game as another type",
      slots(Rollup.FACTORY, only(Rollup.entryWord(1, Rollup.CREATED, Rollup.GAME))),
      "game-type"
    ],
    [
      "a blacklisted game",
      slots(Rollup.REGISTRY, (of) => ({ ...of, [String(Rollup.mapping(gameKey, 5n))]: 1n })),
      "game-blacklisted"
    ],
    [
      "an unknown implementation of the registry",
      slots(Rollup.REGISTRY, (of) => ({ ...of, [implementation]: 9n })),
      "UnknownImplementation"
    ],
    [
      "an unknown implementation of the portal",
      slots(Rollup.PORTAL, (of) => ({ ...of, [implementation]: 9n })),
      "UnknownImplementation"
    ],
    [
      "a portal whose version has an unknown layout",
      slots(Rollup.PORTAL, (of) => ({
        ...of,
        [implementation]: BigInt("0x1005217ad392dc64cef501fa1777a27d42166748")
      })),
      "UnknownImplementation"
    ],
    [
      "a portal that names another registry",
      slots(Rollup.PORTAL, (of) => ({ ...of, 62: BigInt(Rollup.SYSTEM_CONFIG) })),
      "UnknownImplementation"
    ],
    ["a portal that names no registry", slots(Rollup.PORTAL, (of) => ({ ...of, 62: 0n })), "EmptySlot"],
    ["no SystemConfig at the address", slots(Rollup.SYSTEM_CONFIG, only(0n)), "EmptySlot"]
  ]
  it.each(cases)("%s", async (_, setting, reason) => {
    assert.strictEqual(await stopOf(setting), reason)
  })

  it("a registry that takes roots without the delay in which the guardian can void a game", async () => {
    // releases up to 1.8: the root of each type of games, and its number, in the mapping of slot 1
    const release: Rollup.Release = { ...Rollup.releases[0]!, registry: ["2.0.0", Rollup.address("9")] }
    const head = await Rollup.rollupBlock(NUMBER)
    const anchors = Rollup.mapping(0n, 1n)
    const setting: Setting = {
      release,
      chain: { implementations: { anchorStateRegistry: { [Rollup.address("9")]: "2.0.0" } } },
      ...slots(Rollup.REGISTRY, (of) => ({
        ...of,
        [String(anchors)]: BigInt(Rollup.outputRoot(head)),
        [String(anchors + 1n)]: NUMBER
      }))
    }
    assert.strictEqual(await stopOf(setting), "UnknownImplementation")
  })

  it("a game whose data has another form than its type", async () => {
    const long = (claim: Rollup.Claim): Rollup.Claim => ({ ...claim, extraData: `${claim.extraData}00` })
    const claim = long(Rollup.claimOf(await Rollup.rollupBlock(NUMBER)))
    const registered = { [String(Rollup.factorySlot(claim))]: Rollup.entryWord(0, Rollup.CREATED, Rollup.GAME) }
    assert.strictEqual(await stopOf({ told: long, ...slots(Rollup.FACTORY, () => registered) }), "game-number")
  })

  it("a starting root that is a placeholder, which refutes no node", async () => {
    // the deployer of the contracts writes 0xdead and block 0 for chains whose games are permissioned
    const genesis = await Rollup.rollupBlock(0n)
    const placeholder = slots(Rollup.REGISTRY, (of) => ({ ...of, 2: 0n, 3: BigInt(`0xdead${"0".repeat(60)}`), 4: 0n }))
    assert.strictEqual(await stopOf({ ...placeholder, other: genesis }), "SettledBlockUnproven")
  })

  it("that are proven are not read again for the same block of L1, and that a hint says are", async () => {
    const callsOfSecond = async (setting: Setting): Promise<number> => {
      const world = await worldOf(setting)
      await finalized(world)
      world.l1.made.length = 0
      const told = await finalized(world)
      assert.isTrue(told._tag === "Success" && told.success._tag === "Nothing")
      return world.l1.made.length
    }
    for (const setting of [
      game({ status: 1n }),
      slots(Rollup.PORTAL, (of) => ({ ...of, [implementation]: 9n })),
      slots(Rollup.PORTAL, (of) => ({ ...of, 62: 0n })),
      { options: { gameType: 9 } }
    ]) {
      assert.strictEqual(await callsOfSecond(setting), 0)
    }
    for (const gameType of [1, 9]) {
      assert.isAbove(await callsOfSecond({ told: (claim) => ({ ...claim, gameType }) }), 0)
    }
  })

  it("a game that the portal of an older release voided", async () => {
    const release = Rollup.releases[0]!
    const voided = slots(Rollup.PORTAL, (of) => ({ ...of, [String(Rollup.mapping(gameKey, 58n))]: 1n }))
    assert.strictEqual(await stopOf({ release, ...voided }), "game-blacklisted")
  })

  it("an older release whose registry the chain does not name", async () => {
    const release = Rollup.releases[0]!
    const head = await Rollup.rollupBlock(NUMBER)
    const block = await MadeChain.make(Rollup.storageOf(release, head), { number: 77n, timestamp: Rollup.L1_TIME })
    const { anchorStateRegistry, ...chain } = Rollup.chainOf(release)
    assert.isDefined(anchorStateRegistry)
    const parent = { eth: clientOf(MadeChain.node({ blocks: [block] })), trust: pinned(block.json.hash) }
    const trust = OpStackTrust.make(chain, parent, [clientOf(MadeChain.node({ blocks: [head] }))])
    const told = await Effect.runPromise(trust.resolve("finalized"))
    assert.isTrue(told._tag === "Nothing" && OpStackReason.RegistryNotNamed.is(told.reason))
  })

  it("an anchor that goes back, or another block with the same number", async () => {
    const head = await Rollup.rollupBlock(NUMBER)
    for (const later of [await Rollup.rollupBlock(NUMBER - 1n), await Rollup.rollupBlock(NUMBER, { salt: 10n })]) {
      const blocks = [
        await MadeChain.make(Rollup.storageOf(Rollup.newest, head), { number: 77n, timestamp: Rollup.L1_TIME }),
        await MadeChain.make(Rollup.storageOf(Rollup.newest, later), { number: 78n, timestamp: Rollup.L1_TIME })
      ]
      let at = 0
      const l1 = MadeChain.node({
        blocks,
        change: (answer, { method }) =>
          method === "eth_call" ? Rollup.gameData(Rollup.claimOf([head, later][at]!)) : answer
      })
      const trust: TrustedBlock.TrustedBlock["Service"] = {
        resolve: (asked) => pinned(blocks[at]!.json.hash).resolve(asked)
      }
      const l2 = clientOf(MadeChain.node({ blocks: [head, later] }))
      const made = OpStackTrust.make(Rollup.chainOf(Rollup.newest), { eth: clientOf(l1), trust }, [l2])
      assert.strictEqual((await Effect.runPromise(made.resolve("finalized")))._tag, "Exactly")
      at = 1
      for (const isAgain of [false, true]) {
        l1.made.length = 0
        const told = await Effect.runPromise(made.resolve("finalized"))
        assert.isTrue(told._tag === "Nothing" && OpStackReason.AnchorBack.is(told.reason))
        assert.strictEqual(l1.made.length === 0, isAgain)
      }
      at = 0
      assert.strictEqual((await Effect.runPromise(made.resolve("finalized")))._tag, "Exactly")
    }
  })
})

describe("lies", () => {
  type Proof = {
    readonly address: string
    readonly accountProof: Array<string>
    readonly storageProof: Array<{ key: string; value: string; proof: Array<string> }>
  }
  /** Changes the proof of an account. */
  const proofOf =
    (address: string, change: (proof: Proof) => void): NonNullable<MadeChain.Node["change"]> =>
    (answer, { method, params }) => {
      if (method === "eth_getProof" && params[0] === address) change(answer as Proof)
      return answer
    }

  it("about each word of each contract are refuted", async () => {
    for (const release of [Rollup.newest, Rollup.releases[0]!]) {
      const honest = await worldOf({ release })
      await finalized(honest)
      const asked = honest.l1.made.flatMap(({ method, params }) =>
        method === "eth_getProof" ? (params[1] as Array<string>).map((key) => [params[0] as string, key] as const) : []
      )
      assert.isAtLeast(asked.length, 5)
      for (const [address, key] of asked) {
        const lie = proofOf(address, ({ storageProof }) => {
          for (const slot of storageProof)
            if (slot.key === key) slot.value = `0x${(BigInt(slot.value) + 1n).toString(16)}`
        })
        assert.match(await stopOf({ release, l1: lie }), /^REFUTED storageProof/u, `${address} ${key}`)
      }
    }
  })

  it("in the proofs of L1 are refuted", async () => {
    for (const address of [Rollup.SYSTEM_CONFIG, Rollup.PORTAL, Rollup.REGISTRY, Rollup.FACTORY, Rollup.GAME]) {
      const short = proofOf(address, ({ storageProof }) => storageProof[0]!.proof.pop())
      assert.match(await stopOf({ l1: short }), /^REFUTED storageProof/u)
      const absent = proofOf(address, ({ accountProof }) => accountProof.pop())
      assert.match(await stopOf({ l1: absent }), /^REFUTED accountProof/u)
    }
    const swapped: MadeChain.Node["change"] = (answer, { method, params }) =>
      method === "eth_getProof" && params[0] === Rollup.REGISTRY
        ? { ...(answer as Proof), address: Rollup.FACTORY }
        : answer
    assert.strictEqual(await stopOf({ l1: swapped }), "REFUTED address")
  })

  it("about the header of L1 are refuted", async () => {
    const lie: MadeChain.Node["change"] = (answer, { method }) =>
      method === "eth_getBlockByHash" ? { ...(answer as MadeChain.Json), stateRoot: MadeChain.word(1n) } : answer
    assert.strictEqual(await stopOf({ l1: lie }), "REFUTED header hash")
  })

  it("about a game's claim settle nothing, because only the factory proves it", async () => {
    const other = await Rollup.rollupBlock(NUMBER, { salt: 10n })
    for (const told of [
      () => Rollup.claimOf(other),
      (claim: Rollup.Claim) => ({ ...claim, gameType: 1 }),
      (claim: Rollup.Claim) => ({ ...claim, extraData: MadeChain.word(NUMBER + 1n) })
    ]) {
      assert.strictEqual(await stopOf({ told, other }), "game-registered")
    }
    const long = (claim: Rollup.Claim): Rollup.Claim => ({ ...claim, extraData: `${claim.extraData}00` })
    assert.strictEqual(await stopOf({ told: long }), "game-registered")
    // not even that the game is of a type that is not supported
    assert.strictEqual(await stopOf({ told: (claim) => ({ ...claim, gameType: 9 }) }), "game-registered")
    const silent: MadeChain.Node["change"] = (answer, { method }) => (method === "eth_call" ? "0x" : answer)
    assert.strictEqual(await stopOf({ l1: silent }), "game-data")
    const refused: MadeChain.Node["change"] = (answer, { method }) =>
      method === "eth_call" ? MadeChain.REFUSED : answer
    assert.strictEqual(await stopOf({ l1: refused }), "game-data")
  })

  it("about the rollup's block are refuted", async () => {
    const other = await Rollup.rollupBlock(NUMBER, { salt: 10n })
    assert.strictEqual(await stopOf({ other }), "REFUTED output-root")
    const header =
      (change: MadeChain.Json): MadeChain.Node["change"] =>
      (answer, { method }) =>
        method === "eth_getBlockByNumber" ? { ...(answer as MadeChain.Json), ...change } : answer
    assert.strictEqual(await stopOf({ l2: header({ timestamp: "0x1" }) }), "REFUTED header hash")
    assert.strictEqual(await stopOf({ l2: header({ withdrawalsRoot: MadeChain.word(1n) }) }), "REFUTED header hash")
    const another = await Rollup.rollupBlock(NUMBER + 1n)
    assert.strictEqual(await stopOf({ l2: header(another.json) }), "REFUTED l2-number")
    assert.strictEqual(await stopOf({ l2: () => null }), "SettledBlockUnknown")
    assert.strictEqual(await stopOf({ other, l2: saying("0x385") }), "REFUTED output-root")
  })

  it("are no lies of a node of another chain, which the reader named", async () => {
    const wrong = async (setting: Setting): Promise<string> => {
      const told = await finalized(await worldOf(setting))
      assert.isTrue(told._tag === "Success" && told.success._tag === "Nothing")
      return (told as Success).success.reason.sentence
    }
    const rollup = "the node of the rollup says that its chain id is 10, but our rollup has the chain id 901"
    // an honest node of another chain has another block with the number, or a block of another form, or none
    const other = await Rollup.rollupBlock(NUMBER, { salt: 10n })
    assert.include(await wrong({ other, l2: saying("0xa") }), rollup)
    assert.include(await wrong({ l2: saying("0xa", { difficulty: "0x2" }) }), rollup)
    assert.include(await wrong({ l2: saying("0xa", null) }), rollup)
    const parent =
      "the node of the parent chain says that its chain id is 10, but our rollup has a parent chain with the id 900"
    assert.include(await wrong({ l1: saying("0xa", null) }), parent)
    // a node that says the right id, or none, is behind
    assert.match(await wrong({ l1: saying("0x384", null) }), /^no block of the parent chain is trusted/u)
    assert.match(await wrong({ l1: (answer, { method }) => (/Block/u.test(method) ? null : answer) }), /is trusted/u)
  })

  it("deny no trust if another node of the rollup is honest", async () => {
    const lying: ReadonlyArray<MadeChain.Node["change"]> = [
      saying("0x385", { timestamp: "0x1" }),
      saying("0x385", { hash: MadeChain.word(1n) }),
      saying("0x385", { number: "0x1" }),
      saying("0x385", null),
      saying("0xa", null),
      () => MadeChain.UNREACHABLE,
      () => MadeChain.REFUSED
    ]
    for (const before of [...lying.map((change) => [change]), lying]) {
      assert.strictEqual(await stopOf({ before }), "TRUSTED")
    }
    // without an honest node, the stop is that of a node without a proof, before that of a failed call, before a lie
    const [header, label, , absent] = lying
    assert.match(await stopOf({ before: [header], l2: label! }), /^REFUTED/u)
    assert.match(await stopOf({ before: [header], l2: () => MadeChain.UNREACHABLE }), /connection failed/u)
    const rest = [header, () => MadeChain.UNREACHABLE]
    assert.strictEqual(await stopOf({ before: [absent, ...rest], l2: label! }), "SettledBlockUnknown")
    // a block that no output root commits to is no trust, however many nodes tell it
    const other = await Rollup.rollupBlock(NUMBER, { salt: 10n })
    assert.strictEqual(await stopOf({ before: [saying("0x385", other.json)], other }), "REFUTED output-root")
  })

  it("about the message passer before Isthmus are refuted", async () => {
    const lie = proofOf(Rollup.PASSER, ({ accountProof }) => accountProof.pop())
    assert.match(await stopOf({ isIsthmus: false, l2: lie }), /^REFUTED accountProof/u)
    const passer: MadeChain.Node["change"] = (answer, { method }) =>
      method === "eth_getProof" ? { ...(answer as MadeChain.Json), storageHash: MadeChain.word(3n) } : answer
    assert.strictEqual(await stopOf({ isIsthmus: false, l2: passer }), "REFUTED account.storageHash")
  })

  it("about an older block are refuted by the settled block, which proves the honest one", async () => {
    const parent = await Rollup.rollupBlock(NUMBER - 1n, { salt: 8n })
    const head = await Rollup.rollupBlock(NUMBER, { parentHash: parent.json.hash })
    const storage = Rollup.storageOf(Rollup.newest, head)
    const block = await MadeChain.make(storage, { number: 77n, timestamp: Rollup.L1_TIME })
    const calls = { [Rollup.GAME]: Rollup.gameData(Rollup.claimOf(head)) }
    const l1 = { eth: clientOf(MadeChain.node({ blocks: [block], calls })), trust: pinned(block.json.hash) }
    const read = (older: MadeChain.MadeBlock) => {
      const node = clientOf(MadeChain.node({ blocks: [older, parent, head] }))
      const trust = OpStackTrust.make(Rollup.chainOf(Rollup.newest), l1, [node])
      const eth = VerdictEthClient.make(node, trust, { chainId: 901n })
      return Effect.runPromise(Effect.result(eth.getStorageAt(Rollup.PASSER, "0x7", NUMBER - 1n)))
    }
    const honest = await read(parent)
    assert.isTrue(honest._tag === "Success" && BigInt(honest.success.value) === 8n)
    if (honest._tag === "Success") assert.strictEqual(anchorOf(honest.success).hash, head.json.hash)
    const forged = await read(await Rollup.rollupBlock(NUMBER - 1n, { salt: 7n }))
    assert.isTrue(forged._tag === "Failure" && forged.failure._tag === "RefutedError")
  })
})
