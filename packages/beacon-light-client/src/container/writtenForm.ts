/** The forms that a value can be written in without a change: its parts show how its sender wrote it. */
import * as Clock from "../network/Clock.ts"
import type * as Fork from "../network/Fork.ts"
import type * as Network from "../network/Network.ts"
import type * as BeaconHeader from "./BeaconHeader.ts"
import type * as Bootstrap from "./Bootstrap.ts"
import * as Form from "./Form.ts"
import type * as Update from "./Update.ts"

/** The depths of a finality branch and of the branch of a current committee, from Electra on. */
const FINALITY_DEPTH = 7
const COMMITTEE_DEPTH = 6

/** Returns the oldest fork whose containers have such a header. */
export const familyOfHeader = (header: BeaconHeader.LightClientHeader): Form.ForkFamily => {
  switch (header._tag) {
    case "BeaconOnly":
      return "altair"
    case "WithPayload":
      return header.execution.blobGasUsed === undefined ? "capella" : "deneb"
    case "WithBlockHash":
      return "gloas"
  }
}

/**
 * Returns the oldest fork whose containers have such an update. The containers of Deneb and Electra differ in the depth
 * of the finality branch.
 */
export const familyOfUpdate = ({ attestedHeader, finalityBranch }: Update.AnyUpdate): Form.ForkFamily =>
  withDepth(familyOfHeader(attestedHeader), finalityBranch?.length === FINALITY_DEPTH)

/** Returns the oldest fork whose containers have such a bootstrap. */
export const familyOfBootstrap = ({ currentSyncCommitteeBranch, header }: Bootstrap.Bootstrap): Form.ForkFamily =>
  withDepth(familyOfHeader(header), currentSyncCommitteeBranch.length === COMMITTEE_DEPTH)

const withDepth = (family: Form.ForkFamily, isDeep: boolean): Form.ForkFamily =>
  family === "deneb" && isDeep ? "electra" : family

/**
 * Returns the fork under whose name a value is written: the fork of its slot, if the containers of that fork have the
 * value's form. Otherwise it is the oldest fork that has this form, because senders may write old values in new forms.
 */
export const forkOf = (network: Network.Network, slot: bigint, family: Form.ForkFamily): Fork.Fork => {
  const fork = Clock.forkAt(network, slot)
  return fork !== undefined && Form.familyOf(fork) === family ? fork : family
}

/** Does the same as `forkOf` for an optimistic update, which has the same form in Deneb and in Electra. */
export const forkOfOptimistic = (network: Network.Network, header: BeaconHeader.LightClientHeader): Fork.Fork => {
  const { slot } = header.beacon
  const family = familyOfHeader(header)
  const fork = Clock.forkAt(network, slot)
  const isElectra = family === "deneb" && fork !== undefined && Form.familyOf(fork) === "electra"
  return isElectra ? fork : forkOf(network, slot, family)
}
