/** The hook that gives the time of this device, for ages that grow while the reader looks. */
import { useEffect, useState } from "react"

/** Returns the time in milliseconds since 1970, again every second while the page is visible. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setNow(Date.now())
    }, 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
