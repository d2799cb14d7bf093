/** Finds what a reader of a page sees without scrolling, and what is cut, struck or too small. */
import type { Page } from "playwright-core"

/** The parts of an element of a page that tell where it is. */
interface Placed {
  readonly getBoundingClientRect: () => Record<"bottom" | "left" | "right" | "top", number>
  readonly contains: (other: unknown) => boolean
  readonly ownerDocument: {
    readonly documentElement: Record<"clientHeight" | "clientWidth", number>
    readonly elementFromPoint: (x: number, y: number) => unknown
  }
}

/** True if the whole first element of a selector is in the window, and nothing covers it. The page is not scrolled. */
export const isInView = (page: Page, selector: string): Promise<boolean> =>
  page
    .locator(selector)
    .first()
    .evaluate((found: unknown) => {
      const element = found as Placed
      const { bottom, left, right, top } = element.getBoundingClientRect()
      const { documentElement, elementFromPoint } = element.ownerDocument
      if (top < 0 || left < 0 || bottom > documentElement.clientHeight || right > documentElement.clientWidth) {
        return false
      }
      return element.contains(elementFromPoint.call(element.ownerDocument, (left + right) / 2, (top + bottom) / 2))
    })

/** Returns the texts of the visible buttons that are less than 40 pixels high, which is too small for a finger. */
export const smallButtons = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    `[...document.querySelectorAll(".button, .seg > *, .pills > *, [role=tab]")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40)
      .map((one) => one.textContent)`
  )

/** Returns the texts of the elements of a selector that do not fit into their boxes, and of hints cut by their fields. */
export const cutTexts = (page: Page, selector: string): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})]
      .filter((one) => {
        if (!one.checkVisibility()) return true
        if (!("placeholder" in one)) return one.scrollWidth > one.clientWidth
        const { font, paddingLeft, paddingRight } = getComputedStyle(one)
        const pen = new OffscreenCanvas(1, 1).getContext("2d")
        pen.font = font
        const room = one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
        return pen.measureText(one.placeholder).width > room
      })
      .map((one) => one.placeholder ?? one.textContent)`
  )

/**
 * Returns the texts of names and checks that the plumb line crosses. The line's place is read from the style of the part
 * that each row draws, so a row that draws none is named too.
 */
export const struckTexts = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    `[...document.querySelectorAll(".line .stop")].flatMap((stop) => {
      const middle = stop.querySelector(".mid")
      const style = getComputedStyle(middle, "::before")
      const left = middle.getBoundingClientRect().left + parseFloat(style.left)
      const right = left + parseFloat(style.width)
      if (!(right > left)) return ["no line: " + stop.textContent]
      return [...stop.querySelectorAll(".name, .check")].filter((text) => {
        const range = document.createRange()
        range.selectNodeContents(text)
        return [...range.getClientRects()].some((one) => one.width > 1 && one.left < right && one.right > left)
      }).map((text) => text.textContent)
    })`
  )
