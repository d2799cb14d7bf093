/** All lies by name. */
import type { Lie } from "../lie/Lie.ts"
import * as Blocks from "./blocks.ts"
import * as Line from "./line.ts"
import * as State from "./state.ts"
import * as Transactions from "./transactions.ts"

/**
 * All lies: first those about the content of answers, then the faults of the connection.
 *
 * ```ts import.meta.vitest
 * import { Catalogue } from "@plumbline/tamper"
 *
 * Catalogue.lies.some(({ name }) => name === "receipt-status") // => true
 * ```
 */
export const lies: ReadonlyArray<Lie> = [...State.lies, ...Blocks.lies, ...Transactions.lies, ...Line.lies]

/**
 * Returns the lie with this name, or undefined.
 *
 * ```ts import.meta.vitest
 * import { Catalogue } from "@plumbline/tamper"
 *
 * Catalogue.byName("balance")?.expected // => "REFUTED"
 * Catalogue.byName("truth") // => undefined
 * ```
 */
export const byName = (name: string): Lie | undefined => lies.find((lie) => lie.name === name)
