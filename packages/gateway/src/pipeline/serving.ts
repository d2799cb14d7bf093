/** The parts of the gateway that the HTTP side of each product uses. */
import type { Budget } from "../http/budget.ts"
import type { Fork } from "../http/fork.ts"
import type { Exchanges } from "./exchanges.ts"
import type { Live, Pipeline } from "./Pipeline.ts"
import type { Turns } from "./turns.ts"

/** The parts that JSON-RPC and IPFS share. */
export interface Serving {
  readonly pipeline: Pipeline
  readonly exchanges: Exchanges
  readonly live: Live
  readonly budget: Budget
  readonly turns: Turns
  /** The requests that are not fully answered yet. */
  readonly inFlight: { readonly size: number }
  readonly fork: Fork
}
