/** Methods that run code and change nothing. Only running the code again could prove their answers. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Method from "@plumbline/jsonrpc-core/method/Method"

import * as AccessListResult from "../model/AccessListResult.ts"
import * as CallOverrides from "../model/CallOverrides.ts"
import * as CallRequest from "../model/CallRequest.ts"
import * as Checksums from "../model/checksums.ts"
import { Quantity256 } from "../model/numbers.ts"
import { stateBlock } from "./params.ts"

/**
 * Maximum number of values of a call and of its overrides, each: entries and keys of access lists, accounts, their
 * fields and slots. Nodes have no such bound; what a block has gas for stays below it.
 */
export const MAX_CALL_VALUES = 8192

/** Maximum number of values of a changed block, which has some ten fields. */
const MAX_BLOCK_VALUES = 64

const request = Method.param("transaction", CallRequest.CallRequest, {
  doc: "the call; nothing is signed",
  values: MAX_CALL_VALUES,
  check: Checksums.fault
})

const stateOverride = Method.param("stateOverride", CallOverrides.State, {
  optional: true,
  doc: "accounts that the call is to find changed, by address; not every node knows it",
  values: MAX_CALL_VALUES,
  check: Checksums.fault
})

const blockOverride = Method.param("blockOverride", CallOverrides.Block, {
  optional: true,
  doc: "the block that the call is to find itself in; not every node knows it",
  values: MAX_BLOCK_VALUES,
  check: Checksums.fault
})

/** The bytes that a call returns. */
export const eth_call = Method.make("eth_call", {
  params: [request, stateBlock, stateOverride, blockOverride],
  result: Hex.Hex,
  doc: "The result of a call, without a transaction.",
  cost: 80,
  verification: "claimed",
  cache: "block"
})

/** The gas that a transaction needs. */
export const eth_estimateGas = Method.make("eth_estimateGas", {
  params: [request, stateBlock, stateOverride, blockOverride],
  result: Quantity256,
  doc: "The gas that a transaction needs so that it does not fail.",
  cost: 300,
  verification: "claimed",
  cache: "block"
})

/** The access list of a call. */
export const eth_createAccessList = Method.make("eth_createAccessList", {
  params: [request, stateBlock],
  result: AccessListResult.AccessListResult,
  doc: "The addresses and slots that a call touches, and the gas it uses when it names them.",
  cost: 80,
  verification: "claimed",
  cache: "block"
})
