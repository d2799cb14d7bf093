/** Hashes and addresses in the form that all screens use: a skyline of eight bars, and the short text. */
import * as Atom from "effect/reactivity/Atom"
import { type ReactNode, useEffect, useState } from "react"

import { short, skyline } from "./TextFormats.ts"
import { setAtom, useAtom } from "./useAtom.ts"

/** The hash under the pointer, or the hash that has the focus. All equal hashes on the page are highlighted. */
const pointed = Atom.make<string | undefined>(undefined)

/** Eight bars of different heights, so that a reader can tell two hashes apart. */
export const Skyline = ({ hex }: { readonly hex: string }) => (
  <svg viewBox="0 0 16 10" width="16" height="10" aria-hidden="true">
    {skyline(hex).map((height, at) => {
      const tall = 1 + (height * 9) / 15
      // the order of the eight bars never changes
      // oxlint-disable-next-line react/no-array-index-key
      return <rect key={at} x={at * 2} y={10 - tall} width="1.6" height={tall} />
    })}
  </svg>
)

/** Returns the event handlers that highlight equal hashes. */
const lighting = (hex: string) => ({
  onMouseEnter: () => setAtom(pointed, hex),
  onMouseLeave: () => setAtom(pointed, undefined),
  onFocus: () => setAtom(pointed, hex),
  onBlur: () => setAtom(pointed, undefined)
})

/** A hash in short form. With `link`, it is a link; otherwise a click, or the key `c`, copies the full hash. */
export const Hash = ({
  children,
  hex,
  link
}: {
  readonly hex: string
  readonly link?: { readonly href: string } | undefined
  readonly children?: ReactNode
}) => {
  const isAlike = useAtom(pointed) === hex
  const name = `hash${isAlike ? " alike" : ""}`
  const inside = (
    <>
      <Skyline hex={hex} />
      {children ?? short(hex)}
    </>
  )
  if (link === undefined) return <Copied text={hex} className={name} {...lighting(hex)} label={inside} />
  return (
    <a className={name} href={link.href} title={hex} data-copy={hex} {...lighting(hex)}>
      {inside}
    </a>
  )
}

/** The event of the window after a button copied a text, which is its `detail`. */
export const COPIED = "plumbline-copied"

/** A button that copies a text, and then shows that the text was copied. */
export const Copied = ({
  className = "button",
  isSecret = false,
  label,
  text,
  ...events
}: {
  readonly text: string
  readonly label: ReactNode
  readonly className?: string
  /** True to leave the full text out of the tooltip. */
  readonly isSecret?: boolean
} & Partial<ReturnType<typeof lighting>>) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        dispatchEvent(new CustomEvent(COPIED, { detail: text }))
      },
      () => setCopied(false)
    )
  }
  return (
    <button
      type="button"
      className={`${className} copy`}
      title={isSecret ? undefined : text}
      data-copy={isSecret ? "" : text}
      onClick={copy}
      {...events}
    >
      {isCopied ? <span role="status">Copied</span> : label}
    </button>
  )
}
