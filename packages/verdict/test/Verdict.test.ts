import { assert, describe, it } from "@effect/vitest"
import { Anchor, Claim, Evidence, Reason, RefutedError, refute, Verdict } from "@plumbline/verdict"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { Result } from "effect"
import { expectTypeOf } from "vitest"

const NodesWord = Reason.kind("NodesWord", ({ of }: { readonly of: string }) => `that it is ${of} is the node's word`)
const Size = Evidence.kind("Size", ({ bytes }: { readonly bytes: number }) => `${bytes} bytes`)

const block = Anchor.block(`0x${"ab".repeat(32)}`)
const other = Anchor.block(`0x${"cd".repeat(32)}`)
const latest = Claim.question("block", NodesWord({ of: "the latest block" }))
const difficulty = Claim.of("totalDifficulty", NodesWord({ of: "the sum" }))

const verified = <A>(value: A, claimed: ReadonlyArray<Claim.Claim> = [], anchor: Anchor.Anchor = block) =>
  Proven.make({ value, anchor, proven: [Size({ bytes: 3 })], claimed })

describe("a verified value", () => {
  it("is not made by hand, nor by a spread", () => {
    const proven = verified(1n)
    // @ts-expect-error: the brand is lost in a spread
    const forged: Verdict.Verified<bigint> = { ...proven, value: 42n }
    // @ts-expect-error: the same as a verdict
    const verdict: Verdict.Verdict<bigint> = { ...proven, value: 42n }
    // @ts-expect-error: the brand cannot be written down
    const written: Verdict.Verified<bigint> = { _tag: "VERIFIED", value: 1n, anchor: block, proven: [], claimed: [] }
    assert.deepStrictEqual([forged.value, verdict.value, written.value], [42n, 42n, 1n])
  })

  it("is one of what its value is one of, and of nothing narrower", () => {
    expectTypeOf<Verdict.Verified<1n>>().toExtend<Verdict.Verified<bigint>>()
    expectTypeOf<Verdict.Verified<bigint>>().not.toExtend<Verdict.Verified<1n>>()
  })

  it("is amended in all but its value", () => {
    const amended = Proven.amend(verified(1n, [latest]), { claimed: [], anchor: other })
    assert.deepStrictEqual(
      [amended.value, amended.anchor, amended.claimed.length, amended.proven.length],
      [1n, other, 0, 1]
    )
  })

  it("has its parts and nothing else", () => {
    assert.deepStrictEqual(Object.keys(verified(1n)).toSorted(), ["_tag", "anchor", "claimed", "proven", "value"])
  })
})

describe("map", () => {
  it("keeps what is proven of a value that is proven whole", () => {
    const mapped = Verdict.map(verified({ wei: 5n }, [latest]), ({ wei }) => wei)
    assert.strictEqual(mapped._tag, "VERIFIED")
    assert.strictEqual(mapped.value, 5n)
    assert.deepStrictEqual(mapped.claimed, [latest])
    assert.deepStrictEqual(mapped.anchor, block)
  })

  it("takes a value for claimed that may rest on a claimed field", () => {
    const mapped = Verdict.map(verified({ wei: 5n }, [latest, difficulty]), ({ wei }) => wei)
    assert.strictEqual(mapped._tag, "CLAIMED")
    assert.isNull(mapped.anchor)
    assert.deepStrictEqual(Verdict.sentences(mapped).claimed, [
      { field: "block", reason: "that it is the latest block is the node's word" },
      { field: "value", reason: "it may rest on totalDifficulty: that it is the sum is the node's word" }
    ])
  })

  it("moves claims where it is told to", () => {
    const mapped = Verdict.map(verified({ wei: 5n }, [difficulty]), ({ wei }) => ({ balance: wei }), {
      claims: (claim) => [{ ...claim, field: "sum" }]
    })
    assert.strictEqual(mapped._tag, "VERIFIED")
    assert.deepStrictEqual(
      mapped.claimed.map(({ field }) => field),
      ["sum"]
    )
  })

  it("never makes a claim a proof", () => {
    const claim = Verdict.claim(1n, NodesWord({ of: "one" }))
    assert.strictEqual(Verdict.map(claim, (one) => one + 1n)._tag, "CLAIMED")
    assert.strictEqual(Verdict.map(claim, (one) => one + 1n, { claims: () => [] })._tag, "CLAIMED")
  })
})

