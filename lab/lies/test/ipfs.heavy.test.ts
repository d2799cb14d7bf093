/** Tests every method of the proving IPFS client against nodes whose false answers agree with each other. */
import { assert, describe, it } from "@effect/vitest"
import { type IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect } from "effect"

import type { Outcome } from "../src/fuzzTarget.ts"
import { judged } from "../src/ipfs/ipfsJudge.ts"
import * as World from "../src/ipfs/ipfsWorld.ts"
import * as Node from "../src/ipfs/kuboFormsNode.ts"
import * as Readings from "../src/ipfs/readings.ts"
import * as Writings from "../src/ipfs/writings.ts"
import { firstFalse } from "../src/leaves.ts"

/** Counts each outcome. */
class Tally {
  readonly counts = { lies: 0, answers: 0, Refused: 0, Claimed: 0, True: 0, False: 0 }
  readonly falsehoods: Array<string> = []

  add(where: string, outcome: Outcome): void {
    this.counts.answers++
    this.counts[outcome._tag]++
    if (outcome._tag === "False") this.falsehoods.push(`${where}: ${JSON.stringify(outcome)}`)
  }
}

const told = (reading: Readings.Reading, ipfs: IpfsClient.AnyClient) =>
  judged(reading.read(ipfs), (value) => firstFalse(value, reading.truth, []))

describe("reading", () => {
  it("proves everything that an honest node says", async () => {
    const ipfs = ProvenIpfsClient.make(await Effect.runPromise(Node.client({ name: "honest", blocks: World.honest })))
    for (const reading of [...Readings.readings, Readings.partial]) {
      assert.deepStrictEqual(await told(reading, ipfs), { _tag: "True" }, reading.method)
    }
  })

  it("returns no leaf of a lie that all of a node's answers agree on", async () => {
    const tally = new Tally()
    // all worlds take a minute, so only a sample runs unless PLUMBLINE_RUNS is set
    const every = process.env["PLUMBLINE_RUNS"] === undefined ? 6 : 1
    const worlds = [...World.worlds, ...World.exchanges].filter((_, i) => i % every === 0).concat(World.exports)
    let unseen = 0
    for (const world of worlds) {
      tally.counts.lies++
      const ipfs = ProvenIpfsClient.make(await Effect.runPromise(Node.client(world)))
      let refused = 0
      for (const reading of Readings.readings) {
        const outcome = await told(reading, ipfs)
        if (outcome._tag === "Refused") refused++
        tally.add(`${world.name} ${reading.method}`, outcome)
      }
      if (refused === 0) unseen++
      // an answer with only some of the true blocks counts as true
      const outcome = await judged(Readings.partial.read(ipfs), (value) => {
        const got = value as Readonly<Record<string, unknown>>
        const truth = Readings.partial.truth as Readonly<Record<string, unknown>>
        return firstFalse(got, Object.fromEntries(Object.entries(truth).filter(([cid]) => cid in got)), [])
      })
      tally.add(`${world.name} ${Readings.partial.method}`, outcome)
    }
    console.log(`IPFS reads: ${JSON.stringify(tally.counts)}`)
    assert.deepStrictEqual(tally.falsehoods.slice(0, 10), [])
    assert.strictEqual(tally.counts.answers, tally.counts.lies * (Readings.readings.length + 1))
    assert.isAbove(tally.counts.lies, 500 / every)
    assert.isAbove(tally.counts.Refused, 2000 / every)
    assert.isAbove(tally.counts.True, 2000 / every, "what a lie does not touch is still read")
    // only `Readings.partial` notices an export with more than the requested blocks
    assert.isBelow(unseen, 5, "every lie is seen by some way of reading")
  })
})

describe("storing", () => {
  const world = { name: "honest", blocks: World.honest }
  const told = async ({ command, truth, write }: Writings.Writing, lines: ReadonlyArray<unknown>) => {
    const ipfs = ProvenIpfsClient.make(await Effect.runPromise(Node.client(world, { [command]: lines })))
    return judged(write(ipfs), (value) => firstFalse(value, truth, []))
  }

  it("proves everything that an honest node says", async () => {
    for (const writing of Writings.writings) {
      assert.deepStrictEqual(await told(writing, writing.honest), { _tag: "True" }, writing.method)
    }
  })

  it("returns no leaf of a lie whose CIDs, sizes and names agree", async () => {
    const tally = new Tally()
    for (const writing of Writings.writings) {
      for (const [i, lines] of writing.lies.entries()) {
        tally.counts.lies++
        tally.add(`${writing.method} ${i} ${JSON.stringify(lines).slice(0, 300)}`, await told(writing, lines))
      }
    }
    console.log(`IPFS writes: ${JSON.stringify(tally.counts)}`)
    assert.deepStrictEqual(tally.falsehoods.slice(0, 10), [])
    assert.isAbove(tally.counts.lies, 300)
    assert.isAbove(tally.counts.Refused, 0.9 * tally.counts.lies)
  })
})
