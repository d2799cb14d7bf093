/**
 * Decides whether a project may use a product at all, before any call.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

import type { KeyHolder } from "../accounts/Account.ts"
import type { Product } from "../accounts/Product.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import * as Setting from "../schema/Setting.ts"

export type { Product } from "../accounts/Product.ts"

/**
 * A policy. Callers get its refusal unchanged. If the policy depends on another service and that service is down, it
 * refuses with `HttpRefusal.unavailable`.
 */
export interface Policy {
  readonly check: (holder: KeyHolder, product: Product) => Effect.Effect<void, HttpRefusal.HttpRefusal>
}

/** The settings of the products that require a billing card. */
export const fields = {
  rpc: Setting.defaulted(Setting.boolean({ description: "Require a billing card for JSON-RPC.", default: false })),
  ipfs: Setting.defaulted(Setting.boolean({ description: "Require a billing card for IPFS.", default: true }))
}

const settings = Schema.Struct(fields)

/**
 * The products that require a billing card by default.
 */
export const defaults: Readonly<Record<Product, boolean>> = Setting.defaultsOf(settings)

/**
 * Returns a policy that refuses projects of accounts without a billing card with 403, for the products in `required`
 * (default: IPFS).
 *
 * ```ts import.meta.vitest
 * import { AccessPolicy, Accounts, Sqlite } from "@plumbline/gateway"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const accounts = yield* Accounts.Accounts
 *   const { id } = yield* accounts.createAccount({ name: "Ada" })
 *   const { issued } = yield* accounts.createProject({ account: id, name: "wallet" })
 *   const holder = (yield* accounts.lookup(Redacted.value(issued.apiKey)))!
 *   yield* AccessPolicy.card({ ipfs: false }).check(holder, "ipfs")
 *   const refused = yield* Effect.flip(AccessPolicy.card().check(holder, "ipfs"))
 *   return refused.status
 * })
 * const layer = Accounts.layer().pipe(Layer.provide(Sqlite.layer({ file: ":memory:" })))
 * await Effect.runPromise(Effect.provide(program, layer)) // => 403
 * ```
 */
export const card = (required: Partial<Readonly<Record<Product, boolean>>> = {}): Policy => {
  const rule = { rpc: required.rpc ?? defaults.rpc, ipfs: required.ipfs ?? defaults.ipfs }
  return { check: ({ account }, product) => (rule[product] && !account.card ? noCard : Exit.void) }
}

const noCard = Exit.fail(HttpRefusal.cardRequired)

/**
 * The policy of a gateway: `card()`, unless another policy is provided.
 */
export const AccessPolicy: Context.Reference<Policy> = Context.Reference<Policy>("@plumbline/gateway/AccessPolicy", {
  defaultValue: () => card()
})
