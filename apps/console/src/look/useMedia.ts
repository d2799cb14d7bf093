/** The hook that tests a media query of the window, for layouts that a style sheet cannot compute. */
import { useCallback, useSyncExternalStore } from "react"

/** Returns true while the query holds, and renders the component again when that changes. */
export const useMedia = (query: string): boolean => {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query)
      media.addEventListener("change", changed)
      return () => media.removeEventListener("change", changed)
    },
    [query]
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
