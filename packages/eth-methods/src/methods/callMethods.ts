/** Methods that run code and change nothing. Only running the code again proves their answers. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as AccessListResult from "../model/AccessListResult.ts"
import * as AddressChecksums from "../model/addressChecksums.ts"
import * as CallOverrides from "../model/CallOverrides.ts"
import * as CallRequest from "../model/CallRequest.ts"
import * as Simulation from "../model/Simulation.ts"
import { Quantity256 } from "../model/wireNumbers.ts"
import * as EthMethod from "./EthMethod.ts"
import { stateBlock } from "./ethParams.ts"

/**
 * Maximum number of values in a call, and also in its overrides: entries and keys of access lists, accounts, their
 * fields and slots. Nodes have no such bound, but a call that fits into the gas of a block stays below it.
 */
export const MAX_CALL_VALUES = 8192

/** Maximum number of values in the block overrides, which have about ten fields. */
const MAX_BLOCK_VALUES = 64

const request = /* @__PURE__ */ EthMethod.param("transaction", CallRequest.CallRequest, {
  names: "call",
  doc: "the call; nothing is signed",
  values: MAX_CALL_VALUES,
  check: AddressChecksums.fault
})

const stateOverride = /* @__PURE__ */ EthMethod.param("stateOverride", CallOverrides.StateOverride, {
  names: "accountOverrides",
  optional: true,
  doc: "changes to accounts for the call, by address; some nodes refuse them",
  values: MAX_CALL_VALUES,
  check: AddressChecksums.fault
})

const blockOverride = /* @__PURE__ */ EthMethod.param("blockOverride", CallOverrides.BlockOverride, {
  names: "blockOverrides",
  optional: true,
  doc: "changes to the block for the call; some nodes refuse them",
  values: MAX_BLOCK_VALUES,
  check: AddressChecksums.fault
})

/** The bytes that a call returns. */
export const eth_call = /* @__PURE__ */ EthMethod.make("eth_call", {
  read: "call",
  trust: "fact",
  params: [request, stateBlock, stateOverride, blockOverride],
  result: Hex.Hex,
  doc: "The result of a call, without a transaction.",
  cost: 80,
  cache: "block"
})

/** The gas that a transaction needs. */
export const eth_estimateGas = /* @__PURE__ */ EthMethod.make("eth_estimateGas", {
  read: "estimateGas",
  trust: "advice",
  params: [request, stateBlock, stateOverride, blockOverride],
  result: Quantity256,
  doc: "The gas that a transaction needs to succeed.",
  cost: 300,
  cache: "block"
})

/** The access list of a call. */
export const eth_createAccessList = /* @__PURE__ */ EthMethod.make("eth_createAccessList", {
  read: "createAccessList",
  trust: "advice",
  params: [request, stateBlock],
  result: AccessListResult.AccessListResult,
  doc: "The access list of a call, and the gas that the call uses with it.",
  cost: 80,
  cache: "block"
})

const simulation = /* @__PURE__ */ EthMethod.param("payload", Simulation.SimulationRequest, {
  names: "simulation",
  doc: "blocks of calls; nothing is signed",
  values: MAX_CALL_VALUES,
  check: AddressChecksums.fault
})

/** The results of calls in blocks that do not exist. */
export const eth_simulateV1 = /* @__PURE__ */ EthMethod.make("eth_simulateV1", {
  read: "simulate",
  trust: "fact",
  params: [simulation, stateBlock],
  result: /* @__PURE__ */ Schema.Array(Simulation.SimulatedBlock),
  doc: "The results of calls that run one after the other, in blocks that follow a block.",
  cost: 80,
  cache: "block"
})
