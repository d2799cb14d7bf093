/** Tries a read again by itself while there is no answer. */
import { useEffect, useRef } from "react"

/** Time between two tries, in milliseconds. */
const EVERY = 10_000

/**
 * Calls `again` when the device is online again, and at intervals while the page is visible. Undefined stops it.
 */
export const useReconnect = (again: (() => void) | undefined): void => {
  const last = useRef(again)
  const isTrying = again !== undefined
  useEffect(() => {
    last.current = again
  }, [again])
  useEffect(() => {
    if (!isTrying) return undefined
    const retry = (): void => {
      if (document.visibilityState === "visible" && navigator.onLine) last.current?.()
    }
    const timer = setInterval(retry, EVERY)
    addEventListener("online", retry)
    document.addEventListener("visibilitychange", retry)
    return () => {
      clearInterval(timer)
      removeEventListener("online", retry)
      document.removeEventListener("visibilitychange", retry)
    }
  }, [isTrying])
}
