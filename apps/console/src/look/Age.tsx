/** A point in time, with its age. */
import { useEffect, useState } from "react"

import { age, time } from "./TextFormats.ts"

/** The time in UTC, and its age by the reader's clock. The age is kept up to date. */
export const Age = ({ seconds }: { readonly seconds: bigint }) => {
  const [now, setNow] = useState(Date.now)
  const isYoung = now / 1000 - Number(seconds) < 120
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), isYoung ? 1000 : 30_000)
    return () => clearInterval(timer)
  }, [isYoung])
  const text = time(seconds)
  return text === undefined ? null : (
    <span className="age">
      <time className="time">{text}</time> <span className="soft time">{age(seconds, now)}</span>
    </span>
  )
}
