/** Attacks verifyTransaction and verifyPending with transactions of the second chain. */
import { Felt, type OmittedField, Transaction, verifyPending, verifyTransaction } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

import { type Outcome, refused, type Target } from "../fuzzTarget.ts"
import * as Json from "../json.ts"
import * as Mutate from "../mutate.ts"
import * as Made from "./madeTransactions.ts"
import { judge } from "./secondChainJudge.ts"

const decode = Schema.decodeUnknownResult(Transaction.Transaction)

const felt = Felt.fromHexUnsafe

/** Moves an item between neighbouring lists of felts, so that the sequence of items stays the same. */
const moved = (json: Json.JsonObject, random: Random.Random): Json.JsonObject => {
  const names = Object.keys(json).filter((name) => Json.isList(json[name]) && name !== "signature")
  if (names.length < 2) return json
  const [from, to] = [Random.pick(random, names), Random.pick(random, names)]
  const [taken, given] = [json[from], json[to]]
  if (from === to || !Json.isList(taken) || !Json.isList(given) || taken.length === 0) return json
  return { ...json, [from]: taken.slice(0, -1), [to]: [taken.at(-1)!, ...given] }
}

/** Returns the transaction as another kind, with the fields that this kind needs. */
const disguised = (json: Json.JsonObject, random: Random.Random): Json.JsonObject => ({
  ...json,
  ...Random.pick<Json.JsonObject>(random, [
    {
      type: Random.pick(random, ["INVOKE", "DECLARE", "DEPLOY", "DEPLOY_ACCOUNT", "L1_HANDLER", "INVOKE_FUNCTION", ""])
    },
    { version: Random.pick(random, ["0x0", "0x1", "0x2", "0x3", "0x4", `0x1${"0".repeat(31)}3`, "0x03"]) },
    { type: "L1_HANDLER", version: "0x0" },
    { type: "DEPLOY", version: "0x0" }
  ])
})

/** Returns the transaction with one number changed: the same value in another spelling, or a value beyond the field. */
const respelled = (json: Json.JsonObject, random: Random.Random): Json.JsonObject => {
  const place = Random.pick(
    random,
    Json.places(json).filter(({ value }) => typeof value === "string" && value.startsWith("0x"))
  )
  const value = place.value as string
  const other = Random.pick(random, [
    `0x0${value.slice(2)}`,
    value.toUpperCase().replace("X", "x"),
    Made.hex(BigInt(value) + PRIME)
  ])
  return Json.set(json, place.path, other) as Json.JsonObject
}

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

/** Changes bounds, facts and additional fields, which older hashes leave out or no hash covers. */
const beside = (json: Json.JsonObject, random: Random.Random): Json.JsonObject => {
  const bounds = json["resource_bounds"]
  const nothing = { max_amount: "0x0", max_price_per_unit: "0x0" }
  if (!Json.isObject(bounds)) return { ...json, nonce: Made.felt(random) }
  return Random.pick<Json.JsonObject>(random, [
    { ...json, resource_bounds: { ...bounds, l1_data_gas: nothing } },
    { ...json, resource_bounds: { l1_gas: bounds["l1_gas"]!, l2_gas: bounds["l2_gas"]! } },
    { ...json, resource_bounds: { ...bounds, l3_gas: nothing } },
    { ...json, resource_bounds: { ...bounds, l1_gas: { ...(bounds["l1_gas"] as Json.JsonObject), max_fee: "0x1" } } },
    { ...json, proof_facts: [] },
    { ...json, proof_facts: [Made.felt(random)] }
  ])
}

const lies = [moved, disguised, respelled, beside]

const omitted: ReadonlyArray<ReadonlyArray<OmittedField>> = [[], [], ["l1_data_gas"], ["proof_facts", "l1_data_gas"]]

const mustPass = (outcome: Outcome): Outcome =>
  outcome._tag === "True"
    ? outcome
    : outcome._tag === "False"
      ? outcome
      : { _tag: "False", leaf: "value", expected: "the truth accepted", got: JSON.stringify(outcome) }

const target = (name: string, about: string, isWanted: (kind: Made.Kind) => boolean): Target => ({
  name,
  about,
  slow: true,
  prepare: async () => {
    const bank = Made.bank(1, 6).filter(({ kind }) => isWanted(kind))
    const mutator = Mutate.make(bank.map(({ json }) => json))
    const keys = new Map(
      bank.flatMap(({ account }) =>
        account === undefined ? [] : [[account.address, felt(account.publicKey)] as const]
      )
    )
    const byHash = new Map(bank.map((made) => [BigInt(made.hash), made.json]))
    return (seed) => {
      const random = Random.make(seed)
      const truth = Random.pick(random, bank)
      // only a few cases pass the public key, because checking a signature takes most of the time
      const knows = Random.chance(random, 0.03)
      const isHonest = Random.chance(random, 0.03)
      const said = isHonest
        ? truth.json
        : Random.chance(random, 0.6)
          ? mutator.mutate(truth.json, random)
          : Random.pick(random, lies)(truth.json, random)
      const decoded = decode(said)
      if (Result.isFailure(decoded)) return refused("decode")
      const options = {
        chainId: felt(isHonest || Random.chance(random, 0.95) ? Made.CHAIN : Made.OTHER_CHAIN),
        omits: Random.pick(random, omitted),
        ...(knows ? { publicKeyOf: (account: Felt.Felt) => keys.get(account) } : {})
      }
      const outcome = Random.chance(random, 0.3)
        ? judge(verifyPending(decoded.success, options), byHash.get(BigInt(decoded.success.transaction_hash)))
        : judge(verifyTransaction(decoded.success, felt(truth.hash), options), truth.json)
      return isHonest ? mustPass(outcome) : outcome
    }
  }
})

/**
 * True for kinds that are hashed with Poseidon, which is ten times as fast as Pedersen. Separate targets allow many
 * runs with it.
 */
const isNew = (kind: Made.Kind): boolean => kind.endsWith("v3")

export const transaction: Target = target(
  "second-chain",
  "verifyTransaction and verifyPending: version 3 of every kind, hashes by starknet.js",
  isNew
)

export const oldTransaction: Target = target(
  "second-chain-old",
  "the same for the versions that Pedersen hashes, which take milliseconds each",
  (kind) => !isNew(kind)
)
