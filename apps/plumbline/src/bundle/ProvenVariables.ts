/** Variables of a contract, read from a bundle alone. */
import type * as Address from "@plumbline/codec/value/Address"
import type * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleClient from "@plumbline/proof-bundle/read/BundleClient"
import * as NotInBundleError from "@plumbline/proof-bundle/read/NotInBundleError"
import * as ProvenStorage from "@plumbline/proof-bundle/read/ProvenStorage"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type { PathError } from "@plumbline/storage-layout/path/PathError"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Everything from "@plumbline/storage-layout/read/Readable"
import * as Value from "@plumbline/storage-layout/value/Value"
import * as Effect from "effect/Effect"

import type * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as StorageView from "../storage/StorageView.ts"
import * as StorageWire from "../storage/StorageWire.ts"
import * as VariableSelection from "../storage/VariableSelection.ts"
import type { Style } from "../terminal/Style.ts"

/** The variables, and the contract that has them. */
export interface VariablesSubject extends VariableSelection.VariableSelection {
  readonly address: Address.Address
  readonly layout: Layout
  /** Maximum number of words that the values may span (default: the maximum of a plan). */
  readonly maxWords?: number
}

/** Finds the variables that paths name; without paths, all variables of the layout. */
export const find = (
  address: Address.Address,
  layout: Layout,
  paths: ReadonlyArray<string>
): Effect.Effect<VariablesSubject, PathError> =>
  Effect.map(Effect.fromResult(VariableSelection.find(layout, paths)), (selection) => ({
    address,
    layout,
    ...selection
  }))

export const paths = ({ locations }: VariablesSubject): ReadonlyArray<string> => locations.map(({ path }) => path)

/**
 * Finds the variables of the subject's account that a bundle proves, named by the layout and the keys in the bundle. If
 * the bundle proves none of them, `read` names the missing ones.
 */
export const there = Effect.fnUntraced(function* (bundle: ProofBundle.ProofBundle, subject: VariablesSubject) {
  const found = yield* Effect.fromResult(ProvenStorage.find(bundle, subject))
  const { left, locations, missing, unnamed } = found
  return locations.length === 0 && unnamed.length === 0
    ? { subject, missing: [], unnamed: [] }
    : { subject: { ...subject, locations, left, maxWords: ProvenStorage.MAX_WORDS }, missing, unnamed }
})

/** Reads all of the variables. Fails with `NotInBundleError` if the bundle lacks a word of any variable. */
export const read = Effect.fnUntraced(function* (bundle: ProofBundle.ProofBundle, subject: VariablesSubject) {
  const { address, layout, locations, maxWords } = subject
  const verdict = yield* ContractStorage.ContractStorage.use((storage) =>
    storage.readMany({ address, layout }, paths(subject), { maxWords })
  ).pipe(
    Effect.provide(BundleClient.layer(bundle)),
    Effect.mapError((error) => NotInBundleError.fromError(error) ?? error)
  )
  const { account, variables: decoded } = verdict.value
  const left = [...subject.left, ...Everything.leftOut(layout, locations, decoded)]
  const values = decoded.map(({ value }) => value)
  const block: ReadAnswer.BlockId = { number: bundle.header.number!, hash: bundle.blockHash }
  return {
    verdict,
    block,
    /** The values by path, in their JSON form. */
    value: Object.fromEntries(locations.map(({ path }, i) => [path, Value.toJson(values[i]!)])),
    beside: { ...StorageWire.account(account), ...StorageWire.left(left) },
    view: (claimed: ReadonlySet<string>, style: Style) =>
      StorageView.values({ block, value: { account, values, left } }, { ...subject, style }, claimed)
  }
})
