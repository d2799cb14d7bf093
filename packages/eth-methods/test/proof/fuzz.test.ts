import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import type { Claim } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { AccountProof, Log, Verify } from "../../src/index.ts"
import * as AccessLists from "../support/accessLists.ts"
import * as Made from "../support/made.ts"
import * as Receipts from "../support/receipts.ts"
import * as State from "../support/state.ts"

const runs = Random.runs(60) * 10

/**
 * Returns a generator of numbers below `bound`, repeatable by seed (the upper bits of a linear congruential generator).
 */
const random = (seed: number): ((bound: number) => number) => {
  let state = BigInt(seed) * 0x9e3779b97f4a7c15n
  return (bound) => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n)
    return Number((state >> 33n) % BigInt(bound))
  }
}

const scalars: Array<Made.Json> = [null, true, 0, -1, 1e300, "", "0x", "0x0", "0x00", "0x1", "0x05", "0xg", "0x7e"]
const long: Array<Made.Json> = [`0x${"f".repeat(64)}`, `0x${"ab".repeat(20)}`, `0x${"00".repeat(256)}`, "latest"]
const nested: Array<Made.Json> = [[], {}, [[]], [null], ["0x"]]
const junk: ReadonlyArray<Made.Json> = [scalars, long, nested].flat(1)

/** Returns the value with one place, at any depth, replaced by junk, removed or duplicated. */
const mutate = (json: Made.Json, next: (bound: number) => number): Made.Json => {
  const deeper = next(5) > 0
  if (deeper && Array.isArray(json) && json.length > 0) {
    const at = next(json.length)
    const kind = next(4)
    if (kind === 0) return json.toSpliced(at, 1)
    return kind === 1 ? json.toSpliced(at, 0, json[at]!) : json.with(at, mutate(json[at]!, next))
  }
  if (deeper && isObject(json) && Object.keys(json).length > 0) {
    const names = Object.keys(json)
    const name = names[next(names.length)]!
    const { [name]: value = null, ...rest } = json
    const kind = next(6)
    if (kind === 0) return rest
    return kind === 1 ? { ...json, [`x${name}`]: value } : { ...json, [name]: mutate(value, next) }
  }
  return junk[next(junk.length)]!
}

/** Writes JSON with the members of every object in sorted order. */
const canonical = (json: Made.Json): string =>
  JSON.stringify(json, (_, value: Made.Json) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)))
      : value
  )