describe("zip", () => {
  it("is verified if both are, under their anchor", () => {
    const both = Verdict.zip(verified("a", [latest]), verified("b", [latest, difficulty]))
    assert.strictEqual(both._tag, "VERIFIED")
    assert.deepStrictEqual(both.value, ["a", "b"])
    assert.deepStrictEqual(both.anchor, block)
    assert.deepStrictEqual(
      both.claimed.map(({ field }) => field),
      ["block", "[1].totalDifficulty"]
    )
    assert.deepStrictEqual(Verdict.sentences(both).proven, ["3 bytes"])
  })

  it("is claimed if the two follow from different anchors: neither proves the other", () => {
    const apart = Verdict.zip(verified("a"), verified("b", [], other))
    assert.strictEqual(apart._tag, "CLAIMED")
    assert.isNull(apart.anchor)
    assert.isTrue(apart.claimed.some(({ about, reason }) => about === "Value" && Reason.TwoAnchors.is(reason)))
    assert.isFalse(Verdict.isAnchoredAt(apart, other))
    assert.isTrue(Result.isFailure(Verdict.getOrRefuse(apart, "both")))
  })

  it("is claimed if one is", () => {
    const claim = Verdict.claim("c", NodesWord({ of: "c" }))
    assert.strictEqual(Verdict.zip(verified("a"), claim)._tag, "CLAIMED")
    assert.strictEqual(Verdict.zip(claim, verified("a"))._tag, "CLAIMED")
  })
})

describe("weakening", () => {
  it("takes the anchor away and says why first", () => {
    const weak = Verdict.weaken(verified(1n, [difficulty]), NodesWord({ of: "one" }))
    assert.isNull(weak.anchor)
    assert.deepStrictEqual(
      weak.claimed.map(({ about, field }) => [about, field]),
      [
        ["Value", "value"],
        ["Field", "totalDifficulty"]
      ]
    )
  })

  it("adds a claim and leaves the rest", () => {
    assert.deepStrictEqual(Verdict.withClaim(verified(1n), latest).claimed, [latest])
    assert.strictEqual(Verdict.withClaim(verified(1n), latest)._tag, "VERIFIED")
    assert.strictEqual(Verdict.withClaim(Verdict.claim(1n, NodesWord({ of: "one" })), latest).claimed.length, 2)
  })
})

describe("the way to the value", () => {
  it("is open where the value is proven whole", () => {
    assert.deepStrictEqual(Verdict.getOrRefuse(verified(1n, [latest]), "it"), Result.succeed(1n))
  })

  it("is closed where a part is claimed, or all of it", () => {
    for (const verdict of [verified(1n, [difficulty]), Verdict.claim(1n, NodesWord({ of: "one" }))]) {
      const refused = Verdict.getOrRefuse(verdict, "it")
      assert(Result.isFailure(refused))
      assert.strictEqual(refused.failure._tag, "UnprovenError")
      assert.strictEqual(refused.failure.claims.length, 1)
    }
  })
})

