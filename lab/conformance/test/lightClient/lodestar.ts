/**
 * Lodestar's light client, which shares no code with ours: it has its own SSZ, a different BLS library, and its own
 * interpretation of the specification. It knows the forks up to Fulu.
 */
import { createBeaconConfig, defaultChainConfig } from "@lodestar/config"
import { Lightclient } from "@lodestar/light-client"
import { LightclientSpec } from "@lodestar/light-client/spec"
import { ssz } from "@lodestar/types"
import { Form, type Network } from "@plumbline/beacon-light-client"
import { Hex } from "@plumbline/codec"

/** The kinds of updates that the store takes. */
export type Kind = "update" | "finalityUpdate" | "optimisticUpdate"

/** Slots and roots of both heads. */
export type Heads = ReadonlyArray<readonly [slot: bigint, root: string]>

/** Lodestar's store. The functions throw Lodestar's errors. */
export interface Lodestar {
  /** Processes an update in SSZ. */
  readonly take: (kind: Kind, bytes: Uint8Array, form: Form.ContainerForm, currentSlot: bigint) => void
  /** Returns the finalized head and the optimistic head. */
  readonly heads: () => Heads
}

/** Makes Lodestar's store from a bootstrap in SSZ. Throws if the bootstrap is wrong. */
export const start = async (
  network: Network.Network,
  checkpoint: Hex.Hex,
  bytes: Uint8Array,
  { fork }: Form.ContainerForm
): Promise<Lodestar> => {
  const config = configOf(network)
  const checkpointRoot = Hex.toBytesUnsafe(checkpoint)
  const bootstrap = typesOf(fork).LightClientBootstrap.deserialize(bytes)
  await Lightclient.initializeFromCheckpointRoot({
    config,
    checkpointRoot,
    genesisData: { genesisTime: Number(network.genesisTime), genesisValidatorsRoot: network.genesisValidatorsRoot },
    transport: { getBootstrap: async () => ({ version: fork, data: bootstrap }) } as never
  })
  const client = new LightclientSpec(
    config,
    { allowForcedUpdates: false, updateHeadersOnForcedUpdate: false },
    bootstrap
  )
  return {
    take: (kind, bytes, form, currentSlot) => {
      const types = typesOf(form.fork)
      const slot = Number(currentSlot)
      if (kind === "update") client.onUpdate(slot, types.LightClientUpdate.deserialize(bytes))
      else if (kind === "finalityUpdate") {
        client.onFinalityUpdate(slot, types.LightClientFinalityUpdate.deserialize(bytes))
      } else client.onOptimisticUpdate(slot, types.LightClientOptimisticUpdate.deserialize(bytes))
    },
    heads: () =>
      [client.store.finalizedHeader, client.store.optimisticHeader].map(({ beacon }) => [
        BigInt(beacon.slot),
        Hex.fromBytes(ssz.phase0.BeaconBlockHeader.hashTreeRoot(beacon))
      ])
  }
}

/** Returns Lodestar's types of a fork's containers. */
const typesOf = (fork: Form.ContainerForm["fork"]): typeof ssz.electra => {
  const { altair, capella, deneb, electra } = ssz
  const types = { altair, capella, deneb, electra, gloas: undefined }[Form.familyOf(fork)]
  if (types === undefined) throw new Error("it knows no containers of Gloas")
  return types as never
}

const configOf = (network: Network.Network) => {
  const forks = network.forks.flatMap(({ epoch, name, version }) => [
    [`${name.toUpperCase()}_FORK_EPOCH`, Number(epoch)],
    [`${name.toUpperCase()}_FORK_VERSION`, Hex.toBytesUnsafe(version)]
  ])
  const config = { ...defaultChainConfig, ...Object.fromEntries(forks), GENESIS_FORK_VERSION: new Uint8Array(4) }
  return createBeaconConfig(config, Hex.toBytesUnsafe(network.genesisValidatorsRoot))
}
