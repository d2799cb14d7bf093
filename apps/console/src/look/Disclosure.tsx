/** A button that opens a panel below it. Escape, or a click outside the panel, closes it. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react"

/** The button and the panel. `className` is set on the element around both. */
export const Disclosure = ({
  children,
  className,
  label
}: {
  readonly className: string
  readonly label: ReactNode
  readonly children: ReactNode
}) => {
  const [isOpen, setOpen] = useState(false)
  const own = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return undefined
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && own.current?.contains(target) !== true) setOpen(false)
    }
    const closeByKey = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return
      setOpen(false)
      own.current?.querySelector("button")?.focus()
    }
    const closeByLink = ({ target }: Event): void => {
      if (target instanceof Element && target.closest("a[href]") !== null) setOpen(false)
    }
    addEventListener("click", closeByLink)
    addEventListener("pointerdown", closeOutside)
    addEventListener("focusin", closeOutside)
    addEventListener("keydown", closeByKey)
    return () => {
      removeEventListener("click", closeByLink)
      removeEventListener("pointerdown", closeOutside)
      removeEventListener("focusin", closeOutside)
      removeEventListener("keydown", closeByKey)
    }
  }, [isOpen])
  return (
    <div className={`disclosure ${className}${isOpen ? " open" : ""}`} ref={own}>
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        {label}
        <svg className="icon" viewBox="0 0 10 6" width="10" height="6" aria-hidden="true">
          <path d="M1 1l4 4 4-4" />
        </svg>
      </button>
      <div id={id} className="panel">
        {children}
      </div>
    </div>
  )
}
