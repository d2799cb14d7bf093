/** Names the page after its screen, and moves the focus to the heading of a screen that the reader went to. */
import { useEffect } from "react"

import { useAtom } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"

/** Sets the title of the page, and focuses the first heading after each navigation. */
export const useHeading = (title: string): void => {
  const arrival = useAtom(Router.arrival)
  useEffect(() => {
    document.title = title === "" ? "Plumbline" : `${title} · Plumbline`
  }, [title])
  useEffect(() => {
    const content = document.getElementById("content")
    // the browser itself places the focus on a page that was just opened
    if (arrival === undefined || content === null) return undefined
    const focus = (): boolean => {
      const heading = content.querySelector("h1")
      // the heading of the screen before stays until the new screen has read its data
      if (heading === null || (heading === arrival.heading && heading.textContent === arrival.text)) return false
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    if (focus()) return undefined
    const watch = new MutationObserver(() => {
      if (focus()) watch.disconnect()
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
  }, [arrival])
}
