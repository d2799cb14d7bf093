/** Calls in bundles: kept, run again offline, and tampered with. The expected results are worked out by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32, type Hex } from "@plumbline/codec"
import { type CallEngine, type CallRequest, StorageKey } from "@plumbline/eth-methods"
import { Block } from "@plumbline/ipfs-client"
import { BundleIpfs, CallReplay, ProofBundle } from "@plumbline/proof-bundle"
import * as Random from "@plumbline/seeded/Random"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Result } from "effect"
import { decodeErrorResult, decodeFunctionResult, type Hex as Text, toHex } from "viem"

import * as Bank from "../support/bank.ts"
import * as Ipfs from "../support/ipfs.ts"
import * as World from "../support/world.ts"

const CHAIN = Hardforks.always(31_337n, "paris")
const NUMBER = 1000n
const OLDER = 300
const RULES = Hardforks.rulesAt(CHAIN, { number: NUMBER, timestamp: 102n })

const world = World.make(Bank.accounts, undefined, undefined, OLDER, NUMBER)
const serve = Effect.promise(() => world)

const engine = (rules: CallEngine.CallRules): CallEngine.CallEngine | undefined => {
  const chain = Hardforks.ofRules(rules)
  return chain === undefined ? undefined : VerifiedCalls.make({ chain })
}

/** Makes a bundle of a call, and opens its file. */
const keep = Effect.fnUntraced(function* (
  request: Partial<CallRequest.CallRequest>,
  wanted: Omit<ProofBundle.WantedContents, "call"> & { readonly signature?: string } = {},
  node?: World.World
) {
  const { eth, hash } = node ?? (yield* serve)
  const { signature, ...contents } = wanted
  const call = { request: { to: Bank.bank, ...request }, signature }
  const { value } = yield* ProofBundle.make({ block: hash, call, ...contents }).pipe(
    Effect.provide(eth.pipe(Layer.provide(VerifiedCalls.layer({ chain: CHAIN }))))
  )
  return yield* Effect.fromResult(ProofBundle.open(ProofBundle.encode(value), hash))
})

const replay = (bundle: ProofBundle.ProofBundle, known: CallEngine.CallRules | undefined = RULES) =>
  CallReplay.run(bundle, { engine, known })

/** Returns the bytes that a call returned or reverted with. */
const answerOf = Effect.fnUntraced(function* (bundle: ProofBundle.ProofBundle) {
  const verdict = yield* replay(bundle)
  assert.strictEqual(verdict._tag, "VERIFIED")
  const { value } = verdict
  return value._tag === "Halted" ? assert.fail(value.halt) : value.data
})

const returned = (functionName: string, data: Text): unknown =>
  decodeFunctionResult({ abi: Bank.abi, functionName, data })

const kept = keep({ data: Bank.data("both", [Bank.rich]) }, { signature: "both(address)(uint256,uint256)" })

