/** Keeps the last answer of a read on the screen while the next one is read. */
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"

/** Returns the last answer. Without it, a screen blinks, and its forms forget what the reader typed. */
export const useKept = <A, E>(result: AsyncResult.AsyncResult<A, E>): AsyncResult.AsyncResult<A, E> => {
  const [kept, keep] = useState(result)
  if (AsyncResult.isInitial(result)) return kept
  if (result !== kept) keep(result)
  return result
}