describe("a verdict that rests on the word of nodes", () => {
  const word = Anchor.quorum({ hash: block.hash, agree: 2, of: 3, names: ["a", "b"], accepted: false })
  const resting = Verdict.restOn(verified({ wei: 5n }, [latest]), word)

  it("is CLAIMED, with the anchor and its reason first", () => {
    assert.strictEqual(resting._tag, "CLAIMED")
    assert.deepStrictEqual(resting.anchor, word)
    assert.deepStrictEqual(
      resting.claimed.map(({ about, reason }) => [about, reason._tag]),
      [
        ["Value", "RestsOn"],
        ["Question", "NodesWord"]
      ]
    )
    assert.match(resting.claimed[0]!.reason.sentence, /2 of 3 operators \(a, b\).*accept that by name/u)
    assert.isFalse(Reason.isAccepted(resting.claimed[0]!.reason))
    assert.isTrue(Result.isFailure(Verdict.getOrRefuse(resting, "it")))
    assert.isFalse(Verdict.isAnchoredAt(resting, block))
  })

  it("keeps its anchor while it is derived, and loses it beside another", () => {
    assert.deepStrictEqual(Verdict.map(resting, ({ wei }) => wei).anchor, word)
    assert.deepStrictEqual(Verdict.weaken(resting, NodesWord({ of: "one" })).anchor, word)
    assert.deepStrictEqual(Verdict.withClaim(resting, difficulty).anchor, word)
    assert.deepStrictEqual(Verdict.zip(resting, resting).anchor, word)
    const elsewhere = Verdict.restOn(verified(1n), { ...word, hash: other.hash })
    for (const one of [elsewhere, verified(1n), Verdict.claim(1n, NodesWord({ of: "one" }))]) {
      assert.isNull(Verdict.zip(resting, one).anchor)
      assert.strictEqual(Verdict.zip(resting, one)._tag, "CLAIMED")
    }
    assert.isNull(Verdict.weaken(verified(1n), NodesWord({ of: "one" })).anchor)
  })
})

describe("anchors", () => {
  it("are one line of ASCII each", () => {
    const hash = block.hash
    const fields = { slot: 7n, age: 5, finality: "finalized", participation: [400, 512] } as const
    const lines = [
      Anchor.lightClient({ hash, checkpoint: other.hash, ...fields }),
      Anchor.operator({ hash, accepted: true }),
      Anchor.transaction(hash)
    ].map(Anchor.toText)
    assert.deepStrictEqual(lines, [
      `light-client ${other.hash} slot 7 400/512 finalized`,
      "operator",
      `transaction ${hash}`
    ])
    assert.strictEqual(Anchor.joined(["operator", "quorum 2/3"]), "operator, quorum 2/3")
    assert.match(Anchor.joined(Array.from({ length: 20 }, (_, at) => `a${at}`)), /a15, \.\.\.$/u)
  })

  it("of a rollup name their state, their game and the anchor of L1", () => {
    const hash = block.hash
    const fields = { hash, chainId: 10n, contracts: { optimismPortal: "5.6.1" }, age: 700_000 } as const
    const game = { game: "0x0f", gameType: 0, resolvedAt: 1_700_000_000n } as const
    const l1 = Anchor.block(other.hash)
    const settled = Anchor.rollup({ ...fields, ...game, state: "settled", l1 })
    assert.strictEqual(Anchor.toText(settled), `rollup 10 settled l1 ${other.hash}`)
    assert.deepStrictEqual(Anchor.toJson(settled), {
      kind: "rollup",
      hash,
      chainId: "10",
      state: "settled",
      game: "0x0f",
      gameType: 0,
      resolvedAt: "1700000000",
      contracts: { optimismPortal: "5.6.1" },
      l1: { kind: "block", hash: other.hash },
      age: "700000"
    })
    const none = { game: undefined, gameType: undefined, resolvedAt: undefined } as const
    const starting = Anchor.toJson(Anchor.rollup({ ...fields, ...none, state: "starting", l1 }))
    assert.deepStrictEqual([starting["game"], starting["gameType"], starting["resolvedAt"]], [null, null, null])
    assert.isFalse(Anchor.equals(settled, block))
  })

  it("of a claim that L1 does not settle are weak, and never equal a settled one", () => {
    const l1 = Anchor.block(other.hash)
    const fields = { hash: block.hash, chainId: 10n, contracts: {}, game: "0x0f", gameType: 0, l1, age: 7 } as const
    const claims = [
      Anchor.unsettled({ ...fields, state: "resolved", resolvedAt: 9n, accepted: true }),
      Anchor.unsettled({ ...fields, state: "proposed", resolvedAt: undefined, accepted: false })
    ]
    assert.deepStrictEqual(claims.map(Anchor.toText), [
      `rollup 10 resolved l1 ${other.hash}`,
      `rollup 10 proposed l1 ${other.hash}`
    ])
    assert.deepStrictEqual(claims.map(Anchor.isWeak), [true, true])
    const { kind, resolvedAt, state } = Anchor.toJson(claims[1]!)
    assert.deepStrictEqual([kind, state, resolvedAt], ["rollup", "proposed", null])
    const settled = Anchor.rollup({ ...fields, state: "settled", resolvedAt: 9n })
    assert.isFalse(Anchor.equals(settled, claims[0]!))
    const reasons = claims.map((anchor) => Reason.RestsOn({ anchor }))
    assert.deepStrictEqual(reasons.map(Reason.isAccepted), [true, false])
    assert.match(
      reasons[0]!.sentence,
      /only resolved on the parent chain: game 0x0f of type 0 is won, but can still be voided/u
    )
    assert.match(reasons[1]!.sentence, /open to dispute.*; accept that by name/u)
  })

  it("are compared by kind and hash", () => {
    assert.isTrue(Verdict.isAnchoredAt(verified(1n), Anchor.block(`0x${"AB".repeat(32)}`)))
    assert.isFalse(Verdict.isAnchoredAt(verified(1n), other))
    assert.isFalse(Verdict.isAnchoredAt(Verdict.claim(1n, NodesWord({ of: "one" })), block))
    assert.isFalse(Anchor.equals(Anchor.cid("Bafk"), Anchor.cid("bafk")))
  })
})

