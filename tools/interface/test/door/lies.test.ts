/**
 * The catalogue of lies against viem, ethers and web3.js, plain and behind the door. A plain client believes each lie
 * in at least one of its reads, except where `noticed` names it. Behind the door each read is the truth or an error.
 */
import { HistoryChain } from "@plumbline/devnet"
import { Refusal } from "@plumbline/provider"
import { Catalogue, Tamper } from "@plumbline/tamper"
import { assert, describe, it } from "vitest"

import * as Facts from "../../src/clients/facts.ts"
import { libraries } from "../../src/clients/libraries.ts"
import { type Outcome, outcomes } from "../../src/clients/library.ts"
import { ways } from "../support/door.ts"

const lies = Catalogue.lies.filter(({ how }) => how._tag === "Answer")

/** Lies that a client finds out without a door. */
const noticed: Readonly<Record<string, ReadonlyArray<string>>> = { ethers: ["sent-hash"] }

/** True of a value that is no null. */
const isValue = (outcome: Outcome): outcome is { readonly value: string } =>
  "value" in outcome && outcome.value !== "null"

for (const { make, name } of libraries) {
  const through = (way: "plain" | "door", liar?: Parameters<typeof ways>[0]) =>
    make({ _tag: "Provider", provider: ways(liar, { chainId: BigInt(HistoryChain.chainId) })[way] }, Facts.history)
  const truth = through("plain")
  const expected = new Map([...(await outcomes(truth.facts)), ...(await outcomes(truth.others))])
  const differs = ([read, outcome]: readonly [string, Outcome]): boolean =>
    isValue(outcome) && outcome.value !== (expected.get(read) as { readonly value: string }).value

  describe(`${name} and a lie of the catalogue`, () => {
    for (const lie of lies) {
      it(`that it believes, and that is found out behind the door: ${lie.name}`, async () => {
        const plain = through("plain", Tamper.make(lie))
        const believed = [...(await outcomes(plain.facts)), ...(await outcomes(plain.others))].filter(
          ([read, outcome]) => differs([read, outcome]) || ("value" in outcome && !isValue(outcome))
        )
        assert.strictEqual(believed.length === 0, noticed[name]?.includes(lie.name) ?? false, "believed")

        const behind = through("door", Tamper.make(lie))
        const { call: _, ...others } = behind.others
        const facts = await outcomes(behind.facts)
        assert.deepEqual([...facts].filter(differs), [], "nothing but the truth passes")
        const codes = [...facts.values(), ...(await outcomes(others)).values()].flatMap((outcome) =>
          "code" in outcome ? [outcome.code] : []
        )
        if (lie.expected === "REFUTED") assert.include(codes, Refusal.REFUTED)
      })
    }
  })
}