describe("hostile answers", () => {
  it("about a block decode or fail, verify or are refuted, and never prove what was changed", async () => {
    const forks = [Hardfork.London, Hardfork.Prague, Hardfork.Amsterdam]
    const blocks = await Promise.all(forks.map((fork) => Made.block(fork)))
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const next = random(seed)
      const original = blocks[next(blocks.length)]!
      let changed: Made.Json = original
      for (let times = 1 + next(3); times > 0; times--) changed = mutate(changed, next)
      if (canonical(changed) === canonical(original)) continue
      const decoded = Made.decodeBlockResult(changed)
      if (Result.isFailure(decoded)) continue
      const hash = Hash32.fromHexUnsafe(Made.string(original["hash"]))
      const verdict = Verify.block(decoded.success, hash, { senders: false })
      if (Result.isFailure(verdict)) {
        refuted++
        continue
      }
      if (verdict.success._tag === "CLAIMED") continue
      holds(original, changed, verdict.success.claimed, seed)
    }
    // a change that adds an unknown field to the header is claimed
    assert.isAbove(refuted, runs / 60)
  })

  it("about a block access list decode or fail, verify or are refuted, and never prove what was changed", async () => {
    const list = AccessLists.make(11, 4)
    const block = Receipts.proven(await AccessLists.blockOf(list))
    const original = AccessLists.answerOf(list)
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const next = random(seed)
      let changed: Made.Json = original
      for (let times = 1 + next(3); times > 0; times--) changed = mutate(changed, next)
      if (canonical(changed) === canonical(original)) continue
      const decoded = AccessLists.decodeResult(changed)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.blockAccessList(decoded.success, block)
      if (Result.isFailure(verdict)) refuted++
      else if (verdict.success._tag === "VERIFIED") holds(original, changed, verdict.success.claimed, seed)
    }
    assert.isAbove(refuted, runs / 40)
  })

  it("about receipts and their logs decode or fail, verify or are refuted, and never prove what was changed", async () => {
    const forks = [Hardfork.Chainstart, Hardfork.London, Hardfork.Prague]
    const blocks = await Promise.all(forks.map((fork) => Receipts.make(fork)))
    const trusted = blocks.map(({ block }) => Receipts.proven(block))
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const next = random(seed)
      const at = next(blocks.length)
      const original = blocks[at]!.receipts
      let changed: Made.Json = original
      for (let times = 1 + next(3); times > 0; times--) changed = mutate(changed, next)
      if (canonical(changed) === canonical(original)) continue
      const decoded = Receipts.decodeResult(changed)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.receipts(decoded.success, trusted[at]!)
      if (Result.isFailure(verdict)) refuted++
      else holds(original, changed, verdict.success.claimed, seed)
    }
    assert.isAbove(refuted, runs / 40)
  })

  it("about logs decode or fail, verify or are refuted, and never prove what was changed", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const trusted = Receipts.proven(block)
    const proven = Result.getOrThrow(Verify.receipts(Receipts.decode(receipts), trusted))
    assert(proven._tag === "VERIFIED")
    const original = receipts.flatMap((receipt) => Made.list(Made.object(receipt)["logs"]))
    const decode = Schema.decodeUnknownResult(Schema.Array(Log.Log))
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const changed = mutate(original, random(seed))
      if (canonical(changed) === canonical(original)) continue
      const decoded = decode(changed)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.logs(decoded.success, {}, trusted, proven)
      if (Result.isFailure(verdict)) refuted++
      else holds(original, changed, verdict.success.claimed, seed)
    }
    assert.isAbove(refuted, runs / 40)
  })

  it("about a proof decode or fail, verify or are refuted, and never prove what was changed", async () => {
    const { answer, block } = await State.make()
    const original = await answer(State.CONTRACT, State.keys)
    const question = { address: State.CONTRACT, storageKeys: State.keys }
    const decode = Schema.decodeUnknownResult(AccountProof.AccountProof)
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const changed = mutate(original, random(seed))
      if (canonical(changed) === canonical(original)) continue
      const decoded = decode(changed)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.account(decoded.success, question, block)
      if (Result.isFailure(verdict)) refuted++
      else holds(original, changed, verdict.success.claimed, seed)
    }
    assert.isAbove(refuted, runs / 40)
  })

  it("about a transaction decode or fail, verify or are refuted", () => {
    const transactions = Made.signed(Hardfork.Prague).map((transaction) => Made.answerOf(transaction))
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const next = random(seed)
      const original = transactions[next(transactions.length)]!
      const decoded = Made.decodeTransactionResult(mutate(original, next))
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.transaction(decoded.success, Hash32.fromHexUnsafe(Made.string(original["hash"])))
      if (Result.isFailure(verdict)) refuted++
    }
    assert.isAbove(refuted, runs / 20)
  })
})

/** Asserts that a verified answer contradicts the original in claimed fields only. */
const holds = (original: Made.Json, changed: Made.Json, claims: ReadonlyArray<Claim.Claim>, seed: number): void => {
  const claimed = new Set(claims.map((claim) => claim.field.replace(/^\w+\[\]\./, "")))
  for (const path of contradictions(original, changed)) {
    assert.isTrue(
      path.split(".").some((part) => claimed.has(part.replace(/\[\d+\]$/, ""))),
      `seed ${seed}: ${path} was verified`
    )
  }
}

/** The names of fields that state nothing if a node omits them or sends null. */
const silent =
  /(?:^|\.)(?:size|gasPrice|blockTimestamp|chainId|effectiveGasPrice|contractAddress|blobGasUsed|blobGasPrice|value|uncles|withdrawals|difficulty|type|removed)$/

/**
 * Returns the paths at which both values have something, but not the same. Omitted and added fields contradict nothing.
 */
const contradictions = (a: Made.Json, b: Made.Json, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return [path]
    return a.flatMap((item, at) => contradictions(item, b[at]!, `${path}[${at}]`))
  }
  if (isObject(a) && isObject(b)) {
    return Object.keys(a).flatMap((name) =>
      name in b ? contradictions(a[name]!, b[name]!, path === "" ? name : `${path}.${name}`) : []
    )
  }
  const means = (text: Made.Json): Made.Json => (spelled.test(path) && typeof text === "string" ? numberOf(text) : text)
  return means(a) === means(b) || (b === null && silent.test(path)) ? [] : [path]
}

/** The names of fields whose numbers nodes write in many ways. */
const spelled = /(?:^|\.)(?:value|key|type|status|v|yParity)$/
const numberOf = (text: string): string =>
  text === "0x" ? "0" : String(/^0x[0-9a-f]+$/i.test(text) ? BigInt(text) : text)

const isObject = (json: Made.Json): json is Made.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
