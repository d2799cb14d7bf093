/** The field of the palette while the palette's code is loaded. The palette takes over the text that is typed into it. */
import { useLayoutEffect, useRef } from "react"

/** The text that the reader typed so far, and whether the reader pressed Enter. */
export interface EarlyText {
  readonly text: string
  readonly isEntered: boolean
}

/** The dialog with the field. */
export const EarlySearch = ({
  early: { text },
  onClose,
  onText
}: {
  readonly early: EarlyText
  readonly onText: (early: EarlyText) => void
  readonly onClose: () => void
}) => {
  const own = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => own.current?.showModal(), [])
  return (
    <dialog ref={own} className="palette" aria-label="Search" onClose={onClose}>
      <input
        aria-label="Search the chain"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => onText({ text: target.value, isEntered: false })}
        onKeyDown={({ key, nativeEvent }) =>
          // Enter can end the composition of a character
          key === "Enter" && !nativeEvent.isComposing ? onText({ text, isEntered: true }) : undefined
        }
      />
      <p className="inset soft" role="status">
        Loading the search …
      </p>
    </dialog>
  )
}
