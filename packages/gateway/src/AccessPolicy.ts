/**
 * Whether a project may use a product of the service at all, whatever it asks there.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { Project } from "./Project.ts"
import * as Refusal from "./Refusal.ts"

/**
 * What the service sells: JSON-RPC over HTTP and WebSocket, and the IPFS HTTP API.
 *
 * @since 0.1.0
 */
export type Product = "rpc" | "ipfs"

/**
 * A policy. A refusal is sent as it is; where the policy must ask somebody and cannot, it refuses with
 * `Refusal.unavailable`.
 *
 * @since 0.1.0
 */
export interface Policy {
  readonly check: (project: Project, product: Product) => Effect.Effect<void, Refusal.Refusal>
}

/**
 * Projects without a billing card are refused with 403 where `required` says so: for IPFS, unless told otherwise.
 *
 * ```ts import.meta.vitest
 * import { AccessPolicy, ApiKeys, Project } from "@plumbline/gateway"
 * import { Effect } from "effect"
 *
 * const project = Project.make({ id: "p1", name: "wallet", ...ApiKeys.generate() })
 * const refused = Effect.runSync(Effect.flip(AccessPolicy.card().check(project, "ipfs")))
 * refused.status // => 403
 * Effect.runSync(AccessPolicy.card({ ipfs: false }).check(project, "ipfs")) // => undefined
 * ```
 *
 * @since 0.1.0
 */
export const card = (required: Partial<Readonly<Record<Product, boolean>>> = {}): Policy => {
  const rule = { rpc: required.rpc ?? false, ipfs: required.ipfs ?? true }
  return { check: (project, product) => (rule[product] && !project.card ? noCard : Exit.void) }
}

const noCard = Exit.fail(Refusal.cardRequired)

/**
 * The policy of a gateway: `card()` unless another is provided.
 *
 * @since 0.1.0
 */
export const AccessPolicy: Context.Reference<Policy> = Context.Reference<Policy>("@plumbline/gateway/AccessPolicy", {
  defaultValue: () => card()
})
