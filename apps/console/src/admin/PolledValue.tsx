/**
 * Shows a value that is read again at intervals. If a later read fails, the last value stays, with a line that says so.
 */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import { type ReadFailure, type ScreenRead, ReadState } from "../parts/ReadState.tsx"
import { sentenceOf } from "./useWork.ts"

/** Shows the value, or the state in its place. */
export const PolledValue = <A, E extends ReadFailure>(read: ScreenRead<A, E>) => {
  const { again, children, result, what } = read
  const value = AsyncResult.value(result)
  if (Option.isNone(value)) return <ReadState {...read} />
  return (
    <>
      {AsyncResult.isFailure(result) ? (
        <p className="notice" role="status">
          <span>
            {sentenceOf(result.cause)} What you see of {what} is older.
          </span>
          <button type="button" className="button" onClick={again}>
            Try again
          </button>
        </p>
      ) : null}
      {children(value.value)}
    </>
  )
}