describe("a call in a bundle", () => {
  it.effect("returns offline what follows from the state, with the evidence of a run", () =>
    Effect.gen(function* () {
      const bundle = yield* kept
      const verdict = yield* replay(bundle)
      assert.deepEqual(returned("both", yield* answerOf(bundle)), [500n, 70n])
      assert.deepInclude(verdict.anchor, { hash: bundle.blockHash })
      assert.include(verdict.proven.at(-1)?.sentence, "2 accounts, 3 slots, 1 code, all proven")
      assert.deepEqual(bundle.call, {
        request: { to: Bank.bank, input: Bank.data("both", [Bank.rich]), gas: 50_000_000n },
        rules: RULES,
        signature: "both(address)(uint256,uint256)"
      })
      assert.deepEqual([...bundle.accounts].sort(), [Bank.bank, Bank.second].sort())
    })
  )

  it.effect("reads what is absent as absent: an account's slot that was never written", () =>
    Effect.gen(function* () {
      assert.deepEqual(returned("both", yield* answerOf(yield* keep({ data: Bank.data("both", [Bank.poor]) }))), [
        0n,
        0n
      ])
    })
  )

  it.effect("reverts with the contract's own error, with a text, and with a panic", () =>
    Effect.gen(function* () {
      const most = yield* answerOf(yield* keep({ data: Bank.data("take", [Bank.rich, 401n]) }))
      assert.deepInclude(decodeErrorResult({ abi: Bank.abi, data: most }), {
        errorName: "TooMuch",
        args: [401n, Bank.LIMIT]
      })
      for (const [data, reason] of [
        [Bank.data("take", [Bank.poor, 1n]), "too poor"],
        [Bank.data("half", [Bank.rich, 0n]), "division or modulo by zero"]
      ] as const) {
        const { value } = yield* replay(yield* keep({ data }))
        assert.strictEqual(value._tag === "Reverted" && value.reason?.includes(reason), true, JSON.stringify(reason))
      }
    })
  )

  it.effect("keeps its sender, its value and its gas", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("wei_"), from: Bank.rich, value: 9n, gas: 60_000n })
      assert.deepEqual(returned("wei_", yield* answerOf(bundle)), [9n, 9000n - 9n])
      assert.strictEqual(bundle.call?.request.gas, 60_000n)
      const poor = yield* replay(yield* keep({ data: Bank.data("wei_"), from: Bank.poor, value: 9n }))
      assert.deepInclude(poor.value, { _tag: "Halted", halt: "insufficient funds for gas * price + value" })
      const creation = yield* keep({ to: null, data: "0x600a600c600039600a6000f3602a60005260206000f3" })
      assert.strictEqual(yield* answerOf(creation), "0x602a60005260206000f3")
    })
  )

  it.effect("holds the headers that lead to an older block whose hash it reads, and no more", () =>
    Effect.gen(function* () {
      for (const [number, count] of [
        [NUMBER - 1n, 0],
        [NUMBER - 5n, 5],
        [NUMBER - 256n, 256],
        [NUMBER - 257n, 0]
      ] as const) {
        const bundle = yield* keep({ data: Bank.data("hashOf", [number]) })
        assert.lengthOf(bundle.ancestors, count, String(number))
        const parents = [bundle.header, ...bundle.ancestors].map(({ parentHash }) => parentHash)
        const expected = number < NUMBER - 256n ? toHex(0, { size: 32 }) : parents[Number(NUMBER - number) - 1]
        assert.strictEqual(yield* answerOf(bundle), expected)
      }
    })
  )

  it.effect("is the same file however the call is written, and the bundle's other contents stay readable", () =>
    Effect.gen(function* () {
      const data = Bank.data("both", [Bank.rich])
      const capitals = (text: string) => text.toUpperCase().replace("0X", "0x") as Hex.Hex
      const other = yield* keep({ to: Bank.bank, input: capitals(data), chainId: 31_337n, nonce: 7n, type: 2n })
      assert.deepEqual(ProofBundle.encode(other), ProofBundle.encode(yield* keep({ data })))
      const more = yield* keep({ data }, { accounts: [{ address: Bank.rich, slots: [StorageKey.fromSlot(0n)] }] })
      assert.deepEqual(returned("both", yield* answerOf(more)), [500n, 70n])
      assert.include(more.accounts, Bank.rich)
    })
  )

  it.effect("is published and fetched by its list, with its headers", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("hashOf", [NUMBER - 4n]) })
      const { layer } = Ipfs.make()
      const { list } = yield* Effect.provide(BundleIpfs.publish(bundle), layer)
      const fetched = yield* Effect.provide(BundleIpfs.fetch(list, bundle.blockHash), layer)
      assert.deepEqual(ProofBundle.encode(fetched), ProofBundle.encode(bundle))
      const { root } = bundle
      const whole = yield* Effect.provide(BundleIpfs.fetch(root, bundle.blockHash), layer)
      assert.deepEqual([whole.call, whole.ancestors.length], [undefined, 0])
    })
  )
})

describe("the rules of a call in a bundle", () => {
  it.effect("are the maker's word, unless the reader knows the same", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("chain") })
      assert.deepEqual(returned("chain", yield* answerOf(bundle)), 31_337n)
      const unknown = yield* CallReplay.run(bundle, { engine })
      assert.strictEqual(unknown._tag, "CLAIMED")
      assert.deepInclude(unknown.value, { _tag: "Returned" })
      assert.strictEqual(
        unknown.claimed[0]?.reason.sentence,
        "only the bundle says that the block is of chain 31337 under paris, and the outcome depends on it"
      )
      for (const known of [
        { ...RULES, chainId: 1n },
        { ...RULES, hardfork: "london" },
        { ...RULES, blobUpdateFraction: 7n }
      ]) {
        const other = yield* replay(bundle, known)
        assert.strictEqual(other._tag, "CLAIMED", known.hardfork)
        assert.include(other.claimed[0]?.reason.sentence, "but by your rules it is of")
      }
    })
  )

  it.effect("must have an engine", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(CallReplay.run(yield* kept, { engine: () => undefined, known: RULES }))
      assert.strictEqual(failed._tag, "UnprovenError")
      assert.include(failed.message, "rules of the name paris")
    })
  )
})