describe("kinds", () => {
  it("are recognised, compared by their fields, and written as JSON without their sentence", () => {
    const one = Size({ bytes: 1 })
    assert.isTrue(Size.is(one))
    assert.isFalse(Evidence.kind("Other", () => "").is(one))
    assert.deepStrictEqual(one, Size({ bytes: 1 }))
    assert.notDeepEqual(one, Size({ bytes: 2 }))
    assert.isTrue(Evidence.equals(one, Size({ bytes: 1 })))
    assert.isFalse(Evidence.equals(one, Size({ bytes: 2 })))
    const Path = Evidence.kind("Path", ({ nodes }: { readonly nodes: ReadonlyArray<string> }) => nodes.join())
    assert.isTrue(Evidence.equals(Path({ nodes: ["a", "b"] }), Path({ nodes: ["a", "b"] })))
    assert.isFalse(Evidence.equals(Path({ nodes: ["a", "b"] }), Path({ nodes: ["a"] })))
    assert.strictEqual(JSON.stringify(one), `{"_tag":"Size","bytes":1}`)
    expectTypeOf(one.bytes).toEqualTypeOf<number>()
  })

  it("do not stand for each other", () => {
    // @ts-expect-error: evidence is not a reason
    const reason: Reason.Reason = Size({ bytes: 1 })
    assert.strictEqual(reason._tag, "Size")
  })

  it("say several reasons in one sentence", () => {
    const reasons = [NodesWord({ of: "a" }), NodesWord({ of: "b" })]
    assert.strictEqual(
      Reason.All({ reasons }).sentence,
      "that it is a is the node's word; that it is b is the node's word"
    )
  })
})

describe("refutations", () => {
  it("have texts of bounded length", () => {
    const long = "x".repeat(1_000_000)
    const { expected, got } = refute("text", long, undefined)
    assert.strictEqual(expected.length, 203)
    assert.strictEqual(got, "nothing")
  })

  it("name the node of the proof that failed", () => {
    const refuted = refute("accountProof node 2", "0x1", "0x2", { at: { proof: "accountProof", node: 2 } })
    assert.instanceOf(refuted, RefutedError)
    assert.deepStrictEqual(refuted.at, { proof: "accountProof", node: 2 })
  })
})
