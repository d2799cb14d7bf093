/**
 * Tells the lies of the catalogue to viem, ethers and web3.js, directly and through the proving provider. Without the
 * provider, a client believes each lie in at least one of its reads, except for the lies in `noticed`. With the
 * provider, each read returns the truth or an error.
 */
import { HistoryChain } from "@plumbline/devnet"
import { ProviderRefusal } from "@plumbline/provider"
import { Catalogue, Tamper } from "@plumbline/tamper"
import { assert, describe, it } from "vitest"

import * as Table from "../../src/believed/fatesTable.ts"
import * as Facts from "../../src/clients/facts.ts"
import { libraries } from "../../src/clients/libraries.ts"
import { type Outcome, outcomes } from "../../src/clients/library.ts"
import { ways } from "../support/provider.ts"

const lies = Catalogue.lies.filter(({ how }) => how._tag === "Answer")

/** Lies that a client detects without the provider. */
const noticed: Readonly<Record<string, ReadonlyArray<string>>> = { ethers: ["sent-hash"] }

const documented = Table.read()

/** Returns the effect of a lie on the reads of a program, as one of the words that `plumbline tamper --check` uses. */
const fateOf = (truth: ReadonlyMap<string, Outcome>, found: ReadonlyMap<string, Outcome>, told: number): string => {
  const all = [...found]
  if (all.some(([, outcome]) => "code" in outcome)) return "refused"
  if (told === 0) return "not asked"
  const value = (outcome: Outcome | undefined) => (outcome !== undefined && "value" in outcome ? outcome.value : "")
  return all.every(([read, outcome]) => value(outcome) === value(truth.get(read))) ? "unmoved" : "believed"
}

/** True if a value is not null. */
const isValue = (outcome: Outcome): outcome is { readonly value: string } =>
  "value" in outcome && outcome.value !== "null"

for (const { make, name } of libraries) {
  const through = (way: "plain" | "proving", liar?: Parameters<typeof ways>[0]) =>
    make({ _tag: "Provider", provider: ways(liar, { chainId: BigInt(HistoryChain.chainId) })[way] }, Facts.history)
  const truth = through("plain")
  const expected = new Map([...(await outcomes(truth.facts)), ...(await outcomes(truth.others))])
  const differs = ([read, outcome]: readonly [string, Outcome]): boolean =>
    isValue(outcome) && outcome.value !== (expected.get(read) as { readonly value: string }).value

  describe(`${name} and a lie of the catalogue`, () => {
    for (const lie of lies) {
      it(`that it believes, and that is found out by the proof: ${lie.name}`, async () => {
        let told = 0
        const plain = through("plain", Tamper.make(lie, { onTold: () => told++ }))
        const read = await outcomes({ ...plain.facts, ...plain.others })
        const believed = [...read].filter(
          ([read, outcome]) => differs([read, outcome]) || ("value" in outcome && !isValue(outcome))
        )
        assert.strictEqual(believed.length === 0, noticed[name]?.includes(lie.name) ?? false, "believed")
        assert.strictEqual(documented.get(name)?.get(lie.name), fateOf(expected, read, told), "the table")

        told = 0
        const behind = through("proving", Tamper.make(lie, { onTold: () => told++ }))
        const { call: _, ...others } = behind.others
        const facts = await outcomes(behind.facts)
        assert.deepEqual([...facts].filter(differs), [], "nothing but the truth passes")
        const all = new Map([...facts, ...(await outcomes(others))])
        const column = documented.get(`${name} behind the proxy`)
        if (column !== undefined) assert.strictEqual(column.get(lie.name), fateOf(expected, all, told), "the table")
        const codes = [...all.values()].flatMap((outcome) => ("code" in outcome ? [outcome.code] : []))
        if (lie.expected === "REFUTED") assert.include(codes, ProviderRefusal.REFUTED)
      })
    }
  })
}

it("has a row of the documented table for each lie, and what proves believes none that is refuted", () => {
  for (const [name, fates] of documented) {
    assert.deepEqual(new Set(fates.keys()), new Set(Catalogue.lies.map((lie) => lie.name)), name)
  }
  for (const name of ["viem behind the proxy", "plumbline"]) {
    for (const lie of Catalogue.lies) {
      if (lie.expected === "REFUTED" || lie.expected === "REPAIRED")
        assert.notStrictEqual(documented.get(name)?.get(lie.name), "believed", lie.name)
    }
  }
})
