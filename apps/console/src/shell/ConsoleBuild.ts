/**
 * The build of the console that this page runs. When the service is updated, the code of screens that the page has not
 * loaded yet is gone, so the page must load the new build.
 */

/** The address of the page's first script, whose name holds a hash of the build. */
const entryOf = (page: ParentNode): string | null =>
  page.querySelector("script[type=module][src]")?.getAttribute("src") ?? null

/** The entry of the page in session storage for which the page was loaded again. */
const KEY = "plumbline.reloaded"

/**
 * True if the service has another build than the page, and the page was not yet loaded again because of it. False if the
 * service does not answer.
 */
export const isReplaced = async (): Promise<boolean> => {
  try {
    const response = await fetch("/console/", { cache: "no-store", signal: AbortSignal.timeout(5000) })
    if (!response.ok) return false
    const there = entryOf(new DOMParser().parseFromString(await response.text(), "text/html"))
    if (there === null || there === entryOf(document) || sessionStorage.getItem(KEY) === there) return false
    sessionStorage.setItem(KEY, there)
    return true
  } catch {
    return false
  }
}

/** Loads the page again, at the same address. */
export const reload = (): void => location.reload()
