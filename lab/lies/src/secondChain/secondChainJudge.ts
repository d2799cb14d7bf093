/** Judges the verdicts of the second chain's verifiers on a transaction. */
import type { Transaction } from "@plumbline/second-chain-methods"
import type { RefutedError, Verdict } from "@plumbline/verdict"
import { Result } from "effect"

import { accepted, claimed, type Outcome, refused } from "../fuzzTarget.ts"
import type * as Json from "../json.ts"
import * as Leaves from "../leaves.ts"
import * as Made from "./madeTransactions.ts"

/**
 * Compares a verdict with `truth`, the true transaction with the same hash. `truth` is `undefined` if no transaction
 * has this hash.
 */
export const judge = (
  verdict: Result.Result<Verdict.Verdict<Transaction.Transaction>, RefutedError>,
  truth: Json.JsonObject | undefined
): Outcome => {
  if (Result.isFailure(verdict)) return refused(verdict.failure.check)
  const { _tag, claimed: claims, value } = verdict.success
  if (_tag === "CLAIMED") return claimed
  const difference = Leaves.firstFalse(
    spelled(value),
    truth === undefined ? undefined : spelled({ ...addressesOf(truth), ...truth }),
    claims.map(({ field }) => field),
    { silent: truth !== undefined && "constructor_calldata" in truth ? ADDRESSES : [] }
  )
  return accepted(difference)
}

/** The two names of a deployment's address. The address follows from the other fields, so nodes may leave it out. */
const ADDRESSES = ["contract_address", "sender_address"]

const known = new WeakMap<Json.JsonObject, Json.JsonObject>()

const addressesOf = (truth: Json.JsonObject): Json.JsonObject => {
  if (!("constructor_calldata" in truth)) return {}
  const found = known.get(truth)
  if (found !== undefined) return found
  const address = Made.addressOf(truth)
  const both = { contract_address: address, sender_address: address }
  known.set(truth, both)
  return both
}

/**
 * Removes differences that do not change the hash: leading zeros in hex, zero or absent bounds, empty or absent facts.
 */
export const spelled = (transaction: object): Readonly<Record<string, unknown>> => {
  const said = normal(transaction) as Readonly<Record<string, unknown>>
  const bounds = said["resource_bounds"] as Readonly<Record<string, unknown>> | undefined
  return {
    ...said,
    proof_facts: said["proof_facts"] ?? (said["type"] === "INVOKE" && said["version"] !== 0n ? [] : undefined),
    ...(bounds === undefined || bounds["l1_data_gas"] !== undefined
      ? {}
      : { resource_bounds: { ...bounds, l1_data_gas: { max_amount: 0n, max_price_per_unit: 0n } } })
  }
}

const normal = (value: unknown): unknown => {
  if (typeof value === "string") return /^0x[0-9a-f]+$/iu.test(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, normal(one)]))
}
