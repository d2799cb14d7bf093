/**
 * Consistent liars of the second chain. Each shows a false world, and all answers of its node agree with each other.
 */
import * as Random from "@plumbline/seeded/Random"

import * as Json from "../json.ts"
import * as Made from "./madeTransactions.ts"
import type { World } from "./secondChainNode.ts"

/** A lie about the first transaction of a world. */
export interface Lie {
  readonly name: string
  /** Returns the world that the node shows; `undefined` if this transaction does not suit the lie. */
  readonly tell: (world: World, truth: Made.Made, random: Random.Random) => World | undefined
}

const first = (world: World, json: Json.JsonObject): World => ({
  ...world,
  transactions: [json, ...world.transactions.slice(1)]
})

const bump = (value: Json.Json | undefined): Json.Json | undefined => {
  if (typeof value === "string" && value.startsWith("0x")) return Made.hex(BigInt(value) ^ 1n)
  if (typeof value === "string") return value === "L1" ? "L2" : "L1"
  if (Json.isList(value)) return value.length === 0 ? ["0x7"] : [bump(value[0]) ?? null, ...value.slice(1)]
  if (!Json.isObject(value)) return undefined
  const [name, inner] = Object.entries(value)[0]!
  return { ...value, [name]: bump(inner) ?? null }
}

/** Returns the paths of all numbers, words and lists of a transaction. */
const placesOf = (json: Json.JsonObject): ReadonlyArray<Json.Path> =>
  Json.places(json)
    .filter(({ path, value }) => path.length > 0 && (typeof value === "string" || Json.isList(value)))
    .map(({ path }) => path)
    .filter(([name]) => name !== "type" && name !== "version" && name !== "transaction_hash")

/** Changes one field in every answer. With `isHashed`, the changed transaction has the hash that fits its fields. */
const fieldOf =
  (isHashed: boolean): Lie["tell"] =>
  (world, truth, random) => {
    const path = Random.pick(random, placesOf(truth.json))
    const value = bump(Json.get(truth.json, path))
    if (value === undefined) return undefined
    const json = Json.set(truth.json, path, value) as Json.JsonObject
    return first(world, isHashed ? Made.again(truth, json).json : json)
  }

const with_ =
  (
    change: (json: Json.JsonObject, truth: Made.Made, random: Random.Random) => Json.JsonObject | undefined
  ): Lie["tell"] =>
  (world, truth, random) => {
    const json = change(truth.json, truth, random)
    return json === undefined ? undefined : first(world, json)
  }

const nothing = { max_amount: "0x0", max_price_per_unit: "0x0" }

const boundsChanged = (change: (bounds: Json.JsonObject) => Json.JsonObject): Lie["tell"] =>
  with_((json) => {
    const bounds = json["resource_bounds"]
    return Json.isObject(bounds) ? { ...json, resource_bounds: change(bounds) } : undefined
  })

