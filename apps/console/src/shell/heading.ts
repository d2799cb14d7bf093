/** Names the page after its screen, and moves the focus to the heading of a screen that the reader went to. */
import { useEffect } from "react"

import { useAtom } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"

/** Sets the title of the page, and focuses the first heading after each navigation. */
export const useHeading = (title: string): void => {
  const arrivals = useAtom(Router.arrivals)
  useEffect(() => {
    document.title = title === "" ? "Plumbline" : `${title} · Plumbline`
  }, [title])
  useEffect(() => {
    // the browser itself places the focus on a page that was just opened
    if (arrivals === 0) return undefined
    const content = document.getElementById("content")
    if (content === null) return undefined
    // the heading of the screen before is still there until the new screen has read its data
    const before = content.querySelector("h1")
    const arrive = (): boolean => {
      const heading = content.querySelector("h1")
      if (heading === null || (heading === before && heading.textContent === text)) return false
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    const text = before?.textContent
    const watch = new MutationObserver(() => {
      if (arrive()) watch.disconnect()
    })
    watch.observe(content, { childList: true, subtree: true, characterData: true })
    // a reader who has begun to use the new screen keeps the focus
    const stop = (): void => watch.disconnect()
    addEventListener("keydown", stop, { once: true })
    addEventListener("pointerdown", stop, { once: true })
    return () => {
      stop()
      removeEventListener("keydown", stop)
      removeEventListener("pointerdown", stop)
    }
  }, [arrivals])
}
