/** Logs of a contract with the events in them. */
import type * as Log from "@plumbline/eth-methods/model/Log"
import * as Result from "effect/Result"

import type { AbiEventError } from "../abi/AbiError.ts"
import * as AbiEvent from "../abi/AbiEvent.ts"
import type { Abi, EventName } from "../abi/AbiType.ts"

/**
 * A log that a filter selected, and the event in it. A log that is not of the event's form has `fault` in its place: it is
 * a log of the contract too, and is never left out.
 */
export type EventLog<Event> = Log.Log &
  ({ readonly event: Event; readonly fault: undefined } | { readonly event: undefined; readonly fault: AbiEventError })

/** Decodes logs. Only the events of this name are decoded, so a log of another one has a fault. */
export const decoded = <A extends Abi, Name extends EventName<A>>(
  abi: A,
  name: Name,
  logs: ReadonlyArray<Log.Log>
): ReadonlyArray<EventLog<AbiEvent.DecodedEvent<A, Name>>> => {
  const events: Abi = abi.filter((item) => item.type === "event" && item.name === name)
  return logs.map((log) => {
    const event = AbiEvent.decode(events, log) as Result.Result<AbiEvent.DecodedEvent<A, Name>, AbiEventError>
    return Result.isSuccess(event)
      ? { ...log, event: event.success, fault: undefined }
      : { ...log, event: undefined, fault: event.failure }
  })
}
