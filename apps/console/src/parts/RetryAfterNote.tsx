/** A service can request a wait before the next call. This component shows when the wait ends. */
import { useState } from "react"

import { until } from "../look/TextFormats.ts"

/**
 * Shows the end of a wait that began with the answer. The text does not count down, because a screen reader would read
 * each step.
 */
export const RetryAfterNote = ({ seconds }: { readonly seconds: number }) => {
  const [came] = useState(() => Date.now())
  return <time dateTime={new Date(came + 1000 * seconds).toISOString()}>{until(seconds, came)}</time>
}
