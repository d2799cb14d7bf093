/** The note that this device is offline, and that it is online again. It covers no part of the layout. */
import { useEffect, useState } from "react"

/** Time for which the page says that the connection is back, in milliseconds. */
const BACK = 4000

/** The note. Screens that could not read try again by themselves. */
export const ConnectionNote = () => {
  const [state, setState] = useState<"offline" | "back" | undefined>(navigator.onLine ? undefined : "offline")
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const lost = (): void => {
      clearTimeout(timer)
      setState("offline")
    }
    const found = (): void => {
      setState("back")
      timer = setTimeout(() => setState(undefined), BACK)
    }
    addEventListener("offline", lost)
    addEventListener("online", found)
    return () => {
      clearTimeout(timer)
      removeEventListener("offline", lost)
      removeEventListener("online", found)
    }
  }, [])
  return (
    <p className={state === undefined ? "spoken" : "connection"} role="status">
      {state === "offline"
        ? "This device is offline. What was read stays, and proofs are still checked here."
        : state === "back"
          ? "Online again."
          : ""}
    </p>
  )
}
