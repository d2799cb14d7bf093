/** The chain of the OP stack that a flag or a setting names, and the rules of its calls. */
import * as OpStackChain from "@plumbline/op-stack/chain/OpStackChain"
import * as OpStackChains from "@plumbline/op-stack/chain/OpStackChains"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

import { DataError, dataError } from "../files/DataError.ts"
import { UsageError } from "../terminal/UsageError.ts"

/**
 * Returns the rules of a chain's calls; undefined if its forks are not all known. A file is taken at its word, and the
 * table is not, because chains have left the registry.
 */
export const rulesOf = (chain: OpStackChain.OpStackChain): OpStackChain.EvmForks | undefined =>
  OpStackChains.byId(chain.chainId) === chain ? OpStackChains.evmForks(chain.chainId) : OpStackChain.evmForks(chain)

/** Returns a chain of the public registry by its name or id, or the chain that a file describes. */
export const named = Effect.fnUntraced(function* (
  text: string
): Effect.fn.Return<OpStackChain.OpStackChain, UsageError | DataError, FileSystem.FileSystem> {
  const known = OpStackChains.named(text)
  if (known !== undefined) return known
  const fs = yield* FileSystem.FileSystem
  const isId = /^[0-9]{1,20}$/u.test(text)
  const isPath = /[./\\]/u.test(text)
  if (isId || (!isPath && !(yield* Effect.orElseSucceed(fs.exists(text), () => false)))) {
    return yield* new UsageError({ problem: unknown(text) })
  }
  const content = yield* Effect.mapError(fs.readFileString(text), (error) => dataError(text, "Unreadable", error))
  return yield* Effect.mapError(
    Effect.fromResult(OpStackChain.fromJson(content)),
    ({ problem }) =>
      new DataError({ path: text, problem: "Damaged", detail: `it describes no OP-stack chain: ${problem}` })
  )
})

/** Returns the problem of a name or id that the public registry does not have, with the names that are near. */
export const unknown = (text: string): string => {
  const [near] = /^[0-9]+$/u.test(text) ? [] : OpStackChains.similar(text)
  const meant = near === undefined ? "Give the path of a file that describes it" : `Did you mean ${near}?`
  return `the public registry has no chain ${text}. ${meant}`
}
