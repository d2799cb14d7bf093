/** All lies by name. */
import type { Lie } from "../lie/Lie.ts"
import * as BlockLies from "./blockLies.ts"
import * as ConnectionFaults from "./connectionFaults.ts"
import * as Omissions from "./omissions.ts"
import * as StateLies from "./stateLies.ts"
import * as TransactionLies from "./transactionLies.ts"

/**
 * All lies that say something false: first those about the content of answers, then the faults of the connection.
 *
 * ```ts import.meta.vitest
 * import { Catalogue } from "@plumbline/tamper"
 *
 * Catalogue.lies.some(({ name }) => name === "receipt-status") // => true
 * ```
 */
export const lies: ReadonlyArray<Lie> = [
  ...StateLies.lies,
  ...BlockLies.lies,
  ...TransactionLies.lies,
  ...ConnectionFaults.lies
]

/**
 * Lies by omission: for each field of each kind of object one lie that leaves it out, one that sends null and one that
 * sends an empty value, and two for each method that reads and can be proven: null or an empty value instead of every
 * answer. `totalDifficulty` has no lie, because nothing proves it.
 *
 * They are many, and most programs ask for few of the fields, so they are not part of `lies`.
 *
 * ```ts import.meta.vitest
 * import { Catalogue } from "@plumbline/tamper"
 *
 * Catalogue.byName("receipt-contract-address-absent")?.about // => "contractAddress is absent in every receipt"
 * Catalogue.omissions.length > 400 // => true
 * ```
 */
export const omissions: ReadonlyArray<Lie> = Omissions.lies

/**
 * Returns the lie with this name, by omission or not, or undefined.
 *
 * ```ts import.meta.vitest
 * import { Catalogue } from "@plumbline/tamper"
 *
 * Catalogue.byName("balance")?.expected // => "REFUTED"
 * Catalogue.byName("truth") // => undefined
 * ```
 */
export const byName = (name: string): Lie | undefined =>
  lies.find((lie) => lie.name === name) ?? omissions.find((lie) => lie.name === name)
