/** The sync tests of the consensus specification, with the minimal preset. */
import * as path from "node:path"

import { Codec, type Fork, Network } from "@plumbline/beacon-light-client"
import { Schema } from "effect"
import { parse } from "yaml"

import * as Fixtures from "../support/fixtures.ts"
import * as Snappy from "../support/snappy.ts"

/** The heads that the store must have after a step. */
export interface Expected {
  readonly slot: bigint
  readonly beaconRoot: string
  readonly executionRoot: string | undefined
}

/** One step of a test: an update, or the forced update after a period without finality. */
export interface Step {
  readonly update: ReturnType<typeof Codec.update.decode> | undefined
  readonly currentSlot: bigint
  readonly finalized: Expected
  readonly optimistic: Expected
}

export interface SpecTest {
  readonly name: string
  readonly network: Network.Network
  readonly trustedRoot: string
  readonly bootstrap: ReturnType<typeof Codec.bootstrap.decode>
  readonly steps: ReadonlyArray<Step>
}

const FORKS: ReadonlyArray<Fork.Fork> = ["altair", "bellatrix", "capella", "deneb", "electra", "fulu"]

/** Reads each value of the file as text, because some numbers do not fit into a double. */
const yaml = (file: string): any => parse(Fixtures.text(file), { schema: "failsafe" })

const networkOf = (config: any, meta: any): Network.Network =>
  Schema.decodeUnknownSync(Network.Network)({
    name: config.CONFIG_NAME ?? config.PRESET_BASE,
    genesisTime: config.MIN_GENESIS_TIME,
    genesisValidatorsRoot: meta.genesis_validators_root,
    secondsPerSlot: config.SECONDS_PER_SLOT,
    slotsPerEpoch: 8,
    epochsPerSyncCommitteePeriod: 8,
    syncCommitteeSize: 32,
    chainId: 1,
    forks: FORKS.filter((name) => config[`${name.toUpperCase()}_FORK_EPOCH`] !== undefined).map((name) => ({
      name,
      version: config[`${name.toUpperCase()}_FORK_VERSION`],
      epoch: config[`${name.toUpperCase()}_FORK_EPOCH`]
    }))
  })

const expected = ({ beacon_root, execution_root, slot }: any): Expected => ({
  slot: BigInt(slot),
  beaconRoot: beacon_root,
  executionRoot: execution_root
})

/** Reads every test of the folder. `fork` is the fork of the containers on the wire. */
export const all = (): ReadonlyArray<SpecTest> =>
  Fixtures.files("10-light-client/spec-tests-minimal/*/*/steps.yaml").map((file) => {
    const folder = path.dirname(file)
    const fork = path.basename(path.dirname(folder)) as Fork.Fork
    const form = { fork, syncCommitteeSize: 32 }
    const ssz = (name: string): Uint8Array => Snappy.decode(Fixtures.bytes(`${folder}/${name}.ssz_snappy`))
    const meta = yaml(`${folder}/meta.yaml`)
    return {
      name: `${fork} ${path.basename(folder)}`,
      network: networkOf(yaml(`${folder}/config.yaml`), meta),
      trustedRoot: meta.trusted_block_root,
      bootstrap: Codec.bootstrap.decode(ssz("bootstrap"), form),
      steps: yaml(file).map((step: any): Step => {
        const { checks, current_slot, update } = step.process_update ?? step.force_update
        return {
          update: update === undefined ? undefined : Codec.update.decode(ssz(update), form),
          currentSlot: BigInt(current_slot),
          finalized: expected(checks.finalized_header),
          optimistic: expected(checks.optimistic_header)
        }
      })
    }
  })
