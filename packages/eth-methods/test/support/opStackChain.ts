/** Blocks and receipts of chains of the OP stack, as op-geth gave them to `scripts/opStackChain.ts`. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

import type { Hex } from "@plumbline/codec"

import type * as Made from "./made.ts"

/** A chain in the form of one fork. */
export interface Recorded {
  readonly fork: string
  readonly blocks: ReadonlyArray<{
    readonly block: Made.JsonObject
    readonly receipts: Array<Made.JsonObject>
    readonly rawBlock: Hex.Hex
    readonly rawReceipts: ReadonlyArray<Hex.Hex>
  }>
  /** Calls at the newest block, of an account that has the call's code. */
  readonly calls: {
    readonly program: Hex.Hex
    readonly answers: ReadonlyArray<{
      readonly name: string
      readonly code: Hex.Hex
      readonly data: Hex.Hex
      readonly result: Hex.Hex
    }>
    /** Proofs and codes of the accounts that the calls read, by address. */
    readonly proofs: Readonly<Record<string, Made.JsonObject>>
    readonly codes: Readonly<Record<string, Hex.Hex>>
  }
}

/** The chains, from Bedrock to Jovian. */
export const chains: ReadonlyArray<Recorded> = JSON.parse(
  gunzipSync(readFileSync(new URL("opStackChain.json.gz", import.meta.url))).toString()
)
