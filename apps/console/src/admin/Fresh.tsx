/**
 * Shows a value that is read again at intervals. If a later read fails, the last value stays, with a line that says so.
 */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type { ReactNode } from "react"

import { type Failure, Reading } from "../parts/Reading.tsx"
import { sentenceOf } from "./useWork.ts"

/** Shows the value, or the state in its place. */
export const Fresh = <A, E extends Failure>({
  again,
  children,
  result,
  what
}: {
  readonly result: AsyncResult.AsyncResult<A, E>
  readonly what: string
  readonly again: () => void
  readonly children: (value: A) => ReactNode
}) => {
  const value = AsyncResult.value(result)
  if (Option.isNone(value))
    return (
      <Reading result={result} what={what} again={again}>
        {children}
      </Reading>
    )
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
