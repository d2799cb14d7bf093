/** The parts of the bench by name. Each is loaded when it is measured, because some take seconds to set up. */
import type { Part } from "./measure/measuredRow.ts"

/** Another gateway to measure beside ours: the command that starts it, and the URL of its calls. */
export interface Others {
  readonly gateway: string | undefined
  readonly gatewayUrl: string | undefined
}

const parts: Readonly<Record<string, (others: Others) => Promise<Part>>> = {
  hex: async () => (await import("./parts/hex.ts")).hex,
  keccak: async () => (await import("./parts/keccak.ts")).keccak,
  rlp: async () => (await import("./parts/rlp.ts")).rlp,
  positions: async () => (await import("./parts/positions.ts")).positions,
  proofs: async () => (await import("./parts/accountProofs.ts")).proofs,
  block: async () => (await import("./parts/block.ts")).block,
  cost: async () => (await import("./parts/cost.ts")).cost,
  client: async () => (await import("./parts/client/typedClients.ts")).client,
  gateway: async (others) => (await import("./parts/gateway/gatewayCalls.ts")).gateway(others),
  workers: async () => (await import("./parts/gateway/workers.ts")).workers,
  ipfs: async () => (await import("./parts/ipfs/ipfs.ts")).ipfs,
  start: async () => (await import("./parts/start/start.ts")).start
}

export const names: ReadonlyArray<string> = Object.keys(parts)

export const load = (name: string, others: Others): Promise<Part> => parts[name]!(others)