/** Returns the reason for which blocks are no bundle, the check that failed, or the bundle. */
const opening = (hash: Hash32.Hash32, blocks: ReadonlyArray<Block.Block>): string | ProofBundle.ProofBundle => {
  const opened = ProofBundle.fromBlocks(hash, blocks)
  if (Result.isSuccess(opened)) return opened.success
  return opened.failure._tag === "RefutedError" ? opened.failure.check : opened.failure.reason
}

const blockOf = (code: number, bytes: Uint8Array): Block.Block => ({
  cid: Result.getOrThrow(Block.cidOf(code, bytes, 0x1b)),
  bytes
})

const textOf = (bundle: ProofBundle.ProofBundle): string => new TextDecoder().decode(bundle.blocks.at(-1)!.bytes)
const raw = (text: string): Block.Block => blockOf(Block.RAW, new TextEncoder().encode(text))

describe("a bundle of a call that was tampered with", () => {
  it.effect("lacks a block: the call fails and names what is missing, and no slot becomes zero", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("take", [Bank.rich, 100n]) })
      const expected = yield* answerOf(bundle)
      assert.strictEqual(BigInt(expected), 400n)
      let missing = 0
      for (const [at, block] of bundle.blocks.entries()) {
        const opened = opening(
          bundle.blockHash,
          bundle.blocks.filter((_, i) => i !== at)
        )
        if (typeof opened === "string") {
          assert.include(["NoRoot", "Unreached"], opened)
          continue
        }
        const run = yield* Effect.result(replay(opened))
        if (Result.isFailure(run)) {
          assert.strictEqual(run.failure._tag, "NotInBundleError", String(run.failure))
          missing += 1
        } else {
          // the name of an account, which a run does not need
          assert.strictEqual(block.bytes.length, 20)
          assert.deepEqual(run.success.value, { ...(yield* replay(bundle)).value })
        }
      }
      // code, leaves of both slots and the account, and the call are the last blocks of their paths
      assert.isAtLeast(missing, 4)
    })
  )

  it.effect("lacks all nodes of a path from some depth on, in every combination of leaves", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("both", [Bank.rich]) })
      const expected = (yield* replay(bundle)).value
      const random = Random.make(31)
      for (let run = 0; run < Random.runs(200); run++) {
        const left = bundle.blocks.filter((_, at) => at === 0 || !Random.chance(random, 1 / 8))
        const opened = opening(bundle.blockHash, left)
        if (typeof opened === "string") continue
        const outcome = yield* Effect.result(replay(opened))
        if (Result.isSuccess(outcome)) assert.deepEqual(outcome.success.value, expected)
        else assert.strictEqual(outcome.failure._tag, "NotInBundleError", String(outcome.failure))
      }
    })
  )

  it.effect("lacks one of the headers that lead to an older block", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("hashOf", [NUMBER - 4n]) })
      const headers = bundle.blocks.filter(({ cid }) => cid.code === 0x90)
      assert.lengthOf(headers, 5)
      const last = opening(
        bundle.blockHash,
        bundle.blocks.filter((block) => block !== headers.at(-1))
      )
      assert.isObject(last)
      const failed = yield* Effect.flip(replay(last as ProofBundle.ProofBundle))
      assert.strictEqual(failed._tag, "NotInBundleError")
      for (const header of headers.slice(1, -1)) {
        assert.strictEqual(
          opening(
            bundle.blockHash,
            bundle.blocks.filter((block) => block !== header)
          ),
          "Unreached"
        )
      }
    })
  )

  it.effect("has a changed byte, anywhere", () =>
    Effect.gen(function* () {
      const bundle = yield* keep(
        { data: Bank.data("hashOf", [NUMBER - 3n]) },
        { signature: "hashOf(uint256)(bytes32)" }
      )
      const file = ProofBundle.encode(bundle)
      for (let at = 0; at < file.length; at++) {
        const changed = file.slice()
        changed[at]! ^= 1 << (at % 8)
        assert.isTrue(Result.isFailure(ProofBundle.open(changed, bundle.blockHash)), `byte ${at}`)
      }
    })
  )

  it.effect("has another block under its right hash: other code, another header, another word", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("hashOf", [NUMBER - 3n]) })
      for (const [at, block] of bundle.blocks.entries()) {
        if (at === bundle.blocks.length - 1 || block.bytes.length === 20) continue
        const bytes = block.bytes.slice()
        bytes[bytes.length - 1]! ^= 1
        const other = bundle.blocks.with(at, blockOf(block.cid.code, bytes))
        assert.include(["NoRoot", "Unreached"], opening(bundle.blockHash, other), `block ${at}`)
      }
    })
  )

  it.effect("has something that does not belong to it", () =>
    Effect.gen(function* () {
      const bundle = yield* kept
      const { blockHash, blocks } = bundle
      const text = textOf(bundle)
      const stranger = blocks[0]!.bytes.slice()
      stranger[40]! ^= 1
      for (const more of [
        raw("more"),
        raw(text + " "),
        raw(" " + text),
        raw(text.replace('"gas":', '"gas" :')),
        raw(text.replace('"gas":"0x2faf080"', '"gas":"0x02faf080"')),
        raw(text.replace(Bank.bank.slice(2), Bank.bank.slice(2).toUpperCase())),
        raw(text.replace('"request":', '"more":1,"request":')),
        raw(text.replace('"request":{', '"request":{"nonce":"0x1",')),
        raw(text.replace('"hardfork":"paris"', '"hardfork":"paris","hardfork":"paris"')),
        raw(text.replace('"hardfork":"paris"', `"hardfork":"${"p".repeat(33)}"`)),
        raw(text.replace('"chainId":"0x7a69"', `"chainId":"0x1${"0".repeat(16)}"`)),
        raw(text.replace('"request":', '"blobUpdateFraction":"0x0","request":')),
        raw(text.replace(/"signature":"[^"]*"/u, `"signature":"${"s".repeat(2049)}"`)),
        raw(text.replace(blockHash, Hash32.ZERO)),
        raw(`{"block":"${blockHash}",${"[".repeat(1_000_000)}`),
        raw(`{"block":"${blockHash}","request":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`),
        raw(`{"block":"${blockHash}","request":null}`),
        raw(`{"block":"${blockHash}","request":{"accessList":[null,7,{"storageKeys":"0x"}]}}`),
        blockOf(0x90, stranger),
        blockOf(0x96, Uint8Array.of(0xc2, 0x20, 0x01))
      ]) {
        const added = opening(blockHash, [...blocks, more])
        const [start] = new TextDecoder().decode(more.bytes).split("request")
        // the storage of the second bank proves every other slot absent, so it has a name for any bytes
        if (typeof added === "string") assert.strictEqual(added, "Unreached", start)
        else assert.deepEqual([added.call, added.preimages], [bundle.call, [more.bytes]], start)
        assert.isTrue(more.cid.code === Block.RAW || typeof added === "string")
        const instead = opening(blockHash, blocks.with(blocks.length - 1, more))
        assert.isTrue(typeof instead === "string" || instead.call === undefined, start)
      }
      const second = text.replace('"gas":"0x2faf080"', '"gas":"0x2faf081"')
      assert.notStrictEqual(second, text)
      assert.strictEqual(opening(blockHash, [...blocks, raw(second)]), "Duplicate")
    })
  )

  it.effect("may have every field of a request, in the one form that is written here", () =>
    Effect.gen(function* () {
      const { blockHash, blocks } = yield* kept
      const word = (digit: string) => `0x${digit.repeat(64)}`
      const request = {
        from: Bank.rich,
        to: Bank.bank,
        input: "0x00ff",
        value: "0x1",
        gas: "0x5208",
        gasPrice: "0x2",
        maxFeePerGas: "0x3",
        maxPriorityFeePerGas: "0x4",
        accessList: [{ address: Bank.rich, storageKeys: [word("a")] }],
        authorizationList: [
          { chainId: "0x1", address: Bank.bank, nonce: "0x5", yParity: "0x0", r: word("b"), s: word("c") }
        ],
        maxFeePerBlobGas: "0x6",
        blobVersionedHashes: [word("d")]
      }
      const text = (fields: object) =>
        JSON.stringify({
          block: blockHash,
          chainId: "0x1",
          hardfork: "osaka",
          blobUpdateFraction: "0x7",
          request: fields,
          signature: "f()"
        })
      const opened = opening(blockHash, blocks.with(blocks.length - 1, raw(text(request))))
      if (typeof opened === "string") assert.fail(opened)
      assert.deepEqual(opened.call?.rules, { chainId: 1n, hardfork: "osaka", blobUpdateFraction: 7n })
      assert.deepInclude(opened.call?.request, { value: 1n, gas: 21_000n, maxFeePerBlobGas: 6n })
      assert.deepInclude(opened.call?.request.authorizationList?.[0], { chainId: 1n, nonce: 5n, yParity: 0n })
      // a field of a request that changes no outcome, another order, and fields that are null are other forms
      const { from, ...rest } = request
      for (const other of [
        { ...request, nonce: "0x1" },
        { ...rest, from },
        { ...request, gasPrice: null }
      ]) {
        const refused = opening(blockHash, blocks.with(blocks.length - 1, raw(text(other))))
        assert.isTrue(typeof refused === "string" || refused.call === undefined)
      }
    })
  )

  it.effect("has more older headers than code can read", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("hashOf", [NUMBER - 256n]) })
      const { eth } = yield* serve
      const oldest = bundle.ancestors.at(-1)!
      const one = yield* ProofBundle.make({ block: oldest.parentHash, accounts: [] }).pipe(Effect.provide(eth))
      assert.strictEqual(opening(bundle.blockHash, [...bundle.blocks, one.value.blocks[0]!]), "Unreached")
    })
  )

  it.effect("asks another question: the answer is to that, or its state is missing", () =>
    Effect.gen(function* () {
      const bundle = yield* keep({ data: Bank.data("take", [Bank.rich, 100n]) })
      const { blockHash, blocks } = bundle
      const asking = (from: string, to: string) => {
        const text = textOf(bundle)
        assert.include(text, from)
        const opened = opening(blockHash, blocks.with(blocks.length - 1, raw(text.replace(from, () => to))))
        return typeof opened === "string" ? assert.fail(opened) : opened
      }
      const less = asking(toHex(100n, { size: 32 }).slice(2), toHex(101n, { size: 32 }).slice(2))
      assert.strictEqual(less.call?.request.input, Bank.data("take", [Bank.rich, 101n]))
      assert.strictEqual(BigInt(yield* answerOf(less)), 399n)
      const who = Bank.addresses
      const failed = yield* Effect.flip(replay(asking(who.rich.slice(2), who.other.slice(2))))
      assert.strictEqual(failed._tag, "NotInBundleError")
      const elsewhere = yield* Effect.flip(replay(asking(`"to":"${Bank.bank}"`, `"to":"${who.other}"`)))
      assert.strictEqual(elsewhere._tag, "NotInBundleError")
      const unlawful = yield* Effect.flip(replay(asking('"hardfork":"paris"', '"hardfork":"atlantis"')))
      assert.include(unlawful.message, "rules of the name atlantis")
      const later = yield* Effect.flip(replay(asking('"hardfork":"paris"', '"hardfork":"prague"')))
      assert.include(later.message, "the block does not fit the chain's rules")
    })
  )
})

