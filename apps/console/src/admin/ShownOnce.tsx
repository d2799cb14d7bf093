/** A panel of values that the page shows only once, such as a new secret. */
import { useEffect, useRef, useState } from "react"

import { COPIED, Copied } from "../look/Hash.tsx"
import * as Router from "../route/Router.ts"

/** A value. A secret value is covered until the reader uncovers it. It can be copied while it is covered. */
export interface ShownValue {
  readonly name: string
  readonly text: string
  readonly isSecret: boolean
}

/** The panel with the values. */
export const ShownOnce = ({
  onHide,
  onOpen,
  putAway,
  text,
  title,
  values
}: {
  readonly title: string
  readonly text: string
  readonly values: ReadonlyArray<ShownValue>
  /** The text of the button that closes the panel. */
  readonly putAway: string
  readonly onHide: () => void
  /** Called when the reader uncovers the secrets or covers them again. */
  readonly onOpen?: (isOpen: boolean) => void
}) => {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => onOpen?.(isOpen), [isOpen, onOpen])
  const [isKept, setKept] = useState(false)
  const secret = values.find(({ isSecret }) => isSecret)?.text
  useEffect(() => {
    if (isKept || secret === undefined) return undefined
    const release = Router.hold(QUESTION)
    // a program with the secret can be copied too, and a reader can select the secret by hand
    const copied = (event: Event): void => {
      const text = event instanceof CustomEvent ? String(event.detail) : String(getSelection())
      if (text.includes(secret)) setKept(true)
    }
    for (const type of COPIES) addEventListener(type, copied)
    return () => {
      release()
      for (const type of COPIES) removeEventListener(type, copied)
    }
  }, [isKept, secret])
  const panel = useRef<HTMLElement>(null)
  // The button that made the values may be far below, and the dialogue gives it the focus back in the next frame.
  useEffect(() => {
    const frame = requestAnimationFrame(() => panel.current?.scrollIntoView({ block: "center" }))
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <section ref={panel} className="once" aria-labelledby="once-title">
      <h2 id="once-title">{title}</h2>
      <p className="soft">{text}</p>
      <div className="once-values">
        {values.map(({ isSecret, name, text }) => [
          <span key={`${name} name`} className="soft">
            {name}
          </span>,
          <code key={name}>{isOpen || !isSecret ? text : <Covered />}</code>,
          <Copied
            key={`${name} copy`}
            text={text}
            label="Copy"
            isSecret={isSecret}
            className={isSecret ? "button primary" : "button"}
          />
        ])}
      </div>
      <p className="row">
        <button type="button" className="plain small" aria-pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Cover the secret" : "Show the secret"}
        </button>
        <button type="button" className="plain small" onClick={onHide}>
          {putAway}
        </button>
      </p>
    </section>
  )
}

/** Asked before a page is left whose secret was neither copied nor put away. */
const QUESTION = "The secret was not copied, and is shown this one time. Go on, and lose it?"

/** The events of a copy: by a button of the page, and by the reader. */
const COPIES = [COPIED, "copy"] as const

/** The place of a secret that is covered. */
export const Covered = () => (
  <>
    <span aria-hidden="true">{"•".repeat(28)}</span>
    <span className="spoken">covered</span>
  </>
)
