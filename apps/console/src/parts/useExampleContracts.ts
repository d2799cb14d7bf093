/** The contracts of an embedded chain, for a screen that offers them as examples. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import type * as ConsoleNetworks from "../chain/ConsoleNetworks.ts"
import * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as PageSession from "../chain/PageSession.ts"
import { registry, useAtom } from "../look/useAtom.ts"

type Start = AsyncResult.AsyncResult<ConsoleNetworks.ServiceStart, ConsoleNetworks.NoServiceError>

const within = (start: Start, network: string): ExampleContracts.ExampleContracts | undefined =>
  ExampleContracts.of(Option.getOrUndefined(AsyncResult.value(start))?.networks.find(({ name }) => name === network))

/** Returns the contracts of a network; undefined if it is not an embedded chain. */
export const useExampleContracts = (network: string): ExampleContracts.ExampleContracts | undefined =>
  within(useAtom(PageSession.start), network)

/** Returns the contracts of a network as they are known now, for an event. */
export const exampleContracts = (network: string): ExampleContracts.ExampleContracts | undefined =>
  within(registry.get(PageSession.start), network)