describe("a node that lies to the maker of a call's bundle", () => {
  const lying = (lie: World.Lie) =>
    Effect.flatMap(
      Effect.promise(() => World.make(Bank.accounts, lie, undefined, OLDER, NUMBER)),
      (node) => Effect.flip(keep({ data: Bank.data("both", [Bank.rich]) }, {}, node))
    )

  it.effect("is refuted, or gives no bundle", () =>
    Effect.gen(function* () {
      const code = yield* lying((method, answer) => (method === "eth_getCode" ? "0x602a60005260206000f3" : answer))
      assert.deepInclude(code, { _tag: "RefutedError", check: "code hash" })
      const word = yield* lying((method, answer) =>
        method === "eth_getProof" && answer.storageProof.length > 0
          ? { ...answer, storageProof: answer.storageProof.map((slot: object) => ({ ...slot, value: "0x1" })) }
          : answer
      )
      assert.strictEqual(word._tag, "RefutedError")
      const silent = yield* lying((method, answer) => (method === "eth_getProof" ? undefined : answer))
      assert.strictEqual(silent._tag, "UnprovenError")
    })
  )

  it.effect("gets no bundle of a call that is too large to be kept", () =>
    Effect.gen(function* () {
      const accessList = [
        { address: Bank.rich, storageKeys: Array.from({ length: 5000 }, (_, i) => StorageKey.fromSlot(BigInt(i))) }
      ]
      const failed = yield* Effect.flip(keep({ data: Bank.data("chain"), accessList }))
      assert.deepInclude(failed, { _tag: "BundleError", reason: "TooLarge" })
      const input = `0x${"00".repeat(2 ** 20)}` as const
      const long = yield* Effect.flip(keep({ to: Bank.rich, input }))
      assert.deepInclude(long, { _tag: "BundleError", reason: "TooLarge" })
    })
  )
})
