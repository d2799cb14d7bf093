import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Result } from "effect"

import { verifyBlock, verifyTransaction } from "../src/index.ts"
import * as Made from "./support/made.ts"

const runs = Number(process.env["PLUMBLINE_RUNS"] ?? 60) * 10

/** Numbers below `bound`, the same for the same seed (a linear congruential generator's upper bits). */
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

/** The value with one place in it, at any depth, replaced by junk, taken out, or written twice. */
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

/** JSON with the members of all objects in one order. */
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
      const verdict = verifyBlock(decoded.success, hash, { senders: false })
      if (Result.isFailure(verdict)) {
        refuted++
        continue
      }
      if (verdict.success._tag === "CLAIMED") continue
      // verified all the same: then nothing of the original is contradicted, but for what is claimed
      const claimed = new Set(verdict.success.claimed.map((claim) => claim.field.replace(/^transactions\[\]\./, "")))
      for (const path of contradictions(original, changed)) {
        assert.isTrue(
          path.split(".").some((part) => claimed.has(part.replace(/\[\d+\]$/, ""))),
          `seed ${seed}: ${path} was verified`
        )
      }
    }
    assert.isAbove(refuted, runs / 20)
  })

  it("about a transaction decode or fail, verify or are refuted", () => {
    const transactions = Made.signed(Hardfork.Prague).map((transaction) => Made.answerOf(transaction))
    let refuted = 0
    for (let seed = 1; seed <= runs; seed++) {
      const next = random(seed)
      const original = transactions[next(transactions.length)]!
      const decoded = Made.decodeTransactionResult(mutate(original, next))
      if (Result.isFailure(decoded)) continue
      const verdict = verifyTransaction(decoded.success, Hash32.fromHexUnsafe(Made.string(original["hash"])))
      if (Result.isFailure(verdict)) refuted++
    }
    assert.isAbove(refuted, runs / 20)
  })
})

/** Fields in which a node may say nothing, by null as by leaving them out. */
const silent = /(?:^|\.)(?:size|gasPrice|blockTimestamp|chainId)$/

/** Paths that both have, and have differently. What is left out or added contradicts nothing. */
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
  return a === b || (b === null && silent.test(path)) ? [] : [path]
}

const isObject = (json: Made.Json): json is Made.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
