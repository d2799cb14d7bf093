/**
 * Checks the drawn line of proof from the anchor down to a value of the history chain. Another implementation computes
 * each hash, and the test breaks the line in every way.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Random from "@plumbline/seeded/Random"
import * as Effect from "effect/Effect"
import { keccak256 } from "js-sha3"
import { describe, expect, test } from "vitest"

import * as GatherEvidence from "../src/chain/GatherEvidence.ts"
import { checkPath } from "../src/proof/ProofPath.ts"
import type { ProofSubject } from "../src/proof/ProofSubject.ts"
import { valueOf } from "../src/proof/ProofWording.ts"
import * as OnHistory from "./support/OnHistory.ts"

const HEAD = HistoryChain.head.hash
const CABINET = HistoryChain.contracts.cabinet.address
const SLOT = "0xa6d68219ab00b52ab8a280971ca73177d6410eb194deec46ec3fe561152cc9e2"
const pinned = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HEAD))

const gather = (block: string, subject: ProofSubject, change?: (answer: string) => string) =>
  Effect.runPromise(Effect.provide(GatherEvidence.gather(block, subject), OnHistory.layer(pinned, change)))

const withUncles = HistoryChain.blocks.find(({ uncles }) => uncles.length === 2)!
const busy = HistoryChain.blocks.reduce((best, block) =>
  block.transactions.length > best.transactions.length ? block : best
)

const SUBJECTS: ReadonlyArray<readonly [block: string, subject: ProofSubject]> = [
  [HEAD, { _tag: "Header", field: "timestamp" }],
  [HEAD, { _tag: "Account", address: CABINET, field: "nonce" }],
  [HEAD, { _tag: "Account", address: CABINET, field: "code" }],
  [HEAD, { _tag: "Account", address: `0x${"77".repeat(20)}`, field: "balance" }],
  [HEAD, { _tag: "Slot", address: CABINET, slot: SLOT }],
  [HEAD, { _tag: "Slot", address: CABINET, slot: `0x${"77".repeat(32)}` }],
  [withUncles.hash, { _tag: "Item", list: "uncles", index: 1, field: "number" }],
  [withUncles.hash, { _tag: "Item", list: "uncles", index: 0, field: "" }],
  [busy.hash, { _tag: "Item", list: "transactions", index: busy.transactions.length - 1, field: "nonce" }],
  [busy.hash, { _tag: "Item", list: "transactions", index: busy.transactions.length + 5, field: "" }],
  [busy.hash, { _tag: "Item", list: "receipts", index: 0, field: "cumulativeGasUsed" }]
]

const keccak = (bytes: Uint8Array): string => `0x${keccak256(bytes)}`

describe("a value of the history chain", () => {
  test.for(SUBJECTS)(
    "hangs from the trusted block, by hashes of another implementation: %#",
    async ([block, subject]) => {
      const { between, evidence, nail } = await gather(block, subject)
      const { broken, hashes, stations, value } = checkPath(evidence, subject)
      expect(broken).toBeUndefined()
      expect(value).toBeDefined()
      expect(nail).toEqual({ _tag: "Pinned", hash: HEAD })
      // an old block is further from the head than the maximum number of drawn headers
      let named: string = between === 0 ? HEAD : block
      expect(stations.map(({ digest }) => digest)).toEqual(stations.map(({ bytes }) => keccak(bytes)))
      const hung = stations.filter((station) => station.named !== undefined)
      expect(hung.map(({ named }) => named)).toEqual(hung.map(({ digest }) => digest))
      for (const { bytes, digest } of stations.filter(({ id }) => id.startsWith("header"))) {
        expect(digest).toBe(named)
        // these bytes contain the hash of the next header
        named = `0x${Buffer.from(bytes.subarray(4, 36)).toString("hex")}`
      }
      expect(hashes).toBe(hung.length)
    }
  )

  test("is the value that is recorded", async () => {
    const read = async (block: string, subject: ProofSubject) => {
      const { evidence } = await gather(block, subject)
      return valueOf(checkPath(evidence, subject).value!, subject)
    }
    expect(await read(HEAD, { _tag: "Header", field: "number" })).toMatchObject({
      main: String(HistoryChain.head.number)
    })
    expect(await read(HEAD, { _tag: "Slot", address: CABINET, slot: `0x${"77".repeat(32)}` })).toMatchObject({
      main: "0"
    })
    expect(await read(HEAD, { _tag: "Account", address: `0x${"77".repeat(20)}`, field: "balance" })).toMatchObject({
      main: "none"
    })
    const last = busy.transactions.length - 1
    const whole = await read(busy.hash, { _tag: "Item", list: "transactions", index: last, field: "" })
    expect(whole.whole).toBe(busy.transactions[last]!.hash)
    const uncle = await read(withUncles.hash, { _tag: "Item", list: "uncles", index: 0, field: "" })
    expect(uncle.whole).toBe(withUncles.uncles[0])
  })

  test.for(SUBJECTS)("breaks at the node whose bit is flipped, wherever the bit is: %#", async ([block, subject]) => {
    const { evidence } = await gather(block, subject)
    const whole = checkPath(evidence, subject)
    const random = Random.make(57)
    for (const [at, station] of whole.stations.entries()) {
      if (station.named === undefined) continue
      for (let run = 0; run < Random.runs(20); run++) {
        const flip = { station: station.id, byte: Random.int(random, station.bytes.length), bit: Random.int(random, 8) }
        const torn = checkPath(evidence, subject, [flip])
        expect(torn.broken).toMatchObject({ station: at, expected: station.named })
        expect(torn.value).toBeUndefined()
        const bytes = Uint8Array.from(station.bytes)
        bytes[flip.byte]! ^= 1 << flip.bit
        expect(torn.broken!.got).toBe(keccak(bytes))
        // the rows below the break are still drawn
        expect(torn.stations.map(({ id }) => id)).toEqual(whole.stations.map(({ id }) => id))
      }
    }
    expect(checkPath(evidence, subject, []).broken).toBeUndefined()
  })
})

describe("a node that lies", () => {
  const slot: ProofSubject = { _tag: "Slot", address: CABINET, slot: SLOT }

  test("about a node of a proof breaks the line at that node", async () => {
    const whole = checkPath((await gather(HEAD, slot)).evidence, slot)
    const node = whole.stations.find(({ id }) => id === "storage.2")
    const hex = Buffer.from(node!.bytes).toString("hex")
    const lie = `${hex.slice(0, 80)}${hex[80] === "0" ? "1" : "0"}${hex.slice(81)}`
    const { evidence } = await gather(HEAD, slot, (answer) => answer.replace(hex, lie))
    const { broken, stations, value } = checkPath(evidence, slot)
    expect(stations[broken!.station]!.id).toBe("storage.2")
    expect(broken).toMatchObject({ check: "storage proof", expected: node!.named })
    expect(value).toBeUndefined()
  })

  test("about a field of the header breaks the line at the header", async () => {
    const { evidence } = await gather(HEAD, slot, (answer) =>
      answer.replace(/"gasUsed":"0x[0-9a-f]+"/u, `"gasUsed":"0x1"`)
    )
    const { broken, stations } = checkPath(evidence, slot)
    expect(stations[broken!.station]!.id).toBe("header")
    expect(broken).toMatchObject({ check: "header hash", expected: HEAD })
  })

  test("is not blamed for the hash of a header with fields that are not known here", async () => {
    const more = Array.from({ length: 9 }, (_, at) => `"later${"x".repeat(99)}${at}":"0x1",`).join("")
    for (const [added, named] of [
      ['"laterRoot":"0x1",', "(laterRoot)"],
      [more, ", ...)"]
    ] as const) {
      const error = await gather(HEAD, slot, (answer) =>
        answer.replace(/"gasUsed":"0x[0-9a-f]+"/u, `${added}"gasUsed":"0x1"`)
      ).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(GatherEvidence.NotShownError)
      expect(String(error)).toContain(named)
      expect(String(error).length).toBeLessThan(400)
    }
    const beside = await gather(HEAD, slot, (answer) => answer.replace('"gasUsed"', '"laterRoot":"0x1","gasUsed"'))
    expect(checkPath(beside.evidence, slot).broken).toBeUndefined()
  })

  test("by leaving out the last node proves nothing", async () => {
    const { evidence } = await gather(HEAD, slot)
    const short = {
      ...evidence,
      parts: evidence.parts.map((part) =>
        part._tag === "Trie" && part.trie === "storage" ? { ...part, nodes: part.nodes.slice(0, -1) } : part
      )
    }
    expect(checkPath(short, slot)).toMatchObject({ broken: { got: "no node" }, value: undefined })
    const none = {
      ...evidence,
      parts: evidence.parts.map((part) => (part._tag === "Trie" ? { ...part, nodes: [] } : part))
    }
    expect(checkPath(none, slot)).toMatchObject({ broken: { got: "no node" }, value: undefined })
  })

  test("by adding a node proves nothing", async () => {
    const { evidence } = await gather(HEAD, slot)
    const long = {
      ...evidence,
      parts: evidence.parts.map((part) =>
        part._tag === "Trie" ? { ...part, nodes: [...part.nodes, Uint8Array.of(0xc0)] } : part
      )
    }
    expect(checkPath(long, slot).value).toBeUndefined()
  })
})

test("a block that is newer than the trusted one hangs from nothing", async () => {
  const old = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HistoryChain.blocks[5]!.hash))
  const subject: ProofSubject = { _tag: "Header", field: "number" }
  const { nail } = await Effect.runPromise(Effect.provide(GatherEvidence.gather("9", subject), OnHistory.layer(old)))
  expect(nail._tag).toBe("None")
})

test("an old block hangs from the head by the headers between, or by their number if they are many", async () => {
  const subject: ProofSubject = { _tag: "Header", field: "number" }
  const near = await gather("60", subject)
  expect(near.evidence.parts).toHaveLength(10)
  expect(checkPath(near.evidence, subject)).toMatchObject({ broken: undefined, hashes: 10 })
  const far = await gather("3", subject)
  expect(far).toMatchObject({ between: 66, nail: { _tag: "Pinned" } })
})
