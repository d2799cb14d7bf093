/** The contracts of an embedded chain, for a screen that offers them as examples. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"

/** Returns the contracts of a network; undefined if it is not an embedded chain. */
export const useExampleContracts = (network: string): ExampleContracts.ExampleContracts | undefined => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  return ExampleContracts.of(start?.networks.find(({ name }) => name === network))
}
