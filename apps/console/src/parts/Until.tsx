/** The end of a wait that a service asks for. */
import { useState } from "react"

import { until } from "../look/Text.ts"

/** Shows the end of a wait that began when the answer came. It does not count down: a screen reader would say each step. */
export const Until = ({ seconds }: { readonly seconds: number }) => {
  const [came] = useState(() => Date.now())
  return <time dateTime={new Date(came + 1000 * seconds).toISOString()}>{until(seconds, came)}</time>
}
