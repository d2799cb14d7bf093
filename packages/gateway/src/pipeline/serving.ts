/** The parts of the gateway that a product's HTTP side works with. */
import type { Budget } from "../http/budget.ts"
import type { Fork } from "../http/fork.ts"
import type { Exchanges } from "./exchanges.ts"
import type { Live, Pipeline } from "./Pipeline.ts"

/** The shared parts of the listener: the same for JSON-RPC and for IPFS. */
export interface Serving {
  readonly pipeline: Pipeline
  readonly exchanges: Exchanges
  readonly live: Live
  readonly budget: Budget
  /** All requests that are not fully answered. */
  readonly inFlight: { readonly size: number }
  readonly fork: Fork
}