export const lies: ReadonlyArray<Lie> = [
  { name: "another value in one field", tell: fieldOf(false) },
  { name: "another value in one field, hashed anew", tell: fieldOf(true) },
  {
    name: "another transaction under this one's hash",
    tell: (world) => {
      const [one, other] = world.transactions
      return { ...world, transactions: [{ ...other!, transaction_hash: one!["transaction_hash"]! }, other!] }
    }
  },
  {
    name: "the hashes of two transactions swapped",
    tell: (world) => {
      const [one, other] = world.transactions
      const [a, b] = [one!["transaction_hash"]!, other!["transaction_hash"]!]
      return {
        ...world,
        transactions: [
          { ...one!, transaction_hash: b },
          { ...other!, transaction_hash: a }
        ]
      }
    }
  },
  {
    name: "the chain is another, and every hash is that chain's",
    tell: (world, truth) => ({
      ...world,
      chainId: Made.OTHER_CHAIN,
      transactions: [Made.again(truth, truth.json, Made.OTHER_CHAIN).json]
    })
  },
  { name: "the chain has another name", tell: (world) => ({ ...world, chainId: Made.OTHER_CHAIN }) },
  {
    name: "the hash of another chain under this chain's name",
    tell: (world, truth) => first(world, Made.again(truth, truth.json, Made.OTHER_CHAIN).json)
  },
  { name: "an unknown type", tell: with_((json) => ({ ...json, type: "INVOKE_FUNCTION" })) },
  { name: "an unknown version", tell: with_((json) => ({ ...json, version: "0x4" })) },
  {
    name: "the version with the query bit",
    tell: with_((json) => {
      const { version } = json
      return typeof version !== "string" || version.length > 4
        ? undefined
        : { ...json, version: `0x1${"0".repeat(31)}${version.at(-1)}` }
    })
  },
  {
    name: "the query bit, hashed anew: a trial shown as sent",
    tell: with_((json, truth) => {
      const { version } = json
      if (typeof version !== "string" || version.length > 4) return undefined
      const trial = Made.again(truth, { ...json, version: `0x1${"0".repeat(31)}${version.at(-1)}` })
      return { ...json, transaction_hash: trial.hash }
    })
  },
  {
    name: "an item moved from one list to the next",
    tell: with_((json) => {
      const names = Object.keys(json).filter((name) => Json.isList(json[name]) && name !== "signature")
      const from = names.find((name) => (json[name] as ReadonlyArray<Json.Json>).length > 0)
      const to = names.find((name) => name !== from)
      if (from === undefined || to === undefined) return undefined
      const [taken, given] = [json[from], json[to]] as [ReadonlyArray<Json.Json>, ReadonlyArray<Json.Json>]
      return { ...json, [from]: taken.slice(0, -1), [to]: [taken.at(-1)!, ...given] }
    })
  },
  {
    name: "another address of what is deployed",
    tell: with_((json, _, random) =>
      "constructor_calldata" in json ? { ...json, contract_address: Made.felt(random) } : undefined
    )
  },
  {
    name: "a sender where the kind has none",
    tell: with_((json, _, random) =>
      "sender_address" in json ? undefined : { ...json, sender_address: Made.felt(random) }
    )
  },
  { name: "bounds of nothing for data gas", tell: boundsChanged((bounds) => ({ ...bounds, l1_data_gas: nothing })) },
  {
    name: "no bounds for data gas",
    tell: boundsChanged((bounds) => ({ l1_gas: bounds["l1_gas"]!, l2_gas: bounds["l2_gas"]! }))
  },
  { name: "bounds of a resource that there is not", tell: boundsChanged((bounds) => ({ ...bounds, l3_gas: nothing })) },
  {
    name: "facts for a proof",
    tell: with_((json, _, random) => ({ ...json, proof_facts: [Made.felt(random)] }))
  },
  {
    name: "no facts for a proof",
    tell: with_(({ proof_facts: facts, ...json }) => (facts === undefined ? undefined : json))
  },
  {
    name: "a nonce where the hash has none",
    tell: with_((json, _, random) => ("nonce" in json ? undefined : { ...json, nonce: Made.felt(random) }))
  },
  {
    name: "what only a block has, in a transaction",
    tell: with_((json) => ({ ...json, block_hash: "0x1", execution_status: "SUCCEEDED", actual_fee: "0x0" }))
  },
  {
    name: "another signature",
    tell: with_((json, _, random) =>
      "signature" in json ? { ...json, signature: [Made.felt(random), Made.felt(random)] } : undefined
    )
  },
  { name: "no signature", tell: with_((json) => ("signature" in json ? { ...json, signature: [] } : undefined)) },
  { name: "an empty list", tell: (world) => ({ ...world, transactions: [] }) },
  {
    name: "every transaction twice",
    tell: (world) => ({ ...world, transactions: world.transactions.flatMap((one) => [one, one]) })
  },
  {
    name: "a block with a hash for the one in the making",
    tell: (world) => ({ ...world, block: { ...world.block, block_hash: "0x7" } })
  },
  ...["0.4.0", "0.7.1", "0.10.2", "v0.8.0-rc1", "9.9.9", "nonsense"].map((version): Lie => ({
    name: `the version is ${version}`,
    tell: (world) => (world.version === version ? undefined : { ...world, version })
  })),
  {
    name: "an old version, so that a lie about data gas is left open",
    tell: (world, truth) => {
      const bounds = truth.json["resource_bounds"]
      if (!Json.isObject(bounds)) return undefined
      const json = { ...truth.json, tip: bump(truth.json["tip"]) ?? null }
      return { ...first(world, json), version: "0.7.1" }
    }
  }
]
