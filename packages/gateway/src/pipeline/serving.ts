/** The parts of the gateway that the HTTP side of each product uses. */
import type { MemoryBudget } from "../http/memoryBudget.ts"
import type { SpawnFiber } from "../http/requestFibers.ts"
import type { ProjectExchanges } from "./exchanges.ts"
import type { CurrentConfig, Pipeline } from "./Pipeline.ts"
import type { StepScheduler } from "./stepScheduler.ts"

/** The parts that JSON-RPC and IPFS share. */
export interface Serving {
  readonly pipeline: Pipeline
  readonly exchanges: ProjectExchanges
  readonly live: CurrentConfig
  readonly budget: MemoryBudget
  readonly turns: StepScheduler
  /** The requests that are not fully answered yet. */
  readonly inFlight: { readonly size: number }
  readonly fork: SpawnFiber
  /** True from the beginning of the drain. An answer without an end must then end. */
  readonly isDraining: () => boolean
}
