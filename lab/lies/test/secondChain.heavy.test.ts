/** Tests every way to read transactions against nodes of the second chain whose lies agree with each other. */
import { assert, describe, it } from "@effect/vitest"
import { Felt } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"

import type * as Json from "../src/json.ts"
import * as Made from "../src/secondChain/madeTransactions.ts"
import * as Liars from "../src/secondChain/secondChainLiars.ts"
import * as Node from "../src/secondChain/secondChainNode.ts"
import * as Tell from "../src/secondChain/tell.ts"

const random = Random.make(14)
const bank = Made.kindNames.map((kind) => Made.make(random, kind))
const siblings = [Made.make(random, "INVOKE v3"), Made.make(random, "INVOKE v1")] as const

/** Nodes up to 0.4 know no transactions of version 3. */
const siblingOf = (version: string): Made.Made => siblings[version.startsWith("0.4") ? 1 : 0]
const isKnown = (made: Made.Made, version: string): boolean => !(version.startsWith("0.4") && made.kind.endsWith("v3"))

const keys = new Map(
  [...bank, ...siblings].flatMap(({ account }) => (account === undefined ? [] : [[account.address, account.publicKey]]))
)
const publicKeyOf = (account: Felt.Felt): Felt.Felt | undefined => {
  const key = keys.get(account)
  return key === undefined ? undefined : Felt.fromHexUnsafe(key)
}

const worldOf = (made: Made.Made, version: string): Node.World => ({
  version,
  chainId: Made.CHAIN,
  transactions: [made.json, siblingOf(version).json],
  block: {
    parent_hash: "0x1",
    timestamp: 1,
    sequencer_address: "0x2",
    l1_gas_price: { price_in_fri: "0x1", price_in_wei: "0x1" },
    l2_gas_price: { price_in_fri: "0x1", price_in_wei: "0x1" },
    l1_data_gas_price: { price_in_fri: "0x1", price_in_wei: "0x1" },
    l1_da_mode: "BLOB",
    starknet_version: "0.14.0",
    ...(version.startsWith("0.9") || version.startsWith("0.10") ? { block_number: 7 } : {})
  }
})

/** Returns true transactions by hash: those of the bank, and those that a liar made up with a matching hash. */
const truthsOf = (world: Node.World, made: Made.Made): ReadonlyMap<bigint, Json.JsonObject> => {
  const own = [made, ...siblings].map(({ hash, json }) => [BigInt(hash), json] as const)
  const told = world.transactions.flatMap((json) => {
    const fits =
      kindFits(json, made) && BigInt(Made.hashOf(made.kind, json)) === BigInt(json["transaction_hash"] as string)
    return fits ? [[BigInt(json["transaction_hash"] as string), json] as const] : []
  })
  return new Map([...told, ...own])
}

const kindFits = (json: Json.JsonObject, made: Made.Made): boolean =>
  json["type"] === made.json["type"] && (json["version"] as string).endsWith(made.kind.at(-1)!)

// the timeout is long, because each hash of an old version takes milliseconds, and the machine may be busy
describe("every way of reading transactions of the second chain", () => {
  it.effect("proves what an honest node of each version says, but for what that version leaves out", () =>
    Effect.gen(function* () {
      const counts = { True: 0, Claimed: 0 }
      for (const version of Node.versions) {
        for (const made of bank.filter((made) => isKnown(made, version))) {
          const world = worldOf(made, version)
          const readings = yield* Tell.readings(world, made.hash, { truths: truthsOf(world, made), publicKeyOf })
          for (const { method, outcomes } of readings) {
            for (const outcome of outcomes) {
              const where = `${version} ${made.kind} ${method}: ${JSON.stringify(outcome)}`
              assert.include(["True", "Claimed"], outcome._tag, where)
              counts[outcome._tag as keyof typeof counts]++
            }
          }
        }
      }
      assert.isAbove(counts.True, counts.Claimed)
    })
  )

  it.effect("lets no lie pass on which all answers of a node agree", () =>
    Effect.gen(function* () {
      const counts = { lies: 0, answers: 0, empty: 0, True: 0, Claimed: 0, Refused: 0, False: 0 }
      const told = new Map(Liars.lies.map(({ name }) => [name, 0]))
      const caught = new Map(Liars.lies.map(({ name }) => [name, 0]))
      let turn = 0
      for (const made of bank) {
        for (const lie of Liars.lies) {
          const times = lie.name.startsWith("another value in one field") ? 3 : 1
          for (let time = 0; time < times; time++) {
            const known = Node.versions.filter((version) => isKnown(made, version))
            const version = known[turn++ % known.length]!
            const honest = worldOf(made, version)
            const world = lie.tell(honest, made, random)
            if (world === undefined) continue
            counts.lies++
            told.set(lie.name, told.get(lie.name)! + 1)
            const readings = yield* Tell.readings(world, made.hash, { truths: truthsOf(world, made), publicKeyOf })
            for (const { method, outcomes } of readings) {
              if (outcomes.length === 0) counts.empty++
              for (const outcome of outcomes) {
                counts.answers++
                counts[outcome._tag]++
                if (outcome._tag !== "True") caught.set(lie.name, caught.get(lie.name)! + 1)
                const where = `${lie.name}, ${version}, ${made.kind}, ${method}: ${JSON.stringify(outcome)}`
                assert.notStrictEqual(outcome._tag, "False", where)
              }
            }
          }
        }
      }
      console.log(`second chain: ${JSON.stringify(counts)}`)
      assert.deepStrictEqual(
        [...told].filter(([, times]) => times === 0),
        []
      )
      // two lies cannot be refuted: the list of pending transactions is always a claim of the node, and a newer version
      // omits no field
      const unseen = [...caught].filter(([, times]) => times === 0).map(([name]) => name)
      assert.deepStrictEqual(unseen, ["an empty list", "the version is 0.10.2"])
      assert.isAbove(counts.lies, 300)
      assert.isAbove(counts.Refused, counts.lies)
    })
  )
})
